# Lists mutants of changed lines: reads source as text, runs nothing of it, and says as JSON which bytes to replace.
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
    """All mutants that touch these lines, as (where, operator, occurrence)."""
    tree = get_ast(text)
    for name in sorted(operator_names()):
        kind = get_operator(name)
        if kind.arguments() or name.endswith(SAME):
            continue
        operator = kind()
        count = 0
        for node in ast_nodes(tree):
            for start, end in operator.mutation_positions(node):
                if any(first <= end[0] and start[0] <= last for first, last in lines):
                    function = ASTQuery(node).get_definition_name() or ""
                    yield {"path": path, "line": start[0], "what": name, "function": function}, operator, count
                count += 1


def main():
    asked = json.loads(sys.argv[1])
    mutants = []
    texts = {}
    for path, lines in sorted(asked["lines"].items()):
        with open(path, "rb") as file:
            raw = file.read(BYTES_MAX + 1)
        if len(raw) > BYTES_MAX:
            raise ValueError(path + " is too long")
        texts[path] = raw.decode()
        mutants += found(path, texts[path], lines)

    def order(one):
        mutant, _, occurrence = one
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
    for _, (mutant, operator, occurrence) in ranked:
        if len(chosen) >= asked["most"]:
            break
        text = texts[mutant["path"]]
        after = mutate_code(text, operator, occurrence)
        if after is None or after == text or (mutant["path"], after) in seen:
            continue
        seen.add((mutant["path"], after))
        place = (mutant["path"], mutant["line"], mutant["what"].split("_")[0])
        places[place] = places.get(place, 0) + 1
        if places[place] <= AT_ONE_PLACE:
            chosen.append({**mutant, "edit": edit(text, after)})
    json.dump({"count": len(mutants), "mutants": chosen}, sys.stdout)


main()
