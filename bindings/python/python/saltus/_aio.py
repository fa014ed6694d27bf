"""Subscribers in asyncio: by their descriptors, without Python threads."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any, AsyncIterator, Optional

from ._errors import ENDS

if TYPE_CHECKING:
    from ._saltus import Message, Subscriber

#: The number of messages in a row after which other tasks get a turn.
_TURN = 64


async def _readable(subscriber: Subscriber[Any], timeout: Optional[float]) -> bool:
    """Waits until there may be a new message; False on timeout. Raises Canceled."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not ready.done():
            ready.set_result(None)

    # A duplicate: close() closes the subscriber's descriptor, whose number may then be used again.
    fd = subscriber._await(lambda: loop.call_soon_threadsafe(wake))
    try:
        loop.add_reader(fd, wake)
        try:
            done, _ = await asyncio.wait([ready], timeout=timeout)
            return bool(done)
        finally:
            loop.remove_reader(fd)
            ready.cancel()
    finally:
        subscriber._awaited()
        os.close(fd)


async def receive(
    subscriber: Subscriber[Any], timeout: Optional[float] = None
) -> Optional[Message[Any]]:
    """Implements Subscriber.receive_async."""
    loop = asyncio.get_running_loop()
    end = None if timeout is None else loop.time() + timeout
    while True:
        message = subscriber.receive(0)
        if message is not None:
            return message
        left = None if end is None else end - loop.time()
        if left is not None and left <= 0:
            return None
        await _readable(subscriber, left)


async def messages(subscriber: Subscriber[Any]) -> AsyncIterator[Message[Any]]:
    """Implements `async for` over a subscriber."""
    in_a_row = 0
    while True:
        try:
            message = subscriber.receive(0)
            if message is None:
                in_a_row = 0
                await _readable(subscriber, None)
                continue
        except ENDS:
            return
        in_a_row += 1
        if in_a_row % _TURN == 0:
            await asyncio.sleep(0)
        yield message
