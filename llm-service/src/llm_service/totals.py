"""The metrics of the service: those of its workers, summed, and what the supervisor knows of them."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from prometheus_client import (
    CollectorRegistry,
    Metric,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.multiprocess import (
    MultiProcessCollector,
    mark_process_dead,  # pyright: ignore[reportUnknownVariableType] - it has no types
)
from prometheus_client.registry import Collector

# Of all processes together; what is left out is a limit or a time of one of them.
_SUMMED = frozenset({"process_virtual_memory_bytes", "process_resident_memory_bytes", "process_cpu_seconds"})
_OWN = "self"


class Workers(Protocol):
    """What the supervisor reports."""

    @property
    def pids(self) -> list[int]:
        """The ids of the processes that run."""
        ...

    @property
    def ready(self) -> int:
        """How many workers serve."""
        ...

    @property
    def restarts(self) -> int:
        """How often a worker was started again."""
        ...


class Totals:
    """Reads the files in which each worker keeps its metrics."""

    def __init__(self, folder: Path) -> None:
        """`folder` is what PROMETHEUS_MULTIPROC_DIR names for the workers."""
        self._folder = str(folder)
        self._registry = CollectorRegistry()
        MultiProcessCollector(self._registry, self._folder)
        PlatformCollector(registry=self._registry)

    def watch(self, workers: Workers) -> None:
        """Adds the metrics of these processes."""
        self._registry.register(_Processes(workers))

    def forget(self, pid: int) -> None:
        """Removes the gauges of a process that ended; what it counted stays."""
        mark_process_dead(pid, self._folder)

    def text(self) -> bytes:
        """All metrics in Prometheus' text format."""
        return generate_latest(self._registry)


class _Processes(Collector):
    """Processor time and memory of the supervisor and its workers, and how many of those serve."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers

    def collect(self) -> Iterable[Metric]:
        yield GaugeMetricFamily("tarsy_llm_service_workers", "Workers that serve.", value=self._workers.ready)
        yield CounterMetricFamily(
            "tarsy_llm_service_worker_restarts", "Workers started again.", value=self._workers.restarts
        )
        own = {metric.name: metric for metric in _of(_OWN)}
        for pid in self._workers.pids:
            for metric in _of(pid):
                if metric.name in _SUMMED and metric.name in own:
                    _add(own[metric.name], metric)
        yield from own.values()

    def describe(self) -> Iterable[Metric]:
        """Nothing: reading processes only to learn names is not worth it."""
        return []


def _of(pid: int | str) -> Iterable[Metric]:
    return ProcessCollector(pid=_constant(pid), registry=None).collect()


def _constant(pid: int | str) -> Callable[[], int | str]:
    return lambda: pid


def _add(to: Metric, metric: Metric) -> None:
    [mine], [other] = to.samples, metric.samples
    added: Any = mine._replace(value=mine.value + other.value)
    to.samples = [added]
