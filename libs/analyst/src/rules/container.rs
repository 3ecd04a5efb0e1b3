//! The containers of a pod, from any form of it.

use crate::facts::{Facts, Field, Record};

/// From this number of restarts on, a pod that runs is suspicious.
pub(super) const MANY_RESTARTS: f64 = 3.0;
/// Seconds that containers run before a restart counts as over: twice the longest pause between restarts.
const RUNS_AGAIN_SECONDS: f64 = 600.0;

/// The fields of one container under one prefix: `status.containerStatuses[0]`, or the container's name in a description.
pub(super) struct Container<'r> {
    pub(super) record: &'r Record,
    prefix: String,
}

impl<'r> Container<'r> {
    /// The containers whose states a record shows.
    pub(super) fn states(record: &'r Record) -> Vec<Self> {
        let mut prefixes: Vec<String> = record
            .fields
            .iter()
            .filter_map(|field| {
                let described = field.path.strip_suffix(".State");
                let at = field.path.find("ontainerStatuses[")?;
                let end = field.path.get(at..)?.find(']')?;
                described.or_else(|| field.path.get(..=at + end)).map(str::to_owned)
            })
            .chain(
                record
                    .fields
                    .iter()
                    .filter_map(|field| field.path.strip_suffix(".State").map(str::to_owned)),
            )
            .collect();
        prefixes.dedup();
        prefixes.sort();
        prefixes.dedup();
        prefixes.into_iter().map(|prefix| Self { record, prefix }).collect()
    }

    /// The first of these fields that it has.
    pub(super) fn field(&self, paths: &[&str]) -> Option<&'r Field> {
        paths.iter().find_map(|path| {
            let whole = format!("{}.{path}", self.prefix);
            self.record.fields.iter().find(|field| field.path.eq_ignore_ascii_case(&whole))
        })
    }

    /// Why it waits.
    pub(super) fn waiting(&self) -> Option<&'r Field> {
        if let Some(state) = self.field(&["State"]) {
            return self.field(&["State.Reason"]).filter(|_| state.value == "Waiting");
        }
        self.field(&["state.waiting.reason"])
    }

    /// Why it ended, if it has not been started again since.
    pub(super) fn ended_now(&self) -> Option<&'r Field> {
        let current = self.field(&["state.terminated.reason", "state.terminated.exitCode"]);
        let described = self
            .field(&["State"])
            .filter(|state| state.value == "Terminated")
            .and_then(|_| self.field(&["State.Reason"]));
        current.or(described)
    }

    /// How it ended last: the reason, then the exit code.
    pub(super) fn ended(&self) -> Option<&'r Field> {
        let last = self.field(&[
            "lastState.terminated.reason",
            "Last State.Reason",
            "Last State.Exit Code",
        ]);
        self.ended_now().or(last)
    }

    /// Seconds since it ended last: by its own time, else by the column of restarts in a list of pods.
    pub(super) fn ended_age(&self, facts: &Facts) -> Option<f64> {
        let paths = [
            "lastState.terminated.finishedAt",
            "state.terminated.finishedAt",
            "Last State.Finished",
            "State.Finished",
        ];
        let finished = self.field(&paths).and_then(|field| facts.seconds_since(&field.value));
        finished.or_else(|| restart_age(facts, &self.record.name))
    }

    /// The signal that ended it last.
    pub(super) fn signal(&self) -> Option<&'r Field> {
        self.field(&[
            "lastState.terminated.signal",
            "state.terminated.signal",
            "Last State.Signal",
            "State.Signal",
        ])
    }

    pub(super) fn exit_code(&self) -> Option<&'r Field> {
        self.field(&[
            "lastState.terminated.exitCode",
            "state.terminated.exitCode",
            "Last State.Exit Code",
            "State.Exit Code",
        ])
    }
}

/// Seconds since a container of a pod was restarted, as a list of pods has it.
pub(super) fn restart_age(facts: &Facts, pod: &str) -> Option<f64> {
    let rows = facts.of_kind("pod").filter(|record| record.name == pod);
    rows.filter_map(|row| row.get("last restarts age").and_then(crate::text::age_seconds)).last()
}

/// What a pod is by the last table or description of it.
fn last_pod<'f>(facts: &'f Facts, namespace: &str, name: &str) -> Option<&'f Record> {
    let same = |record: &&Record| {
        record.name == name
            && (namespace.is_empty()
                || record.namespace.is_empty()
                || record.namespace == namespace)
    };
    facts.of_kind("pod").filter(same).last()
}

/// Whether the last table or description of a pod shows it running with all containers ready.
pub(crate) fn is_ready(facts: &Facts, namespace: &str, name: &str) -> bool {
    let Some(pod) = last_pod(facts, namespace, name) else { return false };
    let status =
        pod.get("STATUS").or_else(|| pod.get("status.phase")).or_else(|| pod.get("Status"));
    if let Some((ready, all)) = pod.get("READY").and_then(|ready| ready.split_once('/')) {
        return ready == all && status == Some("Running");
    }
    let all_states = Container::states(pod);
    let runs = |container: &Container<'_>| {
        container
            .field(&["ready", "Ready"])
            .is_some_and(|field| field.value.eq_ignore_ascii_case("true"))
    };
    status == Some("Running") && !all_states.is_empty() && all_states.iter().all(runs)
}

/// Whether a pod is ready, and was restarted once, which is no loop, or few times since which its containers have run for a
/// while; not if its number of restarts is unknown.
pub(crate) fn has_recovered(facts: &Facts, namespace: &str, name: &str) -> bool {
    let Some(pod) = last_pod(facts, namespace, name) else { return false };
    let containers = Container::states(pod);
    let number = |field: &Field| field.value.split_whitespace().next()?.parse::<f64>().ok();
    let counts = containers
        .iter()
        .filter_map(|one| one.field(&["restartCount", "restart_count", "Restart Count"]))
        .chain(pod.field("RESTARTS"));
    let Some(restarts) = counts.filter_map(number).reduce(f64::max) else { return false };
    let started = ["state.running.startedAt", "state.running.started_at", "State.Started"];
    let of_row = pod.get("last restarts age").and_then(crate::text::age_seconds);
    let ran = containers
        .iter()
        .filter_map(|one| facts.seconds_since(&one.field(&started)?.value))
        .chain(of_row)
        .reduce(f64::min);
    let runs_again = ran.is_some_and(|seconds| seconds >= RUNS_AGAIN_SECONDS);
    is_ready(facts, namespace, name) && (restarts <= 1.0 || restarts < MANY_RESTARTS && runs_again)
}

/// The image, command, ports and variables in a pod or in the template of a workload: by the prefix of each container.
pub(super) fn specs(record: &Record) -> Vec<String> {
    let mut prefixes: Vec<String> = record
        .fields
        .iter()
        .filter_map(|field| {
            let at = field.path.find("ontainers[")?;
            let end = field.path.get(at..)?.find(']')?;
            field.path.get(..=at + end).map(str::to_owned)
        })
        .collect();
    prefixes.sort();
    prefixes.dedup();
    prefixes
}
