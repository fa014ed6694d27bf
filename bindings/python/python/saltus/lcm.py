"""LCM's Python package over Saltus: ``import saltus.lcm as lcm``.

Programs written for LCM run unchanged, over LCM's networks next to programs with LCM's
library, or with ``LCM_DEFAULT_URL=shm://`` in shared memory.

>>> import saltus.lcm as lcm
>>> lc = lcm.LCM("memq://")
>>> subscription = lc.subscribe("POSE", lambda channel, data: print(channel, data))
>>> lc.publish("POSE", b"0.5")
>>> lc.handle()
POSE b'0.5'

The package in ``compat/lcm/python`` has the name ``lcm``, for programs that import that.
"""

from __future__ import annotations

import os
from typing import Optional, Union

from ._saltus import LCM as LCM
from ._saltus import LcmEventLog
from ._saltus import LCMSubscription as LCMSubscription

__all__ = ["LCM", "Event", "EventLog", "LCMSubscription"]


class Event:
    """An event of a log."""

    def __init__(self, eventnum: int, timestamp: int, channel: str, data: bytes) -> None:
        #: Its number.
        self.eventnum = eventnum
        #: When it was received, in us since 1970.
        self.timestamp = timestamp
        #: The channel it was received on.
        self.channel = channel
        #: The message.
        self.data = data


class EventLog:
    """A log in LCM's format, read or written. ``for event in log`` begins at its first event."""

    def __init__(
        self, path: Union[str, os.PathLike[str]], mode: str = "r", overwrite: bool = False
    ) -> None:
        """Opens a log. mode: "r" or "w"; only with overwrite, "w" replaces an existing file."""
        if mode not in ("r", "w"):
            raise ValueError("invalid event log mode")
        if mode == "w" and not overwrite and os.path.exists(path):
            raise ValueError(f"{path} exists: refusing to overwrite it unless overwrite is True")
        self.mode = mode
        self.c_eventlog = LcmEventLog(os.fspath(path), mode)
        self.f = None

    def seek(self, filepos: int) -> None:
        """Goes to the first event that begins at or after an offset, in bytes."""
        self.c_eventlog.seek(filepos)

    def seek_to_timestamp(self, timestamp: int) -> None:
        """Goes to the first event at or after a time, in us since 1970. OSError: there is none."""
        self.c_eventlog.seek_to_timestamp(timestamp)

    def size(self) -> int:
        """Bytes of the file."""
        return self.c_eventlog.size()

    def tell(self) -> int:
        """Where the next event is read or written, in bytes."""
        return self.c_eventlog.ftell()

    def close(self) -> None:
        """Closes the log."""
        self.c_eventlog.close()

    def write_event(self, utime: int, channel: str, data: Union[bytes, str]) -> None:
        """Appends an event. utime: us since 1970."""
        self.c_eventlog.write_event(utime, channel, data)

    def read_next_event(self) -> Optional[Event]:
        """The next event, or None after the last one."""
        event = self.c_eventlog.read_next_event()
        return None if event is None else Event(*event)

    def next(self) -> Event:
        """The next event. StopIteration: there is none."""
        event = self.read_next_event()
        if event is None:
            raise StopIteration
        return event

    def __iter__(self) -> EventLog:
        self.c_eventlog.seek(0)
        return self

    def __next__(self) -> Event:
        return self.next()
