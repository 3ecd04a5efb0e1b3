//! What a cloud refuses: too many calls, too many machines, what it does not have.

use super::pattern::{Pattern, log};
use crate::verdict::Category::{Application, Quota};

pub(super) const PATTERNS: &[Pattern] = &[
    log(
        Quota,
        86.0,
        "the cloud refuses calls: there are too many of them",
        r"throttlingexception|requestlimitexceeded|error code: throttling\b|rate exceeded \(service|throttl.*: rate exceeded",
    )
    .beside(&["throttl", "rate", "quota", "limit", "429", "too many"]),
    log(
        Quota,
        88.0,
        "a table has less throughput than its requests need",
        r"provisionedthroughputexceeded",
    ),
    log(
        Quota,
        91.0,
        "a quota of the cloud account is used up",
        r"vcpulimitexceeded|more vcpu capacity than your current|instancelimitexceeded|quota '?\w+'? exceeded|quotaexceeded|you have exceeded your .{1,40} quota|exceeding approved .{1,60} quota|current limit: \d+, current usage: \d+",
    ),
    log(
        Quota,
        89.0,
        "the cloud has no machine of the kind that is asked for",
        r"do not have sufficient \S+ capacity|insufficientinstancecapacity|zone_resource_pool_exhausted",
    ),
    log(
        Application,
        84.0,
        "a function runs longer than it may, and is ended",
        r"task timed out after \d+(?:\.\d+)? seconds",
    )
    .beside(&["time", "function", "lambda", "duration", "slow", "error"]),
];
