"""Speaks for Python: see README.md for the words. Its one argument says where the generated types are."""

import re
import select
import struct
import sys
import threading
import time
import zlib
from typing import Any, Callable, Optional

import saltus

sys.path.insert(0, sys.argv[1])
from conformance import other_t, reading_t  # noqa: E402

with open(sys.argv[2], encoding="utf-8") as types_file:
    loaded = saltus.types.load(types_file.read())
TYPES = {
    "-": None,
    "reading": reading_t,
    "other": other_t,
    "loaded": loaded.reading_t,
    "loaded_other": loaded.other_t,
}

things: dict[str, Any] = {}


def blob(word: str) -> Optional[bytes]:
    if word == "-":
        return None
    if word[0] == "x":
        return bytes.fromhex(word[1:])
    length, _, seed = word[1:].partition(":")
    if word[0] == "z":
        return bytes(int(length))
    first = int(seed)
    return bytes((i * 31 + (i >> 9) + first) & 255 for i in range(int(length)))


def name(word: str) -> Any:
    """A name as programs give it: str, where it is one."""
    given = blob(word)
    return None if given is None else given.decode("utf-8", "surrogateescape")


def told(text: str) -> str:
    return "x" + text.encode("utf-8", "surrogateescape").hex()


def shown(data: Any) -> str:
    if len(data) <= 64:
        return "x" + bytes(data).hex()
    return f"c{len(data)}:{zlib.crc32(data):08x}"


def known(number: Optional[int]) -> str:
    return "-" if number is None else str(number)


def timeout(word: str) -> Optional[float]:
    return None if word == "-" else int(word) / 1000


def domain(as_: str, url: str) -> None:
    things[as_] = saltus.Domain(name(url))


def publisher(as_: str, of: str, channel: str, kind: str) -> None:
    things[as_] = things[of].publisher(name(channel), type=TYPES[kind])


def subscriber(
    as_: str, of: str, by: str, channel: str, depth: str, start: str, kind: str
) -> None:
    which = name(channel)
    if by == "pattern":
        which = re.compile(which)
    options = {"newest": True} if depth == "0" else {"depth": int(depth)}
    things[as_] = things[of].subscribe(
        which, start=start, type=TYPES[kind], **options
    )


def publish(of: str, message: str) -> None:
    things[of].publish(blob(message))


def fields(utime: str, value: str, place: str, count: str, samples: str) -> dict[str, Any]:
    return {
        "utime": int(utime),
        "value": struct.unpack(">d", bytes.fromhex(value))[0],
        "place": name(place),
        "count": int(count),
        "samples": [] if samples == "-" else [int(s) for s in samples.split(",")],
    }


def publish_reading(of: str, *words: str) -> None:
    things[of].publish(things[of].type(**fields(*words)))


def publish_other(of: str, utime: str, value: str) -> None:
    bits = struct.unpack(">d", bytes.fromhex(value))[0]
    things[of].publish(things[of].type(utime=int(utime), value=bits))


def message(got: Any) -> str:
    if got is None:
        return "nothing"
    numbers = f"{known(got.missed)} {known(got.dropped)} {known(got.sequence)}"
    about = f"message {told(got.channel)} {numbers}"
    is_ = got.value
    if is_ is None:
        return f"{about} {shown(got.data)}"
    samples = ",".join(str(int(s)) for s in is_.samples) or "-"
    bits = struct.pack(">d", is_.value).hex()
    return f"{about} {is_.utime} {bits} {told(is_.place)} {is_.count} {samples}"


def receive(of: str, within: str) -> str:
    return message(things[of].receive(timeout(within)))


def current(of: str, within: str) -> str:
    return message(things[of].current(timeout(within)))


def wait(within: str, *of: str) -> str:
    found = saltus.wait_any([things[one] for one in of], timeout(within))
    index = [i for i, one in enumerate(of) if things[one] is found]
    return f"ok {index[0]}" if index else "nothing"


def readable(of: str, within: str) -> str:
    ready, _, _ = select.select([things[of]], [], [], timeout(within))
    return "ok" if ready else "nothing"


def cancel(of: str) -> None:
    things[of].cancel_handle().cancel()


def cancel_later(of: str, after: str) -> None:
    cancel = things[of].cancel_handle()
    threading.Timer(int(after) / 1000, cancel.cancel).start()


def cancel_reset(of: str) -> None:
    things[of].cancel_handle().reset()


def names(of: str) -> str:
    return " ".join(["ok", *(told(one) for one in things[of].channels())])


def stream(of: str, many: str, first: str, gap: str) -> None:
    send, pause = things[of].publish, int(gap) / 1e6
    for n in range(int(first), int(first) + int(many)):
        send(n.to_bytes(8, "big"))
        if pause:
            time.sleep(pause)


def count(of: str, until: str, within: str) -> str:
    last = received = dropped = 0
    missed: Optional[int] = 0
    while last < int(until):
        got = things[of].receive(timeout(within))
        if got is None:
            break
        last = int.from_bytes(got.data[:8], "big")
        received += 1
        dropped += got.dropped
        missed = None if missed is None or got.missed is None else missed + got.missed
    return f"ok {received} {known(missed)} {dropped} {last}"


def close(_kind: str, of: str) -> None:
    things[of].close()


def log_create(as_: str, path: str, form: str) -> None:
    form_ = None if form == "-" else form
    things[as_] = saltus.log.create(name(path), format=form_)


def log_write(of: str, channel: str, data: str, at: str) -> None:
    things[of].write(name(channel), blob(data), log_time_ns=int(at))


def log_write_reading(of: str, channel: str, at: str, *words: str) -> None:
    things[of].write(name(channel), reading_t(**fields(*words)), log_time_ns=int(at))


def log_open(as_: str, path: str) -> None:
    things[as_] = saltus.log.open(name(path))


def event(got: Any) -> str:
    if got is None:
        return "nothing"
    return f"event {told(got.channel)} {got.log_time_ns} {shown(got.data)}"


VERBS: dict[str, Callable[..., Optional[str]]] = {
    **{
        verb.__name__: verb
        for verb in (
            domain, publisher, subscriber, publish, publish_reading, publish_other,
            receive, current, wait, readable, cancel, cancel_later, cancel_reset, names,
            stream, count, close, log_create, log_write, log_write_reading, log_open,
        )
    },
    "log_flush": lambda of: things[of].flush(),
    "log_finish": lambda of: things[of].close(),
    "log_size": lambda of: f"ok {len(things[of])}",
    "log_next": lambda of: event(things[of].next()),
    "log_previous": lambda of: event(things[of].previous()),
    "log_seek": lambda of, position: things[of].seek(int(position)),
    "log_seek_time": lambda of, at: f"ok {things[of].seek_time(int(at))}",
}  # fmt: skip


def main() -> None:
    for line in sys.stdin:
        verb, *words = line.split()
        try:
            said = VERBS[verb](*words) or "ok"
        except saltus.Error as error:
            # The class that has the number; others derive from it.
            kind = next(kind for kind in type(error).__mro__ if "code" in vars(kind))
            said = f"error {error.code} {kind.__name__} {told(str(error))}"
        print(said, flush=True)


main()
