"""What every generator of a corpus does around its cases: a verdict that follows from the codes, a row and a file for each
case, and files/ and cases.jsonl in the end."""
import json
import os
import shutil
import sys


def counts(nan=0, pos_inf=0, neg_inf=0):
    """What a tensor has under `nonfinite`."""
    return {"nan": nan, "pos_inf": pos_inf, "neg_inf": neg_inf}


class Link(str):
    """In the place of contents: where a symbolic link leads."""


def put(path, data):
    """Contents, or a folder of them by name."""
    if isinstance(data, dict):
        for name, content in data.items():
            put(os.path.join(path, name), content)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if isinstance(data, Link):
        os.symlink(data, path)
        return
    with open(path, "wb") as f:
        f.write(data.encode() if isinstance(data, str) else data)


class Cases:
    """Of one corpus: the rows of cases.jsonl, and contents by name.  A name without an ending gets `ending`; with `sections` it
    begins with that whose cases are near misses of each other.  Codes that are `accepted` do not hold a file up, those
    `reviewed` do, all others reject; both may grow meanwhile."""
    def __init__(self, ending="", accepted=(), reviewed=(), sections=False):
        self.rows, self.files = [], {}
        self.ending, self.accepted, self.reviewed, self.sections = ending, accepted, reviewed, sections

    def verdict_of(self, codes):
        rest = set(codes) - set(self.accepted)
        return "accept" if not rest else "review" if rest <= set(self.reviewed) else "reject"

    def case(self, name, data, codes="", why="", expect=None, **more):
        """Contents are bytes, text, or a folder of them by name.  `expect` follows from the worst code when not given."""
        name += "" if "." in name else self.ending
        codes = codes.split()
        assert name not in self.files and ("-" in name or not self.sections), name
        self.files[name] = data
        self.rows.append({"file": name, "expect": [expect or self.verdict_of(codes)], "codes": codes, "why": why, **more})

    def write(self, **form):
        """Beside the program or in the folder that it is given; `form` is how json writes a row."""
        here = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(sys.argv[0]))
        shutil.rmtree(os.path.join(here, "files"), ignore_errors=True)
        for name, data in self.files.items():
            put(os.path.join(here, "files", name), data)
        with open(os.path.join(here, "cases.jsonl"), "w", encoding="utf-8") as f:
            f.writelines(json.dumps(row, **form) + "\n" for row in self.rows)
        print(len(self.rows), "cases")

    def make(self, *sections, **form):
        for section in sections:
            section()
        self.write(**form)
