"""What the corpora of chat templates share: a case's name, its codes, and the verdict that follows from them."""
from corpus_cases import Cases

REJECTED = {"template-" + w for w in ("dunder", "introspection", "ladder", "code", "load", "length")}
SIDE = "format-side-file"


class Templates(Cases):
    """What is neither rejected nor accepted is held."""
    def verdict_of(self, codes):
        codes = set(codes)
        return "reject" if codes & REJECTED else "review" if codes - {SIDE} else "accept"

    def template(self, name, text, codes="", why="", ending=".jinja"):
        """@codes: without their family."""
        self.case(name + ending, text, " ".join([SIDE] + ["template-" + w for w in codes.split()]), why)

    def pairs(self, *rows):
        """name, the attack, its codes, the near miss, why"""
        for name, attack, codes, honest, why in rows:
            self.template(name, attack, codes, why)
            self.template(name + "-near", honest, why="near miss: " + why)
