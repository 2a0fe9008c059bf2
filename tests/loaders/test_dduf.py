"""huggingface_hub's read_dduf_file() beside us: what we accept of mutants it opens, and finds the same members in."""
import os
import random
import sys
import zipfile

import child
import ours
import tap

sys.path.insert(0, os.path.join(ours.SOURCE, "tests", "support"))
from zip_writer import archive  # noqa: E402 pylint: disable=wrong-import-position

FILES = os.path.join(ours.CORPUS, "dduf", "files")
CASES = ours.share("dduf", 300)
SEED = 20261123
SETUP = "from huggingface_hub import read_dduf_file"
LOAD = "value = {name: [e.offset, e.length] for name, e in read_dduf_file(path).items()}"
NAMES = ["model_index.json", "vae/config.json", "vae/model.safetensors", "tokenizer/tokenizer_config.json", "tokenizer/merges.txt",
         "unet/config.json", "vae/a/config.json", "notes.md", "notes.txt", "vae/notes.txt", "VAE/config.json", "/config.json",
         "scheduler/scheduler_config.json", "vae/"]


def members():
    with zipfile.ZipFile(os.path.join(FILES, "file-sound.dduf")) as z:
        return [(name, z.read(name)) for name in z.namelist()]


def changed(parts, dice):
    """Members gone, renamed, twice, compressed, in another order, or others' contents."""
    parts = list(parts)
    for _ in range(dice.choice([1, 1, 2, 3])):
        at, what = dice.randrange(len(parts)), dice.randrange(6)
        if what == 0 and len(parts) > 1:
            parts.pop(at)
        elif what == 1:
            parts[at] = (dice.choice(NAMES), parts[at][1])
        elif what == 2:
            parts.insert(dice.randrange(len(parts)), (dice.choice(NAMES), dice.choice([b"{}", b"[]", b"a\n", parts[at][1]])))
        elif what == 3:
            parts[at] = (*parts[at][:2], 8)
        elif what == 4:
            dice.shuffle(parts)
        else:
            parts[at] = (parts[at][0], dice.choice(parts)[1])
    return archive(*parts)


def flipped(content, dice):
    content = bytearray(content)
    for _ in range(dice.choice([1, 1, 2, 4])):
        content[dice.randrange(len(content))] = dice.choice([0, 1, 8, 0x50, 0xff, dice.randrange(256)])
    return bytes(content)


def test_accepted_mutants_open():
    child.need(child.TODAY, "huggingface_hub")
    dice, parts = random.Random(SEED), members()
    made = (changed(parts, dice) if dice.randrange(2) else flipped(archive(*parts), dice) for _ in range(CASES))
    seen = 0
    with child.Server(child.TODAY, SETUP, LOAD) as loader:
        for path, content, verdict in ours.judged(made, ".dduf"):
            if verdict["verdict"] != "accept":
                continue
            result = loader.run(path=path)
            assert result.loaded, (result.error, content)
            seen += 1
    assert seen > 0


tap.main(globals())
