"""What Pod Security `restricted` and TARSy itself ask of the objects, beside kube-score (`test_kube_score.py`)."""

import itertools

import pytest
from manifests import SOURCES, Object, objects, pod_of, title

sources = pytest.mark.parametrize("source", SOURCES, ids="-".join)


def pods(source: tuple[str, str]) -> list[tuple[Object, Object]]:
    found = [(item, pod) for item in objects(source) if (pod := pod_of(item))]
    assert len(found) > 8
    return found


def containers(source: tuple[str, str]) -> list[tuple[str, Object, Object, Object]]:
    return [(f"{title(item)}/{one['name']}", item, pod, one) for item, pod in pods(source) for one in pod["containers"]]


def is_host_inspector(item: Object) -> bool:
    """It reads the node, in a namespace of its own."""
    return item["kind"] == "DaemonSet"


@sources
def test_every_container_is_restricted(source: tuple[str, str]) -> None:
    for name, item, pod, container in containers(source):
        security = container["securityContext"]
        assert security["allowPrivilegeEscalation"] is False, name
        assert security["readOnlyRootFilesystem"] is True, name
        assert security["capabilities"] == {"drop": ["ALL"]}, name
        assert pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault", name
        if not is_host_inspector(item):
            assert pod["securityContext"]["runAsNonRoot"] is True, name
            assert not any("hostPath" in volume for volume in pod.get("volumes", [])), name
            assert not any(pod.get(key) for key in ("hostPID", "hostNetwork", "hostIPC")), name


@sources
def test_every_container_has_requests_and_limits(source: tuple[str, str]) -> None:
    for name, _, _, container in containers(source):
        resources = container["resources"]
        assert {"cpu", "memory", "ephemeral-storage"} <= set(resources["requests"]), name
        assert {"memory", "ephemeral-storage"} <= set(resources["limits"]), name


@sources
def test_every_process_that_stays_has_all_probes(source: tuple[str, str]) -> None:
    for name, item, _, container in containers(source):
        if item["kind"] != "Job":
            assert {"startupProbe", "livenessProbe", "readinessProbe"} <= set(container), name
            assert container["livenessProbe"] != container["readinessProbe"], name


@sources
def test_every_image_has_a_version_and_those_of_others_a_digest(source: tuple[str, str]) -> None:
    for name, _, _, container in containers(source):
        tag = container["image"].rpartition("/")[2]
        ours = tag.startswith("tarsy")
        assert "@sha256:" in tag or (ours and ":" in tag and not tag.endswith(":latest")), name


@sources
def test_variables_of_services_are_not_added_to_pods(source: tuple[str, str]) -> None:
    for item, pod in pods(source):
        assert pod["enableServiceLinks"] is False, title(item)


@sources
def test_only_who_asks_kubernetes_has_a_token(source: tuple[str, str]) -> None:
    for item, pod in pods(source):
        mounted = pod.get("automountServiceAccountToken", True)
        assert not mounted or item["metadata"]["name"] == "mcp-gateway", title(item)


@sources
def test_selectors_choose_their_own_pods(source: tuple[str, str]) -> None:
    items = objects(source)
    labels = [item["spec"]["template"]["metadata"]["labels"] for item in items if pod_of(item)]
    for item in items:
        selector = item.get("spec", {}).get("selector")
        if item["kind"] in ("Deployment", "StatefulSet", "DaemonSet", "PodDisruptionBudget"):
            selector = selector["matchLabels"]
        elif item["kind"] != "Service":
            continue
        chosen = [one for one in labels if selector.items() <= one.items()]
        assert len(chosen) == 1, title(item)


@sources
def test_services_lead_to_ports_that_are_there(source: tuple[str, str]) -> None:
    ports = {
        item["metadata"]["name"]: {port["name"] for one in pod["containers"] for port in one.get("ports", [])}
        for item, pod in pods(source)
    }
    for item in objects(source):
        if item["kind"] == "Service":
            target = item["spec"]["selector"]["app.kubernetes.io/name"]
            for port in item["spec"]["ports"]:
                assert port["targetPort"] in ports[target], title(item)


@sources
def test_what_runs_twice_is_spread_and_may_be_disrupted_one_at_a_time(source: tuple[str, str]) -> None:
    items = objects(source)
    budgets = {item["metadata"]["name"] for item in items if item["kind"] == "PodDisruptionBudget"}
    scaled = {
        item["spec"]["scaleTargetRef"]["name"]
        for item in items
        if item["kind"] in ("HorizontalPodAutoscaler", "ScaledObject")
    }
    for item, pod in pods(source):
        name = item["metadata"]["name"]
        if item["kind"] in ("Deployment", "StatefulSet") and (item["spec"].get("replicas", 1) > 1 or name in scaled):
            assert len(pod["topologySpreadConstraints"]) == 2, name
            assert name in budgets, name


@sources
def test_every_pod_stands_behind_a_policy_that_denies_by_default(source: tuple[str, str]) -> None:
    policies = [item["spec"] for item in objects(source) if item["kind"] == "NetworkPolicy"]
    assert {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]} in policies


@sources
def test_no_policy_opens_the_port_of_postgresql_or_nats_to_every_address(source: tuple[str, str]) -> None:
    clients = {"postgresql-clients"} | ({"nats-clients"} if source != ("chart", "external") else set[str]())
    policies = {item["metadata"]["name"]: item["spec"] for item in objects(source) if item["kind"] == "NetworkPolicy"}
    for name in clients:
        for rule in policies[name]["egress"]:
            assert rule["to"], name
            assert not [peer for peer in rule["to"] if peer.get("ipBlock", {}).get("cidr") in ("0.0.0.0/0", "::/0")]


def allows(rule: Object, direction: str, other: dict[str, str], port: int) -> bool:
    peers = rule.get("from" if direction == "Ingress" else "to")
    ports = [one["port"] for one in rule.get("ports", [])]
    return (not ports or port in ports) and (
        peers is None or any(selects(peer["podSelector"], other) for peer in peers if set(peer) == {"podSelector"})
    )


def selects(selector: Object, labels: dict[str, str]) -> bool:
    wanted = selector.get("matchLabels", {})
    expressions = selector.get("matchExpressions", [])
    return wanted.items() <= labels.items() and all(labels.get(one["key"]) in one["values"] for one in expressions)


def is_allowed(policies: list[Object], sender: dict[str, str], receiver: dict[str, str], port: int) -> bool:
    def one_way(direction: str, pod: dict[str, str], other: dict[str, str]) -> bool:
        rules = [policy.get(direction.lower(), []) for policy in policies if selects(policy["podSelector"], pod)]
        return any(allows(rule, direction, other, port) for rule in itertools.chain.from_iterable(rules))

    return one_way("Egress", sender, receiver) and one_way("Ingress", receiver, sender)


def connections(items: tuple[Object, ...]) -> list[tuple[str, str, int]]:
    """What the variables of the services say that they connect to."""
    found = [("api-gateway", "stream-relay", 8080)]
    # The one of `helm test`.
    doctor = ["doctor"] if any(title(item) == "Job/doctor" for item in items) else []
    for caller in ("api-gateway", "orchestrator", "summarizer", *doctor):
        found.append((caller, "llm-service", 50051))
    if any(title(item) == "StatefulSet/nats" for item in items):
        rust = ("api-gateway", "orchestrator", "mcp-gateway", "stream-relay", "summarizer", "notifier", "provisioner")
        found += [(user, "nats", 4222) for user in (*rust, *doctor)]
    return found


@sources
def test_policies_allow_what_services_connect_to_and_nothing_else_between_them(source: tuple[str, str]) -> None:
    items = objects(source)
    policies = [item["spec"] for item in items if item["kind"] == "NetworkPolicy"]
    labels = {item["metadata"]["name"]: item["spec"]["template"]["metadata"]["labels"] for item, _ in pods(source)}
    wanted = set(connections(items))
    for sender, receiver, port in wanted:
        assert is_allowed(policies, labels[sender], labels[receiver], port), f"{sender} to {receiver}"
    ports = {"stream-relay": 8080, "llm-service": 50051, "nats": 4222}
    for sender, receiver in itertools.product(labels, ports):
        if receiver in labels and sender != receiver and (sender, receiver, ports[receiver]) not in wanted:
            assert not is_allowed(policies, labels[sender], labels[receiver], ports[receiver]), (
                f"{sender} to {receiver}"
            )
