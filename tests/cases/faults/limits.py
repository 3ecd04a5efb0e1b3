"""Faults of memory and processor time beside healthy services."""

from faults.scene import CGROUPS, Case, Scene, environment, healthy, program, wait_for


def oom_kill(scene: Scene) -> None:
    healthy(scene)
    before = scene.control_group("memory", "report-builder", {"memory.limit_in_bytes": 96 << 20})
    command = [*before, *program("supervisor"), "2", *program("report-builder"), "512"]
    scene.start("report-builder", command, env=environment())
    wait_for("report-builder", "is not started again")


def cpu_quota(scene: Scene) -> None:
    healthy(scene)
    limits = {"cpu.cfs_period_us": 100_000, "cpu.cfs_quota_us": 2_000}
    before = scene.control_group("cpu", "pricing", limits)
    scene.service("pricing", "18942", str(CGROUPS / "cpu/cases-pricing/cpu.stat"), before=before)
    wait_for("pricing", "listening")
    client = [*program("catalog-client"), "http://127.0.0.1:18942/price", "5"]
    scene.start("pricing-client", client, env=environment())
    wait_for("pricing", "nr_throttled", 3)


def memory_leak(scene: Scene) -> None:
    healthy(scene)
    scene.service("session-cache", "900")
    wait_for("session-cache", "sessions", 20)


CASES = [
    Case(
        "oom-kill",
        "ReportMissing: the report of November was not built",
        {
            "cause": ["out of memory", "oom", "oom killer", "memory limit", "killed by signal 9", "memory ran out"],
            "object": ["report-builder", "cases-report-builder"],
            "category": ["memory", "out_of_memory", "out of memory", "oom"],
            "required_evidence": [["report-builder"], ["out of memory", "oom", "signal 9"]],
            "forbidden_evidence": ["disk is full"],
        },
        oom_kill,
        [("kernel_log", {"lines": 40}), ("tail_log", {"path": "/var/log/cases/report-builder.log"})],
    ),
    Case(
        "cpu-quota",
        "PricesSlow: requests to pricing take longer than a second",
        {
            "cause": ["throttled", "throttling", "nr_throttled", "cpu quota", "cfs quota", "cpu limit"],
            "object": ["pricing", "18942", "cases-pricing"],
            "category": ["cpu", "starvation", "resource starvation", "throttling"],
            "required_evidence": [["nr_throttled", "throttled"]],
            "forbidden_evidence": ["out of memory"],
        },
        cpu_quota,
        [("tail_log", {"path": "/var/log/cases/pricing.log"}), ("tail_log", {"path": "/var/log/cases/pricing-client.log"})],
    ),
    Case(
        "memory-leak",
        "MemoryGrows: the memory of session-cache has grown since its start",
        {
            "cause": ["leak", "never evicted", "evicted 0", "grows", "keeps growing", "without bound", "expired 0"],
            "object": ["session-cache"],
            "category": ["memory", "out_of_memory", "starvation", "memory leak"],
            "required_evidence": [["session-cache"], ["MiB"]],
            "forbidden_evidence": ["disk is full"],
        },
        memory_leak,
        [("tail_log", {"path": "/var/log/cases/session-cache.log"})],
    ),
]
