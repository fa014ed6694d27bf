"""Types that are read at run time: fields are attributes, arrays are NumPy's, and nothing is lost."""

import gc
import math
import subprocess
import weakref
from typing import Any

import numpy as np
import pytest
from conftest import PATIENCE, Start, received

import saltus

TEXT = """
package robot;

/** Where it is. */
struct point_t { double x, y; }

struct all_t {
    const int32_t ON = 1;
    int8_t a; int16_t b; int32_t c; int64_t d; byte e;
    float f; double g; string h; boolean i;
    point_t point;
    int32_t n, m;
    float ranges[n];
    int16_t grid[2][m];
    boolean flags[n];
    byte raw[3];
    string names[n];
    point_t points[n];
    point_t corners[2][2];
}

struct empty_t { int32_t n; double nothing[n][3]; }
"""

types = saltus.types.load(TEXT)
all_t, point_t = types.all_t, types["robot.point_t"]


def full() -> saltus.types.Struct:
    message = all_t(
        a=-1, b=-2, c=-3, d=-(2**63), e=255, f=0.5, g=math.pi, h="größe", i=True,
        point=point_t(x=1, y=2),
        ranges=[0.5, 1.5], grid=np.arange(6).reshape(2, 3), flags=[True, False],
        raw=b"abc", names=["x", "\udcff"],
        points=[point_t(x=3), {"y": 4}],
        corners=[[point_t(x=i + 2 * j) for i in range(2)] for j in range(2)],
    )  # fmt: skip
    message.set_sizes()
    return message


def test_a_type_tells_what_it_is() -> None:
    assert list(types) == ["robot.point_t", "robot.all_t", "robot.empty_t"]
    assert types.point_t is point_t and point_t.__doc__ == "Where it is."
    assert all_t.NAME == "robot.all_t" and all_t.CONSTANTS == {"ON": 1}
    assert all_t.ON == 1  # type: ignore[attr-defined]
    field = all_t.FIELDS[13]
    assert (field.name, field.type, field.dims) == ("grid", "int16_t", (2, "m"))
    again = saltus.types.load(all_t.SCHEMA).all_t
    assert again.FINGERPRINT == all_t.FINGERPRINT
    assert "point_t" in repr(types) and repr(point_t(x=1.0)) == "point_t(x=1.0, y=0.0)"


def test_what_is_encoded_comes_back() -> None:
    sent = full()
    data = sent.encode()
    assert data[:8] == all_t.FINGERPRINT.to_bytes(8, "big")
    read = all_t.decode(data)
    assert (read.n, read.m) == (2, 3)
    assert read.encode() == data
    assert (read.a, read.d, read.e, read.h, read.i) == (
        -1,
        -(2**63),
        255,
        "größe",
        True,
    )
    assert read.names == ["x", "\udcff"] and read.g == math.pi
    assert read.points[1].y == 4 and read.corners[1][1].x == 3
    for name, dtype, value in [
        ("ranges", "f4", [0.5, 1.5]), ("grid", "i2", [[0, 1, 2], [3, 4, 5]]),
        ("flags", "?", [True, False]), ("raw", "u1", [97, 98, 99]),
    ]:  # fmt: skip
        array = getattr(read, name)
        assert array.dtype == np.dtype(dtype) and array.tolist() == value
        array[0] = 1  # it is the message's own
    assert read != sent and all_t.decode(data) == all_t.decode(memoryview(data))
    assert read.to_dict()["point"] == {"x": 1.0, "y": 2.0}


def test_a_new_message_is_all_zero_and_can_be_sent() -> None:
    message = all_t()
    assert (
        message.h == ""
        and message.ranges.size == 0
        and message.raw.tolist() == [0, 0, 0]
    )
    assert all_t.decode(message.encode()) == message
    empty = types.empty_t.decode(types.empty_t().encode())
    assert empty.nothing.shape == (0, 3)


def test_a_dict_does_where_a_message_is_wanted(domain: saltus.Domain) -> None:
    subscriber = domain.subscribe("x", type=all_t)
    publisher = domain.publisher("x", type=all_t)
    publisher.publish(
        {
            "point": {"x": 1},
            "ranges": [1, 2, 3],
            "flags": [0, 1, 1],
            "names": list("abc"),
            "points": [{}] * 3,
        }
    )
    message = received(subscriber)
    assert message.value.n == 3 and message.value.point.x == 1
    publisher.publish(full())
    assert received(subscriber).value == all_t.decode(full().encode())
    assert publisher.type is subscriber.type is all_t


@pytest.mark.parametrize(
    "change, text",
    [
        ({"a": 128}, r"all_t\.a: expected int8_t"),
        ({"a": 1.5}, r"all_t\.a: expected int8_t"),
        ({"f": 1e300}, "too large for a float"),
        ({"g": "x"}, r"\.g: expected double"),
        ({"h": 5}, "expected a str, not int"),
        ({"h": "a\0b"}, "NUL"),
        ({"point": 5}, r"\.point: expected a robot.point_t or a dict, not int"),
        ({"point": {"z": 5}}, r"\.point: there is no field 'z'"),
        ({"ranges": [1.0]}, "ranges"),
        ({"ranges": ["x", "y"]}, "float is expected"),
        ({"ranges": 5}, "expected 1 dimensions"),
        ({"grid": [[1, 2, 3]]}, r"grid: expected int16_t\[2\]\[m\]"),
        ({"grid": [[1, 2], [3]]}, "grid"),
        ({"grid": [[1, 2, 3], [4, 5, 40000]]}, "does not fit into int16_t"),
        ({"raw": b"ab"}, r"raw: expected byte\[3\]"),
        ({"names": "ab"}, "expected a list, not str"),
        ({"points": [1, 2]}, r"points\[0\]: expected a robot.point_t"),
        ({"n": 3}, "`n` is 3"),
    ],
)
def test_what_the_type_cannot_carry_is_told_with_the_field(
    change: Any, text: str
) -> None:
    message = full()
    for name, value in change.items():
        setattr(message, name, value)
    with pytest.raises(saltus.EncodeFailed, match=text):
        message.encode()


def test_a_struct_in_itself_without_end_is_refused() -> None:
    node_t = saltus.types.load("struct node_t { int32_t n; node_t next[n]; }").node_t
    node = node_t(n=1)
    node.next = [node]
    with pytest.raises(saltus.EncodeFailed, match="128 deep"):
        node.encode()


def test_fields_that_do_not_exist_are_told() -> None:
    with pytest.raises(TypeError, match="no field 'z'"):
        point_t(z=1)
    with pytest.raises(AttributeError):
        point_t().z
    with pytest.raises(AttributeError):
        point_t().z = 1


def test_bytes_that_are_no_message_are_refused() -> None:
    data = full().encode()
    for bad in (b"", data[:8], data[:-1], b"\0" * 100):
        with pytest.raises(saltus.DecodeFailed):
            all_t.decode(bad)
    for i in range(8, len(data)):
        try:
            all_t.decode(data[:i] + bytes([data[i] ^ 0xFF]) + data[i + 1 :])
        except saltus.DecodeFailed:
            pass


def test_a_channel_of_another_type_is_told_once_with_the_difference(
    domain: saltus.Domain,
) -> None:
    other = saltus.types.load(
        "package robot; struct point_t { double x, y, z; }"
    ).point_t
    subscriber = domain.subscribe("p", type=point_t)
    wrong, right = domain.publisher("p", type=other), domain.publisher(
        "p", type=point_t
    )
    wrong.publish(other(z=1))
    with pytest.raises(saltus.WrongType, match="z") as caught:
        subscriber.receive(PATIENCE)
    assert caught.value.code == 103 and "robot.point_t" in str(caught.value)
    wrong.publish(other())
    right.publish(point_t(x=7))
    assert received(subscriber).value.x == 7
    assert subscriber.mismatched == 2
    domain.publisher("p").publish(b"short")
    with pytest.raises(saltus.WrongType, match="too short"):
        subscriber.receive(PATIENCE)
    with pytest.raises(TypeError, match="expected a robot.point_t or a dict"):
        right.publish(other())


def test_a_damaged_message_of_the_right_type_is_told_and_passed(
    domain: saltus.Domain,
) -> None:
    subscriber = domain.subscribe("p", type=point_t)
    publisher = domain.publisher("p")
    publisher.publish(point_t().encode()[:-1])
    publisher.publish(point_t(x=1).encode())
    with pytest.raises(saltus.DecodeFailed, match="channel `p`"):
        subscriber.receive(PATIENCE)
    assert received(subscriber).value.x == 1


def test_the_plain_layout_is_read_too() -> None:
    data = point_t(x=1, y=2).encode(plain=True)
    assert (
        point_t.decode(data) == point_t(x=1, y=2) and data != point_t(x=1, y=2).encode()
    )
    with pytest.raises(saltus.EncodeFailed, match="plain"):
        full().encode(plain=True)


def test_types_are_read_from_files_and_what_they_refer_to_is_found(
    tmp_path: Any,
) -> None:
    (tmp_path / "point_t.lcm").write_text("struct point_t { double x, y; }")
    (tmp_path / "path_t.lcm").write_text(
        "struct path_t { int32_t n; point_t points[n]; }"
    )
    loaded = saltus.types.load(tmp_path / "path_t.lcm")
    assert set(loaded) == {"path_t", "point_t"}
    path = loaded.path_t.decode(loaded.path_t(n=1, points=[{"x": 5}]).encode())
    assert path.points[0].x == 5
    assert "path_t" in saltus.types.load(str(tmp_path / "path_t.lcm"))
    text = "struct path_t { point_t only; }"
    assert saltus.types.load(text, include=[tmp_path]).path_t().only.x == 0


def test_what_is_wrong_in_a_type_file_is_shown_with_its_line() -> None:
    with pytest.raises(saltus.Invalid, match="strin") as caught:
        saltus.types.load("struct a_t {\n    strin name;\n}")
    assert "2" in str(caught.value)
    with pytest.raises(saltus.Invalid, match="cannot read"):
        saltus.types.load("nowhere.lcm")
    with pytest.raises(TypeError):
        saltus.types.load()
    with pytest.raises(AttributeError, match="no type 'b_t'"):
        saltus.types.load("struct a_t { int8_t x; }").b_t


def test_names_that_python_keeps_for_itself_get_an_underscore() -> None:
    a_t = saltus.types.load("struct a_t { int8_t from; int8_t encode; }").a_t
    message = a_t(from_=1, encode_=2)
    assert a_t.decode(message.encode()).from_ == 1


def test_types_that_nobody_has_any_more_are_forgotten() -> None:
    kept = weakref.ref(saltus.types.load("struct a_t { int8_t x; }").a_t)
    gc.collect()
    assert kept() is None


WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
import saltus
a_t = saltus.types.load("struct a_t { int32_t n; double v[n]; int16_t m[2][3]; boolean b[n]; }").a_t
message = a_t(v=[0.5, 1], m=[[1, 2, 3], [4, 5, 6]], b=[True, False])
message.set_sizes()
read = a_t.decode(message.encode())
assert (read.n, read.v, read.m, read.b) == (2, [0.5, 1.0], [[1, 2, 3], [4, 5, 6]], [True, False])
assert a_t().v == [] and a_t().m == [[0, 0, 0], [0, 0, 0]]
for bad in ([[1, 2, 3]], [[1, 2, 3], [4, 5]], [[1, 2, 3], [4, 5, "x"]], [[1, 2, 3], [4, 5, 70000]], 5):
    message.m = bad
    try:
        message.encode()
    except saltus.EncodeFailed as error:
        assert "m" in str(error)
    else:
        raise AssertionError(bad)
print("done")
"""


def test_without_numpy_arrays_are_lists(start: Start) -> None:
    process = start("-c", WITHOUT_NUMPY, stdout=subprocess.PIPE)
    said, _ = process.communicate(timeout=PATIENCE)
    assert (said, process.returncode) == (b"done\n", 0)
