"""Logs: LCM's event log and MCAP.

>>> import tempfile, pathlib
>>> path = pathlib.Path(tempfile.mkdtemp()) / "robot.mcap"
>>> with create(path) as log:
...     log.write("imu", b"tilt 0.02", log_time_ns=1_000_000_000)
>>> with open(path) as log:
...     print([(event.channel, bytes(event)) for event in log])
[('imu', b'tilt 0.02')]
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Union

from weakref import WeakKeyDictionary

from . import _typed
from . import types as _types
from ._errors import Invalid, Unsupported
from ._saltus import Event as Event
from ._saltus import Log as Log
from ._saltus import Writer as Writer

if TYPE_CHECKING:
    import pandas

Path = Union[str, "os.PathLike[str]"]


def open(path: Path, *, types: Optional[Mapping[str, Any]] = None) -> Log:
    """Opens an LCM or MCAP log, to read it in order of time.

    Most MCAP logs describe their types; LCM logs do not. `types` maps any names to classes
    from saltus.types.load() or from a generator, LCM's too.
    """
    return Log(path, list((types or {}).values()))


def create(
    path: Path, *, format: Optional[str] = None, compression: str = "zstd"
) -> Writer:
    """Creates a log: MCAP if the name ends with .mcap, else LCM; `format` overrides this.

    An existing file raises Exists and is not changed. `compression` of MCAP is "zstd",
    "lz4" or "none".
    """
    return Writer(path, format, compression)


def to_pandas(log: Log, channel: str) -> pandas.DataFrame:
    """Returns the messages of a channel as a table, indexed by their log time.

    Each field of a struct and each element of a short array gets its own column: `pos.x`,
    `pos[2]`. An array of variable size stays in one column. This reads the whole log from
    its beginning and leaves it at its end. Without pandas it raises Unsupported.
    """
    try:
        import pandas
    except ImportError as missing:
        raise Unsupported("tables need pandas: pip install pandas") from missing

    times: list[int] = []
    rows: list[dict[str, Any]] = []
    if channel not in log.channels():
        raise Invalid(
            f"no messages of {channel!r}; there are {', '.join(log.channels())}"
        )
    log.seek(0)
    for event in log:
        if event.channel == channel:
            times.append(event.log_time_ns)
            rows.append(dict(_columns("", event.value())))
    index = pandas.to_datetime(times, unit="ns", utc=True).rename("log_time")
    return pandas.DataFrame(rows, index=index)


#: The longest array of fixed size whose elements get a column each.
_MOST_COLUMNS = 64


#: For each generated class: the names of its fields, and whether all sizes are fixed.
_known: WeakKeyDictionary[Any, list[tuple[str, bool]]] = WeakKeyDictionary()


def _is_message(value: Any) -> bool:
    kind = type(value)
    return hasattr(kind, "FINGERPRINT") or _typed.is_lcm(kind)


def _fields(kind: Any) -> list[tuple[str, bool]]:
    found = _known.get(kind)
    if found is None:
        fields = getattr(kind, "FIELDS", None)
        if fields is None:
            name, _, schema = _typed.described(kind)
            fields = _types.load(schema)[name].FIELDS if schema else None
        if fields is None:  # from LCM's generator, without a known schema
            found = [(name, False) for name in kind.__slots__]
        else:
            found = [
                (f.name, bool(f.dims) and all(isinstance(dim, int) for dim in f.dims))
                for f in fields
            ]
        _known[kind] = found
    return found


def _columns(prefix: str, message: Any) -> Iterator[tuple[str, Any]]:
    kind = type(message)
    for (field, fixed), name in zip(_fields(kind), kind.__slots__):
        value = getattr(message, name)
        at = f"{prefix}{field}"
        if _is_message(value):
            yield from _columns(f"{at}.", value)
        elif fixed and len(value) <= _MOST_COLUMNS:
            yield from _elements(at, value)
        else:
            yield at, value


def _elements(at: str, values: Any) -> Iterator[tuple[str, Any]]:
    for i, value in enumerate(values):
        if _is_message(value):
            yield from _columns(f"{at}[{i}].", value)
        elif hasattr(value, "__len__") and not isinstance(value, str):
            yield from _elements(f"{at}[{i}]", value)
        else:
            yield f"{at}[{i}]", value
