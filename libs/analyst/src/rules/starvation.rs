//! CPU and memory that are used up without anything being killed.

use super::pattern::{Pattern, both, event, log};
use crate::facts::{Facts, Field, Measure, Record};
use crate::signal::Signal;
use crate::text::owner_name;
use crate::verdict::Category::{Configuration, ControlPlane, Starvation};

/// Percent of a node or limit from which on usage is a cause.
const HIGH_PERCENT: f64 = 90.0;
/// Millicores from which on a pod is busy.
const BUSY_MILLICORES: f64 = 900.0;
/// How many times as much as the median of all pods a busy pod uses.
const TIMES_MEDIAN: f64 = 5.0;
/// How much less the usage of a whole host weighs than that of one process.
const OF_HOST: f64 = 12.0;
/// The share of its limit from which on a container is held back by it.
const AT_LIMIT: f64 = 0.95;
/// Periods of which this part was throttled are a cause.
const THROTTLED: f64 = 0.25;

pub(super) const PATTERNS: &[Pattern] = &[
    both(
        Starvation,
        74.0,
        "the number of replicas cannot grow any further: the autoscaler is at its maximum",
        r"toomanyreplicas|desired replica count is more than the maximum|scalinglimited .{0,40}true",
    ),
    event(
        Starvation,
        72.0,
        "the autoscaler cannot compute the number of replicas: a container requests no ${resource}",
        r"missing request for (?P<resource>\w+)",
    ),
    event(
        ControlPlane,
        84.0,
        "the autoscaler has no metric: the interface of metrics does not answer",
        r"unable to fetch metrics from (?:resource|custom|external) metrics api: the server (?:is currently unable|could not find the requested resource)",
    ),
    event(
        Configuration,
        86.0,
        "the autoscaler asks for the metric `${metric}`, which nobody provides",
        r"the server could not find the metric (?P<metric>[\w.:/-]+)",
    ),
    event(
        Starvation,
        60.0,
        "the autoscaler cannot compute the number of replicas: it gets no metric",
        r"^failedget(?:resource|pods|external|object|scale)\w*|^failedcomputemetricsreplicas",
    ),
    log(
        Starvation,
        80.0,
        "its CPU quota throttles it",
        r"nr_throttled[ =:]+[1-9]|throttled_usec[ =:]+[1-9]",
    )
    .beside(&["cpu", "throttl", "slow", "latency", "processor", "timeout", "load"]),
    both(
        Starvation,
        76.0,
        "the processor is used up",
        r"cputhrottlinghigh|cpu (?:usage|utili[sz]ation) .{0,30}(?:9\d|100)(?:\.\d+)? ?%|stress-ng|blocked for more than \d+ seconds|soft lockup|self-detected stall on cpu|throttling rate",
    ),
    both(
        Starvation,
        80.0,
        "more connections arrive at a port than its program accepts",
        r"possible syn flooding on port",
    )
    .beside(&["connection", "refuse", "timeout", "slow", "latency", "reach", "syn", "flood"]),
    both(
        Starvation,
        78.0,
        "garbage collection stops the application",
        r"gc (?:pause|overhead)|stop-the-world|manual (?:gc|garbage collection)|full gc|\bpause full\b|concurrent mode failure|to-space exhausted",
    ),
    both(
        Starvation,
        72.0,
        "more requests arrive than can be served",
        r"too many requests|\b429\b.{0,30}(?:status|http|too)|rate limit(?:ed)? exceeded|load ?shed|queue is full|resourceexhausted|resource_exhausted|traffic (?:surge|spike)|request surge",
    ),
    log(
        Starvation,
        86.0,
        "more connections wait at a port than its program takes",
        r"listen queue of socket .{1,60} full",
    ),
];

/// Busy pods and nodes of `kubectl top`, throttled containers of metrics, busy processes of hosts.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    let usage: Vec<&Record> = facts.of_kind("usage").collect();
    let cpu = |one: &Record| one.get("CPU(cores)").and_then(millicores);
    let mut all: Vec<f64> = usage.iter().filter_map(|one| cpu(one)).collect();
    all.sort_by(f64::total_cmp);
    let median = all.get(all.len() / 2).copied().unwrap_or_default();
    for one in usage {
        for field in one.fields.iter().filter(|field| field.path.ends_with('%')) {
            if field
                .value
                .trim_end_matches('%')
                .parse::<f64>()
                .is_ok_and(|value| value >= HIGH_PERCENT)
            {
                let cause = "the node has almost no CPU or memory left";
                found.push(
                    Signal::of_record((Starvation, 76.0), cause, facts, one, field).at(node(one)),
                );
            }
        }
        if let Some(field) = one.field("CPU(cores)") {
            let busy = cpu(one)
                .is_some_and(|value| value >= BUSY_MILLICORES && value >= median * TIMES_MEDIAN);
            if busy && one.get("CPU%").is_none() {
                let cause = "it uses far more CPU than the other pods";
                let target = crate::verdict::Target::new("Pod", &one.name, &one.namespace);
                found.push(
                    Signal::of_record((Starvation, 72.0), cause, facts, one, field).at(target),
                );
            }
        }
    }
    at_limit(facts, found);
    of_measures(facts, found);
}

/// Pods that use all of the CPU that their limit allows, of the only container with a limit.
fn at_limit(facts: &Facts, found: &mut Vec<Signal>) {
    for usage in facts.of_kind("usage").filter(|one| one.get("CPU%").is_none()) {
        let Some(field) = usage.field("CPU(cores)") else { continue };
        let owner = owner_name(&usage.name);
        let of_pod = |one: &&Record| {
            matches!(&*one.kind, "pod" | "deployment" | "statefulset" | "daemonset")
                && one.namespace == usage.namespace
                && (one.name == usage.name || one.name == owner)
        };
        let mut limits = facts.records.iter().filter(of_pod).map(|one| (one, cpu_limits(one)));
        let Some((record, limits)) = limits.rfind(|(_, limits)| limits.len() == 1) else {
            continue;
        };
        let limit = limits.first().and_then(|field| millicores(&field.value));
        let used = millicores(&field.value);
        if let (Some(limit), Some(used), Some(shown)) = (limit, used, limits.first())
            && used >= limit * AT_LIMIT
        {
            let cause = format!("it uses all of the CPU that its limit of {} allows", shown.value);
            let target = crate::verdict::Target::new("Pod", &usage.name, &usage.namespace);
            let signal = Signal::of_record((Starvation, 76.0), cause, facts, usage, field);
            found.push(signal.with_quote(record.quote(facts, shown)).at(target));
        }
    }
}

fn cpu_limits(record: &Record) -> Vec<&Field> {
    record
        .fields
        .iter()
        .filter(|field| field.path.to_ascii_lowercase().ends_with("limits.cpu"))
        .collect()
}

fn node(record: &Record) -> crate::verdict::Target {
    crate::verdict::Target::new("Node", &record.name, "")
}

fn millicores(text: &str) -> Option<f64> {
    match text.strip_suffix('m') {
        Some(number) => number.parse().ok(),
        None => text.parse::<f64>().ok().map(|cores| cores * 1_000.0),
    }
}

/// Whether a measure is of a machine that the alert is not about, by the labels of its result.
fn is_elsewhere(facts: &Facts, measure: &Measure) -> bool {
    let of_series = facts.series.iter().filter(|one| one.result == measure.result);
    let of_samples = facts.samples.iter().filter(|one| one.result == measure.result);
    let machines = of_series.map(|one| one.machine.as_str());
    let mut labels = machines.chain(of_samples.flat_map(|one| one.machines())).filter(|machine| {
        !machine.is_empty()
            && measure.object.iter().any(|part| {
                part.strip_prefix(*machine)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
            })
    });
    labels.any(|machine| crate::assertion::is_other_machine(&facts.focus, &[machine]))
}

fn of_measures(facts: &Facts, found: &mut Vec<Signal>) {
    let is_meant = |one: &&Measure| !is_elsewhere(facts, one);
    for measure in facts.measures.iter().filter(is_meant) {
        let field = measure.field.to_ascii_lowercase();
        let share = field.contains("percent") || field.contains("usage_percent");
        let (cause, weight) = match () {
            () if field.contains("throttl")
                && !field.ends_with("_total")
                && measure.value >= THROTTLED =>
            {
                ("its CPU limit throttles it", 78.0)
            }
            () if share && field.contains("cpu") && measure.value >= HIGH_PERCENT => {
                ("the CPU is used up", 72.0)
            }
            () if share
                && (field.contains("memory") || field.contains("swap"))
                && measure.value >= HIGH_PERCENT =>
            {
                ("memory is almost used up", 72.0)
            }
            () => continue,
        };
        let name =
            measure.object.iter().rev().find(|name| name.contains('-')).or(measure.object.last());
        let name = name.cloned().unwrap_or_default();
        let weight = if name.is_empty() { weight - OF_HOST } else { weight };
        found.push(Signal {
            category: Starvation,
            cause: cause.to_owned(),
            target: crate::verdict::Target::new("", &name, ""),
            weight,
            is_event: false,
            age: None,
            is_line: false,
            side: None,
            takes: None,
            detail: None,
            accused: None,
            quotes: vec![facts.quote(measure.result, measure.line, &measure.text)],
        });
    }
}
