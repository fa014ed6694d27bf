#!/usr/bin/env bash
# Fuzzes: run.sh [SECONDS [TARGET...]], each target for so long. Needs GCC with its sanitizers, and nothing to be installed.
# JOBS=n run.sh: so many targets at a time (default 1). SALTUS_FUZZ_SEED=n run.sh: the same random numbers each time (default:
# new ones); how many of them are used depends on the time that they take.
#
# SALTUS_FUZZ_FOUND=DIR: inputs that reach new code stay there, and the next run continues from them.
#
# The kept corpus (corpus/TARGET; for c and cpp that of rust) is where it starts; what it finds goes to a temporary
# directory. With SALTUS_FUZZ_KEEP=1 the corpus is merged with what was found. An input that fails is left in
# artifacts/TARGET; run it again with
#   target/HOST/fuzz/TARGET artifacts/TARGET/crash-...
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-30}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(parser text wire plain rust c cpp json cdr packet reassembly tcpq tunnel lcmlog mcap index foxglove report)

# What cargo-fuzz passes without a sanitizer: counters and comparisons for libFuzzer. All of it is stable.
flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=16 --cfg fuzzing"
host=$(rustc -vV | sed -n 's/^host: //p')
# With a target named, build scripts are built without these flags.
dir=${CARGO_TARGET_DIR:-target}
RUSTFLAGS="$flags" cargo build --profile fuzz --quiet --locked --bins --features libfuzzer --target "$host" --target-dir "$dir"
export bin="$dir/$host/fuzz"

found=$(mktemp -d)
# What a target leaves behind, even one that fails, goes with it.
export TMPDIR="$found"
trap 'rm -rf "$found"; rmdir artifacts/* artifacts 2>/dev/null || true' EXIT
export found seconds
mkdir -p "${targets[@]/#/artifacts/}"

# fuzz TARGET: says in the end what became of it
fuzz() {
    local target=$1 corpus inputs memory log runs reached edges status=0
    # The native decoders take the same bytes.
    case "$target" in c | cpp) corpus=corpus/rust ;; *) corpus=corpus/$target ;; esac
    inputs="${SALTUS_FUZZ_FOUND:-$found}/$target"
    mkdir -p "$inputs" "$corpus"
    # A chunk of MCAP may say that it becomes 256 MB, and be no liar.
    case "$target" in mcap) memory=2000 ;; *) memory=160 ;; esac
    log="$found/$target.log"
    TIMEFORMAT=%0U # of user code
    { time "$bin/$target" -max_total_time="$seconds" -seed="${SALTUS_FUZZ_SEED:-0}" -timeout=10 -rss_limit_mb=$memory -max_len=2048 -print_final_stats=1 \
        -artifact_prefix="artifacts/$target/" "$inputs" "$corpus" >"$log" 2>&1; } 2>"$log.time" || status=$?
    if [ "$status" -ne 0 ]; then
        printf '%s\n' "$(tail -n 60 "$log")" "$target: FAILED (status $status); the input is in lab/fuzz/artifacts/$target"
        return 1
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    memory=$(sed -n 's/^stat::peak_rss_mb: *//p' "$log")
    # Edges of the target's whole program, with the crates that it depends on.
    edges=$(sed -n 's/.*PC tables* (\([0-9]*\) PCs).*/\1/p' "$log" | head -n 1)
    reached=$(sed -n 's/^#[0-9]*[[:space:]].* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    echo "$target: $runs inputs in $seconds s, $(cat "$log.time") processor-seconds, at most $memory MB, $reached of $edges edges, nothing found"
    if [ "${SALTUS_FUZZ_KEEP:-}" = 1 ]; then
        "$bin/$target" -merge=1 -use_counters=0 -max_len=2048 "$corpus" "$inputs" >>"$log" 2>&1
    fi
}
export -f fuzz
# All of them, whatever becomes of one.
printf '%s\n' "${targets[@]}" | xargs -P "${JOBS:-1}" -I '{}' bash -euo pipefail -c 'fuzz {}'
