"""The metrics that the services export, read from their source."""

import functools
import re
from dataclasses import dataclass, field

from manifests import ROOT

_MACRO = re.compile(r"\b(counter|gauge|histogram)!\(\s*\"(tarsy_[a-z_]+)\"(.*?)\)\s*(?:\.|;)", re.DOTALL)
_LABEL = re.compile(r"\"([a-z_]+)\"\s*=>")
_SUPERVISOR = re.compile(r"(Counter|Gauge)MetricFamily\(\s*\"(tarsy_[a-z_]+)\"")
_PYTHON = re.compile(r"(Counter|Gauge|Histogram)\(\s*\"(tarsy_[a-z_]+)\"(.*?)registry=", re.DOTALL)


@dataclass(frozen=True)
class Metric:
    """One metric as Prometheus shows it."""

    name: str
    kind: str
    labels: frozenset[str] = field(default_factory=frozenset)


@functools.cache
def exported() -> dict[str, Metric]:
    """The metrics of all services by their names."""
    found: dict[str, Metric] = {}

    def add(metric: Metric) -> None:
        before = found.get(metric.name)
        found[metric.name] = Metric(
            metric.name, metric.kind, metric.labels | (before.labels if before else frozenset())
        )

    for folder in ("libs", "services"):
        for path in (ROOT / folder).rglob("*.rs"):
            if "tests" in path.parts:
                continue
            text = path.read_text()
            for kind, name, rest in _MACRO.findall(text):
                labels = _labels_variable(text) if "&labels" in rest else _LABEL.findall(rest)
                add(Metric(name, kind, frozenset(labels)))
    text = (ROOT / "llm-service/src/llm_service/metrics.py").read_text()
    common = re.search(r"_LABELS = \((.*?)\)", text)
    for kind, name, rest in _PYTHON.findall(text):
        labels = set(re.findall(r"\"([a-z]+)\"", rest.split("(", 1)[1])) if "(" in rest else set[str]()
        if common and "_LABELS" in rest:
            labels |= set(re.findall(r"\"([a-z]+)\"", common.group(1)))
        suffix = "_total" if kind == "Counter" else ""
        add(Metric(name + suffix, kind.lower(), frozenset(labels)))
    for kind, name in _SUPERVISOR.findall((ROOT / "llm-service/src/llm_service/totals.py").read_text()):
        add(Metric(name + ("_total" if kind == "Counter" else ""), kind.lower()))
    return found


def _labels_variable(text: str) -> list[str]:
    """The labels of `let labels = […]`."""
    found = re.search(r"let labels = \[(.*?)\];", text, re.DOTALL)
    return re.findall(r"\(\"([a-z_]+)\"", found.group(1)) if found else []
