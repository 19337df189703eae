"""Lists the tests that need the process of the code they judge, with the reasons. They are read as text and never run.

    crossing.py FOLDER PACKAGES TEST_FILE...

What is listed depends on the tests alone: nothing that the code does or answers can move a test to or from the list.
"""

import ast
import json
import pathlib
import sys

PROGRAMS = "starts programs beside the code"
# Modules that reach into the process they are used in.
REACHING = {
    "unittest.mock": "replaces parts of the code",
    "mock": "replaces parts of the code",
    "pickle": "copies objects of the code by itself",
    "inspect": "looks into the code",
    "gc": "looks into the memory of the code",
    "weakref": "looks into the memory of the code",
    "threading": "uses threads",
    "concurrent.futures": "uses threads",
    "multiprocessing": "starts processes beside the code",
    "importlib": "loads modules by itself",
    "ctypes": "looks into the memory of the code",
    "subprocess": PROGRAMS,
}
# Attributes that are not values: of an error, how it came about; of a function or class, what it is made of.
LOOKED_AT = {
    **dict.fromkeys("__cause__ __context__ __suppress_context__ __notes__ __traceback__".split(), "looks at how an error came about"),
    **dict.fromkeys("__dict__ __wrapped__ __code__ __closure__ __signature__ __annotations__ __abstractmethods__".split(), "looks into the code"),
    **dict.fromkeys("cache_clear cache_info cache_parameters".split(), "looks into a cache of the code"),
    "addHandler": "hears what the code logs",
}
# Fixtures that do.
FIXTURES = {"mocker": "replaces parts of the code", "caplog": "hears what the code logs", "capfd": "hears descriptors of the code"}
# Fixtures of pytest itself that do not.
BUILT_IN = set(
    "cache capsys capsysbinary doctest_namespace monkeypatch pytestconfig record_property record_testsuite_property "
    "record_xml_attribute recwarn request self cls subtests testdir tmp_path tmp_path_factory tmpdir tmpdir_factory".split()
)
# What `subprocess` has beside: ways to run a program and wait for it, and words for what came of it.
RUNNING = set("run call check_call check_output".split())
WORDS = set("PIPE STDOUT DEVNULL CompletedProcess CalledProcessError TimeoutExpired SubprocessError".split())
PATCHES = {"setattr", "delattr", "setitem", "delitem", "syspath_prepend"}


class File:
    """A test file, or a `conftest.py`: its functions, and what their names mean."""

    def __init__(self, path, packages):
        tree = ast.parse(path.read_bytes())
        self.modules, self.own, self.functions, self.marks, self.packages = {}, set(), {}, [], packages
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for name in node.names:
                    self.bind(name.asname or name.name.partition(".")[0], name.name, packages)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                for name in node.names:
                    whole = f"{node.module}.{name.name}"
                    if node.module != "subprocess" or name.name not in WORDS:
                        self.bind(name.asname or name.name, whole if whole in REACHING else node.module, packages)
        self.collect(tree.body, "")

    def bind(self, name, module, packages):
        if module.partition(".")[0] in packages:
            self.own.add(name)
        for reaching in REACHING:
            if module == reaching or module.startswith(reaching + "."):
                self.modules[name] = REACHING[reaching]

    def collect(self, body, inside):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.functions[inside + node.name] = node
            elif isinstance(node, ast.ClassDef):
                self.marks += node.decorator_list
                self.collect(node.body, f"{inside}{node.name}::")

    def waits(self, node):
        """Whether it waits for what only the loop of its own process can bring."""
        called = node.value.func if isinstance(node, ast.Await) and isinstance(node.value, ast.Call) else None
        return isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "asyncio"

    def starts_own(self, call):
        """Whether it starts a program of the code itself: `[sys.executable, "-m", "package", …]`."""
        words = call.args[0] if call.args else None
        while isinstance(words, ast.BinOp):
            words = words.left
        first = [ast.unparse(word) for word in getattr(words, "elts", [])[:2]]
        module = words.elts[2] if len(getattr(words, "elts", [])) > 2 else None
        is_own = isinstance(module, ast.Constant) and str(module.value).partition(".")[0] in self.packages
        is_plain = not any(keyword.arg in ("shell", "executable", "preexec_fn") for keyword in call.keywords)
        return is_own and is_plain and first[0] in ("sys.executable", "'python'", "'python3'") and first[1] == "'-m'"

    def harmless(self, node):
        """Names of `subprocess` with which nothing else is started."""
        found = set()
        for one in ast.walk(node):
            if isinstance(one, ast.Attribute) and one.attr in WORDS:
                found.add(one.value)
            elif isinstance(one, ast.Call) and self.starts_own(one):
                if isinstance(one.func, ast.Name):
                    found.add(one.func)
                elif isinstance(one.func, ast.Attribute) and one.func.attr in RUNNING:
                    found.add(one.func.value)
        return found

    def reasons(self, node):
        """Why a function needs the process of the code, and the names it uses."""
        found, used = set(), {arg.arg for arg in node.args.args + node.args.kwonlyargs}
        found |= {FIXTURES[name] for name in used & FIXTURES.keys()}
        if isinstance(node, ast.AsyncFunctionDef) and node.name.startswith("test"):
            found.add("needs a plugin of pytest")
        harmless = self.harmless(node)
        for one in ast.walk(node):
            if isinstance(one, ast.Attribute) and one.attr in LOOKED_AT:
                found.add(LOOKED_AT[one.attr])
            if isinstance(one, ast.AsyncFunctionDef) and one is not node and any(map(self.waits, ast.walk(one))):
                found.add("hands the code a coroutine that waits")
            if isinstance(one, ast.Name):
                used.add(one.id)
                found |= {"looks into objects of the code"} if one.id == "vars" else set()
                reason = self.modules.get(one.id)
                found |= {reason} if reason and not (reason == PROGRAMS and one in harmless) else set()
            elif isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name):
                owner, name = one.value.id, one.attr
                if owner == "monkeypatch" and name in PATCHES:
                    found.add("replaces parts of the code")
                elif owner in self.own and name.startswith("_") and not name.startswith("__"):
                    found.add(f"uses {owner}.{name}, which is not public")
                elif (owner, name) == ("sys", "modules"):
                    found.add("changes what is loaded")
            elif isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value in FIXTURES:
                used.add(one.value)
            elif isinstance(one, ast.Constant) and one.value in LOOKED_AT:
                found.add(LOOKED_AT[one.value])
            elif isinstance(one, ast.FunctionDef) and any(map(is_registration, one.decorator_list)):
                found.add("hands the code a function for its annotations")
            targets = one.targets if isinstance(one, (ast.Assign, ast.Delete)) else [one.target] if isinstance(one, ast.AugAssign) else []
            for target in targets:
                if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id in self.own:
                    found.add(f"changes {target.value.id}.{target.attr}")
        return found, used


def is_registration(decorator):
    return isinstance(decorator, ast.Attribute) and decorator.attr == "register"


def strange(files, file, name):
    """Fixtures of a test that only a plugin can have brought, and no plugin is loaded where nothing but values crosses."""
    node = file.functions[name]
    given = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
    without_default = given[: len(given) - len(node.args.defaults)] if node.args.defaults else given
    told = " ".join(ast.unparse(decorator) for decorator in [*node.decorator_list, *file.marks])
    known = {one.rpartition("::")[2] for other in files for one in other.functions} | BUILT_IN | FIXTURES.keys()
    names = {arg.arg for arg in without_default} - known
    return {f"uses {one}, a fixture of a plugin" for one in names if one not in told}


def shared(files, file, name):
    """All reasons of a test: its own, and those of fixtures and helpers that it names."""
    found, open_names, seen = strange(files, file, name), [(file, name)], set()
    while open_names:
        at, one = open_names.pop()
        if (id(at), one) in seen or one not in at.functions:
            continue
        seen.add((id(at), one))
        reasons, used = at.reasons(at.functions[one])
        found |= reasons
        inside = one.rpartition("::")[0]
        for other in files:
            open_names += [(other, word) for word in used]
            open_names += [(other, f"{inside}::{word}") for word in used if inside]
        # Fixtures that nobody names.
        for other in files:
            for word, node in other.functions.items():
                if any("autouse" in ast.unparse(decorator) for decorator in node.decorator_list):
                    open_names.append((other, word))
    return found


def main():
    folder, packages, *tests = sys.argv[1:]
    folder, packages = pathlib.Path(folder), packages.split(",")
    listed = {}
    for test in tests:
        path = folder / test
        above = [parent / "conftest.py" for parent in path.parents if parent == folder or folder in parent.parents]
        try:
            file = File(path, packages)
            files = [file, *(File(one, packages) for one in above if one.is_file())]
        except (SyntaxError, ValueError, RecursionError):
            continue
        for name in file.functions:
            if name.rpartition("::")[2].startswith("test"):
                reasons = shared(files, file, name)
                if reasons:
                    listed[f"{test}::{name}"] = sorted(reasons)
    print(json.dumps(listed))


if __name__ == "__main__":
    main()
