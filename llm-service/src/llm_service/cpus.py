"""How many processors this process may use: what the scheduler allows it, and the quotas of its control groups."""

import math
import os
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")
# Where version 1 mounts the controller of processor time.
_V1 = ("cpu,cpuacct", "cpu")


def allowed(root: Path = _ROOT, own: Path = _OWN) -> int:
    """Returns at least 1; a quota of one and a half processors is 2."""
    quotas = [quota for group in _groups(root, own) if (quota := _quota(group)) is not None]
    return max(1, min([len(os.sched_getaffinity(0)), *(math.ceil(quota) for quota in quotas)]))


def _groups(root: Path, own: Path) -> list[Path]:
    """Returns the folders of this process's group and of those around it: each of them may have a quota."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return []
    found: list[Path] = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            tops = [root]
        elif "cpu" in controllers.split(","):
            tops = [root / name for name in _V1]
        else:
            continue
        for top in tops:
            # In a container the path may be the host's, which is not mounted here; the root is the container's then.
            group = top / path.strip("/")
            found += [one for one in (group, *group.parents) if one.is_relative_to(top)]
    return found


def _quota(group: Path) -> float | None:
    """Returns the processors of a group; None if it has no quota."""
    try:
        if (group / "cpu.max").exists():
            quota, period = (group / "cpu.max").read_text().split()
        else:
            quota, period = ((group / f"cpu.cfs_{name}_us").read_text().strip() for name in ("quota", "period"))
        return int(quota) / int(period) if int(quota) > 0 else None
    except (OSError, ValueError):
        return None
