//! Layers: a crate depends only on crates of lower layers, and one adapter crate uses each vendor's crate.

use std::collections::BTreeMap;

use cargo_metadata::{DependencyKind, Metadata, Package};

/// The layer of each library; services are above all of them.
const LAYERS: [(&str, u8); 26] = [
    ("tarsy-domain", 0),
    ("tarsy-hosts", 0),
    ("tarsy-intake", 0),
    ("tarsy-lenient", 0),
    ("tarsy-visible", 0),
    ("tarsy-contracts", 1),
    ("tarsy-catalog", 1),
    ("tarsy-masking", 1),
    ("tarsy-llm-proto", 1),
    ("tarsy-tokens", 1),
    ("tarsy-evidence", 1),
    ("tarsy-analyst", 1),
    ("tarsy-injection", 1),
    ("tarsy-effects", 2),
    ("tarsy-evaluation", 2),
    ("tarsy-telemetry", 2),
    ("tarsy-embedded", 2),
    ("tarsy-store", 2),
    ("tarsy-bus", 2),
    ("tarsy-llm", 2),
    ("tarsy-tools", 2),
    ("tarsy-web", 2),
    ("tarsy-outbound", 1),
    ("tarsy-runbooks", 2),
    ("tarsy-service", 3),
    ("tarsy-testkit", 9),
];

/// The layer of services, and of test support above libraries.
const SERVICES: u8 = 4;

/// Crates of the same layer that may be depended on.
/// The catalog checks names and expressions of masks against the masker's own list. What tools print is read once, by
/// `evidence`, for the analyst, too; foreign JSON is read by `lenient` everywhere.
const SIDEWAYS: [(&str, &str); 5] = [
    ("*", "tarsy-telemetry"),
    ("tarsy-tools", "tarsy-bus"),
    ("tarsy-catalog", "tarsy-masking"),
    ("tarsy-analyst", "tarsy-evidence"),
    ("tarsy-intake", "tarsy-lenient"),
];

/// The crates that may depend on a vendor's crate.
const ADAPTERS: [(&str, &[&str]); 21] = [
    ("sqlx", &["tarsy-store", "tarsy-testkit", "tarsy-e2e"]),
    ("async-nats", &["tarsy-bus", "tarsy-bench"]),
    ("rmcp", &["tarsy-mcp-gateway", "tarsy-host-inspector", "tarsy-api-gateway"]),
    ("tonic", &["tarsy-llm", "tarsy-llm-proto"]),
    ("tonic-prost", &["tarsy-llm-proto"]),
    ("prost", &["tarsy-llm", "tarsy-llm-proto"]),
    ("opentelemetry", &["tarsy-telemetry"]),
    ("opentelemetry_sdk", &["tarsy-telemetry"]),
    ("opentelemetry-otlp", &["tarsy-telemetry"]),
    ("tracing-opentelemetry", &["tarsy-telemetry"]),
    ("metrics-exporter-prometheus", &["tarsy-service", "tarsy-telemetry"]),
    ("granit-parser", &["tarsy-catalog", "tarsy-evidence", "tarsy-mcp-gateway"]),
    ("sqlparser", &["tarsy-effects"]),
    ("apollo-parser", &["tarsy-effects"]),
    ("kube", &["tarsy-kubernetes-watcher"]),
    ("k8s-openapi", &["tarsy-kubernetes-watcher"]),
    ("minijinja", &["tarsy-orchestrator", "tarsy-summarizer"]),
    ("bpe-openai", &["tarsy-tokens"]),
    ("axum", &AXUM),
    ("hyper", &["tarsy-web", "tarsy-outbound"]),
    ("hyper-util", &["tarsy-web", "tarsy-outbound"]),
];

/// The crates that serve HTTP.
const AXUM: [&str; 8] = [
    "tarsy",
    "tarsy-web",
    "tarsy-service",
    "tarsy-api-gateway",
    "tarsy-mcp-gateway",
    "tarsy-stream-relay",
    "tarsy-e2e",
    "tarsy-testkit",
];

/// Crates that compose the others and may depend on any of them.
const COMPOSERS: [&str; 4] = ["tarsy", "tarsy-e2e", "tarsy-bench", "xtask"];

/// Lists each dependency that goes the wrong way.
pub(crate) fn problems(metadata: &Metadata) -> Vec<String> {
    let layers: BTreeMap<&str, u8> = LAYERS.into_iter().collect();
    let mut problems = Vec::new();
    for package in &metadata.packages {
        check_layers(package, &layers, &mut problems);
        check_adapters(package, &mut problems);
    }
    problems
}

fn normal_dependencies(package: &Package) -> impl Iterator<Item = &str> {
    package
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind == DependencyKind::Normal)
        .map(|dependency| dependency.name.as_str())
}

fn check_layers(package: &Package, layers: &BTreeMap<&str, u8>, problems: &mut Vec<String>) {
    let name = package.name.as_str();
    if COMPOSERS.contains(&name) {
        return;
    }
    let layer_of = |name: &str| layers.get(name).copied().unwrap_or(SERVICES);
    let own = layer_of(name);
    for dependency in normal_dependencies(package).filter(|name| name.starts_with("tarsy")) {
        let other = layer_of(dependency);
        let sideways =
            SIDEWAYS.iter().any(|&(from, to)| (from == "*" || from == name) && to == dependency);
        if other >= own && !(other == own && sideways) {
            problems.push(format!("{name} (layer {own}) depends on {dependency} (layer {other})"));
        }
    }
}

fn check_adapters(package: &Package, problems: &mut Vec<String>) {
    for (vendor, adapters) in ADAPTERS {
        let depends = normal_dependencies(package).any(|dependency| dependency == vendor);
        if depends && !adapters.contains(&package.name.as_str()) {
            problems.push(format!("{} depends on {vendor}; only {adapters:?} may", package.name));
        }
    }
}
