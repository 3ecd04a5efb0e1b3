"""Words and their topics: the analyst's only vocabulary."""

import re
from collections.abc import Iterable

# Topic -> words (already in their stemmed form) about it, in alerts and tools.
TOPICS: dict[str, frozenset[str]] = {
    "cpu": frozenset("cpu load process core throttl utilization saturation busy loadavg top".split()),
    "memory": frozenset("memory mem oom swap rss heap leak ram outofmemory oomkill process".split()),
    "disk": frozenset(
        "disk filesystem inode space mount mountpoint volume storage partition df pvc fs device fill capacity".split()
    ),
    "network": frozenset(
        "network port connection socket tcp udp interface packet drop listen link route "
        "refus refuse unreachable reset net".split()
    ),
    "dns": frozenset("dns resolv resolve lookup nxdomain hostname domain name".split()),
    "latency": frozenset(
        "latency slow p99 p95 timeout timed response duration delay deadline probe http endpoint "
        "degrad degrade load".split()
    ),
    "http": frozenset("http https url endpoint probe 5xx 500 502 503 504 gateway request web".split()),
    "pod": frozenset(
        "pod container crashloop crashloopbackoff restart crash deployment replica kubernetes k8s "
        "workload statefulset daemonset namespace imagepull event".split()
    ),
    "node": frozenset("node kubelet notready taint kubernetes".split()),
    "log": frozenset("log error exception fail journal trace fatal panic message event".split()),
    "error": frozenset("error exception fail failure fatal panic 5xx log journal crash".split()),
    "service": frozenset("service unit systemd daemon down unavailable unhealthy health status".split()),
    "kernel": frozenset("kernel dmesg oom hung segfault".split()),
    "database": frozenset("database db postgres postgresql mysql sql query pool deadlock replication redis".split()),
    "certificate": frozenset("certificate cert tls ssl x509 expir expire".split()),
    "queue": frozenset("queue kafka rabbitmq nats lag consumer backlog message".split()),
    "change": frozenset("deploy rollout release upgrade version revision helm change history".split()),
}

_STOP = frozenset(
    "the a an and or of on in at to is are was were be has have had for with by from this that it its "
    "as not no than then too also over under above below more less been will would should could can "
    "may might we you your our their there here when where which what why who how all any some "
    "alert alerts firing critical warning severity info instance job value labels label annotations "
    "summary description status true false null none name type title message minutes minute seconds "
    "since last host server http https www com net local please default high low very "
    "prod production staging dev".split()
)

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*|\d+xx|\d{3}\b")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SUFFIXES = (
    ("ies", "y"), ("sses", "ss"), ("ing", ""), ("ions", "ion"), ("ed", ""), ("es", ""), ("s", ""),
)  # fmt: skip
_KEEP = frozenset("dns kubernetes redis process status address https 5xx access loss tls ns os postgres".split())


def stem(word: str) -> str:
    """Cuts common endings, so that `connections` matches `connection` and `listening` matches `listen`."""
    if word in _KEEP or len(word) < 4:
        return word
    if word in ("processes", "services", "devices", "nodes", "volumes", "images", "releases"):
        return word[: -2 if word == "processes" else -1]
    for suffix, put in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) + len(put) >= 3:
            if suffix == "s" and word.endswith("ss"):
                return word
            return word[: len(word) - len(suffix)] + put
    return word


def parts(text: str) -> list[str]:
    """Splits text into lower-case stemmed words; camelCase and snake_case come apart."""
    return [
        stem(piece.lower()) for word in _WORD.findall(text.replace("_", " ")) for piece in _CAMEL.split(word) if piece
    ]


def significant_words(text: str) -> list[str]:
    """Returns the significant words of a text, in order, each once."""
    found = dict.fromkeys(parts(text))
    return [word for word in found if word not in _STOP and len(word) > 1]


def topics(words: Iterable[str]) -> dict[str, int]:
    """Counts the words of each topic."""
    given = set(words)
    counts = {name: len(vocabulary & given) for name, vocabulary in TOPICS.items()}
    return {name: count for name, count in counts.items() if count}


def listed(items: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
