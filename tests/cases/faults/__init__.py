"""The faults of the cases, a file for each group. Each fault is a function of a `Scene` that causes it."""

from faults import applications, changed, databases, limits, network, simple, storage
from faults.scene import Case

CASES: list[Case] = [
    *simple.CASES,
    *storage.CASES,
    *limits.CASES,
    *applications.CASES,
    *network.CASES,
    *databases.CASES,
    *changed.CASES,
]
