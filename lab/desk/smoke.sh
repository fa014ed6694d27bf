#!/bin/sh
# Lets saltus.exe under Wine and this system's saltus exchange messages over LCM's multicast and a hub, and checks each result.
# Usage: unshare --net sh smoke.sh SALTUS.EXE SALTUS DIRECTORY
# `cargo xtask cross windows` runs it. Traffic stays in the network namespace. Needs iproute2, curl and Wine (its path in $WINE).
set -eu
exe=$1 linux=$2
mkdir -p "$3" && cd "$3"
export WINEDEBUG=-all WINEPREFIX="$PWD/prefix" SALTUS_DOMAIN=
ip link set lo up multicast on
ip route add 224.0.0.0/4 dev lo

# The programs that were started; Wine's own server ends when the last program of its directory does.
pids=
ends() { for pid in $pids; do kill -KILL "$pid" 2>/dev/null || true; done; }
trap ends EXIT
trap 'exit 1' TERM INT
win() { timeout --foreground -k 5 60 "$WINE" "$exe" "$@"; }
fail() { echo "smoke.sh: $*" >&2; tail -n 5 ./*.log >&2; exit 1; }
# Starts `saltus.exe` or `saltus` in the background with its output in a file: NAME, then win or lin, then arguments.
start() {
    _name=$1 _side=$2; shift 2
    : >"$_name.log"
    if [ "$_side" = win ]; then "$WINE" "$exe" "$@" >"$_name.log" 2>&1 & else "$linux" "$@" >"$_name.log" 2>&1 & fi
    eval "$_name=$!"; pids="$pids $!"
}
# Waits up to 30 s until the output of a program has words.
until_says() {
    tries=300
    until grep -q "$2" "$1.log"; do
        tries=$((tries - 1)); [ $tries -gt 0 ] || fail "$1 does not say: $2"; sleep 0.1
    done
}
# The program must end by itself with this exit code.
ends_with() { eval "pid=\$$1"; code=0; wait "$pid" || code=$?; [ $code -eq "$2" ] || fail "$1 ended with $code, not $2"; }
# Ctrl-C (here SIGTERM: a shell lets its background programs ignore SIGINT) must end the program cleanly.
stop() { eval "kill -$([ "$2" = win ] && echo INT || echo TERM) \$$1"; ends_with "$1" 0; }
# How many messages of a channel a log has.
count() { "$linux" log info --json "$1" | grep -o "\"channel\":\"$2\",[^}]*" | grep -o '"messages":[0-9]*' | cut -d: -f2; }

echo "versions"
[ "$(win --version | tr -d '\r')" = "$("$linux" --version)" ] || fail "the versions differ"

echo "what needs shared memory says so"
for command in ls "echo x" "mk x" doctor; do
    code=0
    # shellcheck disable=SC2086
    win $command >refusal.log 2>&1 || code=$?
    [ $code -eq 2 ] && grep -q 'shm:// needs Linux' refusal.log || fail "saltus $command does not say that it needs Linux: $code"
done

# Publishes 50 messages per second on FLOW from both sides, until flows_stop: what takes some may join at any time.
flows() {
    for source in win lin; do start "flow$source" $source --domain "$1" pub FLOW "from $source" -n 100000 --rate 50 -q; done
}
flows_stop() { for source in win lin; do stop "flow$source" $source; done; }
# Prints 100 messages of the flows on both sides, and checks that both sources are among them.
flows_seen() {
    for other in win lin; do start "prints$other" $other --domain "$1" echo FLOW -n 100; done
    for other in win lin; do
        ends_with "prints$other" 0
        for source in win lin; do
            grep -q "from $source" "prints$other.log" || fail "prints$other.log has nothing from $source"
        done
    done
}

echo "recording multicast from both sides, and reading the logs"
start mcap win --domain udpm:// record -o win.mcap
start lcm win --domain udpm:// record -o win.lcm
start here lin --domain udpm:// record -o lin.mcap
for name in mcap lcm here; do until_says $name recording; done
head -c 300000 /dev/urandom >large
for side in win lin; do
    start "publishes$side" $side --domain udpm:// pub SMALL "from $side" -n 20 --rate 50
    ends_with "publishes$side" 0
    start "sends$side" $side --domain udpm:// pub LARGE --file large -n 3 --rate 10
    ends_with "sends$side" 0
done
sleep 1 # until the last message has arrived
for name in mcap lcm; do stop $name win; done
stop here lin
for log in win.mcap win.lcm lin.mcap; do
    [ "$(count $log SMALL)/$(count $log LARGE)" = 40/6 ] || fail "$log has $(count $log SMALL) and $(count $log LARGE) messages, not 40 and 6"
    [ "$(win log info --json $log | grep -o '"events":[0-9]*')" = "$("$linux" log info --json $log | grep -o '"events":[0-9]*')" ] ||
        fail "the two read $log differently"
done

echo "playing, from both sides to the other"
for side in win lin; do
    other=lin; [ $side = lin ] && other=win
    start "hears$other" $other --domain udpm:// record -o hears$other.mcap -n 40
    until_says "hears$other" recording
    start "plays$side" $side --domain udpm:// play win.mcap -e SMALL
    ends_with "plays$side" 0
    ends_with "hears$other" 0
    [ "$(count hears$other.mcap SMALL)" = 40 ] || fail "$other has not received all that $side plays"
done

echo "printing multicast, and the spy in a terminal and in a browser"
flows udpm://
flows_seen udpm://
start web win --domain udpm:// spy --web --listen 127.0.0.1:7788
until_says web http://
win --domain udpm:// spy --once --json >once.log
grep -q FLOW once.log || fail "the spy does not see the channel"
url=$(grep -o 'http://[^[:space:]]*' web.log)
[ "$(curl -s -o page.html -w '%{http_code}' "$url")" = 200 ] || fail "$url is not served"
grep -qi '<html' page.html || fail "$url is not a page"
[ "$(curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:7788/)" = 401 ] || fail "the page is served without the token"
stop web win
flows_stop

for side in win lin; do
    echo "a hub of $side"
    port=77$([ $side = win ] && echo 11 || echo 12)
    start "hub$side" $side hub --listen 127.0.0.1:$port
    until_says "hub$side" listening
    flows tcpq://127.0.0.1:$port
    flows_seen tcpq://127.0.0.1:$port
    start tape win --domain tcpq://127.0.0.1:$port record -o hub$side.mcap -n 100
    ends_with tape 0
    [ "$(count hub$side.mcap FLOW)" -ge 100 ] || fail "the log of the hub has $(count hub$side.mcap FLOW) messages, not 100"
    flows_stop
    stop "hub$side" $side
done
echo "all exchanged"
