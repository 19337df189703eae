"""Writes the public surface of packages as JSON. The packages are read as text and never run.

    surface.py FOLDER PACKAGE...
"""

import ast
import json
import math
import pathlib
import sys

# Methods that concern the class itself, or that a stand-in has anyway.
OWN_METHODS = set(
    "__new__ __init_subclass__ __class_getitem__ __getattribute__ __getattr__ __setattr__ __delattr__ __del__ __reduce__ "
    "__reduce_ex__ __getstate__ __setstate__ __instancecheck__ __subclasscheck__ __slots__ __set_name__".split()
)
DATA_OF_LIBRARY = {"dataclass", "dataclasses.dataclass"}
DATA = DATA_OF_LIBRARY | set("define attrs.define attr.define frozen attrs.frozen attr.s attr.attrs".split())


def statements(body):
    """What a module or class does at its top, whichever way its conditions go."""
    for node in body:
        if isinstance(node, ast.If):
            if "TYPE_CHECKING" not in ast.unparse(node.test):
                yield from statements(node.body)
            yield from statements(node.orelse)
        elif isinstance(node, ast.Try):
            yield from statements(node.body)
            for handler in node.handlers:
                yield from statements(handler.body)
            yield from statements(node.orelse)
        elif isinstance(node, ast.With):
            yield from statements(node.body)
        else:
            yield node


def written(node):
    """A name as it is written, without what it is called or indexed with."""
    while isinstance(node, (ast.Subscript, ast.Call)):
        node = node.value if isinstance(node, ast.Subscript) else node.func
    return ast.unparse(node)


def is_data(node, names):
    def compares(decorator):
        keywords = decorator.keywords if isinstance(decorator, ast.Call) else ()
        return not any(keyword.arg == "eq" for keyword in keywords)

    return "__eq__" not in names and any(written(it) in DATA and compares(it) for it in node.decorator_list)


def fields_of(node):
    """What a data class of the library, or a protocol, says that its objects hold."""
    is_wanted = any(written(it) in DATA_OF_LIBRARY for it in node.decorator_list) or any("Protocol" in written(it) for it in node.bases)
    fields = []
    for item in statements(node.body) if is_wanted else ():
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            kind = ast.unparse(item.annotation)
            if not any(word in kind for word in ("ClassVar", "InitVar", "KW_ONLY")):
                fields.append(item.target.id)
    return fields


def returns_of(node):
    """What a plain function says that it answers."""
    is_plain = isinstance(node, ast.FunctionDef) and not node.decorator_list and node.returns is not None
    if not is_plain or any(isinstance(it, (ast.Yield, ast.YieldFrom)) for it in ast.walk(node)):
        return None
    return node.returns.value if isinstance(node.returns, ast.Constant) else ast.unparse(node.returns)


def doc_of(node):
    """What a function or class says of itself, as it is written."""
    doc = ast.get_docstring(node, clean=False)
    return doc if is_plain(doc) else None


def kind_of(node):
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    methods, attributes, names, returns, docs = [], [], set(), {}, {"": doc_of(node)}
    for item in statements(node.body):
        if isinstance(item, functions):
            names.add(item.name)
            if item.name not in OWN_METHODS:
                marks = [ast.unparse(it) for it in item.decorator_list]
                is_plain = not marks or any("overload" in it or "wraps" in it for it in marks)
                (methods if is_plain else attributes).append(item.name)
                returns[item.name] = returns_of(item)
                docs[item.name] = doc_of(item)
    methods = [name for name in dict.fromkeys(methods) if name not in attributes]
    bases = [written(base) for base in node.bases]
    return ["class", node.name, bases, methods, list(dict.fromkeys(attributes)), is_data(node, names), fields_of(node), returns, docs]


def absolute(node, module, is_package):
    """The module that `from ... import` names."""
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    parts = parts[: len(parts) - node.level + is_package]
    return ".".join([*parts, *([node.module] if node.module else [])])


def is_plain(value):
    """Whether every reader of JSON takes a value for the same."""
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, int) and abs(value) < 1 << 63


def listed(node):
    """The names of a list, if it is written out."""
    try:
        names = list(ast.literal_eval(node))
    except (ValueError, TypeError):
        return None
    return [name for name in names if isinstance(name, str) and name.isidentifier()]


def module_surface(text, module, is_package, packages):
    items = []
    for node in statements(ast.parse(text).body):
        if isinstance(node, ast.ImportFrom):
            source = absolute(node, module, is_package)
            is_own = source.partition(".")[0] in packages
            for alias in node.names:
                items.append(["import", source, alias.name, alias.asname or alias.name, is_own])
        elif isinstance(node, ast.Import):
            for alias in node.names:
                is_own = alias.name.partition(".")[0] in packages
                name = alias.asname or alias.name.partition(".")[0]
                source = alias.name if alias.asname else name
                items.append(["import", alias.name if is_own else source, "", name, is_own])
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.name not in ("__getattr__", "__dir__"):
                items.append(["function", node.name, bool(node.decorator_list), returns_of(node), doc_of(node)])
        elif isinstance(node, ast.ClassDef):
            items.append(kind_of(node))
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name == "__all__":
                names = listed(node.value)
                if names is not None:
                    items.append(["all", names])
            elif isinstance(node.value, ast.Constant) and is_plain(node.value.value):
                items.append(["constant", name, node.value.value])
    return items


def main(folder, *packages):
    folder, surface = pathlib.Path(folder), {}
    for package in packages:
        files = [folder / f"{package}.py"] if (folder / f"{package}.py").is_file() else (folder / package).rglob("*.py")
        for path in sorted(files):
            parts = path.relative_to(folder).with_suffix("").parts
            is_package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if is_package else parts)
            try:
                items = module_surface(path.read_bytes(), name, is_package, packages)
            except (SyntaxError, ValueError, RecursionError):
                # The candidate itself says what is wrong, when it is imported.
                items = []
            surface[name] = {"package": is_package, "items": items}
    json.dump(surface, sys.stdout)


main(*sys.argv[1:])
