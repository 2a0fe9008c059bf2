"""What operands make a term of the tables of limits (lib/judges/limits/terms.py) fail, and what makes it hold."""
import re

NAME = r"[A-Za-z_]\w*"
EXPR = re.compile(rf"(?:(#)({NAME})|(sum|max|prod|first|last|len|int|scalar)\(({NAME})\)|count\(({NAME}),(-?\d+)\)|"
                  rf"({NAME})\.(r|all|-?\d+|\{{({NAME})\}})|({NAME}))(?:\*(\d+))?(?:([+-]\d+))?")
SIZES = (4, 3, 2, 1, 5, 6, 8, 12, 0, 7, 10, 16, 20, 24, 65, 255, 1 << 16, 1 << 31, -1, -2)


class Operand:
    """Of one name: `values` (a number is a scalar), `dims` of what has no values that matter, `kind` a hint for its type."""
    def __init__(self, values=None, dims=None, kind=None):
        self.values, self.dims, self.kind = values, dims, kind


def set_to(text, number):
    """Operands that give an expression this value; None: none do."""
    if re.fullmatch(r"-?\d+", text):
        return {} if int(text) == number else None
    match = EXPR.fullmatch(text)
    if not match:
        return None
    number -= int(match[12] or 0)
    times = int(match[11] or 1)
    if number % times:
        return None
    number //= times
    if match[1] or match[3] == "len":
        return {match[2] or match[4]: Operand([1] * number)} if 0 <= number <= 300 else None
    if match[3]:
        return {match[4]: Operand(number if match[3] == "scalar" else [number], kind=match[3])}
    if match[5]:
        return {match[5]: Operand([int(match[6])] * number)} if 0 <= number <= 300 else None
    if match[7]:
        return dimensions(match[7], match[8], match[9], number)
    if match[10] in ("in", "out"):
        return {match[10]: number} if 0 <= number < 50 else None
    return {match[10]: Operand([number])}


def dimensions(name, which, by, number):
    if number < 0 or number > 1 << 16:
        return None
    if which == "r":
        return {name: Operand(dims=(1,) * number)} if number <= 16 else None
    if by:
        return {name: Operand(dims=(number, 1)), by: Operand([0])}
    if which == "all":
        return {name: Operand(dims=(number,) * 4)}
    place = int(which)
    return {name: Operand(dims=(1,) * place + (number,) if place >= 0 else (number,) + (1,) * (-1 - place))}


def merged(one, other):
    """None: they speak of the same operand."""
    return None if one is None or other is None or set(one) & set(other) else {**one, **other}


RELATIONS = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
             "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "|": lambda a, b: a > 0 and b % a == 0,
             "%": lambda a, b: a <= 0 or b <= 0 or b % a == 0, "@": lambda a, b: -b <= a < b, "[]": lambda a, b: -b <= a < b}


def related(left, op, rights):
    """(bad, good) of a comparison."""
    found = {}
    for wanted in (False, True):
        for b in SIZES + tuple(int(r) for r in rights if re.fullmatch(r"-?\d+", r)):
            near = tuple(n for r in rights if re.fullmatch(r"-?\d+", r) for n in (int(r) - 1, int(r), int(r) + 1, -1 - int(r)))
            for a in sorted(near, key=lambda n: n == 0) + list(SIZES):
                if op in ("@", "[]") and b <= 0 or wanted in found or RELATIONS[op](a, b) != wanted:
                    continue
                if not wanted and any(re.fullmatch(r"-?\d+", r) and RELATIONS[op](a, int(r)) for r in rights):
                    continue
                two = [merged(set_to(left, a), set_to(r, b)) for r in rights]
                if wanted:
                    two = [t for t in two if t is not None]
                if two and all(t is not None for t in two if len(rights) == 1):
                    usable = [t for t in two if t is not None]
                    if usable:
                        found[wanted] = usable[0]
    return (found[False], found[True]) if len(found) == 2 else None


def lists(word, name):
    of = {"perm": ([0, 2], [1, 0]), "sorted": ([1, 0], [0, 1]), "distinct": ([1, 1], [0, 1]), "pow2": ([3, 3], [2, 2]), "even": ([3], [2])}
    bad, good = of[word]
    return {name: Operand(bad)}, {name: Operand(good)}


def sides(term):
    """(operands that fail it, operands that hold it), or None: it takes more than this knows."""
    term = term.rstrip("~")
    match = re.fullmatch(rf"(perm|sorted|distinct|pow2|even)\(({NAME})\)", term)
    if match:
        return lists(match[1], match[2])
    match = re.fullmatch(rf"even\(#({NAME})\)", term)
    if match:
        return {match[1]: Operand([0] * 3)}, {match[1]: Operand([0] * 4)}
    match = re.fullmatch(rf"size:(prod|max)\(({NAME})\)", term)
    if match:
        return {match[2]: Operand([2147483647] * 3 if match[1] == "prod" else [1 << 40], kind="size")}, {match[2]: Operand([4])}
    match = re.fullmatch(rf"size:tile\(({NAME}),({NAME})\)", term)
    if match:
        return ({match[1]: Operand(dims=(4, 4)), match[2]: Operand([1 << 40, 1], kind="size")},
                {match[1]: Operand(dims=(4, 4)), match[2]: Operand([2, 2])})
    match = re.fullmatch(rf"([^<>=!@|%\[]+)(<=|>=|!=|<|>|=|@|\||%|\[\])([^<>=!@%]+)", term)
    return related(match[1], match[2], match[3].split("|") if match[2] != "|" else [match[3]]) if match else None
