"""Subscribers in asyncio: no thread, nobody starves."""

import asyncio
import threading
from typing import Any

import pytest
from conftest import PATIENCE

import saltus


@pytest.fixture(params=["shm", "mem"])
def any_domain(request: Any, url: str) -> saltus.Domain:
    return saltus.Domain(url if request.param == "shm" else "mem://")


def test_messages_come_while_others_work_and_no_python_thread_is_made(
    any_domain: saltus.Domain,
) -> None:
    async def main() -> list[bytes]:
        subscriber, publisher = any_domain.subscribe("x"), any_domain.publisher("x")

        async def publish() -> None:
            for i in range(5):
                publisher.publish(b"%d" % i)
                await asyncio.sleep(0.01)

        task = asyncio.create_task(publish())
        got: list[bytes] = []
        async for message in subscriber:
            got.append(bytes(message))
            assert threading.active_count() == 1
            if len(got) == 5:
                break
        await task
        return got

    got = asyncio.run(asyncio.wait_for(main(), PATIENCE))
    assert got == [b"0", b"1", b"2", b"3", b"4"]


def test_one_message_is_awaited_or_the_time_is_up(any_domain: saltus.Domain) -> None:
    async def main() -> None:
        subscriber, publisher = any_domain.subscribe("x"), any_domain.publisher("x")
        assert await subscriber.receive_async(0) is None
        assert await subscriber.receive_async(0.05) is None
        asyncio.get_running_loop().call_later(0.05, publisher.publish, b"late")
        message = await subscriber.receive_async(PATIENCE)
        assert message is not None and bytes(message) == b"late"

    asyncio.run(main())


def test_an_iteration_can_be_cancelled_and_begun_anew(
    any_domain: saltus.Domain,
) -> None:
    async def first(subscriber: saltus.Subscriber[None]) -> bytes:
        async for message in subscriber:
            return bytes(message)
        raise AssertionError("it ended")

    async def main() -> None:
        subscriber, publisher = any_domain.subscribe("x"), any_domain.publisher("x")
        task = asyncio.create_task(first(subscriber))
        await asyncio.sleep(0.05)
        with pytest.raises(saltus.Busy):
            await subscriber.receive_async(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        publisher.publish(b"1")
        assert await asyncio.wait_for(first(subscriber), PATIENCE) == b"1"

    asyncio.run(main())


def test_a_stream_of_messages_lets_others_have_their_turn() -> None:
    async def main() -> int:
        domain = saltus.Domain("mem://")
        subscriber, publisher = domain.subscribe("x"), domain.publisher("x")
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.create_task(other())
        count = 0
        publisher.publish(b"")
        async for _ in subscriber:
            publisher.publish(b"")  # there is always one more
            count += 1
            if count == 1000:
                break
        task.cancel()
        return turns

    assert asyncio.run(asyncio.wait_for(main(), PATIENCE)) >= 10
