"""What each service account of the chart and of the overlays may do in the cluster: as the API server says, and by doing it."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import yaml
from control_plane import ControlPlane
from manifests import CHART, HELM, KUBECTL, NEEDED, OVERLAYS, SOURCES, VALUES, Object, objects, pod_of, read, run
from running import until

RIGHTS = ("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
READING = frozenset(("get", "list", "watch"))


@dataclass(frozen=True)
class Request:
    """A verb and a resource; `group` is empty for the resources of the core."""

    verb: str
    resource: str
    group: str = ""
    part: str = ""

    def review(self, account: str, namespace: str) -> Object:
        attributes = {"verb": self.verb, "group": self.group, "resource": self.resource, "subresource": self.part}
        attributes |= {"namespace": namespace} if not self.is_of_cluster() else {}
        return {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {"user": account, "groups": groups(account), "resourceAttributes": attributes},
        }

    def is_of_cluster(self) -> bool:
        return self.resource in (
            "nodes",
            "persistentvolumes",
            "storageclasses",
            "tokenreviews",
            "subjectaccessreviews",
            "clusterrolebindings",
        )


def groups(account: str) -> list[str]:
    _, _, namespace, _ = account.split(":")
    return ["system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated"]


# What an agent reads while it investigates.
INVESTIGATION = (
    *(
        Request(verb, one)
        for verb in sorted(READING)
        for one in ("pods", "services", "configmaps", "events", "endpoints")
    ),
    *(
        Request(verb, one)
        for verb in sorted(READING)
        for one in ("persistentvolumeclaims", "resourcequotas", "limitranges")
    ),
    *(Request(verb, one, "apps") for verb in sorted(READING) for one in ("deployments", "statefulsets", "daemonsets")),
    *(Request(verb, one, "apps") for verb in sorted(READING) for one in ("replicasets",)),
    *(Request(verb, one, "batch") for verb in sorted(READING) for one in ("jobs", "cronjobs")),
    *(Request(verb, one, "networking.k8s.io") for verb in sorted(READING) for one in ("ingresses", "networkpolicies")),
    *(Request(verb, "horizontalpodautoscalers", "autoscaling") for verb in sorted(READING)),
    Request("get", "pods", part="log"),
    # Of no namespace: what an alert about a node is about.
    *(Request(verb, one) for verb in sorted(READING) for one in ("nodes", "persistentvolumes")),
    *(Request(verb, "storageclasses", "storage.k8s.io") for verb in sorted(READING)),
)
# What nobody of TARSy may, whatever a model asks for.
HARM = (
    *(Request(verb, "secrets") for verb in sorted(READING)),
    *(Request(verb, "pods") for verb in ("create", "update", "patch", "delete", "deletecollection")),
    *(Request("create", "pods", part=part) for part in ("exec", "attach", "portforward", "eviction", "binding")),
    *(Request(verb, one, "apps") for verb in ("create", "patch", "delete") for one in ("deployments", "statefulsets")),
    Request("patch", "deployments", "apps", "scale"),
    *(Request(verb, "configmaps") for verb in ("create", "update", "delete")),
    Request("create", "serviceaccounts", part="token"),
    Request("get", "nodes", part="proxy"),
    *(Request(verb, "nodes") for verb in ("patch", "delete")),
    Request("create", "rolebindings", "rbac.authorization.k8s.io"),
    Request("create", "clusterrolebindings", "rbac.authorization.k8s.io"),
)
EVENTS = (Request("list", "events"), Request("watch", "events"))
# What the watcher needs to report changes and topology, beside events: of config maps and secrets it asks for the metadata.
CHANGES = (
    *(
        Request(verb, one, "apps")
        for verb in ("list", "watch")
        for one in ("deployments", "statefulsets", "daemonsets")
    ),
    *(Request(verb, one) for verb in ("list", "watch") for one in ("configmaps", "secrets", "nodes")),
    *(Request(verb, "horizontalpodautoscalers", "autoscaling") for verb in ("list", "watch")),
    Request("list", "ingresses", "networking.k8s.io"),
    Request("list", "services"),
)
DELEGATION = (
    Request("create", "tokenreviews", "authentication.k8s.io"),
    Request("create", "subjectaccessreviews", "authorization.k8s.io"),
)


@dataclass(frozen=True)
class Account:
    """A service account, by what makes it."""

    source: str
    namespace: str
    name: str
    may: tuple[Request, ...]
    # What it may is all that it may.
    exact: bool

    def __str__(self) -> str:
        return f"{self.source}-{self.name}"

    @property
    def user(self) -> str:
        return f"system:serviceaccount:{self.namespace}:{self.name}"


ACCOUNTS = [
    Account("chart", "rights-chart", "mcp-gateway", INVESTIGATION, exact=False),
    Account("chart", "rights-chart", "api-gateway", DELEGATION, exact=True),
    Account("chart", "rights-chart", "default", (), exact=True),
    # Without a tool server of the cluster.
    Account("external", "rights-external", "mcp-gateway", (), exact=True),
    Account("overlay", "tarsy", "mcp-gateway", INVESTIGATION, exact=False),
    Account("overlay", "tarsy", "api-gateway", DELEGATION, exact=True),
    Account("overlay", "tarsy", "kubernetes-watcher", EVENTS, exact=True),
    Account("overlay", "tarsy", "default", (), exact=True),
    Account("tool-server", "tarsy", "kubernetes-server", INVESTIGATION, exact=False),
    # With nothing but the file that the page names.
    Account("changes", "rights-changes", "kubernetes-watcher", CHANGES, exact=True),
]
NAMESPACES = ("rights-chart", "rights-external", "tarsy", "rights-changes")
accounts = pytest.mark.parametrize("account", ACCOUNTS, ids=str)


def harm(account: Account) -> list[Request]:
    return [one for one in HARM if one not in account.may]


def of_the_chart(name: str = "everything", namespace: str = "rights-chart") -> list[Object]:
    values = [part for path in (NEEDED, VALUES / f"{name}.yaml") for part in ("--values", path)]
    made = read(run(HELM, "template", "tarsy", CHART, "--namespace", namespace, *values))
    return [one for one in made if one["metadata"].get("namespace") != "tarsy-hosts"]


def of_overlays() -> list[Object]:
    """The overlay for OpenShift, with the optional folders that the comments of plain name."""
    kubernetes = OVERLAYS.parent
    folders = (OVERLAYS / "openshift", kubernetes / "kubernetes-watcher", kubernetes / "tool-server/kubernetes")
    return [one for folder in folders for one in read(run(KUBECTL, "kustomize", folder))]


def of_changes() -> list[Object]:
    """The optional rights of the watcher, for an account of its own."""
    made = list(read((OVERLAYS.parent / "kubernetes-watcher/changes.yaml").read_text()))
    for one in made:
        for subject in one.get("subjects", []):
            subject["namespace"] = "rights-changes"
    name = {"name": "kubernetes-watcher", "namespace": "rights-changes"}
    return [{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": name}, *made]


@pytest.fixture(scope="module")
def rights(cluster: ControlPlane) -> Iterator[ControlPlane]:
    """The service accounts and their roles, without the pods."""
    made = [*of_the_chart(), *of_the_chart("external", "rights-external"), *of_overlays(), *of_changes()]
    text = yaml.safe_dump_all([one for one in made if one["kind"] in RIGHTS])
    for name in NAMESPACES:
        cluster.enter(name)
        until(f"{name} has its account", lambda name=name: has_account(cluster, name, "default"))
    cluster.kubectl("apply", "-f", "-", text=text)
    # The roles of Kubernetes are made at its start, those that are aggregated a little later.
    wanted = Request("list", "pods").review(ACCOUNTS[0].user, "rights-chart")
    until("the role view is there", lambda: allows(cluster, wanted))
    yield cluster
    cluster.kubectl("delete", "--ignore-not-found", "-f", "-", text=text)
    cluster.abandon(*NAMESPACES)


def has_account(cluster: ControlPlane, namespace: str, name: str) -> bool:
    return cluster.ask("GET", f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}").status == 200


def allows(cluster: ControlPlane, review: Object) -> bool:
    answer = cluster.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
    return answer["status"]["allowed"]


def path_of(request: Request, namespace: str) -> tuple[str, str]:
    """The method and the path of a request; what it names is not there."""
    version = "v2" if request.group == "autoscaling" else "v1"
    root = f"/apis/{request.group}/{version}" if request.group else f"/api/{version}"
    path = root + ("" if request.is_of_cluster() else f"/namespaces/{namespace}") + f"/{request.resource}"
    method = {"create": "POST", "update": "PUT", "patch": "PATCH", "delete": "DELETE", "deletecollection": "DELETE"}
    if request.verb in ("get", "update", "patch", "delete") or request.part:
        path += "/missing"
    if request.part:
        path += f"/{request.part}"
    if request.verb == "watch":
        path += "?watch=true&timeoutSeconds=1"
    return method.get(request.verb, "GET"), path


@accounts
def test_an_account_may_what_it_needs_and_nothing_that_harms(rights: ControlPlane, account: Account) -> None:
    for request in account.may:
        assert allows(rights, request.review(account.user, account.namespace)), request
    for request in harm(account):
        assert not allows(rights, request.review(account.user, account.namespace)), request
    if account.exact:
        other = [one for one in (*INVESTIGATION, *EVENTS, *DELEGATION, *CHANGES) if one not in account.may]
        assert other
        for request in other:
            assert not allows(rights, request.review(account.user, account.namespace)), request


@accounts
def test_the_api_server_does_for_an_account_what_it_may_and_refuses_the_rest(
    rights: ControlPlane, account: Account
) -> None:
    token = rights.account_token(account.namespace, account.name)
    refused = [
        one for one in (*INVESTIGATION, *EVENTS, *DELEGATION, *CHANGES) if one not in account.may and account.exact
    ]
    # A watch that is allowed lasts a second: one is enough.
    done = [one for one in account.may if one.verb != "watch" or one.resource == "events"]
    for request, expected in [*((one, False) for one in (*harm(account), *refused)), *((one, True) for one in done)]:
        # Names of other namespaces are as readable as those of its own.
        method, path = path_of(request, "kube-system" if expected else account.namespace)
        body = {} if method in ("POST", "PUT", "PATCH") else None
        status = rights.ask(method, path, body, token).status
        assert (status != 403) == expected, (request, status)
        assert status != 401, request


def rules(cluster: ControlPlane, account: Account) -> set[tuple[str, str]]:
    """Each verb with each resource that the API server names to an account; names of objects are left out."""
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": account.namespace},
    }
    token = cluster.account_token(account.namespace, account.name)
    answer = cluster.ask("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", body, token)
    assert answer.status == 201, answer
    assert not answer.body["status"]["incomplete"]
    listed = answer.body["status"]["resourceRules"]
    return {(verb, resource) for rule in listed for verb in rule["verbs"] for resource in rule["resources"]}


@accounts
def test_the_rules_of_an_account_are_what_it_needs_or_only_read(rights: ControlPlane, account: Account) -> None:
    of_all = rules(rights, Account(account.source, account.namespace, "default", (), exact=True))
    own = rules(rights, account) - of_all
    if account.exact:
        assert own == {(request.verb, request.resource) for request in account.may}
    else:
        assert len(own) > len(INVESTIGATION)
        assert not [one for one in own if one[0] not in READING or one[1].partition("/")[0] in ("secrets", "*")]


@dataclass(frozen=True)
class Client:
    """Somebody with the token of a service account, whose requests reach kube-rbac-proxy of an installation."""

    cluster: ControlPlane
    namespace: str

    def made(self) -> "Client":
        name = {"name": "alertmanager", "namespace": self.namespace}
        path = f"/api/v1/namespaces/{self.namespace}/serviceaccounts"
        self.cluster.create(path, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": name})
        return self

    def token(self) -> str:
        return self.cluster.account_token(self.namespace, "alertmanager")

    def may(self, path: str) -> bool:
        """What the proxy is answered, which has the account of api-gateway: whose token it is, and what that may."""
        proxy = self.cluster.account_token(self.namespace, "api-gateway")
        user = self._asked("authentication.k8s.io/v1", "TokenReview", {"token": self.token()}, proxy)["user"]
        assert user["username"] == f"system:serviceaccount:{self.namespace}:alertmanager"
        spec = {"user": user["username"], "groups": user["groups"]}
        spec |= {"nonResourceAttributes": {"path": path, "verb": "create"}}
        return self._asked("authorization.k8s.io/v1", "SubjectAccessReview", spec, proxy)["allowed"]

    def _asked(self, api: str, kind: str, spec: Object, token: str) -> Object:
        body = {"apiVersion": api, "kind": kind, "spec": spec}
        answer = self.cluster.ask("POST", f"/apis/{api}/{kind.lower()}s", body, token)
        assert answer.status == 201, answer
        return answer.body["status"]

    def does(self, path: str) -> bool:
        """Whether the API server lets it ask for a path that the API server has not."""
        status = self.cluster.ask("GET", path, token=self.token()).status
        assert status in (403, 404), status
        return status == 404


@pytest.mark.parametrize("namespace", ["tarsy", "rights-chart"])
def test_only_clients_that_are_bound_may_use_the_api(rights: ControlPlane, namespace: str) -> None:
    client = Client(rights, namespace).made()
    assert not client.may("/api/v1/alerts")
    assert not client.does("/mcp")
    rights.kubectl(
        "create",
        "clusterrolebinding",
        "alertmanager-tarsy",
        f"--clusterrole={namespace}-api-client",
        f"--serviceaccount={namespace}:alertmanager",
    )
    until("the binding is in force", lambda: client.may("/api/v1/alerts") and client.does("/mcp"))
    assert not client.may("/metrics")
    assert not client.does("/metrics/none")
    rights.kubectl("delete", "clusterrolebinding", "alertmanager-tarsy")


def test_every_account_that_is_made_or_has_rights_is_tried() -> None:
    made = [*(one for source in SOURCES for one in objects(source)), *of_overlays(), *of_changes()]
    named = {one["metadata"]["name"] for one in made if one["kind"] == "ServiceAccount"}
    named |= {subject["name"] for one in made for subject in one.get("subjects", [])}
    named |= {pod.get("serviceAccountName", "default") for one in made if (pod := pod_of(one))}
    assert named == {account.name for account in ACCOUNTS}
