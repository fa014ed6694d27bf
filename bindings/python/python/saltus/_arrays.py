"""Arrays of numbers: NumPy arrays, or lists without NumPy."""

from __future__ import annotations

import array
import math
from typing import TYPE_CHECKING, Any, Sequence

from ._errors import DecodeFailed, Unsupported

if TYPE_CHECKING:
    from ._saltus import Codec

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment, unused-ignore]

#: Names of the elements, for messages.
_NAMES = {
    "b": "int8_t", "h": "int16_t", "i": "int32_t", "q": "int64_t", "B": "byte",
    "f": "float", "d": "double", "?": "boolean",
}  # fmt: skip


def from_bytes(data: bytearray, letter: str, shape: Sequence[int]) -> Any:
    """Makes an array of this shape, which owns its memory, from the numbers' bytes."""
    if np is None:
        flat = memoryview(data).cast(letter).tolist() if data else []
        return _rows(flat, shape)
    flat = np.frombuffer(data, letter) if data else np.empty(0, letter)
    if len(shape) == 1:
        return flat
    try:
        return flat.reshape(shape)
    except ValueError:
        # The array is empty, and the sizes behind the 0 are too large for NumPy.
        outer = list(shape[: list(shape).index(0)])
        return flat.reshape(outer + [0] * (len(shape) - len(outer)))


def _rows(flat: list[Any], shape: Sequence[int]) -> Any:
    if len(shape) == 1:
        return flat
    width = len(flat) // shape[0] if shape[0] else 0
    return [
        _rows(flat[row * width : (row + 1) * width], shape[1:])
        for row in range(shape[0])
    ]


def to_bytes(values: Any, letter: str, rank: int) -> tuple[Any, tuple[int, ...]]:
    """Returns the numbers' bytes and their shape. Only precision may be lost."""
    if np is not None:
        return _of_numpy(values, letter, rank)
    return _of_lists(values, letter, rank)


def _of_numpy(values: Any, letter: str, rank: int) -> tuple[Any, tuple[int, ...]]:
    # NumPy would interpret bytes as text.
    is_bytes = isinstance(values, (bytes, bytearray))
    found = np.frombuffer(values, "B") if is_bytes else np.asarray(values)
    wanted: Any = np.dtype(letter)
    if found.dtype != wanted:
        if found.size == 0:
            found = found.astype(wanted)
        # Booleans count as integers. Those may become fractions, but never the reverse.
        elif found.dtype.kind not in ("biuf" if wanted.kind == "f" else "biu"):
            raise ValueError(f"{found.dtype} values where {_NAMES[letter]} is expected")
        else:
            changed = found.astype(wanted)
            if wanted.kind in "iu" and not np.array_equal(changed, found):
                raise ValueError(f"a value does not fit into {_NAMES[letter]}")
            found = changed
    if found.ndim != rank and not (found.size == 0 and found.ndim < rank):
        raise ValueError(f"expected {rank} dimensions, found {found.ndim}")
    return np.ascontiguousarray(found).reshape(-1).view("B"), found.shape


def _of_lists(values: Any, letter: str, rank: int) -> tuple[Any, tuple[int, ...]]:
    shape: list[int] = []
    flat = list(values)
    for level in range(rank):
        if level > 0:
            lengths = {len(row) for row in flat}
            if len(lengths) > 1:
                raise ValueError(f"rows of different lengths: {sorted(lengths)}")
            flat = [value for row in flat for value in row]
        count = math.prod(shape)
        shape.append(len(flat) // count if count else 0)
    try:
        if letter == "?":
            return bytes(map(bool, flat)), tuple(shape)
        return array.array(letter, flat).tobytes(), tuple(shape)
    except (TypeError, OverflowError) as error:
        raise ValueError(f"where {_NAMES[letter]} is expected: {error}") from None


def own(values: Any, letter: str) -> Any:
    """Converts a constructor's argument to an array if that loses nothing."""
    if np is None or isinstance(values, np.ndarray):
        return values
    try:
        rank = 1 if isinstance(values, (bytes, bytearray)) else np.ndim(values)
        data, shape = _of_numpy(values, letter, rank)
    except ValueError:
        return values  # Encoding reports the error and its place.
    return from_bytes(bytearray(data), letter, shape) if shape else values


def length(values: Any, dimension: int) -> int:
    """The length of an array, or of nested lists, in one dimension."""
    if np is not None and isinstance(values, np.ndarray):
        return int(values.shape[dimension]) if dimension < values.ndim else 0
    for _ in range(dimension):
        if len(values) == 0:
            return 0
        values = values[0]
    return len(values)


def same(a: Any, b: Any) -> bool:
    """Whether two values of fields are equal."""
    if np is not None and (isinstance(a, np.ndarray) or isinstance(b, np.ndarray)):
        return bool(np.array_equal(a, b))
    return bool(a == b)


def layout(name: str, codec: Codec) -> tuple[bytes, Any]:
    """Returns the first bytes of a message in the plain layout, and the dtype of the rest."""
    if np is None:
        raise Unsupported("arrays of messages need NumPy: pip install numpy")
    found = codec.plain()
    if found is None:
        raise Unsupported(
            f"{name} has no plain layout: it has strings or arrays of variable size"
        )
    key, size, fields = found
    types = [np.dtype(of) if isinstance(of, str) else layout(name, of)[1] for _, of, _, _ in fields]
    dtype: Any = np.dtype(
        {
            "names": [field for field, _, _, _ in fields],
            "formats": [(of, dims) if dims else of for of, (_, _, dims, _) in zip(types, fields)],
            "offsets": [offset for _, _, _, offset in fields],
            "itemsize": size,
        }
    )  # fmt: skip
    return key, dtype


def plain(name: str, key: bytes, dtype: Any, data: Any) -> Any:
    """Returns a message in the plain layout in place, without a copy."""
    view = memoryview(data).cast("B")
    if view.nbytes != len(key) + dtype.itemsize or view[: len(key)] != key:
        raise DecodeFailed(
            f"{name}: these {view.nbytes} bytes are no message in its plain layout"
        )
    return np.ndarray((), dtype, view, len(key))
