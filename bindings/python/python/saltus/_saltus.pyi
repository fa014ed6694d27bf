import os
import re
from types import TracebackType
from typing import (
    Any,
    AsyncIterator,
    Callable,
    ClassVar,
    Generic,
    Iterator,
    Literal,
    Optional,
    Protocol,
    Sequence,
    Type,
    TypeVar,
    Union,
    final,
    overload,
)

from typing_extensions import Buffer, Self

__version__: str

def now_ns() -> int:
    """Boot time in ns: the clock of timestamps."""

def monotonic_ns() -> int:
    """Monotonic time in ns: the clock of waiting."""

class _Kind(Protocol):
    NAME: ClassVar[str]
    FINGERPRINT: ClassVar[int]
    SCHEMA: ClassVar[str]
    def encode(self) -> bytes: ...

class _Array(Protocol):
    @property
    def __array_interface__(self) -> dict[str, Any]: ...

#: Anything with bytes. NumPy's arrays do not declare that to type checkers.
_Bytes = Union[Buffer, _Array]

_K = TypeVar("_K", bound=_Kind)
#: Messages to publish: bytes, or messages of a type.
_P_contra = TypeVar("_P_contra", contravariant=True)
#: The value of a message: None, or a message of a type.
_V_co = TypeVar("_V_co", covariant=True)

_Channel = Union[str, bytes]

@final
class Message(Generic[_V_co]):
    """A message. Its bytes stay while you reference it or its data."""

    @property
    def data(self) -> memoryview:
        """The message's bytes, not copied: a read-only memoryview."""

    @property
    def value(self) -> _V_co:
        """The decoded message if the subscriber has a type; else None."""

    @property
    def channel(self) -> str:
        """The channel's name; bytes that are not UTF-8 are surrogates."""

    @property
    def published_ns(self) -> Optional[int]:
        """The time it was published, boot time in ns; None if unknown."""

    @property
    def arrived_ns(self) -> int:
        """The time it arrived on this machine, boot time in ns."""

    @property
    def logged_us(self) -> Optional[int]:
        """The time it was recorded, µs since 1970; None if it is not from a log."""

    @property
    def sender(self) -> Optional[int]:
        """The sender's own number; None if the transport has none."""

    @property
    def sequence(self) -> Optional[int]:
        """Its number among the sender's messages, if any."""

    @property
    def missed(self) -> Optional[int]:
        """Messages missed since the last one received; None if unknown."""

    @property
    def missed_of_sender(self) -> bool:
        """Whether `missed` counts messages of all the sender's channels."""

    @property
    def dropped(self) -> int:
        """Messages dropped here: the subscriber was slow or receives only the newest."""

    def age_ns(self) -> int:
        """The message's age in ns."""

    def __bytes__(self) -> bytes: ...
    def __len__(self) -> int: ...

@final
class View:
    """A message in place, without a copy. In shared memory it may change at any moment."""

    @property
    def data(self) -> memoryview:
        """The message's bytes: a read-only memoryview."""

    def validate(self) -> None:
        """Ends the view. Raises Overrun if the message was overwritten."""

    @property
    def published_ns(self) -> Optional[int]:
        """The time it was published, boot time in ns. After validate()."""

    @property
    def sender(self) -> Optional[int]:
        """The sender's own number. After validate()."""

    @property
    def sequence(self) -> Optional[int]:
        """Its number among the sender's messages. After validate()."""

    @property
    def missed(self) -> Optional[int]:
        """Messages missed since the last one received. After validate()."""

    @property
    def dropped(self) -> int:
        """Messages dropped here since the last one received. After validate()."""

    def __len__(self) -> int: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        type: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...

@final
class Publisher(Generic[_P_contra]):
    """Publishes in one channel. It never waits for a subscriber. One thread at a time."""

    def publish(self, message: _P_contra) -> None:
        """Publishes a message: bytes or, with a type, a message of it or a dict."""

    def publish_with_timestamp(self, message: _P_contra, timestamp_ns: int) -> int:
        """Publishes with a timestamp of your choice; returns the one that it got."""

    @property
    def channel(self) -> str:
        """The channel's name."""

    @property
    def type(self) -> Any:
        """The type of its messages, or None for bytes."""

    @property
    def sender(self) -> Optional[int]:
        """The Message.sender of messages from this publisher, if known."""

    def close(self) -> None:
        """Closes the publisher. Later calls raise Closed."""

    @property
    def closed(self) -> bool: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        type: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...

@final
class CancelHandle:
    """Cancels the waits of a subscriber."""

    def cancel(self) -> None:
        """Cancels the current wait, if any, and all later ones."""

    def reset(self) -> None:
        """Lets waits wait again."""

@final
class Subscriber(Generic[_V_co]):
    """Receives as an iterator, by receive(), or in an event loop. One thread at a time."""

    def receive(self, timeout: Optional[float] = None) -> Optional[Message[_V_co]]:
        """Receives the newest message if it is new, or the next one; None on timeout.

        Waits `timeout` seconds; 0 does not wait, None waits without a timeout.
        """

    def current(self, timeout: Optional[float] = 0.0) -> Optional[Message[_V_co]]:
        """The newest message, whether or not it was received before."""

    def view(self, timeout: Optional[float] = None) -> Optional[View]:
        """Returns a view of a message in place, without a copy. See View."""

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Waits until there may be a new message; False on timeout."""

    async def receive_async(
        self, timeout: Optional[float] = None
    ) -> Optional[Message[_V_co]]:
        """receive() as an asyncio coroutine. It uses the descriptor, not a Python thread.

        Over shm://, library threads signal the descriptor, one thread for each channel.
        """

    def fileno(self) -> int:
        """A descriptor that is readable when there may be a new message.

        Over shm://, library threads signal it, one thread for each channel.
        """

    def _await(self, wake: Callable[[], object]) -> int: ...
    def _awaited(self) -> None: ...
    def channels(self) -> list[str]:
        """The names of the channels that it has joined so far."""

    @property
    def type(self) -> Any:
        """The type of its messages, or None for bytes."""

    @property
    def mismatched(self) -> int:
        """The number of messages of other types that it skipped."""

    def cancel_handle(self) -> CancelHandle:
        """The handle that cancels its waits, from another thread or a signal handler."""

    def close(self) -> None:
        """Closes the subscriber and ends the wait of another thread or task."""

    @property
    def closed(self) -> bool: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        type: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Message[_V_co]: ...
    def __aiter__(self) -> AsyncIterator[Message[_V_co]]: ...

@final
class Domain:
    """The channels of one URL. Any number of threads may use it.

    The default is the URL in the environment variable SALTUS_DOMAIN, else "shm://".
    """

    def __new__(cls, url: Optional[str] = None) -> Self: ...
    @property
    def url(self) -> str:
        """The URL that it was opened with."""

    @overload
    def publisher(self, channel: _Channel, type: None = None) -> Publisher[_Bytes]: ...
    @overload
    def publisher(
        self, channel: _Channel, type: Type[_K]
    ) -> Publisher[Union[_K, dict[str, Any]]]:
        """Opens a publisher in a channel: of bytes, or of messages of a type.

        `type` is a class from saltus.types.load(), `saltus gen` or LCM's generator.
        """

    @overload
    def subscribe(
        self,
        channel: Union[_Channel, re.Pattern[str], None],
        *,
        newest: bool = False,
        depth: int | None = None,
        start: Literal["newest", "now", "oldest"] = "newest",
        type: None = None,
    ) -> Subscriber[None]: ...
    @overload
    def subscribe(
        self,
        channel: Union[_Channel, re.Pattern[str], None],
        *,
        newest: bool = False,
        depth: int | None = None,
        start: Literal["newest", "now", "oldest"] = "newest",
        type: Type[_K],
    ) -> Subscriber[_K]:
        """Subscribes to a channel, to those that match, or (None) to all."""

    def channels(self) -> list[str]:
        """The names of the domain's channels."""

    def close(self) -> None:
        """Closes the domain. Its publishers and subscribers stay open."""

    @property
    def closed(self) -> bool: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        type: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...

def wait_any(
    subscribers: list[Subscriber[Any]], timeout: Optional[float] = None
) -> Optional[Subscriber[Any]]:
    """Waits until one of the subscribers has a new message, and returns it.

    None on timeout. Then call receive(0) of that subscriber. It returns None only if the
    message was overwritten in the meantime or is of another type.
    """

@final
class Schema:
    @staticmethod
    def load(
        files: list[str], texts: list[str], include: list[str]
    ) -> tuple[Schema, list[int], str]: ...
    def structs(self) -> list[dict[str, Any]]: ...
    def enums(self) -> list[tuple[str, dict[str, int]]]: ...
    def set_classes(self, classes: list[tuple[Type[Any], list[str]]]) -> None: ...
    def classes(self) -> list[Type[Any]]: ...
    def codec(self, index: int) -> Codec: ...

@final
class Codec:
    def encode(self, message: Any, plain: bool = False) -> bytes: ...
    def decode(self, data: Buffer) -> Any: ...
    def fill(self, message: Any) -> None: ...
    def plain(
        self,
    ) -> Optional[
        tuple[
            bytes,
            int,
            list[tuple[str, Union[str, Codec], tuple[int, ...], int]],
        ]
    ]: ...

@final
class Event:
    """One message of a log."""

    @property
    def data(self) -> memoryview:
        """The message as it was published, byte for byte."""

    @property
    def channel(self) -> str:
        """The channel that it was recorded on."""

    @property
    def log_time_ns(self) -> int:
        """The time it was logged, ns since 1970."""

    @property
    def publish_time_ns(self) -> Optional[int]:
        """The time it was published, ns since 1970, if the format stores it."""

    @property
    def sequence(self) -> Optional[int]:
        """The sequence number from its publisher, if the format stores it."""

    @property
    def type(self) -> Any:
        """Its type, if it is known."""

    def value(self) -> Any:
        """Decodes the message, again at each call."""

    def __bytes__(self) -> bytes: ...
    def __len__(self) -> int: ...

@final
class Log:
    """Reads a log. Its events are in order of time, at positions from 0."""

    def __new__(
        cls, path: Union[str, os.PathLike[str]], classes: Sequence[Any] = ()
    ) -> Self: ...
    @property
    def path(self) -> os.PathLike[str]: ...
    def next(self) -> Optional[Event]:
        """Reads the next event and moves one step forward; None at the end."""

    def previous(self) -> Optional[Event]:
        """Reads the previous event and moves one step back; None at the beginning."""

    def seek(self, position: int) -> None:
        """Moves to a position."""

    def seek_time(self, time_ns: int) -> int:
        """Moves to the first event at or after this time, ns since 1970."""

    @property
    def position(self) -> int:
        """The position of the next event."""

    @property
    def format(self) -> Literal["lcm", "mcap"]: ...
    @property
    def times_ns(self) -> Optional[tuple[int, int]]:
        """The times of the first event and the last, ns since 1970."""

    def channels(self) -> dict[str, int]:
        """The number of messages of each channel."""

    @property
    def damage(self) -> str:
        """A description of unreadable parts; "none" if all could be read."""

    def close(self) -> None: ...
    @property
    def closed(self) -> bool: ...
    def __len__(self) -> int: ...
    def __getitem__(self, position: int) -> Event: ...
    def __iter__(self) -> Iterator[Event]: ...
    def __next__(self) -> Event: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        type: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...

@final
class Writer:
    """Writes a log. Events in the file survive if the process is killed."""

    def __new__(
        cls,
        path: Union[str, os.PathLike[str]],
        format: Optional[str] = None,
        compression: str = "zstd",
    ) -> Self: ...
    @property
    def path(self) -> os.PathLike[str]: ...
    def write(
        self,
        channel: _Channel,
        message: Any,
        log_time_ns: Optional[int] = None,
        publish_time_ns: Optional[int] = None,
        sequence: Optional[int] = None,
    ) -> None:
        """Appends an event: bytes, or a typed message, whose type is written too."""

    def flush(self) -> None:
        """Writes all events to the file now."""

    @property
    def events(self) -> int:
        """The number of events written so far."""

    def close(self) -> None:
        """Ends the log and closes the file."""

    @property
    def closed(self) -> bool: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        type: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...

class LCM:
    def __init__(self, provider: Optional[str] = None) -> None:
        """Connects to the network that a URL names: LCM's or Saltus'. None: that of $LCM_DEFAULT_URL, or LCM's default."""

    def publish(self, channel: str, data: Union[_Bytes, str], /) -> None:
        """Publishes a message: bytes, or a string, whose UTF-8 is sent. OSError: it cannot be sent."""

    def subscribe(
        self, channel: Union[str, bytes], callback: Callable[[str, bytes], object], /
    ) -> Optional[LCMSubscription]:
        """Calls `callback(channel, data)` in handle() for each message on a channel that matches, a regular expression. None: that is not
        possible; the reason is printed."""

    def unsubscribe(self, subscription_object: LCMSubscription, /) -> None:
        """Ends a subscription. ValueError: it is not one of this object."""

    def handle(self) -> None:
        """Waits for a message and calls its callbacks. OSError: a signal was handled, or no message can arrive."""

    def handle_timeout(self, timeout_millis: int, /) -> int:
        """The same for at most `timeout_millis` ms. More than 0: a message was handled; 0: there was none."""

    def fileno(self) -> int:
        """A descriptor that is readable while handle() would not wait, for select() and poll()."""

@final
class LCMSubscription:
    def __new__(cls) -> Self: ...
    def set_queue_capacity(self, num_messages: int, /) -> None:
        """Sets how many messages are queued; 0 or less: all. Initially 30. If the queue is full, further messages are dropped."""

@final
class LcmEventLog:
    def __new__(cls, path: str, mode: str, /) -> Self: ...
    def read_next_event(self) -> Optional[tuple[int, int, str, bytes]]: ...
    def write_event(self, utime: int, channel: str, data: Union[_Bytes, str], /) -> None: ...
    def seek(self, filepos: int, /) -> None: ...
    def seek_to_timestamp(self, timestamp: int, /) -> None: ...
    def ftell(self) -> int: ...
    def size(self) -> int: ...
    def close(self) -> None: ...
