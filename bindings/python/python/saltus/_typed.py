"""Typed messages of all supported kinds of classes.

Classes are from saltus.types, from ``saltus gen --lang python`` in both styles, and from
LCM's generator, ``lcm-gen -p``. Classes from lcm-gen have no schema. This module derives it
from their tables of fields, and uses it only if it has the fingerprint of the class.
"""

from __future__ import annotations

import struct
import sys
from typing import Any, Callable, Iterator, Optional, cast
from weakref import WeakKeyDictionary

from . import _arrays, _saltus
from ._errors import Invalid

#: Name, fingerprint and schema. An unknown schema is empty.
Description = tuple[str, int, str]

_PRIMITIVES = frozenset(
    "int8_t int16_t int32_t int64_t byte float double string boolean".split()
)

#: The exceptions that code of LCM's generator raises for values and bytes that do not fit.
_FAULTS = (
    struct.error,
    AssertionError,
    AttributeError,
    IndexError,
    OverflowError,
    RecursionError,
    TypeError,
)

_known: WeakKeyDictionary[Any, Description] = WeakKeyDictionary()


def is_lcm(kind: Any) -> bool:
    """Whether a class is from LCM's generator."""
    return isinstance(kind, type) and hasattr(kind, "_get_packed_fingerprint")


def described(kind: Any) -> Description:
    """Returns the type that a class describes. Raises TypeError for a class that is not a type."""
    if isinstance(kind, type):
        found = _known.get(kind)
        if found is None:
            found = _own(kind) or (_of_lcm(kind) if is_lcm(kind) else None)
        if found is not None:
            _known[kind] = found
            return found
    what = kind.__name__ if isinstance(kind, type) else type(kind).__name__
    raise TypeError(
        "a type is a class made by saltus.types.load(), `saltus gen --lang python` "
        f"or `lcm-gen -p`, not {what}"
    )


def _own(kind: Any) -> Optional[Description]:
    """The description in NAME, FINGERPRINT and SCHEMA, unless these are constants."""
    name, fingerprint, schema = (
        getattr(kind, name, None) for name in ("NAME", "FINGERPRINT", "SCHEMA")
    )
    if isinstance(name, str) and isinstance(schema, str):
        if isinstance(fingerprint, int) and 0 <= fingerprint < 1 << 64:
            return name, fingerprint, schema
    return None


def _of_lcm(kind: Any) -> Optional[Description]:
    try:
        packed = kind._get_packed_fingerprint()
        if not isinstance(packed, bytes) or len(packed) != 8:
            return None
    except _FAULTS:
        return None
    fingerprint = int.from_bytes(packed, "big")
    # LCM puts class `pose_t` of package `robot` into module `robot.pose_t`.
    parts = kind.__module__.split(".")
    own = kind.__name__
    name = kind.__module__ if parts[-1] == own else own
    return name, fingerprint, _schema(kind, name, fingerprint)


def _schema(kind: Any, name: str, fingerprint: int) -> str:
    """The schema from the tables of an LCM class, if it has the class's fingerprint."""
    structs: dict[str, str] = {}
    try:
        _declare(kind, name, structs)
        found = _saltus.Schema.load([], [_text(structs)], [])[0].structs()
    except (Invalid, LookupError, *_FAULTS):
        return ""
    for about in found:
        if about["name"] == name and about["fingerprint"] == fingerprint:
            return cast(str, about["schema"])
    return ""


def _declare(kind: Any, name: str, structs: dict[str, str]) -> None:
    """Adds the text of a struct, and of those in it, by their names."""
    if name in structs:
        return
    structs[name] = ""  # it may contain itself
    fields = []
    for field, of, dims in _fields(kind):
        if of not in _PRIMITIVES:
            _declare(_nested(kind, of), of, structs)
        sizes = "".join(f"[{dim}]" for dim in dims)
        fields.append(f"    {of} {field}{sizes};\n")
    structs[name] = f"struct {name.rpartition('.')[2]} {{\n{''.join(fields)}}}\n"


def _fields(kind: Any) -> Iterator[tuple[str, str, list[Any]]]:
    """Name, type and dimensions of each field of an LCM class."""
    names, of, dims = kind.__slots__, kind.__typenames__, kind.__dimensions__
    if not len(names) == len(of) == len(dims):
        raise LookupError("its tables have different lengths")
    for field in range(len(names)):
        yield names[field], of[field], dims[field] or []


def _nested(kind: Any, name: str) -> Any:
    """The class `name`, which the module of a class has imported."""
    around = kind.__module__.split(".")
    # With a prefix, the packages of the class are not top-level.
    for depth in range(len(around)):
        module = sys.modules.get(".".join([*around[:depth], name]))
        found = getattr(module, name.rpartition(".")[2], None)
        if is_lcm(found):
            return found
    raise LookupError(name)


def _text(structs: dict[str, str]) -> str:
    """A type file with these structs: those without a package first."""
    packages: dict[str, list[str]] = {"": []}
    for name, text in structs.items():
        packages.setdefault(name.rpartition(".")[0], []).append(text)
    return "".join(
        (f"package {package};\n" if package else "") + "".join(texts)
        for package, texts in packages.items()
    )


def decoder(kind: Any) -> Callable[[Any], Any]:
    """Returns the decoder of a class. It raises ValueError for bytes that are not a message."""
    if not is_lcm(kind):
        return cast(Callable[[Any], Any], kind.decode)

    def decode(data: Any) -> Any:
        try:
            return kind.decode(data)
        except _FAULTS as error:
            raise ValueError(f"{kind.__name__}: {error}") from error

    return decode


def encode(kind: Any, message: Any) -> Any:
    """The bytes of a message of this class, or of a dict of its fields."""
    if isinstance(message, dict):
        codec = getattr(kind, "_codec", None)
        if codec is not None:
            return codec.encode(message)
        message = _filled(kind, message)
    elif not isinstance(message, kind):
        have = type(message).__name__
        raise TypeError(f"expected a {described(kind)[0]} or a dict, not {have}")
    if not is_lcm(kind):
        return message.encode()
    try:
        return message.encode()
    except _FAULTS as error:
        raise ValueError(f"{described(kind)[0]}: {error}") from error


def _filled(kind: Any, fields: dict[str, Any]) -> Any:
    """A message with these fields, and sizes of their arrays."""
    if not is_lcm(kind):
        message = kind(**fields)
        message.set_sizes()
        return message
    message = kind()
    for name, value in fields.items():
        if name not in kind.__slots__:
            raise ValueError(f"{described(kind)[0]}: there is no field {name!r}")
        setattr(message, name, value)
    for name, dims in zip(kind.__slots__, kind.__dimensions__):
        for depth, size in enumerate(dims or ()):
            if isinstance(size, str) and size in kind.__slots__ and size not in fields:
                setattr(message, size, _arrays.length(getattr(message, name), depth))
    return message
