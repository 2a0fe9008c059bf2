"""The language of limits, and what becomes of a term in C (limits.h).

Terms stand side by side; every one has to hold.  One with an operand that the file does not know is not judged.

    x>0  x<=65535  x!=0          every element does; on the right `a|b`: one of them
    #x                           how many elements; `len(x)`: of a list, unknown of a single number
    x.r  x.2  x.-1  x.{axis}  x.all     rank, one dimension, the one that another operand names, every dimension
    in  out                      inputs and outputs that the operator has
    sum(x)  max(x)  prod(x)  count(x,-1)  x*4  x+1      arithmetic, which saturates
    first(x)  last(x)            of its elements
    int(x)  scalar(x)            x, but only if it is of an integer type; only if it has no dimension
    a|b   a%b                    a is above 0 and divides b; it does where both are above 0
    axis@x.r   axis@64           -r .. r-1; an unknown rank counts as 64
    i[]d                         likewise, and an unknown d is unknown
    perm(x) sorted(x) distinct(x) pow2(x) even(x)       of a list
    tuple(i)[]x  tuple(i)<x  tuple(i)<values(x)         rows of indices: inside x's leading dimensions; and not negative; inside the
                                 shape that x holds
    absent(x)                    there is no such thing
    size:prod(x)  size:max(x)  size:tile(x,repeats)  size:range(from,to,step)   the output it makes is within the limit
    if(term)term  unless(term)term      judged only if that holds; unless it holds
    term~                        medium: somebody could run it
"""
import re

OPS = {"<": "LT", "<=": "LE", ">": "GT", ">=": "GE", "=": "EQ", "!=": "NE"}
FUNCTIONS = {"sum": "SUM", "max": "MAX", "prod": "PRODUCT", "first": "FIRST", "last": "LAST", "len": "LENGTH", "int": "INTEGER", "scalar": "SCALAR"}
LISTS = ("perm", "sorted", "distinct", "pow2", "even")
WORD = r"[A-Za-z_][A-Za-z0-9_]*"


class Bad(Exception):
    """A text that is no term."""


def number(text):
    return f"INT64_C({int(text)})"


class Terms:
    """The terms of one row.  resolve(name): the number of the input it is, or -1; raises Bad for what the row does not have."""

    def __init__(self, resolve, name=WORD):
        self.resolve, self.name = resolve, name

    def named(self, text):
        if not re.fullmatch(self.name, text):
            raise Bad(f"no name: {text!r}")
        return f'{{ "{text}", {self.resolve(text)} }}'

    def expr(self, text):
        match = re.fullmatch(r"(.+?)((?:\*\d+)?)((?:(?<!\.)[+-]\d+)?)", text)
        if re.fullmatch(r"-?\d+", text):
            return f'{{ LIMITS_NUMBER, {{ "", -1, 0 }}, {{ "", -1, 0 }}, 0, 0, {number(text)} }}'
        if not match:
            raise Bad(f"no expression: {text!r}")
        atom, times, plus = match[1], match[2][1:] or "1", match[3] or "0"
        what, name, by, index = self.atom(atom)
        return f"{{ LIMITS_{what}, {name}, {by}, {index}, {number(times)}, {number(plus)} }}"

    def atom(self, text):
        nobody = '{ "", -1, 0 }'
        if text in ("in", "out"):
            return text.upper(), nobody, nobody, 0
        if text.startswith("#"):
            return "COUNT", self.named(text[1:]), nobody, 0
        match = re.fullmatch(r"(\w+)\((.+)\)", text)
        if match and match[1] == "count":
            name, _, value = match[2].partition(",")
            return "HAS", self.named(name), nobody, int(value)
        if match:
            if match[1] not in FUNCTIONS:
                raise Bad(f"no function: {text}")
            return FUNCTIONS[match[1]], self.named(match[2]), nobody, 0
        match = re.fullmatch(r"(\w+)\.(r|all|-?\d+|\{(\w+)\})", text) if self.name == WORD else None
        if not match:
            return "VALUE", self.named(text), nobody, 0
        if match[3]:
            return "DIM_OF", self.named(match[1]), self.named(match[3]), 0
        if match[2] in ("r", "all"):
            return {"r": "RANK", "all": "DIMS"}[match[2]], self.named(match[1]), nobody, 0
        return "DIM", self.named(match[1]), nobody, int(match[2])

    def relation(self, kind, left, rights=(), op="LT"):
        if len(rights) > 3:
            raise Bad("more than LIMITS_CHOICES_MAX")
        rights = [self.expr(r) for r in rights]
        return kind, op, self.expr(left), rights

    def core(self, text):
        """(kind, operator, left, rights)."""
        match = re.fullmatch(r"tuple\((\w+)\)(\[\]|<)(?:values\((\w+)\)|(\w+))", text)
        if match:
            kind = "ROWS_OF" if match[3] else "ROWS" if match[2] == "[]" else "ROWS_BELOW"
            return self.relation(kind, match[1], [match[3] or match[4]])
        match = re.fullmatch(r"size:(tile|range)\((.+)\)", text)
        if match and match[1] == "tile":
            name, by = match[2].split(",")
            return "SIZE_TILE", "LT", f"{{ LIMITS_VALUE, {self.named(name)}, {self.named(by)}, 0, 1, 0 }}", []
        if match:
            start, limit, step = match[2].split(",")
            return self.relation("SIZE_RANGE", start, [limit, step])
        if text.startswith("size:"):
            return self.relation("SIZE", text[5:])
        match = re.fullmatch(r"(\w+)\((.+)\)", text)
        if match and match[1] in LISTS:
            return self.relation(match[1].upper(), match[2])
        if match and match[1] == "absent":
            return self.relation("ABSENT", match[2])
        match = re.fullmatch(r"([^<>=!@|%]+)(<=|>=|!=|<|>|=)([^<>=!@]+)", text)
        if match:
            return self.relation("COMPARE", match[1], match[3].split("|"), OPS[match[2]])
        match = re.fullmatch(r"(.+)\[\](.+)", text)
        if match:
            return self.relation("AXIS", match[1], [match[2]])
        match = re.fullmatch(r"([^@]+)@([^@]+)", text)
        if match:
            return self.relation("AXIS_OF", match[1], [match[2]])
        match = re.fullmatch(r"([^|%]+)([|%])([^|%]+)", text)
        if match:
            return self.relation("DIVIDES" if match[2] == "|" else "DIVIDES_ALSO", match[1], [match[3]])
        raise Bad(f"no term: {text}")

    def condition(self, text):
        """(word, condition, rest); the word is "" of a term that begins with none."""
        match = re.match(r"(if|unless)\(", text)
        if not match:
            return "", "", text
        depth = 0
        for i, c in enumerate(text):
            depth += (c == "(") - (c == ")")
            if c == ")" and depth == 0:
                return match[1], text[match.end():i], text[i + 1:]
        raise Bad(f"no end of the condition: {text}")

    def struct(self, shown, text, mild, conditions):
        """A struct limits_term without its braces; its conditions, a chain, as compound literals."""
        kind, op, left, rights = self.core(text)
        right = f"(const struct limits_expr[]){{ {', '.join(rights)} }}" if rights else "NULL"
        only, unless = "NULL", False
        if conditions:
            (word, condition), *more = conditions
            only = f"&(const struct limits_term){{ {self.struct(condition, condition, False, more)} }}"
            unless = word == "unless"
        return (f'"{shown}", LIMITS_{kind}, LIMITS_{op}, {str(mild).lower()}, {str(unless).lower()}, {len(rights)}, '
                f"{left}, {right}, {only}")

    def term(self, shown):
        mild, conditions = shown.endswith("~"), []
        word, condition, rest = self.condition(shown[:-1] if mild else shown)
        while word:
            conditions.append((word, condition))
            word, condition, rest = self.condition(rest)
        return self.struct(shown, rest, mild, conditions)

    def row(self, text):
        return [self.term(t) for t in text.split()]
