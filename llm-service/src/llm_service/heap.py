"""Spares the garbage collector what never dies."""

import gc

# How many objects more than before have it look at the youngest ones; Python's own 700 come with every few tokens.
YOUNG = 10_000


def tune() -> None:
    """Has the collector look less often: a token makes many objects, and hardly one in a circle."""
    gc.set_threshold(YOUNG)


def keep() -> None:
    """Takes everything that is alive now for immortal.

    To be called when an SDK has been loaded: its modules are some hundred thousand objects, and to walk through
    them is a tenth of a second in which no token passes.
    """
    gc.freeze()
