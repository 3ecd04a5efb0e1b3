//! Probes: a path, port or time that does not fit the application.

use std::sync::LazyLock;

use regex::Regex;

use super::container::{Container, has_recovered, is_ready, specs};
use super::pattern::{Pattern, log};
use crate::facts::{Event, Facts, Record};
use crate::signal::Signal;
use crate::text::regex;
use crate::verdict::Category::Probe;

pub(super) const PATTERNS: &[Pattern] = &[
    log(Probe, 52.0, "a health check fails", r"health ?check.{0,20}fail|\bnot_serving\b"),
    log(
        Probe,
        88.0,
        "the container does not listen on the port at which its platform looks for it",
        r"failed to start and (?:then )?listen on the port",
    ),
];

/// Failing probes of pods that are not ready, and probes of ports that no container has.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for event in facts.events.iter().filter(|event| event.message.contains("robe failed")) {
        found.push(of_event(facts, event));
    }
    for event in &facts.events {
        let fails = |kind: &&&str| event.message.contains(&format!("failed {kind} probe"));
        let Some(kind) = ["liveness", "startup"].iter().find(fails) else { continue };
        let cause = format!("its {kind} probe fails, and the kubelet restarts the container");
        found.push(Signal::of_event((Probe, 70.0), cause, facts, event));
    }
    for record in facts
        .records
        .iter()
        .filter(|one| matches!(&*one.kind, "pod" | "deployment" | "statefulset"))
    {
        of_specs(facts, record, found);
        of_description(facts, record, found);
    }
}

/// Seconds after which a probe that failed no longer does, if its pod is ready since.
const OVER: f64 = 300.0;

fn of_event(facts: &Facts, event: &Event) -> Signal {
    static PROBE: LazyLock<Regex> = regex!(r"(?i)^(?P<probe>\w+) probe failed: (?P<rest>.*)");
    let captures = PROBE.captures(&event.message);
    let part =
        |name| captures.as_ref().and_then(|found| found.name(name)).map_or("", |one| one.as_str());
    let (probe, rest) = (part("probe").to_lowercase(), part("rest"));
    let wrong = rest.contains("statuscode: 404")
        || rest.contains("not found")
        || rest.contains("no such file")
        || rest.contains("unknown service");
    let mut weight = if wrong { 80.0 } else { 62.0 };
    let (namespace, name) = (&event.target.namespace, &event.target.name);
    let has_passed =
        event.age.is_some_and(|age| age > OVER) && has_recovered(facts, namespace, name);
    if is_ready(facts, namespace, name) && (has_passed || !restarts(facts, name)) {
        weight = 15.0;
    } else if is_crashing(facts, &event.target.name) && !wrong {
        // The probe of a process that is not there fails, too.
        weight = 44.0;
    }
    let cause = if wrong {
        format!("its {probe} probe asks for something that the application does not have")
    } else {
        format!("its {probe} probe fails")
    };
    Signal::of_event((Probe, weight), cause, facts, event)
}

/// Whether the containers of a pod were restarted within the last hour.
fn restarts(facts: &Facts, pod: &str) -> bool {
    let age = |record: &Record| record.get("last restarts age").and_then(crate::text::age_seconds);
    facts
        .of_kind("pod")
        .any(|record| record.name == pod && age(record).is_some_and(|age| age < 3_600.0))
}

fn is_crashing(facts: &Facts, pod: &str) -> bool {
    facts.of_kind("pod").filter(|record| record.name == pod).any(|record| {
        let reasons = Container::states(record);
        let ended =
            reasons.iter().filter_map(Container::ended).any(|field| field.value != "Completed");
        ended
            || record
                .get("STATUS")
                .is_some_and(|status| status.contains("Crash") || status.contains("Error"))
    })
}

/// Whether a path of fields ends in this.
fn has_end(path: &str, end: &str) -> bool {
    path.ends_with(end)
}

/// Ports of probes that no container declares.
fn of_specs(facts: &Facts, record: &Record, found: &mut Vec<Signal>) {
    for prefix in specs(record) {
        let own: Vec<_> =
            record.fields.iter().filter(|field| field.path.starts_with(&prefix)).collect();
        let ports: Vec<&str> = own
            .iter()
            .filter(|field| {
                has_end(&field.path, ".containerPort")
                    || field.path.contains(".ports[") && has_end(&field.path, ".name")
            })
            .map(|field| field.value.as_str())
            .collect();
        let probes = own
            .iter()
            .filter(|field| field.path.contains("Probe.") && has_end(&field.path, ".port"));
        for field in
            probes.filter(|field| !ports.is_empty() && !ports.contains(&field.value.as_str()))
        {
            let cause =
                format!("its probe asks port {}, which its container does not have", field.value);
            found.push(Signal::of_record((Probe, 84.0), cause, facts, record, field));
        }
    }
}

/// The same in a description: `Readiness: http-get http://:8081/ready`, beside `Port: 8080/TCP`.
fn of_description(facts: &Facts, record: &Record, found: &mut Vec<Signal>) {
    static ASKED: LazyLock<Regex> =
        regex!(r"(?:tcp-socket |http-get https?://|grpc <pod>)\S*?:(\d+)");
    let ports: Vec<&str> = record
        .fields_ending("Port")
        .chain(record.fields_ending("Ports"))
        .flat_map(|field| {
            field.value.split(',').map(|port| port.trim().split('/').next().unwrap_or(""))
        })
        .collect();
    if ports.is_empty() || ports.iter().all(|port| port.parse::<u32>().is_err()) {
        return;
    }
    for name in ["Readiness", "Liveness", "Startup"] {
        for field in record.fields_ending(name) {
            let Some(port) = ASKED.captures(&field.value).and_then(|found| found.get(1)) else {
                continue;
            };
            if !ports.contains(&port.as_str()) {
                let probe = name.to_lowercase();
                let cause = format!(
                    "its {probe} probe asks port {}, which its container does not have",
                    port.as_str()
                );
                found.push(Signal::of_record((Probe, 84.0), cause, facts, record, field));
            }
        }
    }
}
