"""Chat templates in configurations that are too large to check in: wherever the limits are, what stands behind is judged or named."""
import json
import os
import subprocess
import sys
import tempfile

import tap

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
LADDER = "{{ ''.__class__ }}"
HONEST = "{% for m in messages %}{{ m.role }}{% endfor %}"
MIB = 1 << 20


def verdict(config):
    """(verdict, codes) of a configuration."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tokenizer_config.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(config, f)
        done = subprocess.run([OPTIONS["weighlock"], "scan", "--allow-empty", "--format", "json", "--", path],
                              capture_output=True, timeout=120, check=False)
        said = json.loads(done.stdout.splitlines()[0])
        return said["verdict"], {f["code"] for f in said["findings"]}


def test_a_template_of_a_large_file_is_judged():
    filler = {str(i): "x" * 1000 for i in range(17 * 1024)}
    assert verdict({"chat_template": HONEST, "added_tokens_decoder": filler})[0] == "accept"
    said, codes = verdict({"added_tokens_decoder": filler, "chat_template": LADDER})
    assert said == "reject" and "template-dunder" in codes, (said, codes)


def test_templates_have_a_limit_together():
    """Two of nearly a MiB are looked at, a third is named; one that is too long for itself takes no room."""
    large = HONEST + "x" * (MIB - len(HONEST) - 16)
    assert verdict({"chat_template": [large, large]})[0] == "accept"
    said, codes = verdict({"chat_template": [large, large, HONEST + "y" * 64]})
    assert said == "review" and "config-limit" in codes, (said, codes)
    said, codes = verdict({"chat_template": ["x" * (MIB + 1), LADDER]})
    assert said == "reject" and codes >= {"template-length", "template-dunder"}, (said, codes)


tap.main(globals())
