//! What became of the alert's own statement: the results are compared with what it asserts.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use tarsy_domain::verdict::AlertStatement;

use crate::alert::{Focus, is_word};
use crate::assertion::{Assertion, Symptom, same_machine, spaced, wording};
use crate::facts::{Examined, Facts, Health, HealthState, Mount, Place};
use crate::report::{citation, cite, shown};
use crate::signal::Signal;
use crate::text::{code, listed, regex};
use crate::verdict::{Category, Statement};

/// Names of one sentence.
const MOST_NAMES: usize = 3;

/// Percent in use from which on a file system or the memory is full, without a threshold of the alert.
const FULL_PERCENT: f64 = 90.0;
/// Percent of the time from which on the processors are busy.
const BUSY_PERCENT: f64 = 80.0;

/// Whether the alert's machine is among those that were examined.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scene {
    /// Nothing speaks against it that the alert is about what was examined.
    Here,
    /// The alert is about a machine, and only others were examined.
    Elsewhere {
        alert: String,
        /// Those that were examined, with the calls that show their names.
        because: String,
        /// The calls that were made about the alert's machine.
        reached: BTreeSet<u32>,
    },
}

/// A value that was measured, beside what the alert asserts of it.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// `load is 0.1 on 2 cores`, with its call.
    text: String,
    is_so: bool,
    /// Whether it speaks against the alert if it is not so.
    refutes: bool,
}

impl Scene {
    pub(crate) fn of(assertion: &Assertion, facts: &Facts) -> Self {
        let examined = &facts.host.machines;
        let Some(alert) = assertion.machines.first() else { return Self::Here };
        let is_here = |name: &String| {
            examined.iter().any(|machine| same_machine(&machine.name, name))
                || facts.records.iter().any(|record| record.name == *name)
        };
        if examined.is_empty() || assertion.machines.iter().any(is_here) {
            return Self::Here;
        }
        let because = cited(facts, &machine_names(facts));
        let asks = |result: &&Examined| names_one(&result.arguments, &assertion.machines);
        let reached = facts.results.iter().filter(asks).map(|result| result.number).collect();
        Self::Elsewhere { alert: alert.clone(), because, reached }
    }

    /// Whether a cause is about a machine that the alert is not about.
    pub(crate) fn excludes(&self, signal: &Signal) -> bool {
        let in_cluster = crate::facts::canonical_kind(&signal.target.kind).is_some();
        *self != Self::Here && !in_cluster && !self.is_named_by(signal)
    }

    /// Whether a cause, or a line of its evidence, names the alert's machine, or its calls were made about that machine.
    fn is_named_by(&self, signal: &Signal) -> bool {
        let Self::Elsewhere { alert, reached, .. } = self else { return false };
        let names = |text: &str| is_word(&text.to_lowercase(), &alert.to_lowercase());
        names(&signal.target.name)
            || signal.quotes.iter().any(|quote| names(&quote.text))
            || !signal.quotes.is_empty()
                && signal.quotes.iter().all(|quote| reached.contains(&quote.call))
    }
}

/// Whether the arguments of a call name one of these machines.
fn names_one(arguments: &str, machines: &[String]) -> bool {
    machines.iter().any(|machine| is_word(arguments, &machine.to_lowercase()))
}

/// The names of machines with the call that shows each.
fn cited(facts: &Facts, names: &[String]) -> String {
    let shown = names.iter().map(|name| {
        let machine = facts.host.machines.iter().find(|machine| machine.name == *name);
        let call = machine.map(|machine| call(facts, machine.place)).unwrap_or_default();
        format!("{} {call}", code(name)).trim_end().to_owned()
    });
    listed(&shown.collect::<Vec<_>>())
}

fn call(facts: &Facts, place: Place) -> String {
    facts.results.get(place.result).map(|result| citation(result.number)).unwrap_or_default()
}

/// The values that what the alert asserts is compared with.
pub(crate) fn measured(assertion: &Assertion, facts: &Facts, focus: &Focus) -> Vec<Measured> {
    let paths: Vec<&str> = focus.of("mount").chain(focus.of("path")).collect();
    let compare = |symptom: &Symptom| match symptom {
        Symptom::Disk => disk(facts, assertion.threshold, &paths),
        Symptom::Network => network(facts),
        Symptom::MachineDown => answers(assertion, facts),
        Symptom::Clock => clock(facts),
        Symptom::Load | Symptom::Processors | Symptom::Memory | Symptom::OutOfMemory => {
            usage(*symptom, assertion, facts)
        }
    };
    let mut found: Vec<Measured> = assertion.symptoms.iter().filter_map(compare).collect();
    // Words of one symptom may be those of another: memory and out of memory.
    found.dedup_by(|one, before| one.text == before.text);
    found
}

/// How much of the machine is in use.
fn usage(symptom: Symptom, assertion: &Assertion, facts: &Facts) -> Option<Measured> {
    let threshold = assertion.threshold.filter(|_| assertion.asserts(symptom));
    match symptom {
        Symptom::Processors => processors(facts, threshold).or_else(|| load(facts)),
        Symptom::Memory | Symptom::OutOfMemory => memory(facts, threshold),
        _ => load(facts),
    }
}

/// Whether so much of the machine is in use that it shows itself in this.
pub(crate) fn is_used_up(symptom: Symptom, assertion: &Assertion, facts: &Facts) -> bool {
    usage(symptom, assertion, facts).is_some_and(|measured| measured.is_so)
}

/// The file system that the alert names, else the fullest one.
fn disk(facts: &Facts, threshold: Option<f64>, paths: &[&str]) -> Option<Measured> {
    let host = &facts.host;
    let share = |mount: &Mount| mount.used_percent.max(mount.inodes_used_percent);
    let same = |path: &&str| host.mounts.iter().rev().find(|one| one.path == **path);
    let named = paths.iter().find_map(same);
    let named = named.or_else(|| paths.iter().find_map(|path| host.mount_of(path)));
    let fullest = || host.mounts.iter().max_by(|one, other| share(one).total_cmp(&share(other)));
    let mount = named.or_else(fullest)?;
    let (percent, path) = (share(mount), code(&mount.path));
    let kind = if named.is_some() { "file system" } else { "the fullest file system" };
    let inodes = mount.inodes_used_percent > mount.used_percent;
    let what = if inodes { "of its inodes in use" } else { "of its space in use" };
    let text = format!("{kind} {path} has {percent} % {what} {}", call(facts, mount.place));
    Some(Measured { text, is_so: percent >= threshold.unwrap_or(FULL_PERCENT), refutes: true })
}

fn load(facts: &Facts) -> Option<Measured> {
    let load = facts.host.load()?;
    let (minute, cores) = (load.minute, load.cores);
    let text = format!("load is {minute} on {cores} cores {}", call(facts, load.place));
    Some(Measured { text, is_so: minute > cores, refutes: true })
}

fn processors(facts: &Facts, threshold: Option<f64>) -> Option<Measured> {
    let share = facts.host.processors.last()?;
    let text = format!("the processors are {} % busy {}", share.percent, call(facts, share.place));
    Some(Measured {
        text,
        is_so: share.percent >= threshold.unwrap_or(BUSY_PERCENT),
        refutes: true,
    })
}

fn memory(facts: &Facts, threshold: Option<f64>) -> Option<Measured> {
    let share = facts.host.memory.last()?;
    let text = format!("{} % of the memory is in use {}", share.percent, call(facts, share.place));
    let is_so = share.percent >= threshold.unwrap_or(FULL_PERCENT);
    // Without a threshold the alert may mean one process, or that it grows.
    Some(Measured { text, is_so, refutes: threshold.is_some() })
}

/// A clock that is off by a second is wrong.
fn clock(facts: &Facts) -> Option<Measured> {
    let (seconds, place) = facts.host.clocks.last()?;
    let text = format!("the clock is {seconds} seconds off {}", call(facts, *place));
    Some(Measured { text, is_so: *seconds >= 1.0, refutes: true })
}

fn network(facts: &Facts) -> Option<Measured> {
    let used = facts.host.interfaces.iter().filter(|one| one.packets > 0.0);
    let worst = used.max_by(|one, other| {
        (one.errors + one.dropped).total_cmp(&(other.errors + other.dropped))
    })?;
    let (errors, dropped) = (worst.errors, worst.dropped);
    let text = format!(
        "interface {} has {errors} errors and {dropped} dropped packets {}",
        code(&worst.name),
        call(facts, worst.place)
    );
    // Counters since the start say that there were some, not when.
    (errors + dropped == 0.0).then_some(Measured { text, is_so: false, refutes: true })
}

/// A machine that was asked and answered is up.
fn answers(assertion: &Assertion, facts: &Facts) -> Option<Measured> {
    let named = |name: &str| assertion.machines.iter().any(|one| same_machine(one, name));
    let machine = facts.host.machines.iter().find(|machine| named(&machine.name))?;
    let text = format!("{} answers {}", code(&machine.name), call(facts, machine.place));
    Some(Measured { text, is_so: false, refutes: true })
}

/// Whether what the alert asserts was measured, and is not so.
pub(crate) fn is_refuted(measured: &[Measured]) -> bool {
    !measured.is_empty() && measured.iter().all(|one| one.refutes && !one.is_so)
}

/// What an investigation ended with.
pub(crate) struct Known<'k> {
    pub(crate) assertion: &'k Assertion,
    pub(crate) scene: &'k Scene,
    pub(crate) measured: &'k [Measured],
    /// The cause that is stated.
    pub(crate) cause: Option<&'k Signal>,
    pub(crate) focus: &'k Focus,
    pub(crate) facts: &'k Facts,
}

impl Known<'_> {
    /// What became of the alert's statement.
    pub(crate) fn statement(&self) -> Statement {
        let (kind, text) = match self.scene {
            Scene::Elsewhere { alert, because, .. } => self.elsewhere(alert, because),
            Scene::Here => self.compared(),
        };
        Statement::new(kind, &text)
    }

    fn elsewhere(&self, alert: &str, because: &str) -> (AlertStatement, String) {
        let alert = code(alert);
        if self.cause.is_some_and(|cause| self.scene.is_named_by(cause)) {
            let text = format!("results of {because} name {alert}");
            return (AlertStatement::Confirmed, text);
        }
        let text = format!("the alert is about {alert}; only {because} was examined");
        (AlertStatement::NotVisible, text)
    }

    fn compared(&self) -> (AlertStatement, String) {
        let on = on_machine(self.facts);
        let text_of = |is_wanted: &dyn Fn(&&Measured) -> bool| {
            let texts = self.measured.iter().filter(is_wanted).map(|one| one.text.clone());
            listed(&texts.collect::<Vec<_>>()) + &on
        };
        if self.measured.iter().any(|one| one.is_so) {
            return (AlertStatement::Confirmed, text_of(&|one| one.is_so));
        }
        if let Some(report) = self.unwell() {
            let (about, call) = (shown(&report.object), call(self.facts, report.place));
            let text = format!("{about} reports that it is not healthy {call}");
            return (AlertStatement::Confirmed, text);
        }
        if let Some(cause) = self.cause.filter(|cause| self.shows(cause)) {
            let about = shown(&cause.target);
            let cited = cite(&cause.quotes);
            return (AlertStatement::Confirmed, format!("results about {about} show it {cited}"));
        }
        if !self.measured.is_empty() {
            return (AlertStatement::NotConfirmed, text_of(&|_| true));
        }
        let names = if self.cause.is_none() { self.examined() } else { Vec::new() };
        if names.is_empty() {
            let was_read = self.facts.results.iter().any(|result| result.number > 0);
            let text = if was_read {
                format!("no result shows what the alert states{on}")
            } else {
                "no tool result was there to be read".to_owned()
            };
            return (AlertStatement::NotVisible, text);
        }
        let text = format!("no result about {} shows a fault{on}", listed(&names));
        (AlertStatement::NotConfirmed, text)
    }

    /// The report of a program that the alert names as failing, and that says of itself that it is not healthy.
    fn unwell(&self) -> Option<&Health> {
        static FAILING: LazyLock<Regex> = regex!(
            r"\b(?:down|unhealthy|health|health ?checks?|unavailable|unreachable|fail\w*|errors?|5xx|50\d|outage|probes?)\b"
        );
        static NOT_READY: LazyLock<Regex> = regex!(r"\b(?:not ready|unready|readiness)\b");
        let wording = format!("{} {}", spaced(&self.focus.title), wording(self.focus));
        let is_meant = |report: &&Health| {
            let name = report.object.name.as_str();
            let states = match report.state {
                HealthState::Unhealthy => FAILING.is_match(&wording),
                HealthState::NotReady => NOT_READY.is_match(&wording),
                HealthState::Healthy | HealthState::Degraded => false,
            };
            states && !name.is_empty() && (self.focus.names(name) || self.focus.mentions(name))
        };
        self.facts.health_now().find(is_meant)
    }

    /// Whether a cause is about what the alert names, or is what it asserts.
    fn shows(&self, cause: &Signal) -> bool {
        crate::rank::is_about(cause, self.focus) || is_asserted(self.assertion, cause.category)
    }

    /// The objects of the alert that results describe.
    fn examined(&self) -> Vec<String> {
        let records = self.facts.records.iter().map(|record| record.name.as_str());
        let machines = self.facts.host.machines.iter().map(|machine| machine.name.as_str());
        let mounts = self.facts.host.mounts.iter().map(|mount| mount.path.as_str());
        let logs = self.facts.messages.iter().map(|message| message.target.name.as_str());
        let series = self.facts.series.iter().map(|series| series.object.as_str());
        let samples = self.facts.samples.iter().flat_map(|sample| {
            let names = ["mountpoint", "topic", "consumergroup", "name", "service"];
            names.into_iter().map(|key| sample.label(key)).chain([sample.instance()])
        });
        let all = records.chain(machines).chain(mounts).chain(logs).chain(series).chain(samples);
        let is_machine =
            |name: &str| self.assertion.machines.iter().any(|one| same_machine(one, name));
        let shown = all
            .filter(|name| self.focus.names(name) || self.focus.mentions(name) || is_machine(name));
        let mut names: Vec<String> = Vec::new();
        for name in shown.map(code) {
            if names.len() < MOST_NAMES && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// A cause that is what the alert asserts, by its kind.
fn is_asserted(assertion: &Assertion, category: Category) -> bool {
    let is = |symptom| assertion.asserts(symptom);
    match category {
        Category::Disk => is(Symptom::Disk),
        Category::OutOfMemory => is(Symptom::OutOfMemory) || is(Symptom::Memory),
        Category::Clock => is(Symptom::Clock),
        Category::NetworkFault => is(Symptom::Network),
        Category::Node => is(Symptom::MachineDown),
        Category::Starvation => is(Symptom::Load) || is(Symptom::Processors) || is(Symptom::Memory),
        _ => false,
    }
}

fn on_machine(facts: &Facts) -> String {
    let names = machine_names(facts);
    if names.is_empty() { String::new() } else { format!(", on host {}", cited(facts, &names)) }
}

/// The machines that results are from, each once.
fn machine_names(facts: &Facts) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for machine in &facts.host.machines {
        if names.len() < MOST_NAMES && !names.contains(&machine.name) {
            names.push(machine.name.clone());
        }
    }
    names
}
