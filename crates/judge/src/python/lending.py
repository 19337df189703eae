"""Which containers of the tests the candidate may change in place. All others cross as copies.

A candidate that can change what it is compared with could make both sides the same. So a container is lent only if it is a
local variable of the function that calls, and that function looks at it in one way: it is compared with what is written out.
This is read from the text of the tests.
"""

import ast
import builtins
import sys

# Names whose calls hand nothing to the candidate, beside what is imported from the library.
HARMLESS = {*dir(builtins), "pytest"} - {"getattr", "map", "filter"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# By file: the names that each function lends, by its first line.
LENT = {}
# Modules that stand between a test and the candidate.
BETWEEN = {"judge", "judge_plugin", "peer", "values", "both", "lending", "exchange"}


def lent(frame):
    """The ids of the containers that the function of the tests lends, which is running."""
    while frame is not None and frame.f_globals.get("__name__") in BETWEEN:
        frame = frame.f_back
    if frame is None:
        return ()
    names = of_file(frame.f_code.co_filename).get(frame.f_code.co_firstlineno, ())
    return {id(frame.f_locals[name]) for name in names if name in frame.f_locals} if names else ()


def of_file(path):
    if path not in LENT:
        LENT[path] = dict(of_functions(path))
    return LENT[path]


def parsed(path):
    """The tree of a file of the tests; an empty one where there is none."""
    try:
        with open(path, "rb") as file:
            return ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def of_functions(path):
    tree = parsed(path)
    harmless = HARMLESS | {name for node in ast.walk(tree) for name in from_library(node)}
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            names = Function(node, harmless).lends()
            if names:
                yield min([node.lineno, *(it.lineno for it in node.decorator_list)]), names


def from_library(node):
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    if modules and all(it.partition(".")[0] in sys.stdlib_module_names for it in modules):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]


def names(node):
    return {it.id for it in ast.walk(node) if isinstance(it, ast.Name)}


class Function:
    def __init__(self, node, harmless):
        self.node, self.nodes = node, list(ast.walk(node))
        # Bound once, here, and nowhere else: not by a caller, a loop or another function.
        bound = [it.id for it in self.nodes if isinstance(it, ast.Name) and isinstance(it.ctx, (ast.Store, ast.Del))]
        plain = {name for it in self.nodes for name, _ in pairs(it)}
        arguments = {it.arg for it in self.nodes if isinstance(it, ast.arg)}
        elsewhere = {one for it in self.nodes if isinstance(it, (ast.Global, ast.Nonlocal)) for one in it.names}
        inner = {one for it in self.nodes if isinstance(it, (*FUNCTIONS, ast.Lambda)) and it is not node for one in names(it)}
        self.local = {one for one in plain if bound.count(one) == 1} - arguments - elsewhere - inner
        self.harmless = harmless - set(bound) - arguments
        self.containers = set()
        self.containers = {name for it in self.nodes for name, value in pairs(it) if name in self.local and self.is_container(value)}

    def is_container(self, node):
        return isinstance(node, (ast.List, ast.Dict, ast.Set)) or isinstance(node, ast.Call) and self.is_harmless(node)

    def lends(self):
        if not self.local:
            return set()
        seen, spoilt = set(), self.used_otherwise()
        for node in self.nodes:
            for test in conditions(node):
                looked_at, other = self.looked_at(test)
                seen |= looked_at
                spoilt |= other
        groups = self.groups()
        for group in groups:
            # What is known under several names is looked at under each of them.
            seen |= group if seen & group else set()
            spoilt |= group if spoilt & group else set()
        return (seen & self.local) - spoilt

    def groups(self):
        """Names that mean one thing, or of which one holds the other."""
        found = []
        for node in self.nodes:
            together = set()
            for targets, value in assigned(node):
                held = names(value) - self.harmless
                together |= targets | held if held and self.is_structure(value) else set()
            if isinstance(node, ast.Expr) and self.is_of_container(node.value):
                together |= names(node.value) - self.harmless
            if together:
                together = together.union(*(it for it in found if it & together))
                found = [it for it in found if not it & together] + [together]
        return found

    def is_structure(self, node):
        """Whether a value is another one, or is written out around others."""
        return isinstance(node, ast.Name) or isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)) and not self.asks(node)

    def is_of_container(self, node):
        """Whether it is a call of a method of a container that is bound here."""
        func = node.func if isinstance(node, ast.Call) else None
        return isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in self.containers

    def used_otherwise(self):
        """Names in statements that are neither plain calls, nor assignments, nor assertions."""
        found = set()
        for node in self.nodes:
            if isinstance(node, (ast.AugAssign, ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.For, ast.AsyncFor, ast.comprehension)):
                found |= names(getattr(node, "iter", None) or node)
            elif isinstance(node, ast.Assign) and any(isinstance(it, (ast.Attribute, ast.Subscript)) for it in node.targets):
                found |= names(node)
            elif isinstance(node, ast.BinOp):
                found |= names(node)
            for targets, value in assigned(node):
                held = names(value) - self.harmless
                if isinstance(node, ast.Assign) and len(node.targets) > 1:
                    found |= targets
                if held and not self.asks(value) and not self.is_structure(value):
                    found |= held | targets
        return found

    def asks(self, node):
        """Whether it may reach the candidate: calls of what is not known to be harmless."""
        return any(isinstance(it, ast.Call) and not self.is_harmless(it) for it in ast.walk(node))

    def is_harmless(self, call):
        if self.is_of_container(call):
            return True
        root = call.func
        while isinstance(root, ast.Attribute):
            root = root.value
        is_known = isinstance(root, ast.Name) and root.id in self.harmless
        return is_known or isinstance(root, (ast.Constant, ast.List, ast.Dict, ast.Set, ast.Tuple))

    def is_written_out(self, node):
        """Whether a value stands in the text, and comes from nowhere else."""
        return not self.asks(node) and not names(node) - self.harmless

    def looked_at(self, test):
        """The names that a condition compares with what is written out, and those that it uses in another way."""
        if isinstance(test, ast.Compare):
            sides = [test.left, *test.comparators]
            if all(isinstance(it, (ast.Is, ast.IsNot)) for it in test.ops):
                return {it.id for it in sides if isinstance(it, ast.Name)}, set()
            own = [it for it in sides if not self.is_written_out(it)]
            if len(own) == 1 and not self.asks(own[0]) and not isinstance(own[0], ast.BinOp):
                return names(own[0]) - self.harmless, set()
        elif not self.asks(test) and len(names(test) - self.harmless) == 1:
            return names(test) - self.harmless, set()
        # What is only handed over inside of a comparison with something written out is not looked at.
        return set(), self.beside_calls(test)

    def beside_calls(self, test):
        """Names of a condition, without those that one call of it is given, if all else is written out."""
        calls = [it for it in ast.walk(test) if isinstance(it, ast.Call) and not self.is_harmless(it)]
        if len(calls) == 1 and isinstance(test, ast.Compare):
            handed = set().union(*(names(it) for it in [*calls[0].args, *(word.value for word in calls[0].keywords)]), set())
            rest = [it for it in [test.left, *test.comparators] if it is not calls[0]]
            if all(map(self.is_written_out, rest)) and len(rest) == len(test.comparators):
                return set() if handed else names(test)
        return names(test)


def conditions(node):
    """The conditions of an assertion, one by one."""
    if isinstance(node, ast.Assert):
        return parts(node.test)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("assert"):
        if node.func.attr in ("assertEqual", "assertListEqual", "assertDictEqual", "assertSetEqual") and len(node.args) >= 2:
            return [ast.Compare(node.args[0], [ast.Eq()], [node.args[1]])]
        return node.args
    return []


def parts(test):
    if isinstance(test, ast.BoolOp):
        return [part for value in test.values for part in parts(value)]
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return parts(test.operand)
    return [test]


def pairs(node):
    """Names that a statement binds to a value of their own."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        targets, values = [node.targets[0]], [node.value]
        if isinstance(targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
            targets, values = targets[0].elts, node.value.elts
        if len(targets) == len(values):
            return [(target.id, value) for target, value in zip(targets, values) if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        return [(node.target.id, node.value)]
    return []


def assigned(node):
    """The names that are bound, and to what."""
    if isinstance(node, ast.Assign):
        return [({one for target in node.targets for one in names(target)}, node.value)]
    if isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        return [(names(node.target), node.value)]
    if isinstance(node, ast.withitem) and node.optional_vars is not None:
        return [(names(node.optional_vars), node.context_expr)]
    return []
