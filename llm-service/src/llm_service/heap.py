"""Keeps the garbage collector away from objects that live as long as the process."""

import gc

# New objects that trigger a collection of the youngest generation. Python's default, 700, is reached every few tokens.
YOUNG_THRESHOLD = 10_000


def tune() -> None:
    """Collects less often: a token creates many objects, and hardly any reference cycles."""
    gc.set_threshold(YOUNG_THRESHOLD)


def freeze() -> None:
    """Excludes every object that is alive now from collection.

    Call it after an SDK is imported: its modules are some hundred thousand objects, and traversing them stops
    every stream for a tenth of a second.
    """
    gc.freeze()
