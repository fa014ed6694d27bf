"""Callbacks for messages of many subscribers, without a thread."""

from __future__ import annotations

from collections import deque
from typing import Any, Callable, Optional, TypeVar

from ._errors import Canceled, Ended
from ._saltus import Message, Subscriber, monotonic_ns, wait_any

V = TypeVar("V")


class Dispatcher:
    """Calls a callback for each message of many subscribers, in the thread of handle() or run().

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
        self._failed: deque[Exception] = deque()  # each call raises one

    def __repr__(self) -> str:
        return f"<dispatcher of {len(self._callbacks)} subscriber(s)>"

    def on(
        self, subscriber: Subscriber[V], callback: Callable[[Message[V]], object]
    ) -> Subscriber[V]:
        """Calls `callback` for each later message of `subscriber`; returns the subscriber."""
        self._callbacks[subscriber] = callback
        return subscriber

    def unsubscribe(self, subscriber: Subscriber[Any]) -> bool:
        """Ends a subscription; callbacks may call it. False if there is no subscription."""
        return self._callbacks.pop(subscriber, None) is not None

    def handle(self, timeout: Optional[float] = None) -> int:
        """Waits until there are messages; calls back for at most one of each subscription.

        Returns the number of messages handled; 0 on timeout. After all callbacks have run,
        it raises the first of their exceptions. Each of the next calls first raises one of
        the other exceptions, until none is left. To continue, call again.
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
                continue  # another callback ended this subscription
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
        """Handles messages until stop(), until none is subscribed, or until one is canceled."""
        self._stopped = False
        try:
            while self._callbacks and not self._stopped:
                self.handle()
        except Canceled:
            pass

    def stop(self) -> None:
        """Makes run() return after this round, in which the remaining callbacks still run."""
        self._stopped = True

    def __len__(self) -> int:
        """The number of subscriptions."""
        return len(self._callbacks)
