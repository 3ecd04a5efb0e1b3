//! Floors: a crate depends only on those below it, and a vendor's crate has one door.

use std::collections::BTreeMap;

use cargo_metadata::{DependencyKind, MetadataCommand, Package};

/// The floor of each library; services are above all of them.
const FLOORS: [(&str, u8); 16] = [
    ("tarsy-domain", 0),
    ("tarsy-contracts", 1),
    ("tarsy-catalog", 1),
    ("tarsy-masking", 1),
    ("tarsy-llm-proto", 1),
    ("tarsy-tokens", 1),
    ("tarsy-telemetry", 2),
    ("tarsy-embedded", 2),
    ("tarsy-store", 2),
    ("tarsy-bus", 2),
    ("tarsy-llm", 2),
    ("tarsy-tools", 2),
    ("tarsy-web", 2),
    ("tarsy-runbooks", 2),
    ("tarsy-service", 3),
    ("tarsy-testkit", 9),
];

/// Neighbours on one floor that may be depended on: telemetry by all, the bus by its client room.
/// The catalog checks names and expressions of masks against the masker's own list.
const SIDEWAYS: [(&str, &str); 3] =
    [("*", "tarsy-telemetry"), ("tarsy-tools", "tarsy-bus"), ("tarsy-catalog", "tarsy-masking")];

/// Who may name a vendor's crate.
const DOORS: [(&str, &[&str]); 15] = [
    ("sqlx", &["tarsy-store", "tarsy-testkit", "tarsy-e2e"]),
    ("async-nats", &["tarsy-bus", "tarsy-bench"]),
    ("rmcp", &["tarsy-mcp-gateway", "tarsy-host-inspector"]),
    ("tonic", &["tarsy-llm", "tarsy-llm-proto"]),
    ("tonic-prost", &["tarsy-llm-proto"]),
    ("prost", &["tarsy-llm", "tarsy-llm-proto"]),
    ("opentelemetry", &["tarsy-telemetry"]),
    ("opentelemetry_sdk", &["tarsy-telemetry"]),
    ("opentelemetry-otlp", &["tarsy-telemetry"]),
    ("tracing-opentelemetry", &["tarsy-telemetry"]),
    ("metrics-exporter-prometheus", &["tarsy-service", "tarsy-telemetry"]),
    ("granit-parser", &["tarsy-catalog", "tarsy-mcp-gateway"]),
    ("minijinja", &["tarsy-orchestrator", "tarsy-summarizer"]),
    ("bpe-openai", &["tarsy-tokens"]),
    ("axum", &AXUM),
];

/// The rooms that speak HTTP.
const AXUM: [&str; 7] = [
    "tarsy",
    "tarsy-web",
    "tarsy-service",
    "tarsy-api-gateway",
    "tarsy-mcp-gateway",
    "tarsy-stream-relay",
    "tarsy-e2e",
];

/// Crates that put everything together and may name any of ours.
const COMPOSERS: [&str; 4] = ["tarsy", "tarsy-e2e", "tarsy-bench", "xtask"];

/// Fails with every arrow that goes the wrong way.
pub(crate) fn check() -> anyhow::Result<()> {
    let metadata = MetadataCommand::new().no_deps().exec()?;
    let floors: BTreeMap<&str, u8> = FLOORS.into_iter().collect();
    let mut problems = Vec::new();
    for package in &metadata.packages {
        check_floors(package, &floors, &mut problems);
        check_doors(package, &mut problems);
    }
    anyhow::ensure!(problems.is_empty(), "{}", problems.join("\n"));
    Ok(())
}

fn normal(package: &Package) -> impl Iterator<Item = &str> {
    package
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind == DependencyKind::Normal)
        .map(|dependency| dependency.name.as_str())
}

fn check_floors(package: &Package, floors: &BTreeMap<&str, u8>, problems: &mut Vec<String>) {
    let name = package.name.as_str();
    if COMPOSERS.contains(&name) {
        return;
    }
    let mine = floors.get(name).copied().unwrap_or(4);
    for dependency in normal(package).filter(|dependency| dependency.starts_with("tarsy")) {
        let theirs = floors.get(dependency).copied().unwrap_or(4);
        let beside =
            SIDEWAYS.iter().any(|&(from, to)| (from == "*" || from == name) && to == dependency);
        if theirs >= mine && !(theirs == mine && beside) {
            problems.push(format!("{name} (floor {mine}) names {dependency} (floor {theirs})"));
        }
    }
}

fn check_doors(package: &Package, problems: &mut Vec<String>) {
    for (vendor, doors) in DOORS {
        let names = normal(package).any(|dependency| dependency == vendor);
        if names && !doors.contains(&package.name.as_str()) {
            problems.push(format!("{} names {vendor}; only {doors:?} may", package.name));
        }
    }
}
