"""What can fill a tool's arguments: named values from the alert, and from earlier results."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import cast

from llm_service.providers.offline.words import parts

JsonValue = dict[str, "JsonValue"] | list["JsonValue"] | str | int | Decimal | bool | None

_ALIASES = {
    "namespace": "namespace ns kubernetes_namespace exported_namespace pod_namespace",
    "pod": "pod pod_name podname kubernetes_pod_name exported_pod",
    "service": "service svc service_name app application component app_name unit systemd_unit",
    "host": "host hostname host_name node node_name nodename server machine instance target fqdn",
    "container": "container container_name",
    "deployment": "deployment deployment_name workload statefulset daemonset replicaset",
    "path": "path file filename log_path logfile log_file file_path",
    "mount": "mountpoint mount mount_point filesystem volume",
    "url": "url uri endpoint probe_url health_url target_url",
    "port": "port",
    "cluster": "cluster cluster_name context",
    "database": "database db datname",
    "device": "device interface iface",
    "queue": "queue topic stream",
    "alertname": "alertname alert_name",
}
KINDS = {alias: kind for kind, aliases in _ALIASES.items() for alias in aliases.split()}

_PAIR = re.compile(r"(?<![\w/.-])[\"'`]?([A-Za-z][\w .-]{0,30}?)[\"'`*]*\s*[:=]\s*[\"'`*]*([^\s\"'`,;{}()\[\]*<>]+)")
_PROSE = re.compile(
    r"\b(namespace|pod|service|unit|host|node|server|deployment|statefulset|container|cluster|instance|"
    r"mountpoint|mount|database|queue|port|app|application)\s+[\"'`]?([A-Za-z0-9/][\w./:-]*)",
    re.IGNORECASE,
)
_URL = re.compile(r"https?://[^\s\"'`<>()\[\],;]+[^\s\"'`<>()\[\],;.]")
_PATH = re.compile(r"(?<![\w:/.-])(/(?:[\w.@+-]+/)*[\w.@+-]+)")
_NAME = re.compile(r"[a-z0-9-]++")
_POD_END = re.compile(r"-[a-f0-9]{7,10}-[a-z0-9]{5}")
_DOMAIN = re.compile(
    r"(?<![\w/@.-])((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,6}[a-z]{2,24})(?![\w/-])", re.IGNORECASE
)
_FILE_ENDINGS = frozenset(
    "jar log py go js ts json yaml yml conf cfg ini service socket timer txt sh java so gz zip sock pid html md rs c"
    " xml toml db sql tmp lock cgi php rb exe out err".split()
)
_PORT = re.compile(r"(?<=[\w\]]):(\d{2,5})\b(?![:.\d])")
_FILLER = frozenset(
    "is in on at has have was were the a an and or of to for with by from not no down up slow fails "
    "failing failed high low unavailable unhealthy crashed crashes usage name names running list status "
    "error errors that this it be been are restarts restarted logs log none null true false owner".split()
)


class Facts:
    """Values by kind, in the order of their discovery, with their source."""

    def __init__(self) -> None:
        """Starts empty."""
        self._values: dict[str, dict[str, None]] = {}

    def add(self, kind: str, value: str) -> None:
        """Adds a value once; placeholders and over-long values are no facts."""
        value = value.strip().strip("\"'`.,;:")
        if value and value.lower() not in _FILLER and len(value) <= 300:
            self._values.setdefault(kind, {})[value] = None

    def drop(self, kind: str, value: str) -> None:
        """Removes a value."""
        self._values.get(kind, {}).pop(value, None)

    def of(self, kind: str) -> list[str]:
        """The values of a kind."""
        return list(self._values.get(kind, ()))

    def all(self) -> dict[str, list[str]]:
        """Returns all values."""
        return {kind: list(values) for kind, values in self._values.items()}

    def entities(self) -> list[str]:
        """Names the alert is about: what a relevant line would mention."""
        kinds = ("pod", "service", "deployment", "container", "mount", "host", "database", "queue")
        return [value for kind in kinds for value in self.of(kind) if len(value) > 2 or kind == "mount"]


_DOCUMENT_START = re.compile(r"^[ \t]*[\[{]", re.MULTILINE)


def from_text(text: str) -> Facts:
    """Collects facts from an alert: JSON, `key: value`, labels, prose."""
    facts = Facts()
    document = parse_json(text)
    if document is not None:
        for path, value in leaves(document):
            if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
                add_keyed(facts, path.rsplit(".", 1)[-1].split("[")[0], str(value))
            if isinstance(value, str):
                _add_prose(facts, value)
        return facts
    for match in _PAIR.finditer(text):
        add_keyed(facts, match.group(1), match.group(2))
    _add_prose(facts, text)
    return facts


def add_keyed(facts: Facts, key: str, value: str) -> None:
    """Adds a value under the kind its key names, if it names one."""
    name = "_".join(re.split(r"[\s.-]+|(?<=[a-z])(?=[A-Z])", key.strip())).lower()
    kind = KINDS.get(name) or KINDS.get(name.rsplit("_", 1)[-1])
    if kind is None or "\n" in value or " " in value.strip():
        return
    if kind == "host":
        value = _host(facts, value)
    if kind == "url" and "://" not in value:
        return
    if kind == "port" and not value.isdigit():
        return
    facts.add(kind, value)


def _host(facts: Facts, value: str) -> str:
    host, colon, port = value.rpartition(":")
    if colon and port.isdigit():
        facts.add("exporter_port", port)
        return host
    return value


def _add_prose(facts: Facts, text: str) -> None:
    for match in _PROSE.finditer(text):
        add_keyed(facts, match.group(1), match.group(2).rstrip(".:"))
    for match in re.finditer(r"\b(?:the|service)\s+([a-z][a-z0-9-]{2,})\s+(?:service|app|api)\b", text):
        facts.add("service", match.group(1))
    for url in _URL.findall(text):
        facts.add("url", url)
        host = re.sub(r"^https?://(?:[^/@]*@)?([^/:?#]+).*", r"\1", url)
        if not re.fullmatch(r"[\d.]+|\[.*", host):
            facts.add("dns", host)
    without_urls = _URL.sub(" ", text)
    for name in _DOMAIN.findall(without_urls):
        if name.rsplit(".", 1)[-1].lower() not in _FILE_ENDINGS:
            facts.add("dns", name)
    for path in _PATH.findall(without_urls):
        if path.count("/") > 1:
            facts.add("path", path)
    for pod in pods(text):
        facts.add("pod", pod)
    for port in _PORT.findall(without_urls):
        if 1 <= int(port) <= 65535 and port not in facts.of("exporter_port"):
            facts.add("port", port)


def pods(text: str) -> list[str]:
    """Returns the names in a text that look like pod names."""
    names = (name for name in _NAME.findall(text) if 14 < len(name) < 120 and name.count("-") > 1)
    return [name for name in names if _POD_END.fullmatch(name[name.rfind("-", 0, name.rfind("-")) :])]


def log_paths(text: str) -> list[str]:
    """Paths of log files in a text."""
    if "/var/log/" not in text and ".log" not in text:
        return []
    found = _PATH.findall(_URL.sub(" ", text[:4000]))
    return [path for path in found if path.startswith("/var/log/") or path.endswith(".log")]


def parse_json(text: str) -> JsonValue:
    """The JSON in a text: all of it, or the one document inside its wrapping; else `None`."""
    stripped = text.strip()
    if not stripped:
        return None
    decoder = json.JSONDecoder(parse_float=Decimal)
    for match in islice(_DOCUMENT_START.finditer(text), 5):
        offset = match.end() - 1
        try:
            value, end = cast("tuple[JsonValue, int]", decoder.raw_decode(text, offset))
        except (ValueError, RecursionError):
            continue
        outside = len(text[:offset].strip()) + len(text[end:].strip())
        if not outside or (_has_object(value) and outside < max(400, (end - offset) // 2)):
            return value
    return None


def _has_object(value: JsonValue) -> bool:
    """Distinguishes a document from a list of numbers such as a log line's `[12.5]`."""
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, dict) for one in value))


def leaves(value: JsonValue, path: str = "", depth: int = 0) -> Iterator[tuple[str, JsonValue]]:
    """Walks a document and yields every scalar with its path."""
    if depth > 24:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key, depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{index}]", depth + 1)
    else:
        yield path, value


def kind_of(parameter: str, tool_name: str) -> str | None:
    """Returns the kind of fact that fills a parameter; the tool's name decides for a bare `name`."""
    name = "_".join(re.split(r"[\s.-]+|(?<=[a-z])(?=[A-Z])", parameter)).lower()
    words = parts(tool_name.rpartition(".")[2])
    if "dns" in words or "resolv" in words:
        return "dns" if name in ("name", "hostname", "host", "domain", "query") else None
    if name in ("name", "id", "resource_name"):
        return next((KINDS[word] for word in words if word in KINDS), None)
    if name == "unit":
        return "service"
    return KINDS.get(name) or KINDS.get(name.rsplit("_", 1)[-1])
