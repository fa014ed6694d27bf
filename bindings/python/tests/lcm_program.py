"""Does with LCM's Python package, or with ours, what programs do with it, and prints what happens.

    lcm_program.py MODULE SCENARIO [ARGUMENTS]
"""

import gc
import importlib
import os
import random
import select
import signal
import struct
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable

lcm: Any = importlib.import_module(sys.argv[1])


def tried(name: object, call: Callable[[], object]) -> None:
    """Prints the result of a call; of an exception its class, whose text is not a promise."""
    try:
        print(name, repr(call()))
    except BaseException as error:
        print(name, "raises", type(error).__name__)


def drained(lc: Any, timeout: int = 0) -> None:
    """Handles all that is there."""
    while lc.handle_timeout(timeout):
        pass


def calls(url: str) -> None:
    """Arguments, return values and classes of exceptions."""
    lc = lcm.LCM(url)
    for bad in ("foo://", "udpm", 3, b"memq://", "memq://\0", "file:///nowhere/at/all"):
        tried(f"open {bad!r}", lambda: lcm.LCM(bad))
    tried("open two", lambda: lcm.LCM("memq://", 2))
    tried("open none", lambda: type(lcm.LCM(None)).__name__)
    tried("bad pattern", lambda: lc.subscribe("(", print))
    tried("no function", lambda: lc.subscribe("A", 3))
    tried("no pattern", lambda: lc.subscribe(3, print))
    tried("one argument", lambda: lc.subscribe("A"))
    one = lc.subscribe(b"A|\xc3\xa9", lambda channel, data: print("  one", channel, data))
    for data in (b"x", "text", "\u00e9\0z", b"", "", 3, None, [1], b"long" * 30_000):
        tried(f"publish {str(data)[:9]}", lambda: lc.publish("A", data))
    for channel in ("", "A" * 63, b"A", 3, "A\0B", "\u00e9", "\udc80"):
        tried(f"publish on {channel!r}", lambda: lc.publish(channel, b"1"))
    for timeout in (1000, 1000, -1, 1.5, "a", True):
        tried(f"handle_timeout {timeout}", lambda: lc.handle_timeout(timeout))
    tried("handle", lc.handle)
    drained(lc, 200)
    tried("nothing", lambda: lc.handle_timeout(0))
    for capacity in (0, -3, 5, 2**31 - 1, "a", 1.5):
        tried(f"capacity {capacity}", lambda: one.set_queue_capacity(capacity))
    tried("readable", lambda: select.select([lc], [], [], 0)[0])
    lc.publish("A", b"1")
    tried("readable", lambda: select.select([lc], [], [], 10)[0] == [lc])
    tried("readable", lambda: select.select([lc.fileno()], [], [], 10)[0] == [lc.fileno()])
    drained(lc)
    other = lcm.LCM("memq://")
    tried("foreign", lambda: lc.unsubscribe(other.subscribe("A", print)))
    tried("unsubscribe", lambda: lc.unsubscribe(one))
    tried("again", lambda: lc.unsubscribe(one))
    tried("number", lambda: lc.unsubscribe(3))
    tried("none", lambda: lc.unsubscribe(None))
    tried("attribute", lambda: setattr(lc, "x", 1))

    class Other(lcm.LCM):  # type: ignore[misc]
        def __init__(self, name: str, number: int) -> None:
            super().__init__("memq://")
            self.name = name * number

    tried("subclass", lambda: Other("a", 2).name)


def callbacks(url: str) -> None:
    """What callbacks may do: raise, publish, subscribe, end subscriptions, handle."""
    lc = lcm.LCM(url)
    held: dict[str, Any] = {}

    def raising(channel: str, data: bytes) -> None:
        print("  raising", channel, data)
        raise KeyError(channel)

    def plain(channel: str, data: bytes) -> int:
        print("  plain", channel, data)
        return 5

    def ending(channel: str, data: bytes) -> None:
        print("  ending", channel, data)
        lc.unsubscribe(held["ending"])
        held["new"] = lc.subscribe("E.*", lambda c, d: print("  new", c, d))

    def publishing(channel: str, data: bytes) -> None:
        print("  publishing", channel, data)
        if len(data) < 5:
            lc.publish(channel, data + b"p")

    def nesting(channel: str, data: bytes) -> None:
        print("  nesting", channel, data)
        tried("  nested", lambda: lc.handle_timeout(1000 if data == b"1" else 0))

    def wrong() -> None:
        print("  never called")

    first, second = lc.subscribe("R", raising), lc.subscribe("R.*", plain)
    for data in (b"1", b"2"):
        lc.publish("R", data)
    lc.publish("R2", b"3")
    for _ in range(3):
        tried("handle", lc.handle)
    lc.unsubscribe(first)
    lc.publish("R", b"4")
    tried("handle_timeout", lambda: lc.handle_timeout(1000))
    held["ending"] = lc.subscribe("E", ending)
    lc.publish("E", b"1")
    tried("handle", lc.handle)
    lc.publish("E", b"2")
    tried("handle", lc.handle)
    lc.subscribe("P", publishing)
    lc.publish("P", b"p")
    for _ in range(5):
        tried("handle", lc.handle)
    lc.subscribe("W", wrong)
    lc.publish("W", b"")
    tried("handle", lc.handle)
    if url.startswith("memq"):  # elsewhere the second one may be late
        lc.subscribe("N", nesting)
        for data in (b"1", b"2"):
            lc.publish("N", data)
        tried("handle", lc.handle)
    lc.unsubscribe(second)
    tried("nothing", lambda: lc.handle_timeout(0))
    gc.collect()


def threads(url: str) -> None:
    """One thread waits, the others publish; a second one that waits is refused."""
    lc = lcm.LCM(url)
    received: list[int] = []
    one = lc.subscribe("N", lambda channel, data: received.append(int(data)))
    one.set_queue_capacity(0)
    lc.subscribe("STOP", lambda channel, data: print("  stop"))

    def second() -> None:
        time.sleep(0.1)  # the first one waits by then
        tried("second", lc.handle)
        tried("second", lambda: lc.handle_timeout(10))
        lc.publish("STOP", b"")

    other = threading.Thread(target=second)
    other.start()
    tried("first", lc.handle)
    other.join()

    def publish() -> None:
        for n in range(200):
            lc.publish("N", str(n))

    publishers = [threading.Thread(target=publish) for _ in range(3)]
    for thread in publishers:
        thread.start()
    while len(received) < 600:
        lc.handle()
    for thread in publishers:
        thread.join()
    print("received", sorted(received) == sorted([*range(200)] * 3))


def signals(url: str) -> None:
    """A signal ends a wait, after its handler."""
    signal.signal(signal.SIGUSR1, lambda *_: print("  signal"))
    lc = lcm.LCM(url)
    lc.subscribe("A", print)
    for wait in (lc.handle, lambda: lc.handle_timeout(20_000)):
        timer = threading.Timer(0.3, lambda: signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1))
        timer.start()
        tried("wait", wait)
        timer.join()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT))
    timer.start()
    try:
        while True:
            try:
                lc.handle()
            except OSError:  # LCM's, with the other one after it
                time.sleep(0.01)
    except KeyboardInterrupt:
        print("interrupted")
    timer.join()


def randomly(url: str, seeds: str, number: str) -> None:
    """Random calls."""
    for seed in range(int(seeds)):
        random_calls(url, random.Random(seed), int(number))


def random_calls(url: str, rng: random.Random, number: int) -> None:
    """One sequence of them."""
    lc = lcm.LCM(url)
    subscriptions: dict[int, Any] = {}

    def act(i: int, what: int) -> None:
        if what == 0:
            lc.publish("B", b"act")
        elif what == 1 and i in subscriptions:
            lc.unsubscribe(subscriptions.pop(i))
        elif what == 2:
            for other in sorted(subscriptions)[:1]:
                lc.unsubscribe(subscriptions.pop(other))
        elif what == 3:
            raise ValueError(i)
        elif what == 4 and len(subscriptions) < 12:
            subscribe(max(subscriptions, default=0) + 1)

    def subscribe(i: int) -> None:
        pattern = rng.choice(["A", "A.*", ".*", "A|B", "B", "C", "AB?C?", "a\\.b", "(?!A).*"])
        what = rng.randrange(12)

        def called(channel: str, data: bytes) -> None:
            print(f"  {i} {channel} {len(data)} {data[:4]!r}")
            act(i, what)

        subscriptions[i] = lc.subscribe(pattern, called)
        print("subscribe", i, pattern, what)

    for n in range(number):
        i = rng.randrange(8)
        kind = rng.randrange(10)
        if kind < 2 and i not in subscriptions:
            subscribe(i)
        elif kind == 2 and i in subscriptions:
            tried(f"unsubscribe {i}", lambda: lc.unsubscribe(subscriptions.pop(i)))
        elif kind == 3 and i in subscriptions:
            capacity = rng.randrange(-1, 5)
            tried(f"capacity {i} {capacity}", lambda: subscriptions[i].set_queue_capacity(capacity))
        elif kind < 8:
            size = rng.choice([0, 1, 30, 70_000]) + rng.randrange(50)
            channel = rng.choice(["A", "B", "AB", "ABC", "a.b", "C"])
            data = (struct.pack(">i", n) * (size // 4 + 1))[:size]
            tried(f"publish {channel} {size}", lambda: lc.publish(channel, data))
        else:
            tried("handle", lambda: lc.handle_timeout(0))
    for _ in range(300):  # of which most raise, or find nothing
        tried("handle", lambda: lc.handle_timeout(0))


def logs(directory: str, seed: str) -> None:
    """Logs: whole, random and damaged."""
    os.chdir(directory)
    rng = random.Random(int(seed))
    written = lcm.EventLog("log", "w")
    tried("exists", lambda: lcm.EventLog("log", "w"))
    tried("mode", lambda: lcm.EventLog("log", "a"))
    tried("nowhere", lambda: lcm.EventLog("nowhere"))
    tried("zero", lambda: lcm.EventLog("a\0b"))
    for bad in (("z", "A", b""), (2**70, "A", b""), (5.5, "A", b""), (5, "A\0", b""), (5, "A", 3), (5, "A", None)):
        tried(f"write {bad}", lambda: written.write_event(*bad))
    for name in ("read_next_event", "next"):
        tried(name, getattr(written, name))
    tried("seek", lambda: written.seek(0))
    tried("seek", lambda: written.seek_to_timestamp(0))
    tried("iterate", lambda: next(iter(written)))
    for n in range(rng.randrange(50, 100)):
        channel = rng.choice(["A", "\u00e9", "LONG" * 20])
        data = rng.choice(["text\0", b"", b"x" * rng.randrange(300)])
        tried("write", lambda: written.write_event(1000 * n + 1000, channel, data))
    tried("tell", written.tell)
    tried("close", written.close)
    tried("close", written.close)
    log = lcm.EventLog(Path("log"))
    print(log.mode, log.size(), log.tell())
    events = [(e.eventnum, e.timestamp, e.channel, e.data) for e in log]
    print(events)
    tried("next", log.next)
    tried("next", lambda: next(log))
    tried("read", log.read_next_event)
    tried("write", lambda: log.write_event(1, "A", b""))
    for to in (0, 3, -1, 10**6, 5.5, "a"):
        tried(f"seek {to}", lambda: log.seek(to))
        tried("tell", log.tell)
        tried("event", lambda: log.read_next_event().timestamp)
    for event in rng.sample(events, 20):
        tried("seek", lambda: log.seek_to_timestamp(event[1]))
        tried("event", lambda: log.read_next_event().timestamp)
    # Between two times LCM lands before or behind. Of these it finds each.
    tried("before", lambda: log.seek_to_timestamp(-(10**9)))
    tried("event", lambda: log.read_next_event().timestamp)
    whole = Path("log").read_bytes()
    for n in range(30):
        damaged = bytearray(whole[: rng.randrange(len(whole))] if n % 3 else whole)
        for _ in range(n % 4):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        Path("damaged").write_bytes(damaged)
        log = lcm.EventLog("damaged")
        for _ in range(120):
            tried("event", lambda: vars(log.read_next_event()))
        log.close()
    print(vars(lcm.Event(eventnum=1, timestamp=2, channel="c", data=b"d")))
    again = lcm.EventLog(path="log", mode="w", overwrite=True)
    again.write_event(7, "A", "last")
    del again
    gc.collect()
    print(Path("log").read_bytes())
    played = lcm.LCM("file://log")
    played.subscribe(".*", lambda channel, data: print("  played", channel, data))
    tried("handle", played.handle)
    tried("handle", played.handle)
    tried("handle", lambda: played.handle_timeout(0))
    tried("publish", lambda: played.publish("A", b""))
    recorded = lcm.LCM("file://written?mode=w")
    tried("publish", lambda: recorded.publish("A", b"1"))
    tried("handle", recorded.handle)


SCENARIOS = {
    "calls": calls,
    "callbacks": callbacks,
    "threads": threads,
    "signals": signals,
    "random": randomly,
    "logs": logs,
}

scenario: Any = SCENARIOS[sys.argv[2]]
scenario(*sys.argv[3:])
