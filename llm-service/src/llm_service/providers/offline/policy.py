"""Which tools may be called: only those that look read-only, by name and by description."""

import re

from llm_service.turn import Tool

_WRITES = frozenset(
    "create delete update apply patch exec execute scale write put post remove drop kill uninstall install "
    "upgrade rollback drain cordon uncordon evict send trigger stop reboot shutdown insert edit modify "
    "replace move rename upload push merge commit terminate attach enable disable import grant revoke "
    "flush purge truncate reset rotate invoke eval shell bash script silence mute assign comment invite "
    "ack acknowledge resolve destroy clear cancel approve add append mutate taint untaint label annotate "
    "expose fork clone checkout sudo chmod chown format wipe restore resize migrate promote failover pause "
    "resume unpause suspend sync publish submit forward cp copy debug proxy".split()
)
# Verbs that are also nouns: harmless after a clear reading verb, as in `list_restart_events`.
_DOUBTFUL = frozenset("start restart deploy run set call command change redeploy rollout release edit".split())
_SECRETS = frozenset("secret secrets password passwords credential credentials token tokens keychain".split())
_READS = frozenset("get list read describe show view search find query lookup fetch count tail check".split())
_NOUNS = frozenset(
    "log logs top status stats statistics usage metric metrics overview event events info health inspect uptime "
    "load average memory disk disks ports counters processes process history summary version explain diff probe "
    "journal trace traces alerts nodes pods services namespaces connections sockets routes dns cpu filesystem "
    "filesystems latency network kernel inodes mounts swap threads snapshot report details".split()
)
_DESCRIBED = re.compile(
    r"read[- ]?only|^\W*(?:returns?|lists?|shows?|gets?|reads?|reports?|describes?|displays?|fetch(?:es)?|retrieves?"
    r"|quer(?:y|ies)|search(?:es)?|looks? up|resolves?|counts?|inspects?|prints?|the\b)",
    re.IGNORECASE,
)
_WRITING_OPENING = re.compile(
    r"^\W*(?:creat|delet|updat|appl(?:y|ies)|patch|execut|restart|scal(?:e|ing)|writ|remov|kill|install|upgrad|drain"
    r"|send|trigger|start|stop|reboot|modif|terminat|set(?:s)?\b|run(?:s)?\b|add(?:s)?\b|evict|edit|insert|replac)",
    re.IGNORECASE,
)
_HARMLESS = re.compile(r"(?i:\bread[- ]?only\b)|\bGET\b|\bHEAD request")
_SPLIT = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")


def short_name(tool_name: str) -> str:
    """The name without its server."""
    return tool_name.rpartition(".")[2]


def is_read_only(tool: Tool) -> bool:
    """Whether a tool looks read-only; in doubt it does not."""
    words = [word.lower() for word in _SPLIT.split(short_name(tool.name)) if word]
    present = set(words)
    if present & _WRITES or present & _SECRETS or not words:
        return False
    clear_read = words[0] in _READS or (len(words) > 1 and words[1] in _READS)
    if present & _DOUBTFUL and (not clear_read or "or" in present or "and" in present):
        return False
    if _WRITING_OPENING.match(tool.description) and not _HARMLESS.search(tool.description):
        return False
    return bool(clear_read or present & (_READS | _NOUNS) or _DESCRIBED.search(tool.description))
