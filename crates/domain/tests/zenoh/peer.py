"""Zenoh itself as the other side: started with its configuration as JSON, it does what it reads, a command a line, and answers
each with a line.

    subscribe KEY                        from now on keep what comes there
    publish KEY SIZE SEED ATTACHMENT     send the message of that size that the seed makes; the attachment in hexadecimal, or -
    expect KEY SIZE SEED                 wait at most 20 s for that message; others are passed over. Answers with the key that it
                                         came on and its attachment
"""

import queue
import sys

import zenoh


def made(size, seed):
    """The message that the Rust side makes too."""
    block = bytes((seed + i) % 251 for i in range(251))
    return (block * (size // 251 + 1))[:size]


class Peer:
    """A session, and what it has received."""

    def __init__(self, config):
        config = zenoh.Config.from_json5(config)
        # It would leave files in /dev/shm when it is killed.
        config.insert_json5("transport/shared_memory/enabled", "false")
        self.session = zenoh.open(config)
        self.kept = {}

    def subscribe(self, key):
        """Keeps what comes, however much."""
        kept = self.kept.setdefault(key, queue.Queue())
        self.session.declare_subscriber(key, kept.put)
        return "ok"

    def publish(self, key, size, seed, attachment):
        """Sends, however long it takes."""
        attachment = None if attachment == "-" else bytes.fromhex(attachment)
        block = zenoh.CongestionControl.BLOCK
        self.session.put(key, made(int(size), int(seed)), attachment=attachment, congestion_control=block)
        return "ok"

    def expect(self, key, size, seed):
        """Waits for a message."""
        wanted = made(int(size), int(seed))
        while True:
            try:
                sample = self.kept[key].get(timeout=20)
            except queue.Empty:
                return "nothing came"
            if bytes(sample.payload) == wanted:
                attachment = sample.attachment
                return f"{sample.key_expr} {bytes(attachment).hex() if attachment else '-'}"


def main():
    """Obeys until there is nothing more to read."""
    peer = Peer(sys.argv[1])
    print("ok", flush=True)
    for line in sys.stdin:
        verb, *args = line.split()
        print(getattr(peer, verb)(*args), flush=True)
    peer.session.close()


if __name__ == "__main__":
    main()
