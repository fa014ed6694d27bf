"""Names that are keywords, signs that no name may have, circles of types over packages.

Arguments: directory of the classes, style.
"""

import io
import subprocess
import sys
import tempfile

directory, style = sys.argv[1:3]
sys.path.insert(0, directory)

# Whichever module comes first.
names = [
    "odd.class_.names_t",
    "odd.class_.other_t",
    "odd.more.third_t",
    "odd.more.left_t",
]
names += [
    "leaf_t",
    "trunk_t",
    "odd.more.right_t",
    "rest.fourth_t",
    "odd.class_",
    "odd.more",
    "rest",
]
for name in names:
    subprocess.run(
        [sys.executable, "-B", "-c", f"import {name}"], check=True, cwd=directory
    )

from odd.class_ import color_t, names_t, other_t  # noqa: E402
from odd.more import left_t, right_t, third_t  # noqa: E402

message = names_t()
message.class_ = 7
message.x_y_, message.x_y = True, False
assert names_t.decode(message.encode()).class_ == 7
assert (
    names_t.decode(message.encode()).x_y_ and not names_t.decode(message.encode()).x_y
)
assert names_t.import_ == 3
assert color_t.GREEN == 4

left = left_t()
right = right_t()
left.n, left.right = 1, [right]
right.n, right.left = 1, [left_t()]
assert len(left_t.decode(left.encode()).right[0].left) == 1

third = third_t()
third.n, third.back = 1, [other_t()]
assert len(third_t.decode(third.encode()).back) == 1

import odd.builtin  # noqa: E402

for name in ["range", "IndexError", "AttributeError", "len"]:
    kind = getattr(odd.builtin, name)
    message = kind()
    message.n, message.values, message.raw, message.text = 2, [3, 4], [53, 54], "seven"
    message.parts = message.pair
    message.pair[1].x = 8
    data = message.encode()
    for source in [data] if style == "modern" else [data, io.BytesIO(data)]:
        back = kind.decode(source)
        assert (back.n, list(back.values), bytes(back.raw)) == (2, [3, 4], b"56")
        assert (back.text, back.parts[1].x, back.pair[1].x) == ("seven", 8, 8)
    if style == "lcm":
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.seek(0)
            assert kind.decode(file).encode() == data
    for end in range(8, len(data)):
        try:
            kind.decode(data[:end])
        except ValueError as problem:
            assert str(problem).find("truncated") > 0, problem
        else:
            raise AssertionError(f"{name}: {end} of {len(data)} bytes")

from trunk_t import trunk_t  # noqa: E402

trunk = trunk_t()
trunk.leaf.x = 5
assert trunk_t.decode(trunk.encode()).leaf.x == 5
if style == "modern":
    assert "Second" not in (names_t.__doc__ or "")
    assert 'Says "quoted", \\ backslash' in names_t.__doc__
