"""Messages are looked at where they lie, and told to be whole or not."""

import gc
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from conftest import PATIENCE

import saltus

TEXT = """
struct point_t { double x, y; }
enum mode_t { OFF, ON }
struct image_t {
    int64_t utime; int8_t flag; point_t corners[2]; mode_t mode; boolean ok;
    float gains[3][2]; byte pixels[65536];
}
struct text_t { string text; }
"""
types = saltus.types.load(TEXT)
image_t = types.image_t


def image(utime: int) -> Any:
    return image_t(
        utime=utime, flag=-1, corners=[{"x": 1}, {"y": 2}], mode=1, ok=True,
        gains=[[1, 2], [3, 4], [5, 6]], pixels=np.full(65536, utime, "u1"),
    )  # fmt: skip


def look(subscriber: saltus.Subscriber[Any]) -> saltus.View:
    view = subscriber.view(PATIENCE)
    assert view is not None
    return view


def test_an_array_has_the_fields_of_the_message_and_no_copy() -> None:
    data = image(7).encode(plain=True)
    array = image_t.plain_array(data)
    assert array.dtype == image_t.plain_dtype() and array.shape == ()
    found = [int(array[name]) for name in ("utime", "flag", "mode", "ok")]
    assert found == [7, -1, 1, 1]
    assert array["corners"]["x"].tolist() == [1, 0]
    assert array["gains"].tolist() == [[1, 2], [3, 4], [5, 6]]
    assert array["pixels"].shape == (65536,) and (array["pixels"] == 7).all()
    assert not array.flags.writeable and not array.flags.owndata
    assert np.shares_memory(array, np.frombuffer(data, "u1"))


def test_a_message_is_built_in_place() -> None:
    room = image_t.plain_room()
    array = image_t.plain_array(room)
    array["utime"], array["corners"]["y"][1] = 5, 2.5
    read = image_t.decode(room)
    assert read.utime == 5 and read.corners[1].y == 2.5


def test_what_is_no_message_in_the_plain_layout_is_refused() -> None:
    data = image(7).encode(plain=True)
    for bad in (b"", data[:-1], data + b"\0", b"\0" * len(data), image(7).encode()):
        with pytest.raises(saltus.DecodeFailed, match="image_t"):
            image_t.plain_array(bad)
    with pytest.raises(saltus.Unsupported, match="plain layout"):
        types.text_t.plain_dtype()


@pytest.mark.parametrize("newest", [False, True])
def test_what_is_seen_in_place_is_what_was_published(
    domain: saltus.Domain, newest: bool
) -> None:
    subscriber = domain.subscribe("camera", newest=newest)
    publisher = domain.publisher("camera")
    assert subscriber.view(0) is None
    for i in range(10):
        publisher.publish(image(i).encode(plain=True))
        with look(subscriber) as view:
            pixels = image_t.plain_array(view.data)["pixels"]
            total = int(pixels.sum(dtype="u8"))
            with pytest.raises(saltus.Invalid, match="validate"):
                view.sequence
        assert total == 65536 * i and len(view) == len(view.data)
        assert view.missed == 0 and view.dropped == 0
    assert subscriber.view(0) is None


def test_a_message_that_is_overwritten_is_told(domain: saltus.Domain) -> None:
    subscriber = domain.subscribe("camera")
    publisher = domain.publisher("camera")
    publisher.publish(b"a" * 500)
    with pytest.raises(saltus.Overrun):
        with look(subscriber) as view:
            for _ in range(100):
                publisher.publish(b"b" * 500)
    assert bytes(view.data) != b"a" * 500
    with look(subscriber) as view:
        data = bytes(view.data)
    assert data == b"b" * 500
    with pytest.raises(ZeroDivisionError):
        with look(subscriber) as view:
            1 / 0
    again = look(subscriber)
    assert bytes(again.data) == data
    assert subscriber.receive(0) is not None
    with pytest.raises(saltus.Invalid):
        again.validate()


STREAM = """
import itertools, sys, time, saltus
publisher = saltus.Domain(sys.argv[1]).publisher("text")
kind = saltus.types.load("struct text_t { string text; }").text_t
messages = [kind(text=letter * (1 + n)).encode() for n, letter in enumerate("abcdefgh" * 50)]
for n, message in enumerate(itertools.cycle(messages)):
    publisher.publish(message)
    if n % 200 == 0:
        time.sleep(0.001)  # what is looked at now is whole
"""


def test_what_is_decoded_where_it_lies_is_whole_or_told_not_to_be(url: str) -> None:
    few = f"{url}?depth=4&max_message_size=1000"
    subscriber = saltus.Domain(few).subscribe("text", newest=True)
    stream = subprocess.Popen([sys.executable, "-c", STREAM, few])
    try:
        whole = 0
        while whole < 300:
            view = look(subscriber)
            try:
                text = types.text_t.decode(view.data).text
            except saltus.DecodeFailed:
                text = "of two messages"
            try:
                view.validate()
            except saltus.Overrun:
                continue
            assert len(set(text)) == 1 and len(text) == len(view) - 13, text
            whole += 1
    finally:
        stream.kill()
        stream.wait()


def test_the_memory_stays_as_long_as_anybody_has_it(domain: saltus.Domain) -> None:
    subscriber = domain.subscribe("camera")
    publisher = domain.publisher("camera")
    publisher.publish(image(9).encode(plain=True))
    view = look(subscriber)
    array = image_t.plain_array(view.data)
    view.validate()
    view.validate()
    subscriber.close()
    publisher.close()
    del view, subscriber, publisher
    gc.collect()
    assert array["pixels"][65535] == 9


def test_views_of_closed_subscribers_are_refused(domain: saltus.Domain) -> None:
    subscriber = domain.subscribe("camera")
    publisher = domain.publisher("camera")
    publisher.publish(b"x")
    view = look(subscriber)
    subscriber.close()
    for call in (view.validate, subscriber.view):
        with pytest.raises(saltus.Closed):
            call()
