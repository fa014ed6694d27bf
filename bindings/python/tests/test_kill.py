"""A process of Python may be killed at any instant: the other side goes on."""

import random
import subprocess
import time
import zlib

from conftest import PATIENCE, Start, received

import saltus

PUBLISH = """
import itertools, os, sys, zlib, saltus
publisher = saltus.Domain(sys.argv[1]).publisher("x")
for i in itertools.count():
    body = bytes([i % 256]) * (i * 37 % 3000)
    publisher.publish(zlib.crc32(body).to_bytes(4, "big") + body)
    if i == 0:
        print("published", flush=True)
"""

RECEIVE = """
import sys, saltus
subscriber = saltus.Domain(sys.argv[1]).subscribe("x", newest=True)
print("subscribed", flush=True)
for message in subscriber:
    kept = message.data
"""


def whole(message: "saltus.Message[None]") -> bool:
    return zlib.crc32(message.data[4:]).to_bytes(4, "big") == message.data[:4]


def test_publishers_are_killed_and_every_message_that_comes_is_whole(
    url: str, start: Start
) -> None:
    domain = saltus.Domain(f"{url}?max_message_size=4096")
    subscriber = domain.subscribe("x")
    chance = random.Random(7)
    last: dict[int, int] = {}
    for _ in range(8):
        process = start("-c", PUBLISH, domain.url, stdout=subprocess.PIPE)
        assert (
            process.stdout is not None and process.stdout.readline() == b"published\n"
        )
        end = time.monotonic() + chance.uniform(0, 0.05)
        while time.monotonic() < end:
            message = received(subscriber)
            assert whole(message) and message.sequence > last.get(message.sender, 0)
            last[message.sender] = message.sequence
        process.kill()
        process.wait()
        while subscriber.receive(0) is not None:
            pass
    domain.publisher("x").publish(zlib.crc32(b"").to_bytes(4, "big"))
    assert whole(received(subscriber))
    assert len(last) >= 2, "several of them were heard"


def test_subscribers_are_killed_and_the_publisher_goes_on(
    url: str, start: Start
) -> None:
    domain = saltus.Domain(url)
    publisher, subscriber = domain.publisher("x"), domain.subscribe("x")
    chance = random.Random(8)
    for _ in range(6):
        process = start("-c", RECEIVE, url, stdout=subprocess.PIPE)
        assert (
            process.stdout is not None and process.stdout.readline() == b"subscribed\n"
        )
        end = time.monotonic() + chance.uniform(0, 0.05)
        while time.monotonic() < end:
            publisher.publish(b"x" * 1000)
        process.kill()
        process.wait()
    while subscriber.receive(0) is not None:
        pass
    publisher.publish(b"still here")
    assert bytes(received(subscriber)) == b"still here"


def test_a_killed_writer_leaves_a_log_that_can_be_read(
    tmp_path: object, start: Start
) -> None:
    path = f"{tmp_path}/robot.mcap"
    code = """
import sys, saltus
log = saltus.log.create(sys.argv[1])
for i in range(1000):
    log.write("x", b"%d" % i, log_time_ns=i)
log.flush()
print("flushed", flush=True)
while True:
    log.write("x", b"more", log_time_ns=2000)
"""
    process = start("-c", code, path, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"flushed\n"
    process.kill()
    process.wait(PATIENCE)
    with saltus.log.open(path) as log:
        assert len(log) >= 1000 and bytes(log[999]) == b"999"
