"""The host inspectors of the chart: mcp-gateway finds and reaches them, and nobody else does."""

from urllib.parse import urlsplit

from manifests import Object, chart, pod_of, title


def named(name: str) -> Object:
    return next(item for item in chart("everything") if title(item) == name)


def variables(item: Object) -> dict[str, Object]:
    (container,) = (pod_of(item) or {})["containers"]
    return {one["name"]: one for one in container["env"]}


def test_the_address_that_mcp_gateway_has_is_that_of_every_pod() -> None:
    gateway, daemon, service = (
        variables(named("Deployment/mcp-gateway")),
        named("DaemonSet/host-inspector"),
        named("Service/host-inspectors"),
    )
    address = urlsplit(gateway["HOST_INSPECTOR_NODES"]["value"])
    metadata, spec = service["metadata"], service["spec"]
    assert address.hostname == f"{metadata['name']}.{metadata['namespace']}.svc"
    assert (address.scheme, address.path) == ("http", "/mcp")
    assert spec["clusterIP"] == "None", "one address would be that of any pod"
    assert daemon["metadata"]["namespace"] == metadata["namespace"]
    # A headless Service leads to the ports of the pods themselves.
    (container,) = (pod_of(daemon) or {})["containers"]
    ports = {one["name"]: one for one in container["ports"]}
    assert ports["http"] == {"name": "http", "containerPort": address.port}
    assert [one["port"] for one in spec["ports"]] == [address.port]
    assert variables(daemon)["TARSY_HTTP_ADDR"]["value"] == f"0.0.0.0:{address.port}"


def test_each_inspector_knows_its_node() -> None:
    own = variables(named("DaemonSet/host-inspector"))
    for name, field in [
        ("HOST_INSPECTOR_NODE_NAME", "spec.nodeName"),
        ("HOST_INSPECTOR_NODE_ADDRESS", "status.hostIP"),
    ]:
        assert own[name]["valueFrom"] == {"fieldRef": {"fieldPath": field}}
    assert "HOST_INSPECTOR_NODES" not in own, "it would forward its calls"


def test_both_have_the_token_from_a_secret_of_their_namespace() -> None:
    gateway = variables(named("Deployment/mcp-gateway"))["HOST_INSPECTOR_NODES_TOKEN"]
    inspector = variables(named("DaemonSet/host-inspector"))["TARSY_MCP_SERVER_TOKEN"]
    assert gateway["valueFrom"] == {"secretKeyRef": {"name": "tarsy-secrets", "key": "host-inspector-token"}}
    assert inspector["valueFrom"] == {"secretKeyRef": {"name": "host-inspector-token", "key": "token"}}


def peer(namespace: str, name: str) -> Object:
    return {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "podSelector": {"matchLabels": {"app.kubernetes.io/name": name}},
    }


def test_policies_let_mcp_gateway_reach_them_and_nobody_else() -> None:
    port = {"port": 18080, "protocol": "TCP"}
    rules = named("NetworkPolicy/mcp-gateway-tools")["spec"]["egress"]
    assert {"to": [peer("tarsy-hosts", "host-inspector")], "ports": [port]} in rules
    policy = named("NetworkPolicy/host-inspector")
    assert policy["metadata"]["namespace"] == "tarsy-hosts"
    incoming = [rule for rule in policy["spec"]["ingress"] if port in rule["ports"]]
    assert incoming == [{"from": [peer("tarsy", "mcp-gateway")], "ports": [port]}]


def test_without_them_nothing_is_looked_for() -> None:
    for values in ("plain", "openshift", "external"):
        gateway = next(item for item in chart(values) if title(item) == "Deployment/mcp-gateway")
        assert not [name for name in variables(gateway) if name.startswith("HOST_INSPECTOR")]
        assert not [item for item in chart(values) if item["kind"] == "DaemonSet"]
