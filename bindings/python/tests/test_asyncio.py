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


def test_a_task_that_waits_is_told_that_its_subscriber_is_closed(
    any_domain: saltus.Domain,
) -> None:
    async def main() -> None:
        publisher = any_domain.publisher("x")
        publisher.publish(b"before")
        subscriber = any_domain.subscribe("x")
        assert await subscriber.receive_async(PATIENCE)
        task = asyncio.create_task(subscriber.receive_async())
        await asyncio.sleep(0.05)
        subscriber.close()
        # Another one, which may get the same descriptors, before the task has its turn.
        other = any_domain.subscribe("x", start="now")
        assert await other.receive_async(0.05) is None
        with pytest.raises(saltus.Closed):
            await task
        publisher.publish(b"after")
        message = await other.receive_async(PATIENCE)
        assert message is not None and bytes(message) == b"after"

    asyncio.run(asyncio.wait_for(main(), PATIENCE))


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_task_that_waits_is_called_off(
    any_domain: saltus.Domain, elsewhere: bool
) -> None:
    async def main() -> None:
        subscriber = any_domain.subscribe("x")
        cancel = subscriber.cancel_handle()

        async def count() -> int:
            return len([message async for message in subscriber])

        iteration = asyncio.create_task(count())
        await asyncio.sleep(0.05)
        if elsewhere:
            threading.Thread(target=cancel.cancel).start()
        else:
            cancel.cancel()
        assert await iteration == 0
        with pytest.raises(saltus.Canceled):
            await subscriber.receive_async()
        assert await subscriber.receive_async(0) is None
        cancel.reset()
        any_domain.publisher("x").publish(b"after")
        assert await subscriber.receive_async(PATIENCE)

    asyncio.run(asyncio.wait_for(main(), PATIENCE))


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
