#!/usr/bin/env python3
"""Writes `vectors.json` anew: messages that a person can read, and the bytes that LCM 1.5.3 makes of them.

    $(python3 lab/conformance/types/environment.py) lab/conformance/types/make-vectors.py

The bytes come from the Python code that LCM's generator makes of `schemas/*.lcm`.
"""

import importlib
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# Types whose Python, as LCM's generator makes it, does not run.
LEFT_OUT = {"keywords.lcm", "hexadecimal.lcm", "enums.lcm"}

POINT = {"x": 1.5, "y": -2.25, "layer": 7}
LEAF = {"num_children": 0, "children": []}


def scalars(**changes):
    """A message of `every.scalars_t`."""
    zero = {"a": 0, "b": 0, "c": 0, "d": 0, "e": 0, "f": 0.0, "g": 0.0, "h": "", "i": False}
    return {**zero, **changes}


VALUES = [
    ("every.scalars_t", scalars()),
    ("every.scalars_t", scalars(a=-2, b=-300, c=-70000, d=0x0102030405060708, e=254, f=1.5, g=-2.25, h="hé", i=True)),
    ("every.scalars_t", scalars(a=-128, b=-(2**15), c=-(2**31), d=-(2**63), e=255, f=-0.0, g=-0.0)),
    ("every.scalars_t", scalars(a=127, b=2**15 - 1, c=2**31 - 1, d=2**63 - 1, f=3.4028234663852886e38, g=1e308)),
    ("every.scalars_t", scalars(f=1.401298464324817e-45, g=5e-324, h='"\\\n\t\u007f\u0001€😀')),
    (
        "every.fixed_arrays_t",
        {
            "a": [-1, 0, 1],
            "b": [-2, 0, 2],
            "c": [-3, 0, 3],
            "d": [-4, 0, 4],
            "e": [0, 128, 255],
            "f": [0.5, -0.5, 0.25],
            "g": [0.1, -0.1, 1e-300],
            "h": ["", "one", "zwölf"],
            "i": [True, False, True],
        },
    ),
    (
        "every.variable_arrays_t",
        {
            "n8": 1,
            "n16": 2,
            "n32": 3,
            "n64": 0,
            "a": [-5],
            "b": [6, -6],
            "c": [7, 8, 9],
            "d": [],
            "e": [200],
            "f": [1.0, 2.0],
            "g": [3.0, 4.0, 5.0],
            "h": [],
            "i": [True, True, False],
        },
    ),
    (
        "every.long_arrays_t",
        {
            "shorts": list(range(-33, 34)),
            "words": [i * 1_000_003 for i in range(35)],
            "floats": [i / 8 for i in range(33)],
            "longs": [i * -1_000_000_000_003 for i in range(19)],
            "doubles": [i / 3 for i in range(17)],
            "bytes": list(range(100)),
        },
    ),
    (
        "every.cube_t",
        {
            "words": [[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], [[-1, -2, -3, -4], [0, 0, 0, 0], [13, 14, 15, 16]]],
            "names": [["a", "b"], ["c", ""]],
            "flags": [[[[True, False, True, False, True]]]],
            "one": [6.5],
        },
    ),
    (
        "every.matrix_t",
        {
            "rows": 2,
            "columns": 3,
            "numbers": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
            "image": [[1, 2, 3], [253, 254, 255]],
            "names": [["a", "b"], ["c", "d"], ["e", "f"]],
            "flags": [[True, False, True], [False, True, False]],
            "cube": [[[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]], [[7.5, 8.5, 9.5], [10.5, 11.5, 12.5]]],
        },
    ),
    ("every.matrix_t", {"rows": 0, "columns": 0, "numbers": [], "image": [], "names": [], "flags": [], "cube": []}),
    (
        "every.mixed_t",
        {
            "n": 1,
            "inner": [[10], [20]],
            "outer": [[0.5, 1.5, 2.5]],
            "middle": [[[1, 2]], [[3, 4]]],
            "words": [["x", "y"]],
            "ends": [[[7], [8]]],
            "m": 2,
            "flags": [[[True]], [[False]]],
            "last": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
        },
    ),
    ("every.shared_size_t", {"n": 2, "first": [1, 2], "between": "middle", "second": [0.5, 1.5], "m": 1, "third": [[3, 4]]}),
    ("every.constant_dims_t", {"a": [[1, 2, 3], [4, 5, 6]], "b": [0.0, 1.0, 2.0, 3.0], "c": ["p", "q", "r"]}),
    ("every.constants_t", {"x": 1}),
    ("every.point_t", POINT),
    ("every.empty_t", {}),
    (
        "every.path_t",
        {
            "utime": 1_700_000_000_000_000,
            "n": 1,
            "points": [{"name": "dock", "at": POINT}],
            "corners": [[POINT, POINT], [POINT, POINT]],
            "ends": [{"name": "", "at": POINT}, {"name": "end", "at": POINT}],
            "rows": 2,
            "grid": [[POINT], [POINT]],
            "closed": True,
        },
    ),
    ("every.empties_t", {"one": {}, "n": 2, "many": [{}, {}], "fixed": [{}, {}, {}], "grid": [[{}, {}], [{}, {}]], "after": 9}),
    ("every.node_t", {"num_children": 2, "children": [LEAF, {"num_children": 1, "children": [LEAF]}]}),
    (
        "every.tree_t",
        {
            "name": "root",
            "shape": LEAF,
            "n": 1,
            "branches": [{"name": "branch", "shape": LEAF, "n": 0, "branches": [], "color": [4, 5, 6]}],
            "color": [1, 2, 3],
        },
    ),
    (
        "every.strings_t",
        {
            "one": "ä" * 100,
            "n": 2,
            "many": ["", "two"],
            "pair": ["l", "r"],
            "grid": [["a", "b"], ["c", "d"]],
            "last": "end",
        },
    ),
    (
        "mutual.house_t",
        {
            "street": "Ringweg",
            "n": 1,
            "people": [{"n": 1, "houses": [{"street": "See", "n": 0, "people": []}], "height": 1.75}],
        },
    ),
    (
        "elsewhere.dotted_t",
        {"user": {"leaf": {"v": 1}, "n": 2, "leaves": [{"v": 2}, {"v": 3}], "point": POINT}},
    ),
    ("rootless_t", {"n": 2, "values": [0.5, -0.5]}),
]


def message(name, value):
    """An object of LCM's class for the type."""
    module, _, short = name.rpartition(".")
    cls = getattr(importlib.import_module(module or short), short)
    made = cls()
    assert list(value) == list(cls.__slots__), f"{name}: {list(value)} are not its fields"
    for field, ty, dims in zip(cls.__slots__, cls.__typenames__, cls.__dimensions__):
        setattr(made, field, converted(ty, value[field], len(dims or [])))
    return made


def converted(ty, value, dims):
    """What LCM's classes want for a field."""
    if ty == "byte" and dims == 1:
        return bytes(value)
    if dims:
        return [converted(ty, item, dims - 1) for item in value]
    return message(ty, value) if isinstance(value, dict) else value


def main():
    """Generates, encodes, and writes the file."""
    files = sorted(path for path in (HERE / "schemas").glob("*.lcm") if path.name not in LEFT_OUT)
    files.sort(key=lambda path: path.name != "root.lcm")  # without a package, it would get that of the file before
    with tempfile.TemporaryDirectory() as code:
        lcm_gen = pathlib.Path(sys.executable).with_name("lcm-gen")
        subprocess.run([lcm_gen, "--python", "--ppath", code, *files], check=True)
        sys.path.insert(0, code)
        vectors = [{"type": name, "value": value, "hex": message(name, value).encode().hex()} for name, value in VALUES]
    lines = ",\n".join(json.dumps(vector, ensure_ascii=False) for vector in vectors)
    (HERE / "vectors.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{len(vectors)} vectors")


if __name__ == "__main__":
    main()
