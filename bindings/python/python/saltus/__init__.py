"""Publish and subscribe by URL: shared memory, LCM's networks, and logs.

>>> import saltus
>>> with saltus.Domain("mem://") as domain:
...     subscriber = domain.subscribe("imu", newest=True)
...     publisher = domain.publisher("imu")
...     publisher.publish(b"tilt 0.02")
...     message = subscriber.receive(timeout=1)
>>> bytes(message)
b'tilt 0.02'

A publisher never waits for a subscriber. A subscriber receives the newest message, or all
messages in order, and the number it missed. Calls that wait release the interpreter's
lock, and Ctrl-C interrupts them. Only one thread at a time may use a publisher or
subscriber; a call from a second one raises ``Busy``. Calls after close() raise ``Closed``.

Messages with types: ``saltus.types``. Logs: ``saltus.log``.
"""

from . import log as log
from . import types as types
from ._dispatcher import Dispatcher as Dispatcher
from ._errors import Bug as Bug
from ._errors import Busy as Busy
from ._errors import Canceled as Canceled
from ._errors import Changed as Changed
from ._errors import Closed as Closed
from ._errors import Damaged as Damaged
from ._errors import Denied as Denied
from ._errors import Ended as Ended
from ._errors import Error as Error
from ._errors import Exists as Exists
from ._errors import Invalid as Invalid
from ._errors import Network as Network
from ._errors import TooManyPublishers as TooManyPublishers
from ._errors import NotALog as NotALog
from ._errors import NoProvider as NoProvider
from ._errors import NoSpace as NoSpace
from ._errors import NotFound as NotFound
from ._errors import Overrun as Overrun
from ._errors import Retired as Retired
from ._errors import System as System
from ._errors import TooLong as TooLong
from ._errors import TooSmall as TooSmall
from ._errors import DecodeFailed as DecodeFailed
from ._errors import EncodeFailed as EncodeFailed
from ._errors import Unsupported as Unsupported
from ._errors import Unwritable as Unwritable
from ._errors import WrongType as WrongType
from ._saltus import CancelHandle as CancelHandle
from ._saltus import Domain as Domain
from ._saltus import Message as Message
from ._saltus import Publisher as Publisher
from ._saltus import Subscriber as Subscriber
from ._saltus import View as View
from ._saltus import __version__ as __version__
from ._saltus import monotonic_ns as monotonic_ns
from ._saltus import now_ns as now_ns
from ._saltus import wait_any as wait_any
