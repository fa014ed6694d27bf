#!/bin/bash
# Checks the SPIN models and their mutants.
#
#   run.sh [short|full]     short (default): what CI runs; full: larger bounds as well
#   JOBS=n run.sh           so many searches at a time (default 2)
#
# Needs spin and gcc. A model passes only if its whole state space was searched and no error found; a mutant is
# caught only if an error was found. Works in a temporary directory, which it removes.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
size=${1:-short}
case $size in
short | full) ;;
*)
    echo "usage: run.sh [short|full]" >&2
    exit 2
    ;;
esac
for tool in spin gcc; do
    command -v "$tool" >/dev/null || {
        echo "run.sh: \`$tool\` is missing: apt-get install $tool" >&2
        exit 2
    }
done

memory=1900   # MB that one search may use
if [ "$size" = full ]; then memory=4000; fi
depth=200000  # steps in a row; more than any model has
patience=1800 # seconds that one search may take
tmp=$(mktemp -d)
searches= # process group of the searches under way
finish() {
    if [ -n "$searches" ]; then kill -- "-$searches" 2>/dev/null || true; fi
    rm -rf "$tmp"
}
trap finish EXIT
trap 'exit 130' INT TERM

# One search a line: when, what is expected, how it is searched, name, model, flags.
#   when      short: always; full: only in the full run
#   expected  pass, or caught
#   search    safety: assertions and end states; end: every run ends (no cycle at all); block: with the never claim
list() {
    local both="-DA=1 -DS=3 -DABANDONS=0" newest="-DNO_NEXT" next="-DNO_NEWEST -DF=2"
    local cap3="-DNO_NEXT -DSMALL -DCAP=3 -DS=2 -DABANDONS=0" cap4="-DNO_NEXT -DSMALL -DCAP=4 -DS=3"
    cat <<LANE
short pass   safety lane-both              lane  $both -DATTEMPTS=4
short pass   safety lane-newest            lane  $newest -DATTEMPTS=4
short pass   safety lane-next              lane  $next -DATTEMPTS=4
full  pass   safety lane-newest-5          lane  $newest -DATTEMPTS=5
short pass   safety lane-small-4           lane  $cap4 -DATTEMPTS=4
short pass   safety lane-small-3           lane  $cap3 -DATTEMPTS=4
short pass   end    lane-newest-ends       lane  $newest -DATTEMPTS=3
short pass   end    lane-next-ends         lane  $next -DATTEMPTS=3
short pass   block  lane-publisher-free    lane  $newest -DATTEMPTS=4 -DBLOCK
full  pass   safety lane-both-5            lane  $both -DATTEMPTS=5
full  pass   safety lane-both-loans        lane  -DA=1 -DF=2 -DATTEMPTS=4
full  pass   safety lane-next-5            lane  $next -DATTEMPTS=5
full  pass   safety lane-newest-3-owners   lane  $newest -DATTEMPTS=4 -DCRASHES=2 -DWRITERS=3
full  pass   safety lane-next-3-owners     lane  $next -DATTEMPTS=4 -DCRASHES=2 -DWRITERS=3
full  pass   safety lane-small-4-5         lane  $cap4 -DATTEMPTS=5
full  pass   safety lane-small-3-5         lane  $cap3 -DATTEMPTS=5
full  pass   safety lane-no-chunk          lane  $newest -DATTEMPTS=5 -DCHUNK=0
full  pass   safety lane-chunk-3           lane  $newest -DATTEMPTS=5 -DCHUNK=3
full  pass   safety lane-newest-6          lane  $newest -DATTEMPTS=6 -DABANDONS=0
full  pass   safety lane-no-rule-needed    lane  $newest -DATTEMPTS=5 -DM_NO_INTENT_RULE
short caught safety no-r6                  lane  $newest -DATTEMPTS=5 -DM_NO_R6
short caught safety no-r7                  lane  $newest -DATTEMPTS=5 -DM_NO_R7
short caught safety r7-loose-by-one        lane  $newest -DATTEMPTS=5 -DM_R7_LOOSE
short caught safety r7-strict-by-one       lane  $cap3 -DATTEMPTS=4 -DM_R7_STRICT
short caught safety validate-before-copy   lane  $newest -DATTEMPTS=5 -DM_VALIDATE_FIRST
short caught safety data-before-w1-w2      lane  $newest -DATTEMPTS=5 -DM_DATA_FIRST
short caught safety slot-before-w1         lane  $newest -DATTEMPTS=5 -DM_META_FIRST
short caught safety w5-before-w4           lane  $newest -DATTEMPTS=4 -DM_HEAD_BEFORE_SEQ
short caught safety no-w1                  lane  $newest -DATTEMPTS=5 -DM_NO_W1
short caught safety intent-without-length  lane  $newest -DATTEMPTS=5 -DM_INTENT_SHORT
short caught safety intent-compared-short  lane  $cap4 -DATTEMPTS=5 -DM_INTENT_STALE
short caught safety message-split          lane  $newest -DATTEMPTS=5 -DM_NO_JUMP_ROOM
short caught safety adopt-starts-at-zero   lane  $newest -DATTEMPTS=5 -DM_ADOPT_AT_ZERO
short caught safety adopt-rolls-forward    lane  $newest -DATTEMPTS=5 -DM_ROLL_FORWARD
short caught safety adopt-lowers-intent    lane  $newest -DATTEMPTS=5 -DM_RESET_INTENT
short caught safety adopt-without-t3       lane  $cap3 -DATTEMPTS=4 -DM_NO_INTENT_RULE
short caught safety abandoned-room-used-up lane  $newest -DATTEMPTS=5 -DM_ABANDON_ADVANCES
short caught safety missed-one-short       lane  $newest -DATTEMPTS=4 -DM_MISSED_ONE_SHORT
short caught safety ring-too-short         lane  $newest -DATTEMPTS=4 -DCAP=5
short caught safety slots-too-few          lane  $newest -DATTEMPTS=4 -DS=1
short caught block  publisher-waits        lane  $newest -DATTEMPTS=4 -DBLOCK -DM_WAIT_FOR_READER
LANE
    cat <<MERGE
short pass   safety merge                  merge -DM=2
short pass   safety merge-lapped           merge -DM=4 -DM1=1 -DUSED=2
short pass   safety merge-again            merge -DM=2 -DF=1 -DWITH_AGAIN
short pass   safety merge-3-lanes          merge -DNL=3 -DM=1
short pass   safety merge-liar             merge -DM=2 -DUSED=2 -DLIAR
full  pass   safety merge-3-lanes-liar     merge -DNL=3 -DM=1 -DLIAR
full  pass   safety merge-next             merge -DM=3 -DUSED=2 -DONLY_NEXT
full  pass   safety merge-newest           merge -DM=3 -DUSED=2 -DONLY_NEWEST
full  pass   safety merge-next-lapped      merge -DM=4 -DM1=2 -DUSED=2 -DONLY_NEXT
short caught safety newest-no-floor        merge -DM=2 -DM_NO_FLOOR
short caught safety floor-not-by-next      merge -DM=2 -DM_FLOOR_NOT_BY_NEXT
short caught safety floor-uncounted        merge -DM=2 -DM_FLOOR_UNCOUNTED
short caught safety newest-first-lane      merge -DM=2 -DM_NEWEST_FIRST_LANE
short caught safety next-first-lane        merge -DM=2 -DM_NEXT_FIRST_LANE
short caught safety next-no-second-look    merge -DM=2 -DM_NO_SECOND_LOOK
short caught safety second-look-old-lanes  merge -DM=2 -DM_SECOND_LOOK_OLD_LANES
short caught safety second-look-overtaken  merge -DM=3 -DUSED=2 -DONLY_NEXT -DM_SECOND_LOOK_OVERTAKEN
short caught safety hurry-all-lanes        merge -DM=4 -DM1=2 -DUSED=2 -DONLY_NEXT -DM_REACH_ALL
short caught safety skipped-not-given-up   merge -DM=4 -DM1=1 -DUSED=2 -DONLY_NEXT -DM_SKIP_NOT_GIVEN_UP
short caught safety only-own-lane-counted  merge -DM=2 -DM_ONLY_OWN_LANE_COUNTED
short caught safety future-timestamps-believed merge -DM=2 -DLIAR -DM_NO_CLAMP
MERGE
    cat <<LEASE
short pass   safety lease                  lease
short pass   safety lease-room             lease -DROOM=3 -DCRASHES=1
short pass   safety lease-fork             lease -DN=2 -DFORK
full  pass   safety lease-3-deaths         lease -DROOM=3 -DCRASHES=3
full  pass   safety lease-fork-3           lease -DN=3 -DFORK -DCRASHES=1
short caught safety lease-asked-not-taken  lease -DM_ASK_ONLY
short caught safety used-before-reserve    lease -DM_USED_BEFORE_RESERVE
short caught safety growth-with-holes      lease -DM_RESERVE_OWN_ONLY
short caught safety used-stored-not-max    lease -DROOM=3 -DM_USED_STORED
short caught safety lease-kept-on-enospc   lease -DM_LEASE_KEPT
short caught safety lease-number-raced     lease -DM_NUMBER_NOT_ATOMIC
short caught safety lock-on-a-descriptor   lease -DN=2 -DFORK -DM_LOCK_ON_DESCRIPTOR
short caught safety child-writes           lease -DN=2 -DFORK -DM_NO_FORK_CHECK
LEASE
    local one="-DP=1 -DM=1 -DR=1" three="-DP=1 -DM=1 -DR=3" count="-DP=1 -DM=2 -DR=1 -DCOUNT_CALLS"
    cat <<WAKE
short pass   safety wake-3-readers         wake  $three
short pass   safety wake-2-messages        wake  -DP=1 -DM=2 -DR=2 -DCRASHES=1 -DCOUNT_CALLS
short pass   safety wake-2-publishers      wake  -DP=2 -DM=1 -DR=1 -DCRASHES=1 -DGROW
full  pass   safety wake-2-publishers-2    wake  -DP=2 -DM=2 -DR=1 -DCRASHES=1 -DGROW
short pass   safety wake-wild-store        wake  -DP=1 -DM=4 -DR=1 -DWILD_STORE -DCOUNT_CALLS
short pass   end    wake-ends              wake  -DP=1 -DM=2 -DR=2
full  pass   end    wake-3-readers-end     wake  $three
full  pass   safety wake-3-readers-die     wake  $three -DCRASHES=1
full  pass   safety wake-3-readers-leave   wake  $three -DLEAVE
full  pass   safety wake-3-readers-slice   wake  $three -DSLICES=1
full  pass   safety wake-2-by-2            wake  -DP=2 -DM=1 -DR=2
full  pass   safety wake-2-by-2-die        wake  -DP=2 -DM=1 -DR=2 -DCRASHES=1
full  pass   safety wake-2-by-2-grow       wake  -DP=2 -DM=1 -DR=2 -DGROW
full  pass   safety wake-wild-store-2      wake  -DP=1 -DM=2 -DR=2 -DWILD_STORE -DCOUNT_CALLS
short caught safety no-second-look         wake  $one -DM_NO_SECOND_LOOK
short caught safety second-look-old-lanes  wake  -DP=2 -DM=1 -DR=1 -DGROW -DM_OLD_LANES
short caught safety compare-before-publish wake  $one -DM_COMPARE_FIRST
short caught safety bell-not-moved         wake  $one -DM_NO_BUMP
short caught safety bell-moved-after-wake  wake  $one -DM_BUMP_AFTER_WAKE
short caught safety arm-before-bell        wake  -DP=1 -DM=2 -DR=1 -DM_ARM_BEFORE_BELL
short caught safety arm-too-low            wake  $one -DM_ARM_TOO_LOW
short caught safety greater-or-equal       wake  $count -DM_GREATER_OR_EQUAL
short caught safety waiters-counted        wake  $count -DCRASHES=1 -DM_COUNT_WAITERS
short caught safety flag-cleared-first     wake  -DP=2 -DM=1 -DR=1 -DCRASHES=1 -DM_FLAG
short caught safety raised-before-wake     wake  -DP=2 -DM=1 -DR=1 -DCRASHES=1 -DM_RAISE_FIRST
short caught safety raised-always          wake  $three -DM_RAISE_ALWAYS
short caught safety raised-by-count        wake  $three -DM_ENOUGH_BY_COUNT
short caught safety no-chain               wake  $three -DM_NO_CHAIN
short caught safety cancelled-no-chain     wake  $three -DM_CANCEL_WITHOUT_CHAIN
short caught safety chain-by-arm           wake  $three -DK=1 -DM_CHAIN_BY_ARM
short caught safety passed-always          wake  $three -DK=1 -DM_PASSED_ALWAYS
short caught end    chain-for-ever         wake  -DP=1 -DM=1 -DR=2 -DM_CHAIN_ALWAYS
short caught end    alone-ends-nothing     wake  $three -DM_ALONE_SKIPS
short caught safety bell-before-arm        wake  -DP=2 -DM=1 -DR=1 -DM_BELL_FIRST
short caught safety wild-store-stays       wake  -DP=1 -DM=4 -DR=1 -DWILD_STORE -DCOUNT_CALLS -DM_NO_REPAIR
WAKE
}

# number WORDS FILE: the number before WORDS in what pan said
number() { sed -n "s/^[[:space:]]*\([0-9][0-9.e+]*\)[[:space:]]*$1.*/\1/p" "$2" | head -n 1; }

# build WHEN EXPECTED SEARCH MODEL FLAGS...: makes ./pan, or says why it cannot
build() {
    local when=$1 expected=$2 how=$3 model=$4 cflags="-DSAFETY"
    shift 4
    if [ "$how" = end ]; then cflags="-DNP"; fi
    # Most searches take less time than an optimizing compiler.
    if [ "$when" = full ]; then cflags="$cflags -O2"; elif [ "$expected" = pass ]; then cflags="$cflags -O1"; fi
    if [ "$when" = full ]; then cflags="$cflags -DCOLLAPSE"; fi # half as fast, a third of the memory
    if ! spin -a "$@" "$here/$model.pml" >said 2>&1 || grep -q Error said; then
        echo "spin: $(head -n 1 said)"
        return 1
    fi
    # shellcheck disable=SC2086 # the flags are words
    if ! gcc $cflags -w -DNOFAIR -DMEMLIM=$memory -DVECTORSZ=1024 -o pan pan.c >said 2>&1; then
        echo "gcc: $(head -n 1 said)"
        return 1
    fi
}

# judge EXPECTED FILE: PASS, CAUGHT or FAIL, and what was found
judge() {
    local incomplete="Search not completed|search depth too small|reached -DMEMLIM|out of memory"
    local found="assertion violated|invalid end state|non-progress cycle|end state in claim"
    found=$(grep -m 1 -oE "^pan:1: ($found)" "$2" | sed 's/^pan:1: //' || true)
    if [ "$1" = caught ] && grep -q "errors: 1" "$2" && [ -n "$found" ]; then
        echo "CAUGHT $found"
    elif [ "$1" = pass ] && grep -q "errors: 0" "$2" && ! grep -qE "$incomplete" "$2"; then
        echo PASS
    elif [ -n "$found" ]; then
        echo "FAIL $found"
    elif grep -qE "$incomplete" "$2"; then
        echo "FAIL not searched to the end"
    else
        echo "FAIL no error found"
    fi
}

# search WHEN EXPECTED SEARCH NAME MODEL FLAGS...: leaves its line in $tmp/MODEL-NAME
search() {
    local when=$1 expected=$2 how=$3 name=$4 model=$5 verdict found
    shift 5
    mkdir "$tmp/$model-$name.d"
    cd "$tmp/$model-$name.d"
    : >out
    if found=$(build "$when" "$expected" "$how" "$model" "$@"); then
        if [ "$how" = end ]; then set -- -l; else set --; fi
        if timeout "$patience" ./pan "$@" -m$depth >out 2>&1; then
            read -r verdict found <<<"$(judge "$expected" out)"
        else
            verdict=FAIL found="pan ended with $?"
        fi
    else
        verdict=FAIL
    fi
    printf '%-6s %-5s %-24s %11s %11s %8s %8s  %s\n' "$verdict" "$model" "$name" \
        "$(number 'states, stored' out)" "$(number 'transitions' out)" \
        "$(sed -n 's/^pan: elapsed time \([0-9.e+]*\) seconds/\1/p' out)" \
        "$(number 'total actual memory' out)" "$found" >line
    mv line "$tmp/$model-$name"
    cd "$tmp"
    rm -rf "$tmp/$model-$name.d"
}
export -f number build judge search
export here tmp memory depth patience

list | if [ "$size" = full ]; then cat; else grep '^short'; fi >"$tmp/list"
printf '%-6s %-5s %-24s %11s %11s %8s %8s  %s\n' "" model name states transitions seconds MB found
set -m
xargs -a "$tmp/list" -d '\n' -P "${JOBS:-2}" -I '{}' bash -euc 'search {}' &
searches=$!
set +m

passed=0 failed=0
tell() {
    case $1 in
    PASS* | CAUGHT*) passed=$((passed + 1)) ;;
    *) failed=$((failed + 1)) ;;
    esac
    printf '%s\n' "$1"
}
# In the order of the list, each as soon as it is there.
while read -r _ _ _ name model _; do
    while [ ! -e "$tmp/$model-$name" ] && kill -0 "$searches" 2>/dev/null; do sleep 0.1; done
    tell "$(cat "$tmp/$model-$name" 2>/dev/null || echo "FAIL   $model $name: no result")"
done <"$tmp/list"
wait "$searches" || true
searches=

if said=$("$here/check-mapping.sh" 2>&1); then tell "PASS   $said"; else tell "FAIL   $said"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
