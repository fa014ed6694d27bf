"""What is opened and closed, or let go, hundreds of times leaves nothing."""

import asyncio
import gc
import os
import re
import sys
import time
from pathlib import Path
from typing import Any, Callable, NamedTuple

import pytest
from conftest import PATIENCE, received

import saltus

pose_t = saltus.types.load("struct pose_t { double pos[3]; string name; }").pose_t
#: Messages from 16 KiB on own their memory.
LONG = bytes(64 << 10)
#: What the allocators may take meanwhile, in KiB: far less than that of what is made here each time.
ROOM = 3 << 10


#: Python remembers names of methods that were looked up; in 3.13 this is called otherwise.
forget = getattr(sys, "_clear_internal_caches", None) or getattr(sys, "_clear_type_cache")


class Left(NamedTuple):
    descriptors: int
    threads: int
    kib: int
    #: Python's own pieces of memory.
    blocks: int


def left() -> Left:
    gc.collect()
    forget()
    status = Path("/proc/self/status").read_text()
    numbers = dict(re.findall(r"^(Threads|VmRSS):\s*(\d+)", status, re.MULTILINE))
    return Left(
        len(os.listdir("/proc/self/fd")),
        int(numbers["Threads"]),
        int(numbers["VmRSS"]),
        sys.getallocatedblocks(),
    )


def leaves_nothing(work: Callable[[], object], times: int) -> None:
    for _ in range(times):  # until what is kept on purpose is full
        work()
    before = left()
    for _ in range(times):
        work()
    after = left()
    end = time.monotonic() + PATIENCE  # a thread that was told to end may need a moment
    while after[:2] > before[:2] and time.monotonic() < end:
        time.sleep(0.01)
        after = left()
    assert after.descriptors <= before.descriptors, (before, after)
    assert after.threads <= before.threads, (before, after)
    assert after.kib < before.kib + ROOM, (before, after)
    assert after.blocks < before.blocks + times // 2, (before, after)


@pytest.fixture(params=["shm", "mem"])
def where(request: Any, url: str) -> str:
    return url if request.param == "shm" else "mem://"


def test_what_is_closed(where: str) -> None:
    def work() -> None:
        with saltus.Domain(where) as domain:
            with domain.publisher("x") as publisher, domain.subscribe("x") as subscriber:
                publisher.publish(LONG)
                assert len(received(subscriber)) == len(LONG)
                assert subscriber.current() and not subscriber.receive(0)
                subscriber.cancel_handle().cancel()

    leaves_nothing(work, 150)


def test_what_is_let_go(where: str) -> None:
    def work() -> None:
        domain = saltus.Domain(where)
        subscriber = domain.subscribe(re.compile("x|y"), type=pose_t)
        publisher = domain.publisher("x", type=pose_t)
        publisher.publish(pose_t(pos=[1, 2, 3], name="a name"))
        assert received(subscriber).value.name == "a name"

    leaves_nothing(work, 150)


def test_messages_and_views(where: str) -> None:
    domain = saltus.Domain(where)
    publisher, subscriber = domain.publisher("x"), domain.subscribe("x")

    def work() -> None:
        publisher.publish(LONG)
        view = subscriber.view(PATIENCE)
        assert view is not None
        with view:
            assert view.data[0] == 0
        publisher.publish(LONG)
        data = received(subscriber).data[1:]
        assert len(data) == len(LONG) - 1

    leaves_nothing(work, 600)


def test_views_that_are_let_go(where: str) -> None:
    def work() -> None:
        domain = saltus.Domain(where)
        publisher, subscriber = domain.publisher("x"), domain.subscribe("x")
        publisher.publish(LONG)
        view = subscriber.view(PATIENCE)
        assert view is not None
        subscriber.close()
        assert view.data[0] == 0  # its memory stays so long

    leaves_nothing(work, 150)


def test_those_who_wait_in_event_loops(where: str) -> None:
    async def wait(subscriber: saltus.Subscriber[None]) -> None:
        assert await subscriber.receive_async(0.0001) is None

    def work() -> None:
        domain = saltus.Domain(where)
        with domain.subscribe("x", start="now") as subscriber:
            assert subscriber.fileno() >= 0
            domain.publisher("x").publish(b"1")
            assert received(subscriber)
            loop.run_until_complete(wait(subscriber))

    loop = asyncio.new_event_loop()
    try:
        leaves_nothing(work, 100)
    finally:
        loop.close()


def test_logs(tmp_path: Path) -> None:
    def work() -> None:
        path = tmp_path / "robot.mcap"
        with saltus.log.create(path) as writer:
            writer.write("x", pose_t(name="a name"), log_time_ns=1)
            writer.write("x", LONG, log_time_ns=2)
        with saltus.log.open(path) as log:
            assert [len(event) > 8 for event in log] == [True, True]
            assert log[0].value().name == "a name"
        saltus.log.open(path).next()  # let go
        path.unlink()

    leaves_nothing(work, 100)


def test_types() -> None:
    def work() -> None:
        kind = saltus.types.load("struct a_t { double x[3]; }").a_t
        assert kind.decode(kind(x=[1, 2, 3]).encode()).x[2] == 3

    leaves_nothing(work, 100)


def test_what_is_refused(domain: saltus.Domain, tmp_path: Path) -> None:
    publisher = domain.publisher("x", type=pose_t)
    refused: list[Callable[[], object]] = [
        lambda: saltus.Domain("nonsense"),
        lambda: domain.publisher(""),
        lambda: domain.subscribe("x", start="soon"),  # type: ignore[call-overload]
        lambda: publisher.publish({"pos": [1, 2]}),
        lambda: pose_t.decode(b"too short"),
        lambda: saltus.types.load("struct {"),
        lambda: saltus.log.open(tmp_path / "nowhere"),
        lambda: saltus.log.create(tmp_path),
    ]

    def work() -> None:
        for call in refused:
            with pytest.raises(saltus.Error):
                call()

    leaves_nothing(work, 200)
