//! Container engines outside of Kubernetes, and runners of builds.

use super::pattern::{Pattern, both, log};
use crate::verdict::Category::{
    Application, Configuration, HostService, ImagePull, MissingWorkload, Scheduling,
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
];
