"""TARSy investigates faults of a real cluster by the unmodified tool server: the cause is named, and none where nothing fails."""

import json
import os
import subprocess
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from cluster_access import GATEWAY, kubeconfig, rights, tool_server
from control_plane import ControlPlane
from faults import Fault, faults, healthy, now
from manifests import Object
from programs import built
from running import DEADLINE_SECONDS, free_port, get, started, until, wait_until_ready

# Where the sessions are kept as cases: `TARSY_TEST_CASES=../../tests/cases/kubernetes`.
CASES = os.environ.get("TARSY_TEST_CASES", "")
PLURALS = {
    "Deployment": "apis/apps/v1/{}/deployments",
    "Pod": "api/v1/{}/pods",
    "Service": "api/v1/{}/services",
    "PersistentVolumeClaim": "api/v1/{}/persistentvolumeclaims",
    "ResourceQuota": "api/v1/{}/resourcequotas",
    "Job": "apis/batch/v1/{}/jobs",
    "HorizontalPodAutoscaler": "apis/autoscaling/v2/{}/horizontalpodautoscalers",
}


@dataclass
class Namespace:
    """The part of the cluster that is a fault's."""

    cluster: ControlPlane
    fault: Fault

    def path(self, collection: str) -> str:
        return "/" + PLURALS[collection].format(f"namespaces/{self.fault.name}")

    def create(self) -> None:
        metadata = {"name": self.fault.name, "labels": self.fault.labels}
        self.cluster.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        for item in self.fault.objects:
            self.cluster.create(self.path(item["kind"]), item)

    def pods(self) -> list[Object]:
        return self.cluster.get(self.path("Pod"))["items"]

    def played(self) -> list[Object]:
        """Those that the kubelet has something to say of."""
        pods = self.pods()
        return [one for one in pods if "fault" in one["metadata"]["labels"]] if self.fault.rolled_out else pods

    def roll_out(self) -> None:
        """As `kubectl set image` does it: what ran goes on, and what is new never gets ready."""
        until(f"{self.fault.name} runs", lambda: len(self.pods()) > 1 and self.is_running())
        path = f"{self.path('Deployment')}/web"
        self.cluster.patch(path, {"spec": {"template": self.fault.rolled_out}})

        def hangs() -> bool:
            conditions = self.cluster.get(path)["status"].get("conditions") or []
            return any(one.get("reason") == "ProgressDeadlineExceeded" for one in conditions)

        until(f"the rollout of {self.fault.name} hangs", hangs)

    def is_running(self) -> bool:
        return all(one["status"].get("startTime") for one in self.pods())

    def events(self) -> str:
        return f"/api/v1/namespaces/{self.fault.name}/events"

    def is_reported(self) -> bool:
        return any(one["reason"] == self.fault.reported for one in self.cluster.get(self.events())["items"])

    def play(self) -> None:
        """What a kubelet would write, once the controllers have done their part."""
        if self.fault.reported:
            until(f"{self.fault.name}: {self.fault.reported}", self.is_reported)
            return
        if self.fault.rolled_out is not None:
            self.roll_out()
        until(f"{self.fault.name} has pods", self.played)
        if self.fault.status is None:
            until(f"{self.fault.name} runs", self.is_running)
        for pod in self.played():
            if self.fault.status is not None:
                answer = self.cluster.ask(
                    "PUT", f"{self.path('Pod')}/{pod['metadata']['name']}/status", pod | {"status": self.fault.status}
                )
                assert answer.status == 200, answer
            for event in self._seen(pod):
                self.cluster.create(self.events(), event)

    def _seen(self, pod: Object) -> list[Object]:
        name, namespace = pod["metadata"]["name"], self.fault.name
        involved = {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": name,
            "namespace": namespace,
            "uid": pod["metadata"]["uid"],
        }
        common = {"apiVersion": "v1", "kind": "Event", "type": "Warning", "source": {"component": "kubelet"}}
        return [
            {
                **common,
                "metadata": {"generateName": f"{name}.", "namespace": namespace},
                "involvedObject": involved,
                "reason": one.reason,
                "message": one.message,
                "count": one.count,
                "firstTimestamp": now(300),
                "lastTimestamp": now(5),
            }
            for one in self.fault.events
        ]

    def alert(self) -> Object:
        """As Alertmanager has it."""
        fault = self.fault
        pod = next((one["metadata"]["name"] for one in self.pods()), "")
        label = fault.label or fault.about.partition(" ")[0].lower()
        about = {"pod": pod, "container": "web"} if "{pod}" in fault.about else {label: "web"}
        return {
            "status": "firing",
            "labels": {"alertname": fault.alert, "namespace": fault.name, "severity": "warning", **about},
            "annotations": {"description": fault.about.format(namespace=fault.name, pod=pod)},
            "startsAt": now(900),
        }


@pytest.fixture(scope="module")
def sessions(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Object]]:
    """The session of each fault, by its name."""
    folder = tmp_path_factory.mktemp("faults")
    accounts = yaml.safe_dump_all(rights())
    cluster.enter("tarsy")
    cluster.kubectl("apply", "-f", "-", text=accounts)
    spaces = [Namespace(cluster, one) for one in (*faults(), *healthy())]
    for one in spaces:
        one.create()
    servers = {"mcp_servers": {"kubernetes-server": tool_server(kubeconfig(cluster, GATEWAY, folder))}}
    (folder / "tarsy.yaml").write_text(yaml.safe_dump(servers))
    url = f"http://127.0.0.1:{free_port()}"
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "TARSY_CONFIG_DIR": str(folder)}
    up = [str(built("tarsy")), "--home", str(folder / "home"), "up", "--port", url.rpartition(":")[2]]
    with started(up, variables, folder / "tarsy.log") as tarsy:
        wait_until_ready(tarsy, url, folder / "tarsy.log")
        for one in spaces:
            one.play()
        ids = {one.fault.name: submit(url, one.alert()) for one in spaces}
        found = {name: ended(f"{url}/api/v1/sessions/{session}") for name, session in ids.items()}
        if CASES:
            for one in spaces:
                save_case(url, ids[one.fault.name], one.fault)
        yield found
    cluster.abandon("tarsy", *(one.fault.name for one in spaces))
    cluster.kubectl("delete", "--ignore-not-found", "-f", "-", text=accounts)


def submit(url: str, alert: Object) -> str:
    body = json.dumps({"alert_type": "kubernetes", "data": json.dumps(alert)}).encode()
    request = urllib.request.Request(f"{url}/api/v1/alerts", body, {"Content-Type": "application/json"})  # noqa: S310 - our own
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - as above
        return json.load(answer)["session_id"]


def save_case(url: str, session: str, fault: Fault) -> None:
    """The session as a case of an evaluation, with what is accepted as its cause."""
    folder = Path(CASES) / fault.name
    command = [str(built("tarsy")), "--url", url, "case", "save", session, str(folder)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    (folder / "report.json").unlink()
    expected: Object = {"cause": list(fault.words), "object": list(fault.names) if fault.words else [], "category": []}
    expected |= {"required_evidence": [], "forbidden_evidence": []} | ({} if fault.words else {"healthy": True})
    (folder / "expected.json").write_text(json.dumps(expected, indent=2) + "\n")


def ended(url: str) -> Object:
    """A session that has ended, as it is then."""
    last: Object = {}

    def is_terminal() -> bool:
        last.update(json.loads(get(url)))
        return last["status"] in ("completed", "failed", "timed_out", "cancelled")

    until(url, is_terminal, DEADLINE_SECONDS)
    return last


def names_cause(fault: Fault, verdict: Object) -> bool:
    if verdict["outcome"] != "cause_found" or verdict["object"].get("namespace") != fault.name:
        return False
    is_named = verdict["object"]["name"].startswith(fault.names)
    return is_named and any(word in verdict["cause"].lower() for word in fault.words)


def described(session: Object) -> str:
    verdict = session["verdict"]
    return f"{verdict['outcome']}, {verdict['confidence']}: {verdict['object']}: {verdict['cause']}"


def test_every_investigation_completes(sessions: dict[str, Object]) -> None:
    broken = {name: one.get("error_message") for name, one in sessions.items() if one["status"] != "completed"}
    assert not broken


def test_the_cause_is_named(sessions: dict[str, Object]) -> None:
    """At rank one: a verdict has one, and others are its alternatives."""
    assert len(faults()) > 20
    wrong = {
        one.name: described(sessions[one.name])
        for one in faults()
        if not names_cause(one, sessions[one.name]["verdict"])
    }
    assert not wrong


def test_no_cause_is_stated_where_nothing_fails(sessions: dict[str, Object]) -> None:
    """Beside the namespaces in which something does."""
    stated = {one.name: described(sessions[one.name]) for one in healthy()}
    assert len(stated) == 5
    assert {sessions[name]["verdict"]["outcome"] for name in stated} == {"no_fault_found"}, stated
