"""Driver for generated Python, LCM's or ours: `TYPE HEX` comes in; `JSON HEX`, or `error`, goes out.

    driver.py TABLE      each line of the file TABLE is `TYPE MODULE CLASS`

Integers are answered in decimal, floats as the digits of their bits, strings as the digits of their bytes.
"""

import importlib
import json
import struct
import sys


def plain(value):
    """`value` as something that `json` writes without loss."""
    if isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return struct.pack(">d", value).hex()
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").hex()
    if isinstance(value, (bytes, bytearray, list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return {name: plain(getattr(value, name)) for name in slots(type(value))}


def slots(cls):
    """The names of a message's fields, in order."""
    names = cls.__slots__
    return [names] if isinstance(names, str) else [name for name in names if not name.startswith("__")]


def answer(cls, message):
    """What is said about the bytes of a message."""
    try:
        decoded = cls.decode(message)
    except (ValueError, struct.error, RecursionError) as refused:
        if isinstance(refused, RecursionError):
            return "crash: " + repr(refused)
        return "error"
    text = json.dumps(plain(decoded), separators=(",", ":"))
    try:
        return text + " " + decoded.encode().hex()
    except (ValueError, struct.error):
        return text + " -"


def main():
    """Answers every line."""
    with open(sys.argv[1], encoding="utf-8") as table:
        rows = {name: (module, cls) for name, module, cls in (line.split() for line in table)}
    classes = {}
    for line in sys.stdin:
        name, _, digits = line.rstrip("\n").partition(" ")
        if name not in classes:
            module, cls = rows[name]
            classes[name] = getattr(importlib.import_module(module), cls)
        print(answer(classes[name], bytes.fromhex(digits)), flush=True)


main()
