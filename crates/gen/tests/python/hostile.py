"""Bytes that nobody vouches for: the proper exception, and memory that stays bounded.

Arguments: directories of LCM's classes, of ours in LCM's style, of ours in modern style.
"""

import io
import random
import resource
import struct
import sys

from samples import load, messages

oracle, like, modern = (load(d) for d in sys.argv[1:4])
rng = random.Random(4)

# Whatever the messages claim, decoding them fits into this much more than there is already.
with open("/proc/self/statm") as statm:
    mapped = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (mapped + (256 << 20),) * 2)


class Unseekable:
    """A file that does not tell how much it has."""

    def __init__(self, data):
        self.file = io.BytesIO(data)

    def read(self, size):
        return self.file.read(size)


def refused(name, data):
    """Whether all decoders refuse it, with ValueError and nothing else; they must agree."""
    said = []
    for decode in (
        modern[name].decode,
        like[name].decode,
        lambda d: like[name].decode(Unseekable(d)),
    ):
        try:
            decode(data)
            said.append(False)
        except ValueError:
            said.append(True)
    assert len(set(said)) == 1, (name, data.hex(), said)
    return said[0]


truncated = flipped = 0
for name, message in messages(oracle, each=6):
    data = message.encode()
    for length in range(min(len(data), 400)):
        assert refused(name, data[:length]), (name, length)
        truncated += 1
    for _ in range(60):
        bad = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            bad[rng.randrange(8, max(9, len(bad))) % len(bad)] = rng.choice(
                [0, 1, 0x7F, 0x80, 0xFF]
            )
        refused(name, bytes(bad))
        flipped += 1
print(f"{truncated} truncations, {flipped} flips")


def head(name):
    return modern[name].FINGERPRINT.to_bytes(8, "big")


# Sizes: negative, and so large that only an unwary decoder would make room for it.
for size in (-1, -(1 << 31), 1 << 20, (1 << 31) - 1):
    assert refused("exlcm.node_t", head("exlcm.node_t") + struct.pack(">i", size))
    assert refused("cover.empties_t", head("cover.empties_t") + struct.pack(">i", size))
    laser = head("paper.laser_t") + struct.pack(">qi", 1, size) + bytes(64)
    assert refused("paper.laser_t", laser)
for a, b in [(0x7FFF, 1 << 62), (-1, 1), (1, -1), (0x7FFF, 0), (3, 1 << 40)]:
    assert refused(
        "cover.grids_t", head("cover.grids_t") + struct.pack(">hq", a, b) + bytes(64)
    )
# As many elements without content as a message may have, and one more.
for n, bad in [(1024, False), (1024 + 12, False), (1024 + 13, True)]:
    data = head("cover.empties_t") + struct.pack(">i", n)
    try:
        modern["cover.empties_t"].decode(data)
        assert not bad, n
    except ValueError:
        assert bad, n

# Sizes behind an outer 0 must only not be negative. Rows without content are charged up
# to that 0: a message of 32 bytes may have 1056, and there are 6 arrays.
for a, b, c, bad in [
    (0, 1 << 62, 1 << 62, False),
    (0, (1 << 63) - 1, 0, False),
    (0, 1 << 62, -1, True),
    (0, -1, 5, True),
    (5, 0, (1 << 63) - 1, False),
    (5, 0, -1, True),
    (1, 1 << 40, 0, True),
    ((1 << 63) - 1, 0, 0, True),
    (176, 0, 7, False),
    (177, 0, 7, True),
]:
    data = head("cover.behind_t") + struct.pack(">qqq", a, b, c)
    assert refused("cover.behind_t", data) == bad, (a, b, c)
    for behind_t in () if bad else (modern["cover.behind_t"], like["cover.behind_t"]):
        assert behind_t.decode(data).encode() == data
# Every level counts: 28 rows and 28 * 36 elements are the 1036 of 12 bytes.
for a, b, bad in [(28, 36, False), (28, 37, True)]:
    data = head("cover.nothing_t") + struct.pack(">hh", a, b)
    assert refused("cover.nothing_t", data) == bad, (a, b)
# What a type always has is free, but not what a variable array has.
for k in (0, 3, 4, 100):
    data = head("cover.wides_t") + bytes([k]) + bytes(4 + k)
    assert refused("cover.wides_t", data) == (k > 3), k

# Strings: length 0, negative, beyond the end, without a NUL; bytes that are no UTF-8.
inner = head("worked.inner_t") + struct.pack(">h", 1)
for length, text in [
    (0, b""),
    (-1, b""),
    (9, b"a\0"),
    (2, b"ab"),
    ((1 << 31) - 1, b"a\0"),
]:
    assert refused("worked.inner_t", inner + struct.pack(">i", length) + text)
odd = inner + struct.pack(">i", 4) + b"\xff\xc3a\0"
assert modern["worked.inner_t"].decode(odd).encode() == odd
assert like["worked.inner_t"].decode(odd).name == "\ufffd\ufffda"


def chain(depth):
    return head("exlcm.node_t") + struct.pack(">i", 1) * depth + struct.pack(">i", 0)


def below(frames, call):
    """Calls it so many frames further down."""
    return call() if frames == 0 else below(frames - 1, call)


# Little stack is left: what is legal fits, or is refused like all else.
for classes in (modern, like):
    node_t = classes["exlcm.node_t"]
    node = below(500, lambda: node_t.decode(chain(128)))
    assert below(500, node.encode) == chain(128)
node_t = modern["exlcm.node_t"]
node = node_t.decode(chain(128))
for action in (lambda: node_t.decode(chain(128)), node.encode):
    try:
        below(900, action)
        raise SystemExit("the stack was to be too small")
    except ValueError as error:
        assert "stack" in str(error), error

# Structs in structs: 128 deep, and one deeper.
assert not refused("exlcm.node_t", chain(128))
for depth in (129, 1000, 100_000):
    assert refused("exlcm.node_t", chain(depth))
for node_t in (modern["exlcm.node_t"], like["exlcm.node_t"]):
    node = node_t.decode(chain(128))
    assert node.encode() == chain(128)
    root = node_t()
    root.num_children, root.children = 1, [node]
    try:
        root.encode()
        raise SystemExit("a message was encoded that nobody could decode")
    except ValueError as error:
        assert "128 deep" in str(error), error
