"""Callbacks for messages of many subscribers, without a thread."""

from __future__ import annotations

from collections import deque
from typing import Any, Callable, Optional, TypeVar

from ._errors import Canceled, Ended
from ._saltus import Message, Subscriber, monotonic_ns, wait_any

V = TypeVar("V")


class Dispatcher:
    """Calls back for messages of many subscribers, in the thread that calls handle() or run().

    >>> import saltus
    >>> domain, dispatcher = saltus.Domain("mem://"), Dispatcher()
    >>> def show(message):
    ...     print(message.channel, bytes(message))
    ...     dispatcher.stop()
    >>> subscriber = dispatcher.on(domain.subscribe("imu"), show)
    >>> domain.publisher("imu").publish(b"tilt 0.02")
    >>> dispatcher.run()
    imu b'tilt 0.02'
    """

    def __init__(self) -> None:
        self._callbacks: dict[Subscriber[Any], Callable[[Any], object]] = {}
        self._stopped = False
        self._failed: deque[Exception] = deque()  # a call tells one

    def on(
        self, subscriber: Subscriber[V], callback: Callable[[Message[V]], object]
    ) -> Subscriber[V]:
        """Calls `callback` for each message of `subscriber` from now on; gives that back."""
        self._callbacks[subscriber] = callback
        return subscriber

    def unsubscribe(self, subscriber: Subscriber[Any]) -> bool:
        """Ends a subscription, also from inside a callback. False if there is none."""
        return self._callbacks.pop(subscriber, None) is not None

    def handle(self, timeout: Optional[float] = None) -> int:
        """Waits until there are messages; calls back for at most one of each subscription.

        Gives for how many; 0 when the time is up. Raises the first of their errors after
        all had their turn; call again to go on: the next calls raise the others of that
        turn, one each, before they do anything.
        """
        if self._failed:
            raise self._failed.popleft()
        end = None if timeout is None else monotonic_ns() + timeout * 1e9
        left = timeout
        while self._callbacks:
            ready = wait_any(list(self._callbacks), left)
            handled = self._turn()
            if handled or (ready is None and left is not None):
                return handled
            left = None if end is None else max(0.0, (end - monotonic_ns()) / 1e9)
        return 0

    def _turn(self) -> int:
        handled = 0
        for subscriber, callback in list(self._callbacks.items()):
            if self._callbacks.get(subscriber) is not callback:
                continue  # ended by another one's callback
            try:
                message = subscriber.receive(0)
                if message is not None:
                    handled += 1
                    callback(message)
            except Ended:
                self.unsubscribe(subscriber)
            except Exception as error:
                self._failed.append(error)
        if self._failed:
            raise self._failed.popleft()
        return handled

    def run(self) -> None:
        """Handles messages until stop(), or no subscription is left, or one is canceled."""
        self._stopped = False
        try:
            while self._callbacks and not self._stopped:
                self.handle()
        except Canceled:
            pass

    def stop(self) -> None:
        """Lets run() return after this turn: the others that have a message are called yet."""
        self._stopped = True

    def __len__(self) -> int:
        """How many subscriptions there are."""
        return len(self._callbacks)
