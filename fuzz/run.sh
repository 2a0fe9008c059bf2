#!/bin/sh
# run.sh BUILD TARGET SECONDS: fuzz one target with AFL++ and say what was found.  Called by ./dev fuzz.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
build=$1 target=$2 seconds=$3
case $seconds in *[!0-9]*|'') echo "fuzz: SECONDS must be a number" >&2; exit 4 ;; esac
[ -f "$here/fuzz_$target.c" ] || { echo "fuzz: no target $target; see ./dev fuzz list" >&2; exit 4; }
ninja -C "$build" "fuzz/fuzz_$target" >&2

out=$build/out/$target
seeds=$build/seeds/$target
rm -rf "$out" "$seeds"
mkdir -p "$out" "$seeds"
cp "$here/seeds/$target"/* "$seeds"/ 2>/dev/null || true
# Corpora of our own are seeds too, the small files of them.
[ ! -d "$here/../corpus/$target/files" ] ||
	find "$here/../corpus/$target/files" -type f -size -8k -exec cp {} "$seeds"/ \;
dictionary=
[ ! -f "$here/dict/$target.dict" ] || dictionary="-x $here/dict/$target.dict"

export AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_AFFINITY=1
export ASAN_OPTIONS=abort_on_error=1:symbolize=0:detect_leaks=0:allocator_may_return_null=1
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:symbolize=0
# shellcheck disable=SC2086 # the dictionary is an option and its value
afl-fuzz -i "$seeds" -o "$out" -V "$seconds" -m none -t 2000 $dictionary -- "$build/fuzz/fuzz_$target" \
	>"$out/log" 2>&1 || { tail -20 "$out/log" >&2; exit 2; }

stat() { sed -n "s/^$1 *: *//p" "$out/default/fuzzer_stats"; }
crashes=$(find "$out/default/crashes" -name 'id:*' | wc -l)
hangs=$(find "$out/default/hangs" -name 'id:*' | wc -l)
printf '%s: %s executions in %s s (%s/s), %s paths, %s of the edges, %s crashes, %s hangs\n' "$target" \
	"$(stat execs_done)" "$(stat run_time)" "$(stat execs_per_sec)" "$(stat corpus_count)" \
	"$(stat bitmap_cvg)" "$crashes" "$hangs"
if [ "$crashes" -ne 0 ] || [ "$hangs" -ne 0 ]; then
	echo "inputs in $out/default/crashes and $out/default/hangs" >&2
	exit 1
fi
