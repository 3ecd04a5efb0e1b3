//! The families of faults, a file each: patterns of messages, and functions over objects.

mod access;
mod application;
mod broker;
mod certificate;
mod claim;
mod clock;
mod cloud;
mod command;
mod configuration;
mod container;
mod control_plane;
mod counters;
mod crash;
mod custom_resource;
mod database;
mod dependency;
mod disk;
mod dns;
mod endpoints;
mod engine;
mod environment;
mod feature_flag;
mod health;
mod host;
mod host_memory;
mod host_service;
mod image_pull;
mod ingress;
mod injected;
mod issuance;
mod measured;
mod memory;
mod missing_workload;
mod network_fault;
mod network_policy;
mod node;
mod pattern;
mod probe;
mod proxy;
mod quota;
mod recovery;
mod redeployment;
mod reference;
mod removal;
mod rollout;
mod routes;
mod runtime;
mod sample;
mod scheduling;
mod series;
mod service_routing;
mod space;
mod starvation;
mod state;
mod stores;
mod trace;
mod uncaught;
mod unit_reason;
mod volume;

use std::sync::LazyLock;

use crate::facts::Facts;
use crate::signal::Signal;

pub(crate) use container::{has_recovered, is_ready};

/// Looks for everything that the facts show.
pub(crate) fn find(facts: &Facts) -> Vec<Signal> {
    let mut found = pattern::find(facts, &COMPILED);
    node::states(facts, &COMPILED, &mut found);
    custom_resource::rows(facts, &COMPILED, &mut found);
    for family in FAMILIES {
        family(facts, &mut found);
    }
    found
}

/// The functions of the families that look at objects.
const FAMILIES: &[fn(&Facts, &mut Vec<Signal>)] = &[
    image_pull::find,
    certificate::find,
    issuance::find,
    memory::find,
    crash::find,
    command::find,
    probe::find,
    scheduling::find,
    quota::find,
    claim::find,
    service_routing::find,
    endpoints::find,
    ingress::find,
    dns::find,
    network_policy::find,
    injected::find,
    configuration::find,
    environment::find,
    reference::find,
    custom_resource::find,
    node::find,
    control_plane::find,
    starvation::find,
    disk::find,
    host_service::find,
    missing_workload::find,
    removal::find,
    rollout::find,
    feature_flag::find,
    redeployment::find,
    trace::find,
    uncaught::find,
    unit_reason::find,
    dependency::find,
    health::find,
    host::find,
    |facts, found| space::find(facts, found),
    routes::find,
    counters::find,
    host_memory::find,
    measured::find,
    state::find,
    sample::find,
    series::find,
];

const PATTERNS: &[&[pattern::Pattern]] = &[
    image_pull::PATTERNS,
    memory::PATTERNS,
    crash::PATTERNS,
    command::PATTERNS,
    probe::PATTERNS,
    scheduling::PATTERNS,
    rollout::PATTERNS,
    quota::PATTERNS,
    volume::PATTERNS,
    service_routing::PATTERNS,
    ingress::PATTERNS,
    dns::PATTERNS,
    network_fault::PATTERNS,
    configuration::PATTERNS,
    access::PATTERNS,
    certificate::PATTERNS,
    clock::PATTERNS,
    node::PATTERNS,
    control_plane::PATTERNS,
    database::PATTERNS,
    stores::PATTERNS,
    starvation::PATTERNS,
    disk::PATTERNS,
    host_service::PATTERNS,
    missing_workload::PATTERNS,
    feature_flag::PATTERNS,
    proxy::PATTERNS,
    broker::PATTERNS,
    cloud::PATTERNS,
    engine::PATTERNS,
    runtime::PATTERNS,
    application::PATTERNS,
];

static COMPILED: LazyLock<pattern::Compiled> = LazyLock::new(|| pattern::Compiled::new(PATTERNS));
