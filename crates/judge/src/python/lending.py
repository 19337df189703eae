"""Which functions of the tests lend their containers to the candidate, so that it can change them in place.

A function that compares what it has lent with what came back, or with itself, does not: a candidate could make both sides
the same. There the candidate gets copies. This is read from the text of the tests.
"""

import ast
import builtins
import sys

# Names that lend nothing, beside what is imported from the library.
HARMLESS = {*dir(builtins), "pytest"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
PATHS = (ast.Name, ast.Attribute)
# By file: the first lines of functions that do not lend.
MIXING = {}


def may_lend(frame):
    """Whether every function of the tests that is running lends."""
    while frame is not None:
        code, module = frame.f_code, frame.f_globals.get("__name__", "")
        if module.startswith("_pytest."):
            return True
        if code.co_firstlineno in mixing(code.co_filename, module):
            return False
        frame = frame.f_back
    return True


def mixing(path, module):
    if path not in MIXING:
        is_of_tests = module.partition(".")[0] not in sys.stdlib_module_names and module not in OWN
        MIXING[path] = set(lines(path)) if is_of_tests else ()
    return MIXING[path]


def lines(path):
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    harmless = HARMLESS | {name for node in ast.walk(tree) for name in from_library(node)}
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS) and Function(node, harmless).mixes():
            yield min([node.lineno, *(it.lineno for it in node.decorator_list)])


def from_library(node):
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    if modules and all(it.partition(".")[0] in sys.stdlib_module_names for it in modules):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]


class Function:
    def __init__(self, node, harmless):
        self.node, self.harmless = node, harmless
        # Names, as they are written, of what was lent, and of what came back.
        self.lent, self.back = set(), set()

    def mixes(self):
        nodes = list(ast.walk(self.node))
        for node in nodes:
            if isinstance(node, ast.Call) and self.asks(node) and not self.is_assertion(node):
                for argument in [*node.args, *(it.value for it in node.keywords)]:
                    self.lent |= self.paths(argument)
        while self.spread(nodes):
            pass
        return any(self.is_mixed(sides) for sides in filter(None, map(self.sides, nodes)))

    def spread(self, nodes):
        """What is made of what was lent or came back is so as well."""
        before = len(self.lent), len(self.back)
        for node in nodes:
            for target, value in assigned(node):
                names = self.paths(target)
                if self.is_back(value):
                    self.back |= names
                if self.is_lent(value):
                    self.lent |= names
        return before != (len(self.lent), len(self.back))

    def sides(self, node):
        if isinstance(node, ast.Compare) and not all(isinstance(it, (ast.Is, ast.IsNot)) for it in node.ops):
            return [node.left, *node.comparators]
        if isinstance(node, ast.Call) and self.is_assertion(node):
            return node.args

    def is_mixed(self, sides):
        return any(
            self.is_lent(one) and (self.is_lent(other) or self.is_back(other))
            for one in sides
            for other in sides
            if one is not other
        )

    def is_lent(self, node):
        return not self.lent.isdisjoint(self.paths(node))

    def is_back(self, node):
        return any(isinstance(it, ast.Call) and self.asks(it) for it in ast.walk(node)) or not self.back.isdisjoint(self.paths(node))

    def asks(self, call):
        """Whether a call may reach the candidate."""
        root = call.func
        while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
            root = root.func if isinstance(root, ast.Call) else root.value
        return not (isinstance(root, ast.Name) and root.id in self.harmless)

    def is_assertion(self, call):
        return isinstance(call.func, ast.Attribute) and call.func.attr.startswith("assert")

    def paths(self, node):
        """Names, and attributes of names, that a value comes from. What is only handed on to a call is left out."""
        found, nodes = set(), [node]
        while nodes:
            one = nodes.pop()
            if isinstance(one, PATHS):
                found.add(ast.unparse(one))
            if isinstance(one, ast.Call) and self.asks(one):
                nodes.append(one.func)
            else:
                nodes += ast.iter_child_nodes(one)
        return found - self.harmless


def assigned(node):
    """What is bound to what."""
    if isinstance(node, ast.Assign):
        return [(target, node.value) for target in node.targets]
    if isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
        return [(node.target, node.value)]
    if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        return [(node.target, node.iter)]
    if isinstance(node, ast.withitem) and node.optional_vars is not None:
        return [(node.optional_vars, node.context_expr)]
    return []


OWN = {"judge", "judge_plugin", "peer", "values", "both", "lending", "exchange"}
