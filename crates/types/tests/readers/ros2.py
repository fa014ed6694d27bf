"""Decodes CDR with readers of ROS 2 messages that others wrote, and prints what they found, one message a line.

Reads lines of JSON: the name of the type, its definition, the bytes in hexadecimal. Writes, for each reader, a struct as
`(…)` with its fields in order, an array as `[…]`, a float by its bits, a string by its bytes.
"""

import dataclasses
import json
import struct
import sys

import numpy
from mcap.records import Schema
from mcap_ros2.decoder import DecoderFactory
from rosbags.typesys import Stores, get_types_from_msg, get_typestore


def said(value):
    if isinstance(value, (bool, numpy.bool_)):
        return str(int(value))
    if isinstance(value, (float, numpy.floating)):
        return "nan" if value != value else struct.pack(">d", float(value)).hex()
    if isinstance(value, (int, numpy.integer)):
        return str(int(value))
    if isinstance(value, str):
        return "'" + value.encode().hex() + "'"
    if isinstance(value, bytes):
        return "[" + " ".join(str(v) for v in value) + "]"
    if isinstance(value, (list, tuple, numpy.ndarray)):
        return "[" + " ".join(said(v) for v in value) + "]"
    if dataclasses.is_dataclass(value):
        # Constants, and the name of the type, come behind the fields.
        fields = [f for f in dataclasses.fields(value) if not str(f.type).startswith("ClassVar")]
        names = [f.name for f in fields]
    else:
        names = value.__slots__
    return "(" + " ".join(said(getattr(value, name)) for name in names) + ")"


def rosbags(name, text, data):
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(text, name))
    return store.deserialize_cdr(data, name)


def mcap(name, text, data):
    schema = Schema(id=1, name=name, encoding="ros2msg", data=text.encode())
    return DecoderFactory().decoder_for("cdr", schema)(data)


for line in sys.stdin:
    name, text, data = json.loads(line)
    for reader in (rosbags, mcap):
        try:
            found = said(reader(name, text, bytes.fromhex(data)))
        except Exception as error:  # What a reader says is part of what the test shows.
            found = f"{type(error).__name__}: {error}".replace("\n", " ")
        print(f"{reader.__name__} {found}")
