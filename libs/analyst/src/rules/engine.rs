//! Container engines outside of Kubernetes, and runners of builds.

use super::pattern::{Pattern, both, log};
use crate::verdict::Category::{
    Access, Application, Configuration, HostService, ImagePull, MissingWorkload, Scheduling,
};

pub(super) const PATTERNS: &[Pattern] = &[
    both(
        ImagePull,
        91.0,
        "an image cannot be pulled: its registry allows no more pulls for now",
        r"toomanyrequests: you have reached|pull rate limit",
    ),
    both(
        ImagePull,
        90.0,
        "the image `${image}` does not exist in its registry",
        r"manifest for (?P<image>\S+) not found",
    ),
    both(
        ImagePull,
        90.0,
        "the registry of image `${image}` does not let it be pulled",
        r"pull access denied for (?P<image>[^\s,]+)",
    ),
    both(
        ImagePull,
        90.0,
        "a task cannot start: its image cannot be pulled",
        r"cannotpullcontainererror",
    ),
    both(
        HostService,
        84.0,
        "the container engine does not run",
        r"cannot connect to the docker daemon|is the docker daemon running",
    ),
    both(
        HostService,
        87.0,
        "a container cannot start: its port is taken",
        r"port is already allocated|ports are not available",
    ),
    log(
        Scheduling,
        86.0,
        "the pod that a build needs did not start in time",
        r"waiting for pod running: timed out|timed out waiting for pod to start",
    ),
    log(
        HostService,
        86.0,
        "the runner of a build is gone",
        r"lost communication with the server|agent (?:went|is) offline|runner .{1,60} is offline",
    ),
    log(
        MissingWorkload,
        86.0,
        "a build waits: no runner may do it",
        r"job is stuck|no active runners|waiting for a runner to pick up",
    ),
    log(
        Configuration,
        88.0,
        "an earlier run still holds the lock of the state",
        r"error acquiring the state lock",
    ),
    log(Application, 74.0, "a test fails", r"--- fail: |\btest \S+ \.{3} failed\b"),
    both(
        Application,
        93.0,
        "another run of Helm holds the release, or was broken off",
        r"another operation \(install/upgrade/rollback\) is in progress|has no deployed releases",
    ),
    both(
        Configuration,
        93.0,
        "a field of an object is changed that may not change",
        r"field is immutable|updates to statefulset spec for fields other than|cannot change .{0,40}immutable|updates to parameters are forbidden",
    ),
    both(
        Configuration,
        92.0,
        "an object that the release brings exists already, and belongs to somebody else",
        r"cannot be imported into the current release|invalid ownership metadata|rendered manifests contain a resource that already exists",
    ),
    both(
        Configuration,
        92.0,
        "the annotations of an object are too long",
        r"metadata\.annotations: too long",
    ),
    both(
        Access,
        91.0,
        "the server of the builds does not accept the runner's token",
        r"checking for jobs\.{3} (?:forbidden|unauthorized|failed)|runner .{1,80} is unhealthy and will be disabled|runner registration .{0,40}(?:deleted|not found|invalid)",
    ),
    log(
        Application,
        88.0,
        "packages of a build do not fit each other, or cannot be found",
        r"\beresolve\b|resolutionimpossible|version solving failed|could not resolve dependencies|unable to locate package|no matching distribution found|no matching version found|could not find artifact|npm err! code e(?:404|targ\w*)",
    ),
    both(
        Access,
        90.0,
        "the server of the sources does not let its caller in",
        r"host key verification failed|permission denied \(publickey|fatal: authentication failed for|remote: (?:invalid username|repository not found|http basic: access denied)|could not read username for",
    ),
    log(
        Application,
        88.0,
        "a job took longer than it may",
        r"execution took longer than \S+ seconds|exceeded the maximum execution time|job .{0,40}timed out after|the job running on runner .{1,80} has exceeded",
    ),
    both(
        Application,
        90.0,
        "an earlier run has left the backup's repository locked",
        r"repository is already locked|unable to create lock in backend|failed to create/acquire the lock",
    ),
    both(
        Configuration,
        88.0,
        "the sources of the deployment cannot be rendered",
        r"manifest generation error|failed to generate manifest|error: accumulating resources|execution error at \(|error converting yaml to json|parse error at \(",
    ),
    both(
        Configuration,
        91.0,
        "a container asks for a device that its engine has no driver for",
        r"could not select device driver",
    ),
    both(
        Configuration,
        89.0,
        "another container has the name already",
        r"the container name .{1,80} is already in use",
    ),
    both(
        Configuration,
        91.0,
        "the container engine has no range of addresses left for another network",
        r"non-overlapping ipv4 address pool",
    ),
    both(
        Configuration,
        88.0,
        "a network of containers does not exist",
        r"response from daemon: network \S+ not found",
    ),
    both(
        Access,
        90.0,
        "the server of the sources is not the one whose key is known",
        r"knownhosts: key (?:mismatch|is unknown)",
    ),
    both(
        Configuration,
        74.0,
        "objects of the application are refused when they are written",
        r"one or more objects failed to apply",
    )
    .beside(&["sync", "argo", "deploy", "release", "progress", "applic"]),
];
