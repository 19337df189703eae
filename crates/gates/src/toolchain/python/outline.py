# Outlines Python files: reads them, runs nothing of them, and says what is in them as JSON.
import ast
import json
import sys

BYTES_MAX = 1 << 20
ITEMS_MAX = 20000
MESSAGES = {"print", "warn", "debug", "info", "warning", "error", "exception", "critical", "log", "fail", "skip"}
KEYS = {"get", "getattr", "hasattr", "setattr", "setdefault", "pop", "getenv", "add_argument", "add_parser"}
CHECKS = ("assert", "check", "expect", "verify", "ensure", "should")
RAISES = {"raises", "warns", "fail", "deprecated_call"}
CATCHES = {"AssertionError", "Exception", "BaseException"}


def scalar(node):
    """A constant as a value, or nothing."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = scalar(node.operand)
        return {"number": "-" + inner["number"]} if inner and "number" in inner else None
    if not isinstance(node, ast.Constant):
        return None
    held = node.value
    if isinstance(held, bool) or held is None or held is Ellipsis:
        return None
    if isinstance(held, str):
        return {"text": held.encode("utf-8", "replace").decode("utf-8")}
    if isinstance(held, bytes):
        return {"text": held.decode("latin-1")}
    if isinstance(held, (int, float)):
        return {"number": number(held)}
    return None


def number(held):
    if isinstance(held, float) and held.is_integer() and abs(held) < 1e15:
        return str(int(held))
    return repr(held) if not isinstance(held, int) or held.bit_length() < 4096 else "huge"


def word(found):
    return found.get("text") or found.get("number") or ""


def value(node):
    """A constant or a row of them as a value, or nothing."""
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        parts = [scalar(part) for part in node.elts]
        if len(parts) >= 3 and all(parts):
            return {"list": [word(part) for part in parts]}
        return None
    return scalar(node)


def is_constant(node):
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp):
        return is_constant(node.operand)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return all(is_constant(part) for part in node.elts)
    if isinstance(node, ast.Dict):
        return all(key is not None and is_constant(key) for key in node.keys) and all(map(is_constant, node.values))
    return False


def called(node):
    """The last name of what is called."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def has_call(node):
    return any(isinstance(inner, (ast.Call, ast.Await)) for inner in ast.walk(node))


class Outline:
    def __init__(self, path, tree):
        self.found = {"path": path, "functions": [], "literals": [], "pairs": [], "uses": [], "imports": []}
        self.names = {}
        self.seen = set()
        for node in ast.walk(tree):
            self.imported(node)
        self.block(tree, [], [])

    def add(self, kind, item):
        if len(self.found[kind]) >= ITEMS_MAX:
            raise ValueError("it holds too much")
        self.found[kind].append(item)

    def imported(self, node):
        if isinstance(node, ast.Import):
            for name in node.names:
                local = name.asname or name.name.split(".")[0]
                self.names[local] = name.name if name.asname else local
                self.add("imports", {"module": name.name, "name": local, "line": node.lineno})
                self.use(name.name, node)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for name in node.names:
                local = name.asname or name.name
                self.names[local] = module + "." + name.name
                self.add("imports", {"module": module, "name": local, "line": node.lineno})
                self.use(module + "." + name.name, node)

        elif isinstance(node, ast.Call) and called(node.func) in {"__import__", "import_module"} and node.args:
            name = scalar(node.args[0])
            if name and "text" in name:
                self.add("imports", {"module": name["text"], "name": "", "line": node.lineno})

    def use(self, name, node):
        if (name, node.lineno) not in self.seen:
            self.seen.add((name, node.lineno))
            self.add("uses", {"name": name, "line": node.lineno})

    def block(self, node, outer, bases):
        """Functions and literals of everything below a node."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                above = [called(base) or "?" for base in child.bases]
                self.block(child, outer + [child.name], [name for name in above if name != "object"])
                continue
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.function(child, outer, bases)
                self.block(child, outer + [child.name], [])
                continue
            self.visit(child, "other")
            self.statements(child, outer, bases)

    def statements(self, node, outer, bases):
        """Functions that stand in an if or a with."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.block(ast.Module(body=[child], type_ignores=[]), outer, bases)
            elif isinstance(child, ast.stmt):
                self.statements(child, outer, bases)

    def function(self, node, outer, bases):
        arguments = node.args
        names = [one.arg for one in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
        names += [one.arg for one in (arguments.vararg, arguments.kwarg) if one]
        if outer and outer[-1][:1].isupper() and names[:1] in (["self"], ["cls"]):
            names = names[1:]
        inner = [part for statement in node.body for part in ast.walk(statement)]
        mentions = {part.id for part in inner if isinstance(part, ast.Name)}
        mentions |= {part.attr for part in inner if isinstance(part, ast.Attribute)}
        asserts, hollow = self.asserts(node)
        in_class = bool(outer) and outer[-1][:1].isupper()
        is_test = node.name.startswith("test") and (
            not outer or outer[-1].startswith("Test") or any("TestCase" in base for base in bases)
        )
        marks = {called(part.func if isinstance(part, ast.Call) else part) for part in node.decorator_list}
        if is_test:
            kind = "test"
        elif marks & {"abstractmethod", "overload"} or set(bases) & {"Protocol", "ABC"}:
            kind = "abstract"
        else:
            kind = "derived" if in_class and bases else "plain"
        self.add("functions", {
            "name": "::".join(outer + [node.name]),
            "kind": kind,
            "first": min([node.lineno] + [part.lineno for part in node.decorator_list]),
            "last": node.end_lineno or node.lineno,
            "parameters": names,
            "used": sorted(set(names) & mentions),
            "asserts": asserts,
            "hollow": hollow,
            "body": self.body(node),
            "mentions": sorted(mentions),
        })

    def body(self, node):
        statements = list(node.body)
        if isinstance(statements[0], ast.Expr) and isinstance(statements[0].value, ast.Constant):
            if isinstance(statements[0].value.value, str):
                statements = statements[1:]

        def is_nothing(one):
            is_dots = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
            return isinstance(one, ast.Pass) or is_dots or (isinstance(one, ast.Return) and one.value is None)

        statements = [one for one in statements if not is_nothing(one)]
        if not statements:
            return "empty"
        last = statements[-1]
        if len(statements) == 1 and isinstance(last, ast.Raise) and last.exc is not None:
            exc = last.exc.func if isinstance(last.exc, ast.Call) else last.exc
            if called(exc) == "NotImplementedError":
                return "unwritten"
        if len(statements) == 1 and isinstance(last, ast.Return) and is_constant(last.value):
            return {"constant": ast.unparse(last.value)[:200]}
        return "real"

    def asserts(self, node):
        count, hollow, swallowed = 0, [], set()
        inner = [part for statement in node.body for part in ast.walk(statement)]
        for part in inner:
            if isinstance(part, ast.Try) and any(self.swallows(handler) for handler in part.handlers):
                for statement in part.body:
                    swallowed.update(id(one) for one in ast.walk(statement) if isinstance(one, ast.Assert))
        for part in inner:
            if isinstance(part, ast.Assert):
                count += 1
                if id(part) in swallowed:
                    hollow.append([part.lineno, "a failing assert is swallowed"])
                elif self.is_hollow(part.test):
                    hollow.append([part.lineno, ast.unparse(part)[:200]])
            elif isinstance(part, ast.Raise):
                count += 1
            elif isinstance(part, ast.Call):
                name = called(part.func)
                if name.lower().startswith(CHECKS) or name in RAISES:
                    count += 1
                    pair = part.args[:2]
                    is_same = name in {"assertEqual", "assertIs"} and len(pair) == 2 and self.same(*pair)
                    is_true = name == "assertTrue" and pair and self.is_hollow(pair[0])
                    if is_same or is_true:
                        hollow.append([part.lineno, ast.unparse(part)[:200]])
        return count, hollow

    @staticmethod
    def swallows(handler):
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        is_caught = any(one is None or called(one) in CATCHES for one in types)
        ends = (ast.Raise, ast.Assert)
        return is_caught and not any(isinstance(one, ends) for part in handler.body for one in ast.walk(part))

    @classmethod
    def is_hollow(cls, test):
        if isinstance(test, ast.Constant):
            return bool(test.value)
        if isinstance(test, ast.Tuple):
            return bool(test.elts)
        if isinstance(test, ast.BoolOp):
            parts = [cls.is_hollow(part) for part in test.values]
            return any(parts) if isinstance(test.op, ast.Or) else all(parts)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return isinstance(test.operand, ast.Constant) and not test.operand.value
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            right, op = test.comparators[0], test.ops[0]
            if isinstance(op, (ast.Eq, ast.Is, ast.LtE, ast.GtE)) and cls.same(test.left, right):
                return True
            is_length = isinstance(test.left, ast.Call) and called(test.left.func) == "len"
            return is_length and isinstance(op, ast.GtE) and ast.dump(right) == ast.dump(ast.Constant(0))
        return False

    @staticmethod
    def same(left, right):
        # The same call twice may well differ; the same name cannot.
        return ast.dump(left) == ast.dump(right) and not has_call(left)

    def visit(self, node, role):
        """Literals, pairs and names of an expression or a statement, but not of functions in it."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return
        found = value(node)
        if found:
            self.add("literals", {"value": found, "role": role, "line": node.lineno})
        if isinstance(node, (ast.Constant, ast.UnaryOp)) and scalar(node):
            return
        self.named(node)
        self.paired(node)
        for child, inner in self.children(node, role):
            self.visit(child, inner)

    def children(self, node, role):
        inner = "message" if role == "message" else "other"
        if isinstance(node, ast.Compare):
            return [(part, "compared") for part in [node.left, *node.comparators]]
        if isinstance(node, ast.MatchValue):
            return [(node.value, "compared")]
        if isinstance(node, ast.Return) and node.value is not None:
            return [(node.value, "returned")]
        if isinstance(node, ast.Raise):
            return [(part, "message") for part in ast.iter_child_nodes(node)]
        if isinstance(node, ast.Assert):
            return [(node.test, inner)] + ([(node.msg, "message")] if node.msg else [])
        if isinstance(node, ast.JoinedStr):
            return [(part, "message") for part in node.values]
        if isinstance(node, ast.Subscript):
            return [(node.value, inner), (node.slice, "key")]
        if isinstance(node, ast.Dict):
            keys = [(part, "key") for part in node.keys if part is not None]
            return keys + [(part, inner) for part in node.values]
        if isinstance(node, ast.Call):
            name = called(node.func)
            is_message = name in MESSAGES or name.endswith(("Error", "Exception", "Warning"))
            first = "message" if is_message else "key" if name in KEYS else inner
            rest = "message" if is_message else inner
            parts = [(node.func, inner)]
            parts += [(part, first if at == 0 or name in KEYS else rest) for at, part in enumerate(node.args)]
            return parts + [(one.value, rest) for one in node.keywords]
        return [(child, inner) for child in ast.iter_child_nodes(node)]

    def named(self, node):
        name = self.dotted(node)
        if name:
            self.use(name, node)

    def dotted(self, node):
        if isinstance(node, ast.Name):
            return self.names.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            base = self.dotted(node.value)
            return base + "." + node.attr if base else None
        if isinstance(node, ast.Call) and called(node.func) in {"getattr", "__import__", "import_module"}:
            parts = node.args
            if called(node.func) == "getattr" and len(parts) >= 2:
                base, name = self.dotted(parts[0]), scalar(parts[1])
                return base + "." + name["text"] if base and name and "text" in name else None
            name = scalar(parts[0]) if parts else None
            return name["text"] if name and "text" in name else None
        return None

    def pair(self, given, expected, node, among):
        if given and expected:
            self.add("pairs", {"given": given, "expected": expected, "line": node.lineno, "among": among})

    def paired(self, node):
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare) and len(node.test.ops) == 1:
            self.sides(node.test.left, node.test.comparators[0], node)
        if isinstance(node, ast.Call) and called(node.func) in {"assertEqual", "assertAlmostEqual"}:
            if len(node.args) >= 2:
                self.sides(node.args[0], node.args[1], node)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            rows = [part for part in node.elts if isinstance(part, (ast.Tuple, ast.List)) and len(part.elts) >= 2]
            for row in rows:
                given = [found for found in map(value, row.elts[:-1]) if found]
                self.pair(given, value(row.elts[-1]), row, len(rows))
        if isinstance(node, ast.Dict):
            for key, held in zip(node.keys, node.values):
                given = value(key) if key is not None else None
                self.pair([given] if given else [], value(held), node, len(node.keys))
        if isinstance(node, ast.If) and isinstance(node.test, ast.Compare):
            given = [found for found in map(value, [node.test.left, *node.test.comparators]) if found]
            answer = node.body[0]
            if isinstance(answer, (ast.Return, ast.Assign)) and answer.value is not None:
                self.pair(given, value(answer.value), node, 1)
        if isinstance(node, ast.IfExp) and isinstance(node.test, ast.Compare):
            given = [found for found in map(value, [node.test.left, *node.test.comparators]) if found]
            self.pair(given, value(node.body), node, 1)
        if isinstance(node, ast.Match):
            for case in node.cases:
                given = [value(part.value) for part in ast.walk(case.pattern) if isinstance(part, ast.MatchValue)]
                answer = case.body[0]
                if isinstance(answer, (ast.Return, ast.Assign)) and answer.value is not None:
                    self.pair([one for one in given if one], value(answer.value), case.pattern, len(node.cases))

    def sides(self, left, right, node):
        for call, outcome in ((left, right), (right, left)):
            calls = [part for part in ast.walk(call) if isinstance(part, ast.Call)]
            arguments = [part for one in calls for part in one.args + [key.value for key in one.keywords]]
            given = [found for found in map(value, arguments) if found]
            self.pair(given, value(outcome), node, 1)


def outline(path):
    try:
        with open(path, "rb") as file:
            text = file.read(BYTES_MAX + 1)
        if len(text) > BYTES_MAX:
            raise ValueError("it is too long")
        return {"outline": Outline(path, ast.parse(text, path)).found}
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return {"unread": {"path": path, "why": type(error).__name__ + ": " + str(error)[:200]}}


json.dump([outline(path) for path in sys.argv[1:]], sys.stdout)
