# Reads the public items of Python files: reads them, runs nothing of them, and says what they declare as JSON.
import ast
import json
import os
import sys

BYTES_MAX = 1 << 20
ITEMS_MAX = 20000
SPECIAL = {"__init__", "__call__"}
# Decorators that change how a function or class is used.
KEPT = {
    "abstractmethod", "asynccontextmanager", "cached_property", "classmethod", "contextmanager", "dataclass", "deleter",
    "final", "getter", "overload", "property", "setter", "staticmethod",
}
RECORDS = {"NamedTuple", "TypedDict"}


def last(node):
    """The last name of a decorator or a base: `setter` of `fee.setter`."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Subscript):
        node = node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def text(node):
    """An annotation in one spelling, whether it is quoted or not."""
    if node is None:
        return ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value.strip(), mode="eval").body
        except SyntaxError:
            pass
    return ast.unparse(node)


def is_public(name):
    return not name.startswith("_")


def parameters(arguments, has_receiver):
    found = []

    def add(argument, kind, default):
        one = {"name": argument.arg, "kind": kind, "annotation": text(argument.annotation)}
        one["default"] = "present" if default else "absent"
        found.append(one)

    plain = [(one, "positional_only") for one in arguments.posonlyargs] + [(one, "positional") for one in arguments.args]
    first_default = len(plain) - len(arguments.defaults)
    for nth, (argument, kind) in enumerate(plain):
        add(argument, "receiver" if has_receiver and nth == 0 else kind, nth >= first_default)
    if arguments.vararg:
        add(arguments.vararg, "variadic", False)
    # The order of arguments that are passed by name means nothing.
    named = sorted(zip(arguments.kwonlyargs, arguments.kw_defaults), key=lambda pair: pair[0].arg)
    for argument, default in named:
        add(argument, "keyword_only", default is not None)
    if arguments.kwarg:
        add(arguments.kwarg, "keyword_variadic", False)
    return found


def generics(node):
    found = [ast.unparse(one) for one in getattr(node, "type_params", [])]
    return "[" + ", ".join(found) + "]" if found else ""


def qualifiers(node, own=()):
    """Decorators that decide how something is used: known ones, and those that the project itself declares."""
    names = {last(one) for one in node.decorator_list}
    return sorted(names & KEPT) + sorted("@" + name for name in names & set(own) - KEPT)


def declared(tree):
    """Names that a module declares itself or takes from the modules beside it."""
    found = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.ImportFrom) and node.level > 0:
            found |= {one.asname or one.name for one in node.names}
    return found


class Module:
    def __init__(self, path, tree):
        self.found = []
        self.is_package = path.endswith("__init__.py")
        self.exported = exported(tree)
        self.own = declared(tree)
        self.origins = {}
        self.block(tree.body)
        for name in sorted((self.exported or set()) - {one["name"].split(".")[0] for one in self.found}):
            if name in self.origins:
                self.add(name, "re_export", {"result": self.origins[name]})
            else:
                self.add(name, "constant", {})

    def add(self, name, kind, signature):
        if len(self.found) >= ITEMS_MAX:
            raise ValueError("it holds too much")
        self.found.append({"name": name, "item": {"kind": kind, "signature": signature}})

    def is_meant(self, name):
        return is_public(name) if self.exported is None else name in self.exported

    def block(self, body):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if self.is_meant(node.name):
                    self.function("", node)
            elif isinstance(node, ast.ClassDef):
                if self.is_meant(node.name):
                    self.type("", node)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self.imported(node)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                if self.exported is not None and node.target.id in self.exported:
                    self.add(node.target.id, "constant", {"result": text(node.annotation)})
            elif isinstance(node, (ast.Assign, ast.Delete)):
                self.rebound(node)
            elif isinstance(node, ast.If) and isinstance(node.test, ast.Constant):
                self.block(node.body if node.test.value else node.orelse)
            elif isinstance(node, ast.If):
                # What stands below `if __name__ == "__main__"` is the program, and nobody imports it.
                if "__name__" not in ast.dump(node.test):
                    self.block(node.body)
                self.block(node.orelse)
            elif isinstance(node, ast.Try):
                for part in [node.body, *[one.body for one in node.handlers], node.orelse, node.finalbody]:
                    self.block(part)
            elif isinstance(node, ast.With):
                self.block(node.body)
            elif type(node).__name__ == "TypeAlias" and self.is_meant(node.name.id):
                self.add(node.name.id, "type", {"generics": generics(node), "result": text(node.value)})

    def rebound(self, node):
        """A name that was declared above and is deleted, or means something else from here on."""
        value = getattr(node, "value", ast.Constant(None))
        for target in node.targets:
            name = target.id if isinstance(target, ast.Name) else ""
            # `fee = cached(fee)` is a decorator that is spelt otherwise.
            if any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(value)):
                continue
            before = len(self.found)
            self.found = [one for one in self.found if one["name"].split(".")[0] != name]
            if len(self.found) < before and isinstance(node, ast.Assign):
                self.add(name, "constant", {"result": ast.unparse(value)[:200]})

    def imported(self, node):
        if isinstance(node, ast.Import):
            for one in node.names:
                self.origins[one.asname or one.name.split(".")[0]] = one.name
            return
        module = "." * node.level + (node.module or "")
        dot = "" if module.endswith(".") else "."
        for one in node.names:
            name, origin = one.asname or one.name, module + dot + one.name
            self.origins[name] = origin
            # A package offers what it takes from its own modules.
            is_offered = self.exported is None and self.is_package and node.level > 0
            if is_offered and (is_public(name) or name == "*"):
                self.add(name, "re_export", {"result": origin})

    def function(self, above, node):
        words = qualifiers(node, self.own)
        is_method = bool(above) and "staticmethod" not in words
        kind = "method" if above else "function"
        signature = {
            "parameters": parameters(node.args, is_method),
            "result": text(node.returns),
            "generics": generics(node),
        }
        if {"property", "cached_property"} & set(words):
            kind = "property"
            del signature["parameters"]
            words = [word for word in words if word not in {"property", "cached_property"}]
        signature["qualifiers"] = words + (["async"] if isinstance(node, ast.AsyncFunctionDef) else [])
        self.add(above + node.name, kind, signature)

    def type(self, above, node):
        bases = [ast.unparse(base) for base in node.bases]
        signature = {"generics": generics(node), "qualifiers": qualifiers(node, self.own)}
        if bases:
            signature["bounds"] = "(" + ", ".join(bases) + ")"
        if "dataclass" in signature["qualifiers"] or RECORDS & {last(base) for base in node.bases}:
            signature["parameters"] = [field(one) for one in node.body if is_field(one)]
        self.add(above + node.name, "class", signature)
        self.members(above + node.name + ".", node.body)

    def members(self, above, body):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if is_public(node.name) or node.name in SPECIAL:
                    self.function(above, node)
            elif isinstance(node, ast.ClassDef) and is_public(node.name):
                self.type(above, node)
            elif isinstance(node, ast.If):
                self.members(above, node.body)
                self.members(above, node.orelse)


def is_field(node):
    is_named = isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    return is_named and not text(node.annotation).startswith(("ClassVar", "typing.ClassVar"))


def field(node):
    default = "absent" if node.value is None else "present"
    return {"name": node.target.id, "kind": "positional", "annotation": text(node.annotation), "default": default}


def exported(tree):
    """The names in `__all__`, or nothing if there is none or it cannot be read."""
    names = None
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(last(target) == "__all__" for target in node.targets):
            names = listed(node.value)
        elif isinstance(node, ast.AnnAssign) and last(node.target) == "__all__" and node.value is not None:
            names = listed(node.value)
        elif isinstance(node, ast.AugAssign) and last(node.target) == "__all__":
            more = listed(node.value)
            names = names | more if names is not None and more is not None else None
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            if isinstance(call.func, ast.Attribute) and last(call.func.value) == "__all__" and call.args:
                more = listed(call.args[0]) if call.func.attr == "extend" else listed(ast.List([call.args[0]]))
                names = names | more if names is not None and more is not None else None
    return names


def listed(node):
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = listed(node.left), listed(node.right)
        return left | right if left is not None and right is not None else None
    if not isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return None
    if not all(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in node.elts):
        return None
    return {one.value for one in node.elts}


def surface(path):
    try:
        with open(path, "rb") as file:
            source = file.read(BYTES_MAX + 1)
        if len(source) > BYTES_MAX:
            raise ValueError("it is too long")
        hidden = os.path.dirname(path) + ".py"
        if path.endswith("/__init__.py") and os.path.exists(hidden):
            raise ValueError("it is imported instead of " + hidden)
        return {"items": {"path": path, "items": Module(path, ast.parse(source, path)).found}}
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return {"unread": {"path": path, "why": type(error).__name__ + ": " + str(error)[:200]}}


json.dump([surface(path) for path in sys.argv[1:]], sys.stdout)
