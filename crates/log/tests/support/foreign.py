"""Logs in the hands of others: PyPI's mcap, mcap-ros2-support and rosbags, and LCM's own library.

foreign.py decode LOG EXPECTED   both readers decode each message to what EXPECTED says: a line of JSON each
foreign.py write LOG COMPRESSION an MCAP file with everything that the format has
foreign.py metadata LOG           PyPI's mcap reads all messages and checksums, and prints their number, then each metadata
foreign.py read-lcm LOG          LCM's reader prints each event
foreign.py write-lcm LOG         LCM's writer writes 20 events
"""

import dataclasses
import json
import pathlib
import struct
import sys


def leaves(value, name=""):
    """The numbers and texts in a message, in the order of its fields."""
    if name == "structure_needs_at_least_one_member":
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, key)
    elif isinstance(value, (str, int, float)):
        yield value
    elif hasattr(value, "__slots__") and not hasattr(value, "__len__"):
        for key in value.__slots__:
            yield from leaves(getattr(value, key), key)
    elif hasattr(value, "__dataclass_fields__"):
        for field in dataclasses.fields(value):
            if field.name != "__msgtype__" and not field.name.isupper():  # constants are fields to rosbags
                yield from leaves(getattr(value, field.name), field.name)
    elif hasattr(value, "tolist"):
        yield from leaves(value.tolist())
    else:
        for inner in value:
            yield from leaves(inner)


def same(found, expected):
    """Whether two leaves say the same. As texts stand large numbers, those that JSON lacks, and the names of an enum; a float
    of 32 bits has as few digits as tell it."""
    if isinstance(found, str) or not isinstance(expected, str):
        close = isinstance(found, float) and found == struct.unpack("f", struct.pack("f", expected))[0]
        return found == expected or close
    if isinstance(found, float):
        return str(found) == expected.lower().split("(")[0].replace("inity", "")
    return found == int(expected) if expected.lstrip("-").isdigit() else expected.isidentifier()


def check(where, found, expected):
    found, expected = list(leaves(found)), list(leaves(expected))
    right = len(found) == len(expected) and all(map(same, found, expected))
    assert right, f"{where}: {found} is not {expected}"


def decode(log, expected):
    from mcap.reader import make_reader
    from mcap_ros2.decoder import DecoderFactory
    from rosbags.highlevel import AnyReader

    lines = [json.loads(line) for line in pathlib.Path(expected).read_text().splitlines()]
    with open(log, "rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        count = 0
        for _, channel, message, value in reader.iter_decoded_messages():
            check(f"mcap-ros2-support, {channel.topic}", value, lines[message.log_time])
            assert len(channel.metadata["lcm.fingerprint"]) == 16
            count += 1
        assert count == len(lines) == reader.get_summary().statistics.message_count, count
    with AnyReader([pathlib.Path(log)]) as reader:
        count = 0
        for connection, time, raw in reader.messages():
            check(f"rosbags, {connection.topic}", reader.deserialize(raw, connection.msgtype), lines[time])
            count += 1
        assert count == len(lines), count
    print(count)


def write(log, compression):
    from mcap.writer import CompressionType, Writer

    with open(log, "wb") as file:
        writer = Writer(file, chunk_size=700, compression=CompressionType[compression])
        writer.start(profile="x", library="foreign")
        schema = writer.register_schema("thing", "jsonschema", b'{"type": "object"}')
        things = writer.register_channel("/things", "json", schema, {"who": "foreign"})
        bare = writer.register_channel("/bare", "x-none", 0)
        writer.add_attachment(1, 2, "picture", "image/png", bytes(5000))
        for i in range(100):
            data = json.dumps({"i": i}).encode()
            writer.add_message(things, 1000 + i, data, 900 + i, i + 1)
            writer.add_message(bare, 1000 + i, bytes(i), 1000 + i, 0)
        writer.add_metadata("notes", {"weather": "fine"})
        writer.finish()


def metadata(log):
    from mcap.reader import SeekingReader
    from mcap.stream_reader import StreamReader

    with open(log, "rb") as stream:
        records = [type(record).__name__ for record in StreamReader(stream, validate_crcs=True).records]
        assert records[-1] == "Footer", records[-5:]
    with open(log, "rb") as stream:
        reader = SeekingReader(stream, validate_crcs=True)
        summary = reader.get_summary()
        count = sum(1 for _ in reader.iter_messages())
        found = [(m.name, m.metadata) for m in reader.iter_metadata()]
        assert summary.statistics.metadata_count == len(found), summary.statistics
        print(json.dumps([count, found]))


def read_lcm(log):
    import lcm

    for event in lcm.EventLog(log, "r"):
        print(event.eventnum, event.timestamp, event.channel, event.data.hex())


def write_lcm(log):
    import lcm

    writer = lcm.EventLog(log, "w", overwrite=True)
    for i in range(20):
        writer.write_event(1_700_000_000_000_000 + i, f"C{i % 2}", bytes(range(i)))
    writer.close()


if __name__ == "__main__":
    verbs = {"decode": decode, "write": write, "metadata": metadata, "read-lcm": read_lcm, "write-lcm": write_lcm}
    verbs[sys.argv[1]](*sys.argv[2:])
