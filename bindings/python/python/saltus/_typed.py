"""Messages of a type, whoever made the class: saltus.types, or saltus gen."""

from __future__ import annotations

from typing import Any


def encode(kind: Any, message: Any) -> Any:
    """The bytes of a message of this class, or of a dict of its fields."""
    if isinstance(message, dict):
        codec = getattr(kind, "_codec", None)
        if codec is not None:
            return codec.encode(message)
        message = kind(**message)
        message.set_sizes()
    elif not isinstance(message, kind):
        have = type(message).__name__
        raise TypeError(f"expected a {kind.NAME} or a dict, not {have}")
    return message.encode()
