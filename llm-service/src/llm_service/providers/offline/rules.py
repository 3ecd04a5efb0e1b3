"""The analyst's rules: patterns of lines, their weights, and what to check next."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineRule:
    """A significant pattern in a line of text."""

    category: str
    weight: float
    description: str
    pattern: re.Pattern[str]


def _rule(category: str, weight: float, description: str, pattern: str) -> LineRule:
    return LineRule(category, weight, description, re.compile(pattern, re.IGNORECASE))


LINE_RULES = (
    _rule("memory", 7.0, "the kernel or runtime ran out of memory",
          r"out of memory|oom-?kill|oomkilled|killed process \d|cannot allocate memory|java heap space"),
    _rule("disk", 7.0, "a disk is full", r"no space left on device|\benospc\b|disk quota exceeded|disk full"),
    _rule("disk-fault", 7.0, "a disk or filesystem is faulty",
          r"i/o error|read-only file ?system|ext4-fs error|xfs.{0,20}corrupt|medium error"),
    _rule("crash", 6.5, "a container cannot stay up", r"crashloopbackoff|back-off restarting"),
    _rule("image", 6.5, "an image cannot be pulled",
          r"imagepullbackoff|errimagepull|failed to pull image|manifest unknown"),
    _rule("pool", 6.5, "a pool or limit is exhausted",
          r"(?:pool|connections?|descriptors?|threads?|slots?)\b.{0,30}\bexhausted|too many (?:connections|open files|clients)"
          r"|remaining connection slots|unable to create (?:new )?(?:native )?thread"),
    _rule("crash", 6.0, "a process crashed",
          r"\bpanic(?:ked)?\b|segfault|segmentation fault|core dumped|\bfatal\b|stack overflow"),
    _rule("certificate", 6.0, "a certificate is not accepted",
          r"certificate (?:has )?expired|x509: |certificate verify failed|tls handshake (?:error|fail)"),
    _rule("kernel", 5.5, "the kernel reports a stuck task or fault",
          r"blocked for more than \d+ seconds|hung_task|soft lockup|hardware error|\bmce\b.{0,20}error"),
    _rule("lock", 5.0, "work waits for a lock", r"deadlock|lock wait timeout|could not obtain lock"),
    _rule("dns", 5.0, "a name cannot be resolved",
          r"no such host|name or service not known|nxdomain|servfail|temporary failure in name resolution"),
    _rule("network", 4.5, "a connection is refused or lost",
          r"connection (?:refused|reset|aborted|closed)|econnrefused|econnreset|no route to host"
          r"|(?:network|host) is unreachable|broken pipe"),
    _rule("latency", 4.5, "something takes too long",
          r"timed? ?out|timeout|deadline exceeded|slow (?:query|request)|took too long"),
    _rule("throttling", 4.5, "something is throttled",
          r"throttl(?:ed|ing)|rate limit(?:ed)? exceeded|too many requests"),
    _rule("probe", 4.5, "a health check fails",
          r"(?:liveness|readiness|startup) probe.{0,20}fail|unhealthy|health ?check.{0,20}fail"),
    _rule("probe", 4.0, "a pod runs but is not ready", r"\b0/[1-9]\d*\s+Running\b"),
    _rule("scheduling", 4.5, "a pod cannot be placed or was evicted",
          r"failedscheduling|insufficient (?:cpu|memory)|evict(?:ed|ing|ion)|unschedulable|failedmount"),
    _rule("denied", 4.0, "access is denied",
          r"permission denied|access denied|\bforbidden\b|unauthori[sz]ed|authentication fail|\bdenied\b"),
    _rule("service", 4.0, "a unit failed",
          r"failed with result|entered failed state|main process exited|start request repeated too quickly"),
    _rule("error", 3.0, "an error is reported",
          r"\berrors?\b|\bexception\b|traceback|\bfail(?:ed|ure|ing)?\b|\bcritical\b|\bsevere\b|\bE\d{4} \d\d:"),
    _rule("error", 2.5, "a server error was answered", r"(?:\bHTTP/\d\.\d\"? |\bstatus[=: ]+|\b)5\d\d\b(?= |$|\")(?=.*(?:http|get|post|put|status))"),
    _rule("warning", 1.0, "a warning is reported", r"\bwarn(?:ing)?\b"),
)  # fmt: skip

NEGATED = re.compile(
    r"\b(?:no|0|zero|without|not any) (?:\w+ )?(?:errors?|failures?|warnings?|exceptions?|timeouts?|failed)\b"
    r"|\b(?:errors?|failed|failures?|failed_\w+|timeouts?|warnings?|dropped)[\"']?\s*[=:]\s*[\"']?"
    r"(?:0|false|null|none|nil|\[\])(?![\w.])"
    r"|\b(?:error|timeout|failure)_?(?:s|_total|_count)?\s+0\b|level=(?:info|debug)\b(?!.*\b(?:error|err)=)",
    re.IGNORECASE,
)

CHANGE = re.compile(
    r"\bdeploy(?:ed|ing|s|ment (?:updated|created|finished))\b|\brollout\b|\broll(?:ed|ing) (?:back|out)\b|\brestart(?:ed|ing)\b"
    r"|\bupgraded?\b|\bupgrading\b|\bdowngraded?\b|\binstalled\b"
    r"|\bconfig(?:uration)? (?:changed|reloaded|updated|applied)|\bscal(?:ed|ing) (?:up|down|replica)"
    r"|\b(?:schema|database|db) migration|\bmigrated\b|\bnew (?:version|revision|release|image)\b|\brevision [\"'#]?\d"
    r"|\bsystemd\[1\]: (?:Started|Stopped|Stopping|Reloaded)\b|\bStart(?:ed|ing) (?:container|version|server|application|server)\b"
    r"|\bLinux version \d|\bshutting down\b|\breceived SIGTERM\b|\bversion \S+ (?:->|=>|to) ",
    re.IGNORECASE,
)  # fmt: skip
CHANGE_KEYS = re.compile(
    r"(?:^|_)(?:started(?:_at)?|start_time|boot(?:ed)?_(?:time|at)|restarted_at|deployed(?:_at)?|last_deploy\w*"
    r"|released?_at|revision|image|image_tag|version|updated_at|changed_at|last_transition_time|rollout\w*)$"
)

BAD_STATES = {
    "crashloopbackoff": ("crash", 6.5), "imagepullbackoff": ("image", 6.5), "errimagepull": ("image", 6.5),
    "oomkilled": ("memory", 7.0), "evicted": ("scheduling", 5.0), "createcontainerconfigerror": ("image", 6.0),
    "createcontainererror": ("image", 6.0), "notready": ("node", 5.5), "failed": ("service", 4.0),
    "error": ("error", 4.0), "unhealthy": ("probe", 4.5), "degraded": ("service", 4.0), "down": ("service", 4.5),
    "dead": ("service", 4.5), "zombie": ("service", 1.5), "pending": ("scheduling", 3.0),
    "unreachable": ("network", 5.0), "refused": ("network", 5.0), "timeout": ("latency", 5.0),
    "diskpressure": ("disk", 6.0), "memorypressure": ("memory", 6.0),
    "inactive": ("service", 1.5), "critical": ("error", 4.5), "backoff": ("crash", 5.0),
    "nxdomain": ("dns", 5.0), "servfail": ("dns", 5.0), "expired": ("certificate", 6.0),
}  # fmt: skip
STATE_KEYS = re.compile(
    r"(?:^|_)(?:status|state|phase|reason|health|condition|result|outcome|active_?state|sub_?state|type)$"
)

NEXT_CHECKS = {
    "memory": "Compare the memory limit with the use over time of the process named above; find what it held when it was killed.",
    "disk": "Find what grew: the largest folders and log files under the mount, log rotation, deleted files still held open; check inodes too.",
    "disk-fault": "Check the disk's health and the kernel log before and after the fault; a filesystem that turned read-only needs more than space.",
    "crash": "Read the last lines before the exit (the previous container's log), and compare image and settings with the last good start.",
    "image": "Check that the image name, tag and pull credentials exist as written.",
    "pool": "Find who holds the connections or handles: the size of the pool, calls that do not give back, a slow dependency behind it.",
    "certificate": "Check the certificate's dates and issuer, and whether renewal ran.",
    "kernel": "Find what the stuck task waits for: storage, network mounts or a driver.",
    "lock": "Find the holder of the lock and how long its transaction is open.",
    "dns": "Resolve the same name from the same host, and check the resolver's own health.",
    "network": "Check that the target listens on that port, whether it restarted, and what stands between (policy, firewall, balancer).",
    "latency": "Follow the slow call one step further: is it waiting (dependency, lock, disk) or working (cpu)?",
    "throttling": "Compare the limit with the demand: who sends the calls, and did that change?",
    "probe": "Call the probed endpoint by hand and compare its answer time with the probe's timeout.",
    "scheduling": "Compare what the pod requests with what the nodes have free; look at taints and volumes.",
    "denied": "Check which identity is used and whether its rights or its secret changed.",
    "service": "Read the unit's log around its last exit, and whether something it needs was there.",
    "node": "Check the node's conditions, kubelet log and pressure (disk, memory, pids).",
    "cpu": "Find what the busiest process is doing (profile, stack, request rate), and whether it is usual at this hour.",
    "load": "Tell running from waiting: high load with idle cpu means tasks wait for disk or network.",
    "error": "Find the first of these errors, and what happened just before it.",
    "restarts": "Line up the restart times with deploys and with the errors above.",
    "warning": "See whether the warnings began with the alert or are usual here.",
}  # fmt: skip
