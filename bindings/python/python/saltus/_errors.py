"""The exceptions of Saltus. Each has the stable number that Rust and C give it."""

from __future__ import annotations


class Error(Exception):
    """Anything that Saltus cannot do. The text says what to do about it."""

    #: The stable number of the error.
    code: int = 0


class NotFound(Error):
    """There is no channel, or no file, of that name."""

    code = 1


class Exists(Error):
    """There is a channel of that name already."""

    code = 2


class TooSmall(Error):
    """A buffer is too small for the message."""

    code = 3


class TooLong(Error):
    """The message is longer than the channel's limit, or than the transport carries."""

    code = 4


class Overrun(Error):
    """Publishers overtook the reader at every try; it keeps its place. Call again."""

    code = 5


class Canceled(Error):
    """The wait was canceled by a CancelHandle."""

    code = 6


class Retired(Error):
    """The channel was removed or replaced, or its files were deleted. Open it anew."""

    code = 7


class Denied(Error):
    """Permissions forbid it."""

    code = 8


class NoSpace(Error):
    """The memory for it, or the room on the disk, cannot be had."""

    code = 9


class TooManyPublishers(Error):
    """The channel has as many publishers as it can have."""

    code = 10


class Damaged(Error):
    """What lies there is no channel, or one of another version."""

    code = 11


class Invalid(Error, ValueError):
    """An argument makes no sense: a bad name, URL, type file, a call out of turn."""

    code = 12


class Closed(Invalid):
    """What was closed is used."""


class Busy(Invalid):
    """Two threads use the same publisher, subscriber or log at the same time."""


class System(Error):
    """The system refused for a reason of its own."""

    code = 13


class Bug(Error):
    """A bug in Saltus. Please report it."""

    code = 100


class Unsupported(Error):
    """The provider, or the format, cannot do this."""

    code = 101


class WrongType(Error):
    """A channel has messages of another type. Raised once a channel and type."""

    code = 103


class EncodeFailed(Error, ValueError):
    """A message that its type cannot carry."""

    code = 104


class DecodeFailed(Error, ValueError):
    """Bytes that are no message of the type."""

    code = 105


class Ended(Error):
    """There will be nothing more: a log has come to its end."""

    code = 106


class Network(Error):
    """The network refused."""

    code = 107


class NoProvider(Error):
    """The URL's provider is unknown, or not built in."""

    code = 108


class NotALog(Error):
    """The file is not a log of a known format."""

    code = 109


class Unwritable(Error):
    """The message cannot be in a log of this format; the log is as it was."""

    code = 110


class Changed(Error):
    """The log was changed since it was opened."""

    code = 111


#: What ends an iteration without being a fault.
ENDS = (Ended, Canceled)

_ALL: tuple[type[Error], ...] = (
    NotFound, Exists, TooSmall, TooLong, Overrun, Canceled, Retired, Denied, NoSpace,
    TooManyPublishers, Damaged, Invalid, System, Bug, Unsupported, WrongType, EncodeFailed,
    DecodeFailed, Ended, Network, NoProvider, NotALog, Unwritable, Changed,
)  # fmt: skip
_BY_CODE: dict[int, type[Error]] = {kind.code: kind for kind in _ALL}
# Which kind of Invalid it is, is no number of Rust's.
_BY_CODE.update({-12: Closed, -13: Busy})


def make(code: int, text: str) -> Error:
    """The exception of that number. Called by the native half."""
    error = _BY_CODE.get(code, Error)(text)
    if code > 0:
        error.code = code
    return error
