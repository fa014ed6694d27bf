"""Classes of LCM's generator and ours, in LCM's style, in one package: each contains the other's.

Arguments: directories of LCM's classes, of ours in LCM's style, and of what this makes.
"""

import importlib
import io
import shutil
import struct
import sys
from pathlib import Path

theirs, ours, made = map(Path, sys.argv[1:4])
INNER, OUTER = "inner_t", "outer_t"


def package(name, inner, outer):
    """A package of modules from two directories."""
    to = made / name
    shutil.copytree(ours / "mix", to)
    for module, source in ((INNER, inner), (OUTER, outer)):
        text = (source / "mix" / f"{module}.py").read_text()
        # LCM's name the package in full.
        text = text.replace("import mix", f"import {name} as mix")
        (to / f"{module}.py").write_text(text)
    return importlib.import_module(name)


class Pipe:
    """A file that only reads."""

    def __init__(self, data):
        self.file = io.BytesIO(data)

    def read(self, size):
        return self.file.read(size)


def message(mix):
    m = mix.outer_t()
    m.n, m.name, m.flag = 3, "n\u00e9", True
    m.many = [mix.inner_t() for _ in range(3)]
    for i, inner in enumerate(m.many):
        inner.size, inner.values, inner.name = i, [1.5] * i, "x" * i
        inner.blob = bytes(i)
    m.one.fixed = [1, 2, 3]
    m.after = -7
    return m


def fields(m):
    if hasattr(m, "__slots__"):
        return [(name, fields(getattr(m, name))) for name in m.__slots__]
    return [fields(one) for one in m] if isinstance(m, (list, tuple)) else m


sys.path.insert(0, str(made))
all_ = {
    f"mix_{a}_{b}": package(f"mix_{a}_{b}", inner, outer)
    for a, inner in (("theirs", theirs), ("ours", ours))
    for b, outer in (("theirs", theirs), ("ours", ours))
}
data = message(all_["mix_theirs_theirs"]).encode()
expected = fields(all_["mix_theirs_theirs"].outer_t.decode(data))
for name, mix in all_.items():
    assert message(mix).encode() == data, name
    outer_t = mix.outer_t
    for how in (data, bytearray(data), memoryview(data), io.BytesIO(data), Pipe(data)):
        assert fields(outer_t.decode(how)) == expected, (name, how)
    # From a file, one after the other, and nothing more than the message.
    for file in (io.BytesIO(data + data + b"rest"), Pipe(data + data + b"rest")):
        for _ in range(2):
            assert fields(outer_t.decode(file)) == expected, name
        assert file.read(100) == b"rest", name

# Longer arrays are cut, as by LCM; shorter ones and wrong values name the field.
mix = all_["mix_ours_ours"]
m = message(mix)
m.many.append(None)
m.one.fixed = [1, 2, 3, 4]
m.many[2].values = (1.5, 1.5, 7.0)
m.many[2].blob = b"\0\0more"
assert m.encode() == data
for change, named in (
    (lambda m: setattr(m.one, "fixed", [1]), "inner_t.fixed[3]"),
    (lambda m: setattr(m.one, "fixed", ["1", 2, 3]), "inner_t.fixed[3]"),
    (lambda m: setattr(m.many[1], "values", []), "inner_t.values[size]"),
    (lambda m: setattr(m.many[1], "blob", b""), "inner_t.blob[size]"),
    (lambda m: setattr(m.many[1], "name", "a\0"), "inner_t.name"),
    (lambda m: setattr(m, "n", 4), "outer_t.many[n]"),
    (lambda m: setattr(m, "n", -1), "outer_t.many[n]"),
    (lambda m: setattr(m, "after", 1 << 40), "outer_t.flag, ..."),
):
    m = message(mix)
    change(m)
    try:
        m.encode()
        raise SystemExit(f"{named} was to be refused")
    except ValueError as error:
        assert str(error).startswith(named), (named, error)
        assert error.__context__ is None or error.__suppress_context__, named
# Decoding names the field too, without the exception of the fast path.
for at in range(8, len(data)):
    try:
        mix.outer_t.decode(data[:at])
        raise SystemExit(f"{at} bytes were to be refused")
    except ValueError as error:
        assert "_t." in str(error) and "truncated" in str(error), error
        assert not isinstance(error.__context__, struct.error), at
