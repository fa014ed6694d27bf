"""What modern classes say of wrong values, and how they are made. Argument: their directory."""

import struct
import sys

import numpy as np

from samples import load

modern = load(sys.argv[1])
numbers_t, grids_t, nest_t = (
    modern[f"cover.{n}_t"] for n in ("numbers", "grids", "nest")
)
laser_t, all_t, inner_t = (
    modern["paper.laser_t"],
    modern["worked.all_t"],
    modern["worked.inner_t"],
)


def raises(words, action):
    try:
        action()
    except ValueError as error:
        assert words in str(error), f"{error!s} does not say {words!r}"
    else:
        raise SystemExit(f"no error that says {words!r}")


def changed(message, **fields):
    for name, value in fields.items():
        setattr(message, name, value)
    return message


# The worked dump of the wire format.
message = all_t(
    a=-2, b=-300, c=-70000, d=0x0102030405060708, e=254, f=1.5, g=-2.25, h="hé", i=True,
    n=3, arr=[1, 2, 3], inn=[inner_t(s=7, name="x"), inner_t(s=8)], m=2,
    md=[[10, 11], [20, 21]], blob=[1, 2, 255], strs=["a", "bc"], bs=[True, False],
)  # fmt: skip
dump = bytes.fromhex(
    "a674f90e5b68fdfa fe fed4 fffeee90 0102030405060708 fe 3fc00000 c002000000000000"
    "00000004 68c3a900 01 00000003 0001 0002 0003 0007 00000002 7800 0008 00000001 00 02"
    "0000000a 0000000b 00000014 00000015 0102ff 00000002 6100 00000003 626300 01 00"
)
assert message.encode() == dump and len(dump) == 105
read = all_t.decode(dump)
assert read == message and read != all_t()
assert (
    read.arr.dtype == np.int16 and read.md.shape == (2, 2) and read.bs.dtype == np.bool_
)
assert (
    read.blob.dtype == np.uint8 and read.arr.flags.writeable and read.arr.dtype.isnative
)

# Sizes.
raises(
    "laser_t.ranges[nranges] has 3 elements, expected 0",
    lambda: laser_t(ranges=[1, 2, 3]).encode(),
)
scan = laser_t(ranges=np.ones(180), utime=5)
scan.set_sizes()
assert scan.nranges == 180 and len(scan.encode()) == 8 + 8 + 4 + 720 + 4 + 8
grid = grids_t(p=np.zeros((2, 2)), q=np.zeros((2, 3), np.int64), r=np.zeros((2, 3)),
               cube=np.zeros((2, 3, 2), np.int8), blobs=np.zeros((2, 3), np.uint8),
               lumps=np.zeros((2, 3), np.uint8), flags=np.zeros((2, 3), bool),
               words=[["a", "b"], ["c", "d"]],
               cells=[[numbers_t() for _ in range(3)] for _ in range(2)])  # fmt: skip
grid.set_sizes()
assert (grid.a, grid.b) == (2, 3)
assert grids_t.decode(grid.encode()) == grid
raises("grids_t.r[a][b] has 1 by 2", lambda: changed(grid, r=np.zeros((1, 2))).encode())
nest = nest_t()
nest.one.f = np.ones(2, np.float32)
nest.set_sizes()
assert nest.one.n == 2

# Values, by the names of their fields.
raises("numbers_t.n: 300 cannot be sent", lambda: changed(numbers_t(), n=300).encode())
raises("all_t.d: 'x' cannot be sent", lambda: changed(all_t(), d="x").encode())
raises("all_t.f: 1e+300 cannot be sent", lambda: changed(all_t(), f=1e300).encode())
raises("does not fit into int16_t", lambda: changed(all_t(), n=1, arr=[70000]).encode())
raises("does not fit into byte", lambda: all_t(blob=[1, 2, 256]))
raises("float64 values where int16_t is expected",
       lambda: changed(all_t(), n=1, arr=[1.5]).encode())  # fmt: skip
raises("all_t.h: a NUL", lambda: all_t(h="a\0b").encode())
raises("all_t.h: None cannot be sent", lambda: changed(all_t(), h=None).encode())
raises("nest_t.tree: None is not a node_t", lambda: changed(nest_t(), tree=None).encode())
raises("needs 64 bytes, the buffer has 7", lambda: all_t().encode_into(bytearray(7)))
raises("not a paper.laser_t", lambda: laser_t.decode(dump))
raises("laser_t.nranges: truncated", lambda: laser_t.decode(scan.encode()[:18]))
raises(
    "laser_t.ranges[nranges]: truncated", lambda: laser_t.decode(scan.encode()[:100])
)
raises("all_t.e: truncated", lambda: all_t.decode(dump[:23]))

# Lists, tuples and other numbers do as well as arrays.
assert (
    laser_t(nranges=2, ranges=(1, 2)).encode()
    == laser_t(nranges=2, ranges=[1.0, 2.0]).encode()
)
other = changed(laser_t(nranges=2), ranges=np.array([1, 2], np.int64)[::1])
assert other.encode() == laser_t(nranges=2, ranges=[1.0, 2.0]).encode()
swapped = changed(laser_t(nranges=2), ranges=np.array([1, 2], ">f8")[::-1])
assert swapped.encode() == laser_t(nranges=2, ranges=[2.0, 1.0]).encode()
strided = changed(laser_t(nranges=2), ranges=np.array([1, 0, 2], np.float32)[::-2])
assert strided.encode() == swapped.encode()
blob = np.array([0, 255, 0, 2, 0, 1], np.uint8)[::-2]
strided = all_t.decode(changed(all_t(), blob=blob).encode())
assert strided.blob.tolist() == [1, 2, 255]
assert struct.unpack(">f", swapped.encode()[20:24]) == (2.0,)
assert "struct laser_t" in laser_t.SCHEMA and laser_t.NAME == "paper.laser_t"
