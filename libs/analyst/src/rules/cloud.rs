//! What a cloud refuses: too many calls, too many machines, what it does not have.

use super::pattern::{Pattern, both, log};
use crate::verdict::Category::{
    Access, Application, Configuration, Quota, Scheduling, ServiceRouting,
};

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
    both(
        Quota,
        90.0,
        "the store refuses more changes of a volume for now",
        r"maximum modification rate per volume",
    ),
    both(
        Access,
        91.0,
        "the cloud does not allow its caller the action",
        r"unauthorizedoperation|you are not authorized to perform this operation|authorizationfailed\b|insufficient authentication scopes|caller does not have permission",
    ),
    both(
        Configuration,
        92.0,
        "no subnet of the cloud fits the load balancer",
        r"could not find any suitable subnets|couldn't auto-discover subnets|unable to resolve at least one subnet",
    ),
    both(
        ServiceRouting,
        88.0,
        "the load balancer of a service cannot be made",
        r"syncloadbalancerfailed|error syncing load balancer|failed to ensure load ?balancer|failed build model due to|failed deploy model due to",
    )
    .leads("the load balancer of a service cannot be made"),
    both(
        Scheduling,
        88.0,
        "the autoscaler has no kind of node that fits the pod",
        r"no instance type (?:satisfied|met)|incompatible with (?:nodepool|provisioner)|all available instance types exceed limits|pod didn't trigger scale-up|max node group size reached|max cluster (?:cpu|memory|size) .{0,20}reached",
    )
    .beside(&["pending", "schedul", "node", "replica", "ready", "pod"]),
    both(
        Scheduling,
        90.0,
        "the autoscaler could not add a node",
        r"failedscaleup|scaleuptimedout|scale-up failed|nodegroup .{0,60}backed off|(?:node ?claim|node ?group|machine|instance)\S* .{0,80}launch failed: |launch failed: .{0,120}(?:instance|capacity|quota|subnet)",
    ),
    both(
        Quota,
        90.0,
        "the calls of an interface have used up their quota",
        r"quota exceeded for quota metric|dailylimitexceeded|userratelimitexceeded|you exceeded your current quota|insufficient_quota|over_query_limit",
    ),
    both(
        Access,
        90.0,
        "the account or its token is not accepted any more",
        r"invalid_grant|invalid_client\b|aadsts\d{5,}|refresh token .{0,30}(?:expired|revoked)|token has been revoked",
    )
    .beside(&["login", "auth", "token", "sign", "401", "oauth", "sync", "access"]),
    both(
        Access,
        90.0,
        "the store of secrets does not give a secret out",
        r"could not get secret data from provider|secretsyncederror|error retrieving secret|failed to fetch secret .{0,80}(?:403|denied|forbidden)",
    )
    .leads("a secret cannot be read from its store"),
    log(
        Configuration,
        90.0,
        "the bucket of the object store does not exist",
        r"nosuchbucket\b|specified bucket does not exist",
    ),
    log(
        Quota,
        86.0,
        "the object store refuses requests: there are too many of them",
        r"reduce your request rate|\(slowdown\)",
    )
    .beside(&["slow", "rate", "limit", "503", "backup", "upload", "throttl", "latency"]),
];
