"""The exceptions of Saltus. Each has a stable number, the same as in Rust and C."""

from __future__ import annotations


class Error(Exception):
    """An error of Saltus. Its message says how to fix it."""

    #: The stable number of the error.
    code: int = 0


class NotFound(Error):
    """No channel or file has that name."""

    code = 1


class Exists(Error):
    """A channel or a file of that name already exists."""

    code = 2


class TooSmall(Error):
    """A buffer is too small for the message."""

    code = 3


class TooLong(Error):
    """The message is longer than the limit of the channel or of the transport."""

    code = 4


class Overrun(Error):
    """Publishers overwrote each message while it was read. Call again; no position is lost."""

    code = 5


class Canceled(Error):
    """The wait was canceled by a CancelHandle."""

    code = 6


class Retired(Error):
    """The channel was removed or replaced, or its files were deleted. Open it again."""

    code = 7


class Denied(Error):
    """You do not have permission."""

    code = 8


class NoSpace(Error):
    """There is not enough memory or disk space."""

    code = 9


class TooManyPublishers(Error):
    """The channel already has its maximum number of publishers."""

    code = 10


class Damaged(Error):
    """The file is not a channel, is damaged, or has another version."""

    code = 11


class Invalid(Error, ValueError):
    """An argument is not valid (a name, a URL, a type file), or a call is out of order."""

    code = 12


class Closed(Invalid):
    """The object was closed before the call."""


class Busy(Invalid):
    """Two threads use the same publisher, subscriber or log at the same time."""


class System(Error):
    """The operating system reported an error that has no other class here."""

    code = 13


class Bug(Error):
    """A bug in Saltus. Please report it."""

    code = 100


class Unsupported(Error):
    """The provider or the format does not support this."""

    code = 101


class WrongType(Error):
    """A channel has messages of another type. Raised once per channel and type."""

    code = 103


class EncodeFailed(Error, ValueError):
    """The message has values that its type cannot hold."""

    code = 104


class DecodeFailed(Error, ValueError):
    """The bytes are not a message of the type."""

    code = 105


class Ended(Error):
    """The log has ended. No more messages will arrive."""

    code = 106


class Network(Error):
    """The network reported an error, or lacks a needed function."""

    code = 107


class NoProvider(Error):
    """The URL's provider is unknown, or is not in this build."""

    code = 108


class NotALog(Error):
    """The file is not a log of a known format."""

    code = 109


class Unwritable(Error):
    """A log of this format cannot hold the message. The log does not change."""

    code = 110


class Changed(Error):
    """The log was changed since it was opened."""

    code = 111


#: The exceptions that end an iteration without an error.
ENDS = (Ended, Canceled)

_ALL: tuple[type[Error], ...] = (
    NotFound, Exists, TooSmall, TooLong, Overrun, Canceled, Retired, Denied, NoSpace,
    TooManyPublishers, Damaged, Invalid, System, Bug, Unsupported, WrongType, EncodeFailed,
    DecodeFailed, Ended, Network, NoProvider, NotALog, Unwritable, Changed,
)  # fmt: skip
_BY_CODE: dict[int, type[Error]] = {kind.code: kind for kind in _ALL}
# Rust has no numbers for these kinds of Invalid.
_BY_CODE.update({-12: Closed, -13: Busy})


def make(code: int, text: str) -> Error:
    """Makes the exception of an error number. The native module calls this."""
    error = _BY_CODE.get(code, Error)(text)
    if code > 0:
        error.code = code
    return error
