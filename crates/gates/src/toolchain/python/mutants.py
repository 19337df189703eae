# Lists mutants of changed lines: reads source as text, runs nothing of it, and says as JSON which bytes to replace.
import ast
import functools
import hashlib
import json
import sys

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.ast.ast_query import ASTQuery
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

BYTES_MAX = 1 << 20
AT_ONE_PLACE = 2
# Identity instead of equality: for small numbers and short texts the same thing.
SAME = ("_Is", "_IsNot")
# Cosmic Ray has no operator for what a function does as a whole.
RETURN_AT_ONCE = "return at once"


def edit(before, after):
    """The bytes that differ: from, to, and what stands there instead."""
    one, other = before.encode(), after.encode()
    most = min(len(one), len(other))
    start = next((at for at in range(most) if one[at] != other[at]), most)
    end = next((at for at in range(most - start) if one[-1 - at] != other[-1 - at]), most - start)
    # Never in the middle of a letter.
    while start > 0 and start < len(one) and one[start] & 0xC0 == 0x80:
        start -= 1
    while end > 0 and (one[len(one) - end] & 0xC0 == 0x80 or other[len(other) - end] & 0xC0 == 0x80):
        end -= 1
    return {"start": start, "end": len(one) - end, "with": other[start : len(other) - end].decode()}


def found(path, text, lines):
    """All mutants that touch these lines, as (mutant, which of its kind, what makes the mutated text)."""
    is_touched = lambda first, last: any(start <= last and first <= end for start, end in lines)
    module = ast.parse(text)
    spared = list(types(text, module))
    is_spared = lambda start, end: any(first <= start and end <= last for first, last in spared)
    tree = get_ast(text)
    for name in sorted(operator_names()):
        kind = get_operator(name)
        if kind.arguments() or name.endswith(SAME):
            continue
        operator = kind()
        count = 0
        for node in ast_nodes(tree):
            for start, end in operator.mutation_positions(node):
                if is_touched(start[0], end[0]) and not is_spared(start, end):
                    function = ASTQuery(node).get_definition_name() or ""
                    mutant = {"path": path, "line": start[0], "what": name, "function": function}
                    yield mutant, count, functools.partial(mutate_code, text, operator, count)
                count += 1
    for count, (node, first) in enumerate(bodies(module)):
        if is_touched(first.lineno, node.end_lineno):
            mutant = {"path": path, "line": first.lineno, "what": RETURN_AT_ONCE, "function": node.name}
            yield mutant, count, functools.partial(returning, text, first)


def types(text, module):
    """Where only types are written, from and to: most is never evaluated, so no test can notice it."""
    # Lines of bytes end as the compiler ends them. Cosmic Ray counts letters, the compiler counts bytes.
    rows = text.encode().splitlines()
    at = lambda row, offset: (row, len(rows[row - 1][:offset].decode()))
    for node in ast.walk(module):
        for one in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(one, ast.expr):
                yield at(one.lineno, one.col_offset), at(one.end_lineno, one.end_col_offset)
        if isinstance(node, ast.If) and ast.unparse(node.test).split(".")[-1] == "TYPE_CHECKING":
            first, last = node.body[0], node.body[-1]
            yield at(first.lineno, first.col_offset), at(last.end_lineno, last.end_col_offset)


def bodies(module):
    """Functions that do something, each with its first statement."""
    for node in ast.walk(module):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body
            if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
                body = body[1:]
            if body and not is_empty(body[0]):
                yield node, body[0]


def is_empty(statement):
    """Whether a function that begins so does nothing, or nothing yet."""
    if isinstance(statement, ast.Raise):
        return "NotImplementedError" in ast.dump(statement)
    if isinstance(statement, ast.Return):
        return statement.value is None or getattr(statement.value, "value", statement) is None
    return isinstance(statement, ast.Pass)


def returning(text, first):
    """The text with a return before this statement."""
    raw = text.encode()
    above = raw.splitlines(keepends=True)[: first.lineno]
    line = above.pop()
    start = sum(map(len, above)) + first.col_offset
    indent = line[: first.col_offset]
    back = b"return; " if indent.strip() else b"return\n" + indent
    return (raw[:start] + back + raw[start:]).decode()


def main():
    asked = json.loads(sys.argv[1])
    mutants = []
    texts = {}
    for path, lines in sorted(asked["lines"].items()):
        try:
            with open(path, "rb") as file:
                raw = file.read(BYTES_MAX + 1)
        except FileNotFoundError:
            sys.exit(path + " is in none of the folders of source; name its folder under `sources`")
        if len(raw) > BYTES_MAX:
            raise ValueError(path + " is too long")
        texts[path] = raw.decode()
        mutants += found(path, texts[path], lines)

    def order(one):
        mutant, occurrence, _ = one
        words = [asked["seed"], mutant["path"], mutant["what"], str(occurrence)]
        return hashlib.sha256("\0".join(words).encode()).hexdigest()

    # One of every line first, then a second of every line, and so on.
    turns = {}
    ranked = []
    for one in sorted(mutants, key=order):
        line = (one[0]["path"], one[0]["line"])
        turns[line] = turns.get(line, 0) + 1
        ranked.append((turns[line], one))
    ranked.sort(key=lambda turn: turn[0])

    chosen = []
    seen = set()
    places = {}
    for _, (mutant, _, mutated) in ranked:
        if len(chosen) >= asked["most"]:
            break
        text = texts[mutant["path"]]
        after = mutated()
        if after is None or after == text or (mutant["path"], after) in seen:
            continue
        seen.add((mutant["path"], after))
        place = (mutant["path"], mutant["line"], mutant["what"].split("_")[0])
        places[place] = places.get(place, 0) + 1
        if places[place] <= AT_ONE_PLACE:
            chosen.append({**mutant, "edit": edit(text, after)})
    json.dump({"count": len(mutants), "mutants": chosen}, sys.stdout)


main()
