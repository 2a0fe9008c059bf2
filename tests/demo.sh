#!/bin/sh
# demo.sh BUILD: a private daemon on a temporary socket, real files good and bad, their verdicts.  Called by
# ./dev demo; exits non-zero when a verdict is not the expected one, so that the demo cannot rot.
set -eu
build=$1
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
files=$root/corpus/safetensors/files
scratch=$(mktemp -d)
socket=$scratch/weighlock.sock
trap 'kill "$daemon" 2>/dev/null; wait "$daemon" 2>/dev/null || :; rm -rf "$scratch"' EXIT
daemon=

"$build/daemon/weighlockd" --socket "$socket" 2>"$scratch/log" &
daemon=$!
tries=0
until curl -fs --unix-socket "$socket" http://localhost/readyz >/dev/null 2>&1; do
	tries=$((tries + 1))
	if [ $tries -gt 100 ] || ! kill -0 "$daemon" 2>/dev/null; then
		cat "$scratch/log" >&2
		echo "demo: the daemon did not get ready" >&2
		exit 1
	fi
	sleep 0.1
done
printf 'weighlockd is ready on %s\n' "$socket"

failed=0
# try WANT FILE TEXT: upload with curl, as any client would
try() {
	printf '\n$ curl --unix-socket ... -T %s http://localhost/v1/scan      # %s\n' "${2##*/}" "$3"
	curl -sS --unix-socket "$socket" -T "$files/$2" "http://localhost/v1/scan/${2##*/}" >"$scratch/verdict"
	/usr/bin/python3 - "$scratch/verdict" "$1" <<'EOF' || failed=1
import json, sys
v = json.load(open(sys.argv[1]))
print(f"  {v['verdict'].upper():7} {v['format'] or 'unknown format'}, {v['file']['size']} bytes, sha256 {v['file']['sha256'][:16]}...,"
      f" {v['scan']['duration_ms']} ms")
for f in [f for f in v["findings"] if f["severity"] != "info"][:3]:
    about = f" {f['subject']}" if "subject" in f else ""
    print(f"  - {f['code']} ({f['severity']}, {f['action']}){about}: {f['message']}")
w = v.get("weights")
if w:
    print(f"  weights: {w['tensors']} tensors, {w['elements']} floats, {w['nan']} NaN, {w['pos_inf'] + w['neg_inf']} infinite")
sys.exit(v["verdict"] != sys.argv[2])
EOF
}

try accept len-medium-header-64k.safetensors 'an honest file: 1,000 tensors'
try review weights-f16-mixed.safetensors 'poisoned: NaN and infinities in the weights'
try reject dup-tensor-escape.safetensors 'a lie: one tensor under two spellings of its name'
try reject shape-overflow-wrap-to-4.safetensors 'a lie: a shape whose product wraps to 4'
try reject poly-zip-in-tensor-with-comment.safetensors 'two files in one: a ZIP in the last tensor'
try accept ../../pickle/files/ben_torch_ckpt_optim.ckpt 'an honest PyTorch checkpoint: a model and its optimizer'
try reject ../../pickle/files/mal_sg_memoize_collide.pkl 'a pickle that hides the name of what it runs'
try reject ../../pickle/files/bad_tensor_oob.pt 'a tensor that reaches past its storage'

printf '\nThe same engine without the daemon:\n'
printf '$ weighlock scan len-unpadded-odd-n.safetensors off-overlap-partial.safetensors\n'
"$build/cli/weighlock" scan "$files/len-unpadded-odd-n.safetensors" "$files/off-overlap-partial.safetensors" || :

# A model in two shards; its index names the wrong one for a tensor.
/usr/bin/python3 - "$scratch/sharded" <<'EOF'
import json, os, struct, sys
os.mkdir(sys.argv[1])
os.chdir(sys.argv[1])
places = {}
for i in (1, 2):
    name = f"model-{i:05}-of-00002.safetensors"
    tensors = [f"layer.{i}.weight", f"layer.{i}.bias"]
    header = json.dumps({t: {"dtype": "F32", "shape": [2], "data_offsets": [8 * k, 8 * k + 8]} for k, t in enumerate(tensors)}).encode()
    header += b" " * (-len(header) % 8)
    with open(name, "wb") as f:
        f.write(struct.pack("<Q", len(header)) + header + struct.pack("<4f", i, 1, 2, 3))
    places.update({t: name for t in tensors})
for path, lie in (("../honest.json", {}), ("model.safetensors.index.json", {"layer.2.bias": places["layer.1.bias"]})):
    with open(path, "w") as f:
        json.dump({"metadata": {"total_size": 32}, "weight_map": {**places, **lie}}, f)
EOF
printf '\nA folder is judged as a set: its index says that a tensor is in a shard that does not hold it.\n'
printf '$ weighlock scan -q --socket ... sharded\n'
status=0
(cd "$scratch" && "$build/cli/weighlock" scan -q --socket "$socket" sharded) >"$scratch/set" || status=$?
cat "$scratch/set"
[ $status -eq 1 ] && grep -q '^REJECT  sharded, as a set' "$scratch/set" || failed=1
printf '\nWith the right index:\n$ weighlock scan --socket ... sharded\n'
mv "$scratch/honest.json" "$scratch/sharded/model.safetensors.index.json"
(cd "$scratch" && "$build/cli/weighlock" scan --socket "$socket" sharded) || failed=1

[ $failed -eq 0 ] || { echo 'demo: a verdict is not what it should be' >&2; exit 1; }
