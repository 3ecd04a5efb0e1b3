"""Rules and dashboards: that Prometheus reads them, and that they ask for what the services export."""

import contextlib
import functools
import json
import re
import shutil
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path

import pytest
import yaml
from manifests import ROOT, Object, run
from metrics import Metric, exported
from running import free_port, get, until

FOLDER = ROOT / "deploy/observability"
DASHBOARDS = sorted((FOLDER / "dashboards").glob("*.json"))
RULES = [rule for group in yaml.safe_load((FOLDER / "rules.yaml").read_text())["groups"] for rule in group["rules"]]


def program(name: str) -> Path:
    """A program of Prometheus: of the machine, or of `setup.sh`."""
    found = shutil.which(name)
    return Path(found) if found else ROOT / ".tarsy/prometheus/usr/bin" / name


def panels(path: Path) -> list[Object]:
    return json.loads(path.read_text())["panels"]


def queries() -> list[tuple[str, str]]:
    """Every query of every dashboard and rule, with the place where it stands."""
    found = [
        (f"{path.stem}: {panel['title']}", target["expr"])
        for path in DASHBOARDS
        for panel in panels(path)
        for target in panel["targets"]
    ]
    return found + [(f"rules: {rule.get('alert', rule.get('record'))}", rule["expr"]) for rule in RULES]


def test_prometheus_accepts_the_rules() -> None:
    run(program("promtool"), "check", "rules", FOLDER / "rules.yaml")


def test_the_collector_accepts_its_configuration() -> None:
    run(ROOT / ".tarsy/tools/bin/otelcol", "validate", "--config", ROOT / "compose/observability/otel-collector.yaml")


def test_alerts_fire_when_they_must_and_only_then() -> None:
    run(program("promtool"), "test", "rules", FOLDER / "rules_test.yaml")


def test_every_metric_of_a_query_is_exported() -> None:
    known = exported()
    shown = set(known) | {
        f"{one.name}{suffix}"
        for one in known.values()
        if one.kind == "histogram"
        for suffix in ("_bucket", "_sum", "_count")
    }
    unknown = {
        (place, name) for place, text in queries() for name in re.findall(r"\btarsy_[a-z_]+", text) if name not in shown
    }
    assert not unknown


def test_the_documentation_lists_the_metrics_that_are_exported() -> None:
    text = (ROOT / "docs/operating.md").read_text().split("\n## Metrics", 1)[1].split("\n## ", 1)[0]
    assert set(re.findall(r"`(tarsy_[a-z_]+)`", text)) == set(exported())


def test_every_alert_links_to_a_section_that_is_there() -> None:
    headings = re.findall(r"^#+ (.+)$", (ROOT / "docs/operating.md").read_text(), re.MULTILINE)
    anchors = {heading.lower().replace(" ", "-") for heading in headings}
    alerts = [rule for rule in RULES if "alert" in rule]
    assert len(alerts) > 10
    for rule in alerts:
        assert rule["labels"]["severity"] in ("page", "ticket"), rule["alert"]
        page, _, anchor = rule["annotations"]["runbook_url"].partition("#")
        assert page.endswith("/docs/operating.md"), rule["alert"]
        assert anchor in anchors, rule["alert"]


def test_dashboards_have_ids_of_their_own_and_panels_that_do_not_overlap() -> None:
    boards = [json.loads(path.read_text()) for path in DASHBOARDS]
    assert len(boards) == len({board["uid"] for board in boards}) == 5
    for board in boards:
        cells = [
            (x, y)
            for panel in board["panels"]
            for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
            for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
        ]
        assert len(cells) == len(set(cells)), board["uid"]
        assert len(board["panels"]) == len({panel["id"] for panel in board["panels"]}), board["uid"]


# Values of labels that the table of metrics does not list.
_VALUES = {
    "status": ["200", "404", "503"],
    "tarsy_sessions_finished_total status": ["completed", "failed", "timed_out", "cancelled"],
    "tarsy_chat_turns_finished_total status": ["completed", "failed"],
}


def documented_values() -> dict[tuple[str, str], list[str]]:
    """The values of labels that docs/operating.md lists."""
    text = (ROOT / "docs/operating.md").read_text().split("\n## Metrics", 1)[1].split("\n## ", 1)[0]
    found: dict[tuple[str, str], list[str]] = {}
    for row in (line.split("|") for line in text.splitlines() if line.startswith("|") and line.count("|") > 3):
        names = re.findall(r"`(tarsy_[a-z_]+)`", row[2])
        for label, values in re.findall(r"([a-z]+)(?: \(of the first\))?: ([a-z_, 0-9]+)", row[3]):
            listed = [one.strip().split(" ")[0] for one in values.split(",") if one.strip()]
            for name in names:
                found[name, label] = listed
    return found


def series(metric: Metric, documented: dict[tuple[str, str], list[str]]) -> list[str]:
    """The label sets of a metric, as text between braces."""

    def values(label: str) -> list[str]:
        own = _VALUES.get(f"{metric.name} {label}") or documented.get((metric.name, label))
        return own or _VALUES.get(label) or ["one"]

    names = sorted(metric.labels)
    return [
        ",".join(f'{name}="{value}"' for name, value in zip(names, chosen, strict=True))
        for chosen in product(*map(values, names))
    ]


@functools.cache
def shape() -> list[tuple[Metric, list[str]]]:
    """Every metric with its label sets."""
    documented = documented_values()
    return [(metric, series(metric, documented)) for metric in exported().values()]


def exposition(scrapes: int) -> str:
    """What all services together would answer after so many scrapes."""
    lines: list[str] = []
    for metric, label_sets in shape():
        lines.append(f"# TYPE {metric.name} {metric.kind}")
        for labels in label_sets:
            if metric.kind == "histogram":
                prefix = f"{labels}," if labels else ""
                lines += [f'{metric.name}_bucket{{{prefix}le="{le}"}} {scrapes}' for le in ("0.5", "1", "5", "+Inf")]
                lines += [f"{metric.name}_sum{{{labels}}} {scrapes}", f"{metric.name}_count{{{labels}}} {scrapes}"]
            else:
                lines.append(f"{metric.name}{{{labels}}} {scrapes}")
    return "\n".join(lines) + "\n"


class Services(BaseHTTPRequestHandler):
    """Answers scrapes; every one is a unit more."""

    scrapes = 0

    def do_GET(self) -> None:
        Services.scrapes += 1
        body = exposition(Services.scrapes).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing: scrapes are not worth a line."""


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Prometheus that scrapes what the services export, and evaluates the rules."""
    folder = tmp_path_factory.mktemp("prometheus")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Services)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    configuration = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(folder / "rules.yaml")],
        "scrape_configs": [
            {
                "job_name": "orchestrator",
                "static_configs": [{"targets": [f"127.0.0.1:{server.server_port}"], "labels": {"namespace": "tarsy"}}],
            }
        ],
    }
    (folder / "rules.yaml").write_text((FOLDER / "rules.yaml").read_text().replace("interval: 30s", "interval: 1s"))
    (folder / "prometheus.yml").write_text(yaml.safe_dump(configuration))
    address = f"127.0.0.1:{free_port()}"
    command = [
        program("prometheus"),
        f"--config.file={folder}/prometheus.yml",
        f"--storage.tsdb.path={folder}/data",
        f"--web.listen-address={address}",
    ]
    with contextlib.closing(server.socket), (folder / "log").open("wb") as log:
        process = subprocess.Popen([str(part) for part in command], stdout=log, stderr=log)
        try:
            # A rate needs two scrapes. Until the database of series is open every query is answered with an error.
            until("Prometheus scraped twice", lambda: get(f"http://{address}/-/ready") and Services.scrapes > 1)
            yield f"http://{address}"
        finally:
            process.kill()
            process.wait()
            server.shutdown()


def ask(address: str, query: str) -> list[Object]:
    """The result of a query now."""
    url = f"{address}/api/v1/query?{urllib.parse.urlencode({'query': query})}"
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310
            return json.load(answer)["data"]["result"]
    except urllib.error.HTTPError as error:
        pytest.fail(f"{query}: {error.read().decode()}")


def as_grafana_sends(query: str) -> str:
    """The query with the variables of the dashboard filled in."""
    values = {"$__rate_interval": "1m", "$namespace": "tarsy", "$input_price": "3", "$output_price": "15"}
    for name, value in values.items():
        query = query.replace(name, value)
    assert "$" not in query, query
    return query


def without_threshold(query: str) -> str:
    """The part of an alert's condition that must have data, whether it fires or not."""
    # The steps of subqueries are whole minutes, and there is no data of the last one yet.
    return re.split(r" (?:and|[<>]|==) ", query.replace(":1m]", ":1s]"), maxsplit=1)[0]


def test_every_query_returns_data_from_prometheus(prometheus: str) -> None:
    missing = [
        (place, without_threshold(as_grafana_sends(text)) if place.startswith("rules") else as_grafana_sends(text))
        for place, text in queries()
    ]
    assert len(missing) > 90

    def all_have_data() -> bool:
        missing[:] = [(place, text) for place, text in missing if not ask(prometheus, text)]
        return not missing

    try:
        until("every query has data", all_have_data)
    except AssertionError:
        pytest.fail(f"no data: {missing}")


def test_every_value_that_a_query_asks_for_is_one_that_the_documentation_lists(prometheus: str) -> None:
    selector = re.compile(r"(tarsy_[a-z_]+)\{([^}]*)\}")
    matcher = re.compile(r'(\w+)(=~|=)"([^"$]+)"')
    asked = {
        (metric, label, value)
        for _, text in queries()
        for metric, inside in selector.findall(text)
        for label, _, values in matcher.findall(inside)
        for value in values.split("|")
    }
    assert len(asked) > 10
    for metric, label, value in asked:
        query = f'{metric}{{{label}=~"{value}"}}'
        until(f"{metric}: {label} is {value} at some time", lambda query=query: ask(prometheus, query))
