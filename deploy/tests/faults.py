"""Faults of workloads in a real cluster: objects for its controllers, and what a kubelet would report of their pods.

Statuses, events and logs are worded as kubelets, container runtimes and common programs word them.
"""

import datetime
from dataclasses import dataclass, field

from manifests import Object

IMAGE = "registry.example.com/shop/web:1.4.2"


@dataclass(frozen=True)
class Seen:
    """An event that a kubelet would report of a pod."""

    reason: str
    message: str
    count: int = 4


@dataclass(frozen=True)
class Fault:
    """A namespace in which something fails, the alert about it, and its cause."""

    name: str
    alert: str
    about: str
    objects: tuple[Object, ...]
    # One of these is in the cause; lower case.
    words: tuple[str, ...] = ()
    # The cause names one of these objects.
    names: tuple[str, ...] = ("web",)
    events: tuple[Seen, ...] = ()
    log: tuple[str, ...] = ()
    labels: dict[str, str] = field(default_factory=dict)
    # What the kubelet says of the pod; without it, the pod runs, unless the cluster has no place for it.
    status: Object | None = None
    # The event of a controller that the alert follows.
    reported: str = ""
    # What its deployment is changed to once its pods run: what the kubelet says is said of the pods of that.
    rolled_out: Object | None = None
    # The label of the alert that names the object; without it, the first word of what it says.
    label: str = ""


def now(ago: int = 0) -> str:
    at = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=ago)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def status(
    state: Object, *, restarts: int = 0, last: Object | None = None, init: bool = False, image: str = IMAGE
) -> Object:
    """The status of a pod with one container, or of one whose first container has to end before."""
    container = {
        "name": "setup" if init else "web",
        "image": image,
        "imageID": "",
        "ready": False,
        "started": "running" in state,
        "restartCount": restarts,
        "state": state,
        "lastState": last or {},
    }
    waiting = {"name": "web", "image": IMAGE, "imageID": "", "ready": False, "restartCount": 0}
    initializing = {
        "initContainerStatuses": [container],
        "containerStatuses": [waiting | {"state": {"waiting": {"reason": "PodInitializing"}}}],
    }
    ready = {
        "type": "Ready",
        "status": "False",
        "reason": "ContainersNotReady",
        "message": "containers with unready status: [web]",
    }
    return {
        "phase": "Pending" if init or ("waiting" in state and not restarts) else "Running",
        "startTime": now(600),
        "conditions": [
            ready | {"lastTransitionTime": now(600)},
            {"type": "PodScheduled", "status": "True", "lastTransitionTime": now(600)},
        ],
        **(initializing if init else {"containerStatuses": [container]}),
    }


def waiting(reason: str, message: str) -> Object:
    return {"waiting": {"reason": reason, "message": message}}


def ended(code: int, reason: str, message: str = "") -> Object:
    ended = {"exitCode": code, "reason": reason, "startedAt": now(65), "finishedAt": now(60)}
    return {"terminated": ended | ({"message": message} if message else {})}


BACK_OFF = waiting("CrashLoopBackOff", "back-off 5m0s restarting failed container=web pod=web_shop")
RESTARTED = Seen("BackOff", "Back-off restarting failed container web in pod web", 23)


def pod_of(container: Object | None = None, *, played: bool = False, **spec: object) -> Object:
    """A template. The status of its pods is that of the fault if they are played."""
    web = {"name": "web", "image": IMAGE, "resources": {"requests": {"cpu": "10m"}}} | (container or {})
    labels = {"app": "web"} | ({"fault": "test"} if played else {})
    return {"metadata": {"labels": labels}, "spec": {"containers": [web], **spec}}


def deployment(template: Object, name: str = "web", replicas: int = 1, **spec: object) -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template, **spec},
    }


def lone(template: Object) -> Object:
    """A pod that nothing replaces."""
    return {"apiVersion": "v1", "kind": "Pod", **template, "metadata": template["metadata"] | {"name": "web"}}


def job(template: Object) -> Object:
    """A job whose pod is not tried again."""
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {"backoffLimit": 0, "template": template},
    }


def autoscaler() -> Object:
    usage = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 1,
            "maxReplicas": 5,
            "metrics": [{"type": "Resource", "resource": usage}],
        },
    }


def service(selector: Object, port: int = 8080) -> Object:
    spec = {"selector": selector, "ports": [{"port": 80, "targetPort": port}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": spec}


def crashing(name: str, words: tuple[str, ...], *log: str, code: int = 1) -> Fault:
    """A program that ends with an error that its log states."""
    return Fault(
        name,
        "KubePodCrashLooping",
        CRASHING,
        (deployment(pod_of(played=True)),),
        words,
        events=(RESTARTED,),
        log=log,
        status=status(BACK_OFF, restarts=11, last=ended(code, "Error")),
    )


def not_ready(
    name: str, words: tuple[str, ...], play: Object, *events: Seen, container: Object | None = None, **spec: object
) -> Fault:
    """A pod that does not get ready, for a reason that its status or an event states."""
    template = pod_of(container, played=True, **spec)
    return Fault(name, "KubePodNotReady", NOT_READY, (deployment(template),), words, events=events, status=play)


CRASHING = 'Pod {namespace}/{pod} (web) is in waiting state (reason: "CrashLoopBackOff").'
NOT_READY = "Pod {namespace}/{pod} has been in a non-ready state for longer than 15 minutes."
REFUSED = Seen(
    "Unhealthy",
    'Readiness probe failed: Get "http://10.1.0.7:8080/healthz": dial tcp 10.1.0.7:8080: connect: connection refused',
    87,
)
PULL = "Back-off pulling image"
CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data"},
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "fast-ssd",
        "resources": {"requests": {"storage": "20Gi"}},
    },
}
QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "compute"},
    "spec": {"hard": {"requests.cpu": "1"}},
}
NEXT_IMAGE = "registry.example.com/shop/web:1.5.0"
NO_NEXT_IMAGE = f'Failed to pull image "{NEXT_IMAGE}": rpc error: code = NotFound desc = failed to pull and unpack image "{NEXT_IMAGE}": failed to resolve reference "{NEXT_IMAGE}": {NEXT_IMAGE}: not found'
REPLICAS = "Deployment {namespace}/web has not matched the expected number of replicas for longer than 15 minutes."


def faults() -> list[Fault]:
    return [
        crashing(
            "missing-variable",
            ("database_url",),
            "starting shop-web 1.4.2",
            "panic: required environment variable DATABASE_URL is not set",
            code=2,
        ),
        crashing(
            "wrong-password",
            ("authentication failed",),
            "INFO  [main] connecting to orders-db.shop.svc:5432",
            'psycopg2.OperationalError: connection to server at "orders-db.shop.svc" (10.96.14.3), port 5432 failed: FATAL:  password authentication failed for user "shop"',
        ),
        crashing(
            "refused-dependency",
            ("connection refused",),
            'level=info msg="starting worker"',
            'level=fatal msg="cannot reach the queue" error="dial tcp 10.96.33.10:5672: connect: connection refused"',
        ),
        crashing("wrong-architecture", ("exec format error",), "exec /usr/local/bin/web: exec format error", code=255),
        crashing(
            "port-in-use", ("address already in use",), "Error: listen EADDRINUSE: address already in use :::8080"
        ),
        Fault(
            "out-of-memory",
            "KubePodCrashLooping",
            CRASHING,
            (
                deployment(
                    pod_of(
                        {"resources": {"limits": {"memory": "128Mi"}, "requests": {"cpu": "10m", "memory": "128Mi"}}},
                        played=True,
                    )
                ),
            ),
            ("memory",),
            events=(RESTARTED,),
            status=status(BACK_OFF, restarts=9, last=ended(137, "OOMKilled")),
            log=("loading catalog", "loaded 120000 of 480000 articles"),
        ),
        not_ready(
            "no-such-image",
            ("not found", "does not exist"),
            status(waiting("ImagePullBackOff", f'{PULL} "{IMAGE}"')),
            Seen(
                "Failed",
                f'Failed to pull image "{IMAGE}": rpc error: code = NotFound desc = failed to pull and unpack image "{IMAGE}": failed to resolve reference "{IMAGE}": {IMAGE}: not found',
            ),
            Seen("BackOff", f'{PULL} "{IMAGE}"', 31),
        ),
        not_ready(
            "no-right-to-pull",
            ("401", "unauthorized", "credentials", "denied"),
            status(waiting("ImagePullBackOff", f'{PULL} "{IMAGE}"')),
            Seen(
                "Failed",
                f'Failed to pull image "{IMAGE}": failed to pull and unpack image "{IMAGE}": failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://registry.example.com/token: 401 Unauthorized',
            ),
            Seen("BackOff", f'{PULL} "{IMAGE}"', 31),
        ),
        not_ready(
            "no-config-map",
            ("web-config",),
            status(waiting("CreateContainerConfigError", 'configmap "web-config" not found')),
            Seen("Failed", 'Error: configmap "web-config" not found', 40),
            container={"envFrom": [{"configMapRef": {"name": "web-config"}}]},
        ),
        not_ready(
            "no-key-in-secret",
            ("couldn't find key", "password"),
            status(waiting("CreateContainerConfigError", "couldn't find key password in Secret no-key-in-secret/web")),
            Seen("Failed", "Error: couldn't find key password in Secret no-key-in-secret/web", 40),
        ),
        not_ready(
            "no-secret-to-mount",
            ("web-tls",),
            status(waiting("ContainerCreating", "")),
            Seen("FailedMount", 'MountVolume.SetUp failed for volume "certs" : secret "web-tls" not found', 17),
            volumes=[{"name": "certs", "secret": {"secretName": "web-tls"}}],
            container={"volumeMounts": [{"name": "certs", "mountPath": "/certs"}]},
        ),
        not_ready(
            "no-such-program",
            ("executable file not found", "shop-serve"),
            status(
                waiting("CrashLoopBackOff", "back-off 5m0s restarting failed container=web pod=web_shop"),
                restarts=8,
                last=ended(
                    128,
                    "StartError",
                    'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: "shop-serve": executable file not found in $PATH',
                ),
            ),
            Seen(
                "Failed",
                'Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: "shop-serve": executable file not found in $PATH',
                8,
            ),
            container={"command": ["shop-serve"]},
        ),
        not_ready(
            "readiness-refused",
            ("readiness",),
            status({"running": {"startedAt": now(500)}}),
            REFUSED,
            container={"readinessProbe": {"httpGet": {"path": "/healthz", "port": 8080}}},
        ),
        Fault(
            "liveness-kills",
            "KubePodCrashLooping",
            CRASHING,
            (
                deployment(
                    pod_of(
                        {"livenessProbe": {"httpGet": {"path": "/live", "port": 8080}, "timeoutSeconds": 1}},
                        played=True,
                    )
                ),
            ),
            ("liveness",),
            status=status(BACK_OFF, restarts=14, last=ended(137, "Error")),
            events=(
                Seen(
                    "Unhealthy",
                    'Liveness probe failed: Get "http://10.1.0.9:8080/live": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
                    42,
                ),
                Seen("Killing", "Container web failed liveness probe, will be restarted", 14),
            ),
            log=("listening on :8080", "warming caches"),
        ),
        Fault(
            "init-waits-for-name",
            "KubePodNotReady",
            NOT_READY,
            (deployment(pod_of(played=True, initContainers=[{"name": "setup", "image": IMAGE}])),),
            ("orders-db",),
            events=(Seen("BackOff", "Back-off restarting failed container setup in pod web", 22),),
            log=(
                "waiting for the database",
                "nslookup: can't resolve 'orders-db.shop.svc.cluster.local': Name does not resolve",
            ),
            status=status(
                waiting("CrashLoopBackOff", "back-off 2m40s restarting failed container=setup"),
                restarts=6,
                last=ended(1, "Error"),
                init=True,
            ),
        ),
        Fault(
            "too-little-processor",
            "KubePodNotReady",
            NOT_READY,
            (deployment(pod_of({"resources": {"requests": {"cpu": "400"}}})),),
            ("insufficient cpu", "cpu"),
            reported="FailedScheduling",
        ),
        Fault(
            "no-node-selected",
            "KubePodNotReady",
            NOT_READY,
            (deployment(pod_of(nodeSelector={"accelerator": "gpu"})),),
            ("selector", "affinity"),
            reported="FailedScheduling",
        ),
        Fault(
            "no-storage-class",
            "KubePodNotReady",
            NOT_READY,
            (CLAIM, deployment(pod_of(volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]))),
            ("fast-ssd",),
            ("web", "data"),
            reported="FailedScheduling",
        ),
        Fault(
            "quota-is-used",
            "KubeDeploymentReplicasMismatch",
            REPLICAS,
            (QUOTA, deployment(pod_of({"resources": {"requests": {"cpu": "700m"}}}), replicas=2)),
            ("quota",),
            ("web", "compute"),
            reported="FailedCreate",
        ),
        Fault(
            "pods-are-not-admitted",
            "KubeDeploymentReplicasMismatch",
            REPLICAS,
            (deployment(pod_of(hostNetwork=True)),),
            ("podsecurity", "pod security", "admission", "not admitted"),
            labels={"pod-security.kubernetes.io/enforce": "restricted"},
            reported="FailedCreate",
        ),
        Fault(
            "evicted",
            "KubePodNotReady",
            NOT_READY,
            (lone(pod_of(played=True)),),
            ("evict", "ephemeral"),
            status={
                "phase": "Failed",
                "reason": "Evicted",
                "message": "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ",
                "startTime": now(600),
            },
            events=(
                Seen("Evicted", "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ", 1),
            ),
        ),
        Fault(
            "rollout-hangs",
            "KubeDeploymentRolloutStuck",
            "Rollout of deployment {namespace}/web is not progressing for longer than 15 minutes.",
            (deployment(pod_of(), replicas=2, progressDeadlineSeconds=1),),
            ("1.5.0",),
            events=(Seen("Failed", NO_NEXT_IMAGE), Seen("BackOff", f'{PULL} "{NEXT_IMAGE}"', 31)),
            status=status(waiting("ImagePullBackOff", f'{PULL} "{NEXT_IMAGE}"'), image=NEXT_IMAGE),
            rolled_out=pod_of({"image": NEXT_IMAGE}, played=True),
            label="deployment",
        ),
        Fault(
            "job-fails",
            "KubeJobFailed",
            "Job {namespace}/web failed to complete. Removing failed job after investigation should clear this alert.",
            (job(pod_of(played=True, restartPolicy="Never")),),
            ("schema", "invoices"),
            log=(
                "applying migration 42 of 57",
                'ERROR: column "invoice_total" of relation "invoices" does not exist (SQLSTATE 42703)',
                "migration failed, exiting with status 1",
            ),
            status={**status(ended(1, "Error")), "phase": "Failed"},
        ),
        Fault(
            "autoscaler-without-metrics",
            "KubeHpaReplicasMismatch",
            "HorizontalPodAutoscaler {namespace}/web has not matched the desired number of replicas for 15 minutes.",
            (deployment(pod_of(), replicas=2), autoscaler()),
            ("metric",),
            reported="FailedGetResourceMetric",
        ),
        Fault(
            "no-endpoints",
            "ServiceHasNoEndpoints",
            "Service {namespace}/web has no ready endpoints; requests to it fail with 503.",
            (service({"app": "web", "track": "stable"}), deployment(pod_of())),
            ("selector", "selects"),
        ),
    ]


def healthy() -> list[Fault]:
    """Namespaces in which nothing fails, with alerts that are over."""
    whole = (service({"app": "web"}), deployment(pod_of(), replicas=2))
    return [
        Fault("whole-crash", "KubePodCrashLooping", CRASHING, whole),
        Fault("whole-replicas", "KubeDeploymentReplicasMismatch", REPLICAS, whole),
        Fault(
            "whole-not-ready",
            "KubePodNotReady",
            NOT_READY,
            whole,
            log=("GET /healthz 200 1ms", "GET /articles 200 12ms"),
        ),
        Fault(
            "whole-errors",
            "HighErrorRate",
            "More than 5 % of the requests to {namespace}/web fail.",
            whole,
            log=("GET /healthz 200 1ms", "GET /articles 200 12ms", "retries=0 errors=0 dropped=0"),
        ),
        Fault(
            "whole-latency",
            "HighRequestLatency",
            "The 99th percentile of {namespace}/web is above 2 s.",
            whole,
            log=("GET /articles 200 12ms",),
        ),
    ]
