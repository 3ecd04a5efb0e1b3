//! What the results show, typed: objects of Kubernetes, events, messages of logs, measured values.

mod condition;
mod document;
mod envelope;
mod gauge;
mod health;
mod health_reports;
mod host;
mod inspector;
mod instant;
mod inventory;
mod kind;
mod listed;
mod message;
mod model;
mod moment;
mod nested;
mod origin;
mod points;
mod previous;
mod processes;
mod row;
mod rows;
mod sample;
mod series;
mod span;
mod statement;
mod subject;
mod table;
mod taken;

use jiff::Timestamp;
use tarsy_evidence::Reading;

use crate::alert::Focus;
use crate::transcript::{CallRecord, Transcript};
use model::Source;

pub(crate) use health::{Health, HealthState};
pub(crate) use host::{Mount, Place, Process};
pub(crate) use kind::{canonical_kind, shown_kind};
pub(crate) use listed::Listed;
pub(crate) use model::{
    Event, Examined, Facts, Field, Measure, Message, Record, Span, Statement, excerpt,
};
pub(crate) use origin::prints_log;
pub(crate) use row::{Cell, Row};
pub(crate) use sample::Sample;
pub(crate) use series::{Point, Series};
pub(crate) use subject::{command_of, subject_of};
pub(crate) use table::heading_above;

const DAY_SECONDS: i64 = 86_400;

/// Reads the results of the calls that answered, and what was given.
pub(crate) fn read(transcript: &Transcript, focus: &Focus) -> Facts {
    let mut facts = Facts {
        received_at: transcript.received_at,
        urls: focus.of("url").map(str::to_owned).collect(),
        names: focus.domain_names(),
        focus: focus.clone(),
        changes: Listed::read(&transcript.changes),
        ..Facts::default()
    };
    for call in transcript.calls.iter().filter(|call| !call.failed) {
        add(&mut facts, call);
    }
    condition::add(&mut facts);
    date_events(&mut facts, &transcript.alert);
    facts
}

/// The values over time in the results of the calls that answered, each with the number of its call.
pub(crate) fn series_of(calls: &[CallRecord]) -> Vec<(u32, Series)> {
    let mut found = Vec::new();
    for call in calls.iter().filter(|call| !call.failed) {
        let mut facts = Facts::default();
        let subject = subject_of(call);
        let opened = envelope::opened(&call.text);
        let lines: Vec<String> = opened.text.lines().map(str::to_owned).collect();
        let documents = opened.documents();
        let source =
            Source { result: 0, tool: &call.tool, command: "", subject: &subject, lines: &lines };
        points::add(&mut facts, &documents, &source, points::asked_for(&call.arguments));
        found.extend(facts.series.into_iter().map(|one| (call.number, one)));
    }
    found
}

/// Gives events with a time their age: from when the alert was received. Results that are a day older were recorded, and
/// count from their newest event.
fn date_events(facts: &mut Facts, alert: &str) {
    let of_events = facts.events.iter().filter_map(|event| event.last).max();
    // The kernel keeps its messages for weeks: they do not say when they were read.
    let is_kept = |one: &&Message| {
        let asked = facts.results.get(one.result).map_or("", |result| result.asked.as_str());
        !asked.contains("dmesg") && !asked.contains("journalctl -k")
    };
    let of_logs = facts.messages.iter().filter(is_kept);
    let of_logs = of_logs.filter_map(|one| one.written_at.or(one.stamped_at)).max();
    let newest = of_events.max(of_logs);
    let is_near = |received: &Timestamp| {
        newest.is_none_or(|newest| received.duration_since(newest).as_secs() < DAY_SECONDS)
    };
    facts.now = facts.received_at.filter(is_near).or(newest).or_else(|| moment::last_of(alert));
    let now = facts.received_at.filter(is_near).or(of_events);
    let Some(now) = now else { return };
    for event in facts.events.iter_mut().filter(|event| event.age.is_none()) {
        let passed = event.last.map(|last| now.duration_since(last).as_secs_f64().max(0.0));
        event.age = passed;
    }
}

fn add(facts: &mut Facts, call: &CallRecord) {
    let subject = subject_of(call);
    let result = facts.results.len();
    let opened = envelope::opened(&call.text);
    let lines: Vec<String> = opened.text.lines().map(str::to_owned).collect();
    let documents = opened.documents();
    let readings = tarsy_evidence::read(&opened.text);
    let command = command_of(&call.arguments).unwrap_or_default();
    let source =
        Source { result, tool: &call.tool, command: &command, subject: &subject, lines: &lines };
    let mut taken = document::add(facts, &documents, &source);
    taken.append(&mut table::add(facts, &readings, &source));
    span::add(facts, &documents, &source, &mut taken);
    inspector::add(facts, &documents, &source);
    processes::add(&mut facts.host, &source);
    gauge::add(facts, &documents, &source);
    inventory::add(facts, &documents, &source);
    points::add(facts, &documents, &source, points::asked_for(&call.arguments));
    statement::add(facts, &documents, &source);
    health_reports::add(facts, &documents, &source, &call.arguments);
    rows::add(facts, &documents, &source);
    instant::add(facts, &documents, &source, points::asked_for(&call.arguments));
    message::add(facts, &documents, &source, &taken);
    add_measures(facts, &readings, result, &taken);
    let program = subject::program_of(&call.arguments);
    let tool = call.tool.clone();
    let arguments = call.arguments.to_string().to_lowercase();
    let number = call.number;
    let line = opened.line;
    facts.results.push(Examined { number, tool, program, asked: command, arguments, lines, line });
}

fn add_measures(facts: &mut Facts, readings: &[Reading], result: usize, taken: &taken::Taken) {
    for reading in readings.iter().filter(|reading| !taken.contains(&reading.line)) {
        let Some(quantity) = reading.value.quantity else { continue };
        facts.measures.push(Measure {
            object: reading.object.parts().map(str::to_owned).collect(),
            field: reading.field.to_string(),
            value: quantity.number,
            text: reading.value.text.to_string(),
            result,
            line: reading.line,
        });
    }
}
