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

#: Anything with bytes. NumPy's arrays do not say so to type checkers.
_Bytes = Union[Buffer, _Array]

_K = TypeVar("_K", bound=_Kind)
#: What is published: bytes, or messages of a type.
_P_contra = TypeVar("_P_contra", contravariant=True)
#: What a message says: None, or a message of a type.
_V_co = TypeVar("_V_co", covariant=True)

_Channel = Union[str, bytes]

@final
class Message(Generic[_V_co]):
    """A message. It keeps its bytes for as long as anybody has it, or its data."""

    @property
    def data(self) -> memoryview:
        """Its bytes, not copied: a memoryview that can only be read."""

    @property
    def value(self) -> _V_co:
        """What it says, where the subscriber has a type; else None."""

    @property
    def channel(self) -> str:
        """The channel's name; bytes that are not UTF-8 are surrogates."""

    @property
    def published_ns(self) -> Optional[int]:
        """When it was published, boot time in ns; None where nobody says."""

    @property
    def arrived_ns(self) -> int:
        """When it arrived at this machine, boot time in ns."""

    @property
    def logged_us(self) -> Optional[int]:
        """When a log says that it was recorded, µs since 1970."""

    @property
    def sender(self) -> Optional[int]:
        """A number that tells senders apart, where the transport does."""

    @property
    def sequence(self) -> Optional[int]:
        """Its number among the sender's messages, where there is one."""

    @property
    def missed(self) -> Optional[int]:
        """Messages missed since the last one received; None where nobody knows."""

    @property
    def missed_of_sender(self) -> bool:
        """Whether `missed` counts what the sender lost on all its channels."""

    @property
    def dropped(self) -> int:
        """Messages dropped here because the subscriber was slow or wanted the newest."""

    def age_ns(self) -> int:
        """How old it is, in ns."""

    def __bytes__(self) -> bytes: ...
    def __len__(self) -> int: ...

@final
class View:
    """A message where it lies, without a copy. In shared memory it may change any time."""

    @property
    def data(self) -> memoryview:
        """Its bytes: a memoryview that can only be read."""

    def validate(self) -> None:
        """Ends it. Raises Overrun if the message was overwritten meanwhile."""

    @property
    def published_ns(self) -> Optional[int]:
        """When it was published, boot time in ns. After validate()."""

    @property
    def sender(self) -> Optional[int]:
        """A number that tells senders apart. After validate()."""

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
    """Publishes in one channel. It waits for no subscriber. One thread at a time."""

    def publish(self, message: _P_contra) -> None:
        """Publishes a message: bytes, or with a type a message of it or a dict."""

    def publish_with_timestamp(self, message: _P_contra, timestamp_ns: int) -> int:
        """Publishes as if at another time; gives the timestamp that it got."""

    @property
    def channel(self) -> str:
        """The channel's name."""

    @property
    def type(self) -> Any:
        """The type of its messages, or None for bytes."""

    @property
    def sender(self) -> Optional[int]:
        """What Message.sender says of messages that this publishes, if known."""

    def close(self) -> None:
        """Ends publishing. What is called afterwards raises Closed."""

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
        """Cancels the present wait, if there is one, and all later ones."""

    def reset(self) -> None:
        """Lets waits wait again."""

@final
class Subscriber(Generic[_V_co]):
    """Receives, as an iterator, by receive(), or in an event loop. One thread at a time."""

    def receive(self, timeout: Optional[float] = None) -> Optional[Message[_V_co]]:
        """The newest message not seen, or the next; None when the time is up.

        Waits `timeout` seconds, for ever without one, not at all with 0.
        """

    def current(self, timeout: Optional[float] = 0.0) -> Optional[Message[_V_co]]:
        """The newest message, seen or not."""

    def view(self, timeout: Optional[float] = None) -> Optional[View]:
        """Looks at a message where it lies, without a copy. See View."""

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Waits until something may be unseen; False when the time is up."""

    async def receive_async(
        self, timeout: Optional[float] = None
    ) -> Optional[Message[_V_co]]:
        """receive() as a coroutine of asyncio, by the descriptor: no thread of Python's.

        Over shm:// a thread of the library's feeds the descriptor, one for each channel.
        """

    def fileno(self) -> int:
        """A descriptor that is readable when there may be something.

        Over shm:// a thread of the library's feeds it, one for each channel.
        """

    def _await(self, wake: Callable[[], object]) -> int: ...
    def _awaited(self) -> None: ...
    def channels(self) -> list[str]:
        """Names of the channels that it has joined so far."""

    @property
    def type(self) -> Any:
        """The type of its messages, or None for bytes."""

    @property
    def mismatched(self) -> int:
        """Messages of other types that were passed over."""

    def cancel_handle(self) -> CancelHandle:
        """The handle that cancels its waits, from another thread or a signal handler."""

    def close(self) -> None:
        """Ends receiving, and the wait of another thread or task."""

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
    """Channels that are reached by one URL. Any number of threads may use it.

    Without a URL, what SALTUS_DOMAIN in the environment says, or else "shm://".
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
        """A publisher in a channel: of bytes, or of messages of a type.

        `type` is a class of saltus.types.load(), `saltus gen` or LCM's generator.
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
        """A subscriber of a channel, of those that match, or with None of all."""

    def channels(self) -> list[str]:
        """Names of the channels that there are."""

    def close(self) -> None:
        """Closes it. Its publishers and subscribers stay open."""

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
    """Waits until one of the subscribers has something unseen, and gives that.

    None when the time is up. Then receive(0) from it, which finds nothing only if the
    message was overwritten meanwhile or is of another type.
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
        """The channel it came on."""

    @property
    def log_time_ns(self) -> int:
        """When it was logged, ns since 1970."""

    @property
    def publish_time_ns(self) -> Optional[int]:
        """When it was published, ns since 1970, where the format says."""

    @property
    def sequence(self) -> Optional[int]:
        """The number that its publisher gave it, where the format says."""

    @property
    def type(self) -> Any:
        """Its type, if it is known."""

    def value(self) -> Any:
        """What it says, decoded anew at each call."""

    def __bytes__(self) -> bytes: ...
    def __len__(self) -> int: ...

@final
class Log:
    """A log whose events are there in the order of time, at positions from 0."""

    def __new__(
        cls, path: Union[str, os.PathLike[str]], classes: Sequence[Any] = ()
    ) -> Self: ...
    @property
    def path(self) -> os.PathLike[str]: ...
    def next(self) -> Optional[Event]:
        """The next event, and a step forward; None at the end."""

    def previous(self) -> Optional[Event]:
        """The event before, and a step backwards; None at the beginning."""

    def seek(self, position: int) -> None:
        """Goes to a position."""

    def seek_time(self, time_ns: int) -> int:
        """Goes to the first event at or after this time, ns since 1970."""

    @property
    def position(self) -> int:
        """The position of the next event."""

    @property
    def format(self) -> Literal["lcm", "mcap"]: ...
    @property
    def times_ns(self) -> Optional[tuple[int, int]]:
        """The times of the first event and the last, ns since 1970."""

    def channels(self) -> dict[str, int]:
        """How many messages each channel has."""

    @property
    def damage(self) -> str:
        """What could not be read, in words; "none" if all could."""

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
    """Writes a log. What is out survives a kill."""

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
        """Appends an event: bytes, or a message of a type, which is written too."""

    def flush(self) -> None:
        """Gives everything to the file."""

    @property
    def events(self) -> int:
        """How many events were written."""

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
