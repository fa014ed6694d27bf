"""Messages that LCM's own classes encode, as lines `type hex`. Argument: the directory of the classes."""

import sys

from samples import load, messages

for name, message in messages(load(sys.argv[1])):
    print(name, message.encode().hex())
