"""LCM's Python package over Saltus: ``saltus.lcm`` under LCM's name."""

from saltus.lcm import LCM as LCM
from saltus.lcm import Event as Event
from saltus.lcm import EventLog as EventLog
from saltus.lcm import LCMSubscription as LCMSubscription
