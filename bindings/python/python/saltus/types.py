"""Types read at run time from `.lcm` files or from text.

>>> pose_t = load("struct pose_t { int64_t utime; double position[3]; }").pose_t
>>> data = pose_t(utime=1, position=[1, 2, 3]).encode()
>>> pose_t.decode(data).utime
1

The classes have the same members as those from `saltus gen --lang python`: NAME, FINGERPRINT,
SCHEMA, encode(), decode(), set_sizes(). A domain's publisher() and subscribe() accept both,
and the classes of LCM's `lcm-gen -p`. Arrays of numbers are NumPy arrays if NumPy is
installed, else lists. You can compare, copy and pickle messages.
"""

from __future__ import annotations

import copy
import keyword
import os
import warnings
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    TypeVar,
    Union,
)

from weakref import WeakValueDictionary

from . import _arrays, _saltus
from ._errors import Invalid

if TYPE_CHECKING:
    import numpy

T = TypeVar("T", bound="Struct")

#: A file, or a text in the type language.
Source = Union[str, "os.PathLike[str]"]


class Field(NamedTuple):
    """A field of a type."""

    #: Its name in the type file.
    name: str
    #: Type of its elements: "double", "robot.pose_t".
    type: str
    #: Sizes of an array, the outermost first: numbers, or names of size fields.
    dims: tuple[Union[int, str], ...]
    #: Its comment in the type file.
    doc: str


class Struct:
    """The base class of all classes from load(). Fields are attributes."""

    __slots__: ClassVar[tuple[str, ...]] = ()

    #: Full name, ``package.pose_t``.
    NAME: ClassVar[str]
    #: The first 8 bytes of every message, big endian.
    FINGERPRINT: ClassVar[int]
    #: The type, and all types in it, in the type language.
    SCHEMA: ClassVar[str]
    #: The fields, in their order.
    FIELDS: ClassVar[tuple[Field, ...]]
    #: The constants.
    CONSTANTS: ClassVar[Mapping[str, Union[int, float]]]

    _codec: ClassVar[_saltus.Codec]
    #: The first bytes of a message in the plain layout, and its dtype, after the first use.
    _plain: ClassVar[Any] = None
    #: By attribute: NumPy's letter for arrays of numbers.
    _letters: ClassVar[Mapping[str, str]]
    #: By attribute of a size field: the arrays and dimensions whose size it is.
    _sizes: ClassVar[Mapping[str, tuple[tuple[str, int], ...]]]

    def __init__(self, **fields: Any) -> None:
        """Sets these fields; the others are zero or empty."""
        self._codec.fill(self)
        for name, value in fields.items():
            if name not in type(self).__slots__:
                raise TypeError(f"{self.NAME} has no field {name!r}")
            letter = self._letters.get(name)
            setattr(self, name, value if letter is None else _arrays.own(value, letter))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{self.NAME} has no field {name!r}")

    if TYPE_CHECKING:

        def __setattr__(self, name: str, value: Any) -> None: ...

    def encode(self, *, plain: bool = False) -> bytes:
        """Encodes the message. Raises EncodeFailed."""
        return self._codec.encode(self, plain)

    @classmethod
    def decode(cls: type[T], data: Any) -> T:
        """Decodes a message, in LCM's encoding or the plain layout. Raises DecodeFailed."""
        message: T = cls._codec.decode(data)
        return message

    @classmethod
    def plain_dtype(cls) -> numpy.dtype[Any]:
        """The NumPy dtype of the plain layout. Raises Unsupported if the type has none."""
        return cls._layout()[1]

    @classmethod
    def plain_array(cls, data: Any) -> numpy.ndarray[Any, Any]:
        """Returns a message in the plain layout in place, without a copy.

        `data` is any object with bytes: the `data` of a message or a view, or a bytearray to
        write to. The array has 0 dimensions and the fields of plain_dtype(), such as
        ``found["position"][0]``. Raises DecodeFailed.
        """
        found: numpy.ndarray[Any, Any] = _arrays.plain(cls.NAME, *cls._layout(), data)
        return found

    @classmethod
    def plain_room(cls) -> bytearray:
        """Returns an all-zero message in the plain layout. Fill it through plain_array()."""
        key, dtype = cls._layout()
        return bytearray(key) + bytearray(dtype.itemsize)

    @classmethod
    def _layout(cls) -> tuple[bytes, numpy.dtype[Any]]:
        found = cls.__dict__.get("_plain")
        if found is None:
            found = _arrays.layout(cls.NAME, cls._codec)
            cls._plain = found
        known: tuple[bytes, numpy.dtype[Any]] = found
        return known

    def set_sizes(self) -> None:
        """Sets the size fields, of contained structs too, to the lengths of the arrays."""
        for name, sized in self._sizes.items():
            lengths = (_arrays.length(getattr(self, a), dim) for a, dim in sized)
            setattr(self, name, max(lengths, default=0))
        for name in type(self).__slots__:
            _set_sizes(getattr(self, name))

    def to_dict(self) -> dict[str, Any]:
        """The fields by name; contained structs are dicts too."""
        return {name: _to_dict(getattr(self, name)) for name in type(self).__slots__}

    def __copy__(self: T) -> T:
        new = type(self).__new__(type(self))
        for name in type(self).__slots__:
            setattr(new, name, getattr(self, name))
        return new

    def __deepcopy__(self: T, memo: dict[int, Any]) -> T:
        new = type(self).__new__(type(self))
        memo[id(self)] = new
        for name in type(self).__slots__:
            setattr(new, name, copy.deepcopy(getattr(self, name), memo))
        return new

    def __reduce__(self) -> tuple[Any, ...]:
        # The class is not in a module: unpickling creates it from its schema.
        fields = {name: getattr(self, name) for name in type(self).__slots__}
        return _unset, (self.NAME, self.FINGERPRINT, self.SCHEMA), fields

    def __setstate__(self, fields: Mapping[str, Any]) -> None:
        for name in type(self).__slots__:
            setattr(self, name, fields[name])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Struct) or other.NAME != self.NAME:
            return NotImplemented
        if other.FINGERPRINT != self.FINGERPRINT:
            return False
        names = type(self).__slots__
        return all(_arrays.same(getattr(self, n), getattr(other, n)) for n in names)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        names = type(self).__slots__
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({fields})"


#: Classes by name and fingerprint, for pickles. A class stays while it is referenced.
_classes_of: WeakValueDictionary[tuple[str, int], type[Struct]] = WeakValueDictionary()


def _unset(name: str, fingerprint: int, schema: str) -> Struct:
    """A message without fields, of a type that a pickle describes."""
    kind = _classes_of.get((name, fingerprint))
    if kind is None:
        kind = load(schema)[name]
    if kind.FINGERPRINT != fingerprint:
        raise Invalid(f"the schema of {name} in a pickle does not have its fingerprint")
    return kind.__new__(kind)


def _set_sizes(value: Any) -> None:
    if isinstance(value, Struct):
        value.set_sizes()
    elif isinstance(value, list):
        for element in value:
            _set_sizes(element)


def _to_dict(value: Any) -> Any:
    if isinstance(value, Struct):
        return value.to_dict()
    if isinstance(value, list):
        return [_to_dict(element) for element in value]
    return value


class Schema(Mapping[str, "type[Struct]"]):
    """The types from one call of load().

    Look them up by full name, by short name if only one type has it, or as attributes.
    """

    def __init__(self, classes: list[type[Struct]], enums: dict[str, dict[str, int]]):
        self._classes = {kind.NAME: kind for kind in classes}
        #: Values of the enums, by name.
        self.enums = enums

    def __getitem__(self, name: str) -> type[Struct]:
        if name in self._classes:
            return self._classes[name]
        short = [c for full, c in self._classes.items() if full.endswith(f".{name}")]
        if len(short) == 1:
            return short[0]
        if short:
            several = ", ".join(kind.NAME for kind in short)
            raise KeyError(f"several types are called {name}: {several}")
        raise KeyError(f"no type {name!r} among {', '.join(self._classes)}")

    def __getattr__(self, name: str) -> type[Struct]:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)

    def __repr__(self) -> str:
        return f"<types {', '.join(self._classes)}>"


def load(*sources: Source, include: Iterable[Source] = ()) -> Schema:
    """Reads types from files or texts: a source with a brace or a line break is a text.

    Types that they refer to are searched for next to the files and in the directories
    `include`. One Invalid reports all errors.
    """
    files: list[str] = []
    texts: list[str] = []
    for source in sources:
        text = os.fspath(source)
        is_text = isinstance(source, str) and any(c in text for c in "{\n")
        (texts if is_text else files).append(text)
    if not sources:
        raise TypeError("load() needs a type file or a text")
    found = _saltus.Schema.load(files, texts, [os.fspath(path) for path in include])
    schema, _, warned = found
    if warned:
        warnings.warn(warned, stacklevel=2)
    return Schema(_classes(schema), dict(schema.enums()))


#: Names that no attribute may have.
_TAKEN = frozenset(dir(Struct)) | frozenset(keyword.kwlist)


def _attribute(name: str) -> str:
    return name + "_" if name in _TAKEN else name


def _classes(schema: _saltus.Schema) -> list[type[Struct]]:
    """Makes a class for each struct and registers them with the native module."""
    classes = []
    told = []
    for index, about in enumerate(schema.structs()):
        fields = about["fields"]
        names = [_attribute(field["name"]) for field in fields]
        package, _, short = about["name"].rpartition(".")
        members: dict[str, Any] = {
            "__slots__": tuple(names),
            "__doc__": about["doc"] or None,
            "__module__": package or __name__,
            "__qualname__": short,
            "NAME": about["name"],
            "FINGERPRINT": about["fingerprint"],
            "SCHEMA": about["schema"],
            "CONSTANTS": about["constants"],
            "FIELDS": tuple(
                Field(f["name"], f["type"], tuple(f["dims"]), f["doc"]) for f in fields
            ),
            "_codec": schema.codec(index),
            "_letters": {
                name: field["letter"]
                for name, field in zip(names, fields)
                if field["letter"] and field["dims"]
            },
            "_sizes": {
                names[size]: tuple((names[at], dim) for at, dim in sized)
                for size, sized in about["sizes"].items()
            },
        }
        for name, value in about["constants"].items():
            if name not in names and name not in members:
                members[_attribute(name)] = value
        kind = type(short, (Struct,), members)
        _classes_of[about["name"], about["fingerprint"]] = kind
        classes.append(kind)
        told.append((kind, names))
    schema.set_classes(told)
    return classes
