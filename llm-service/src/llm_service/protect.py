"""Keeps the keys of this process from other programs of its user."""

import ctypes
import resource

PR_SET_DUMPABLE = 4


def protect() -> None:
    """Closes the memory and the environment of this process to other programs, and forbids core dumps.

    Removing the variables would not hide them: `/proc/PID/environ` shows the memory that the process was started with.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "could not close this process to debuggers")
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
