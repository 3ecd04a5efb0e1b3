"""The chart and the overlays: what Kubernetes accepts, and what TARSy needs of them."""

import functools
import re
from typing import Any

import jsonschema
import pytest
from jsonschema.protocols import Validator
from kubernetes_validate import utils as published
from manifests import (
    CHART,
    HELM,
    NEEDED,
    SOURCES,
    VALUES,
    Object,
    chart,
    is_of_kubernetes,
    objects,
    overlay,
    pod_of,
    run,
    template,
    title,
)
from referencing import Registry, Resource

# The versions that Kubernetes supports.
VERSIONS = ["1.35", "1.36", "1.37"]


# What `kubernetes_validate.validate` does, which reads the definitions of a version, of two megabytes, for each object anew.
@functools.cache
def definitions(version: str) -> tuple[str, Registry[Any]]:
    """The folder of a version's schemas, which know no other fields, and what they have in common."""
    exact = next(one for one in published.all_versions() if published.major_minor(one) == version)
    folder = f"kubernetes-json-schema/v{exact}-local-strict"
    common = Resource[Any].from_contents(published.schema_contents(f"{folder}/_definitions.json", version))
    return folder, (common @ Registry()).crawl()


@functools.cache
def validator(api: str, kind: str, version: str) -> Validator:
    folder, registry = definitions(version)
    # rbac.authorization.k8s.io/v1 is rbac-v1.
    group, _, number = api.rpartition("/")
    name = "-".join(filter(None, (kind.lower(), group.partition(".")[0], number)))
    schema = published.schema_contents(f"{folder}/{name}.json", version)
    return jsonschema.Draft202012Validator(schema, registry=Resource[Any].from_contents(schema) @ registry)


def problems(item: Object, version: str) -> list[str]:
    found = validator(item["apiVersion"], item["kind"], version).iter_errors(item)
    return [f"{title(item)}: {error.message}" for error in found]


def test_a_field_that_kubernetes_does_not_know_is_a_problem() -> None:
    item = next(one for one in chart("plain") if one["kind"] == "Deployment")
    assert not problems(item, VERSIONS[-1])
    spec = item["spec"] | {"replica": 2}
    assert problems(item | {"spec": spec}, VERSIONS[-1])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("source", SOURCES, ids="-".join)
def test_kubernetes_accepts_every_object(source: tuple[str, str], version: str) -> None:
    checked = [item for item in objects(source) if is_of_kubernetes(item)]
    assert len(checked) > 30
    assert not [problem for item in checked for problem in problems(item, version)]


@pytest.mark.parametrize("source", SOURCES, ids="-".join)
def test_objects_have_different_names(source: tuple[str, str]) -> None:
    names = [(item["apiVersion"], item["metadata"].get("namespace"), title(item)) for item in objects(source)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("values", sorted(path.stem for path in VALUES.glob("*.yaml")))
def test_helm_finds_nothing_to_warn_of(values: str) -> None:
    run(HELM, "lint", "--strict", "--quiet", "--values", NEEDED, "--values", VALUES / f"{values}.yaml", CHART)


@pytest.mark.parametrize(
    ("setting", "named"),
    [
        ("nats.replicas=2", "nats/replicas"),
        ("services.orchestrator.replica=3", "replica"),
        ("postgresql.mode=embedded", "postgresql/mode"),
        ("images.tarsy.digest=latest", "images/tarsy/digest"),
        ("oauth2Proxy.image=oauth2-proxy", "oauth2Proxy/image"),
        ("postgresql.mode=cloudnative-pg", "migration.hook"),
        ("hostInspector.enabled=true,hostInspector.namespace=tarsy", "hostInspector.namespace"),
        ("postgresql.networks=null", "postgresql.networks"),
        ("postgresql.networks={db.example.com}", "postgresql/networks/0"),
    ],
)
def test_a_wrong_value_is_named(setting: str, named: str) -> None:
    done = template("plain", "--set", setting)
    assert done.returncode != 0
    assert named in done.stderr, done.stderr


def test_a_change_of_the_configuration_restarts_the_pods() -> None:
    before = chart("plain")
    done = template("plain", "--set", "config.tarsy.system.dashboard_url=https://other.example.com")
    assert done.returncode == 0, done.stderr
    for item in before:
        if item["kind"] == "Deployment" and "checksum/config" in item["spec"]["template"]["metadata"]["annotations"]:
            assert item["spec"]["template"]["metadata"]["annotations"]["checksum/config"] not in done.stdout


def test_a_job_outside_a_hook_has_a_new_name_for_a_new_version() -> None:
    def name(*arguments: str) -> str:
        done = template("everything", "--show-only", "templates/migrate.yaml", *arguments)
        return next(line for line in done.stdout.splitlines() if "name: migrate-" in line)

    assert name() == name()
    assert name() != name("--set", "images.tag=0.2.0")


def test_replicas_belong_to_the_autoscaler_where_there_is_one() -> None:
    for source in SOURCES:
        items = objects(source)
        scaled = {
            item["spec"]["scaleTargetRef"]["name"]
            for item in items
            if item["kind"] in ("HorizontalPodAutoscaler", "ScaledObject")
        }
        for item in items:
            if item["kind"] == "Deployment" and item["metadata"]["name"] in scaled:
                assert "replicas" not in item["spec"], title(item)


def test_secrets_are_referred_to_and_never_written_down() -> None:
    for path in VALUES.glob("*.yaml"):
        assert not [item for item in chart(path.stem) if item["kind"] == "Secret"], path
        for item in chart(path.stem):
            for container in (pod_of(item) or {}).get("containers", []):
                secret = [
                    one["name"]
                    for one in container.get("env", [])
                    if "PASSWORD" in one["name"] or "TOKEN" in one["name"]
                ]
                for one in container.get("env", []):
                    assert one["name"] not in secret or "valueFrom" in one, one["name"]


def test_every_service_sends_spans_to_the_configured_endpoint() -> None:
    endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
    settings = next(item for item in chart("everything") if title(item) == "ConfigMap/tarsy-settings")
    assert endpoint in settings["data"]
    (policy,) = [item["spec"] for item in chart("everything") if title(item) == "NetworkPolicy/telemetry"]
    reached = policy["podSelector"]["matchExpressions"][0]["values"]
    for item in chart("everything"):
        # The provisioner works on no session.
        if item["kind"] != "Deployment" or item["metadata"]["name"] == "provisioner":
            continue
        container = (pod_of(item) or {})["containers"][0]
        sources = [one.get("configMapRef", {}).get("name") for one in container.get("envFrom", [])]
        named = [one["name"] for one in container.get("env", [])]
        assert "tarsy-settings" in sources or endpoint in named, title(item)
        assert item["metadata"]["name"] in reached, title(item)


@pytest.mark.parametrize("source", [("chart", "openshift"), ("overlay", "openshift"), ("overlay", "openshift-trial")])
def test_people_sign_in_on_pages_of_tarsy(source: tuple[str, str]) -> None:
    (config,) = [
        item["data"]
        for item in objects(source)
        if item["kind"] == "ConfigMap" and item["metadata"]["name"].startswith("oauth2-proxy")
    ]
    gateway = next(item for item in objects(source) if title(item) == "Deployment/api-gateway")
    proxy = next(one for one in (pod_of(gateway) or {})["containers"] if one["name"] == "oauth2-proxy")
    (mounted,) = [one["mountPath"] for one in proxy["volumeMounts"]]
    lines = dict(re.findall(r'^(\w+) = "?([^"\n]+)"?$', config["oauth2-proxy.cfg"], re.MULTILINE))
    assert "skip_provider_button" not in lines
    assert lines["custom_templates_dir"] == mounted
    assert lines["custom_sign_in_logo"] == f"{mounted}/logo.svg"
    assert config["logo.svg"].startswith("<svg ")
    for name in ("sign_in.html", "error.html"):
        page = config[name]
        assert page.startswith(f'{{{{define "{name}"}}}}'), name
        assert page.count("{{if") + page.count("{{define") == page.count("{{end}}"), name
        assert 'name="rd" value="{{.Redirect}}"' in page, "people come back to where they were"
        assert "<html lang=" in page, name
        assert "<h1>" in page, name
    assert "{{.ProviderName}}" in config["sign_in.html"]


def test_the_postgresql_of_trials_runs_as_any_user_that_openshift_chooses() -> None:
    (server,) = [item for item in overlay("openshift-trial") if title(item) == "StatefulSet/postgres"]
    context = (pod_of(server) or {})["securityContext"]
    assert context["runAsNonRoot"] is True
    assert not {"runAsUser", "runAsGroup", "fsGroup"} & context.keys()
    (policy,) = [
        item["spec"] for item in overlay("openshift-trial") if title(item) == "NetworkPolicy/postgresql-clients"
    ]
    assert policy["egress"][0]["to"] == [{"podSelector": {"matchLabels": {"app.kubernetes.io/name": "postgres"}}}]
