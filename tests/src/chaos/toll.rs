//! What a kill has done to a session: nothing, if all is well.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

use crate::chaos::storm;
use crate::records::Records;
use crate::stack::Stack;
use crate::viewer::Viewer;

/// What is wrong with a session after its owner was killed.
#[derive(Clone, Debug, Default)]
pub(super) struct Toll {
    /// The session's status.
    status: String,
    /// Questions that were asked, and answered.
    questions: (usize, usize),
    /// Calls that reached the tool server more than once.
    pub(super) repeated: Vec<String>,
    /// What is there more than once.
    pub(super) duplicates: Vec<String>,
    /// How many events are missing.
    pub(super) gaps: usize,
    /// Where the records disagree.
    disagreement: Option<String>,
}

impl Toll {
    /// Looks at everything that was kept and seen.
    pub(super) async fn of(
        stack: &Stack,
        session: &str,
        viewer: &Viewer,
        round: u32,
    ) -> anyhow::Result<Self> {
        let records = Records::of(stack, session).await?;
        let mark = storm::mark(round);
        let ledger = stack.ledger();
        let calls = ledger.iter().filter(|line| line.contains(&mark)).map(|line| json!(line));
        let questions = records.contents("user_question").len();
        let answers = records.stages.iter().filter(|stage| {
            !stage["chat_user_message_id"].is_null() && stage["status"] == "completed"
        });
        let seen = viewer.seen();
        let published: Vec<&Value> =
            seen.iter().filter(|one| one["db_event_id"].is_i64()).collect();
        let last = stack.last_event(session).await?;
        let missing =
            (1..=last).filter(|number| !published.iter().any(|one| one["db_event_id"] == *number));
        let whole = Records::agreeing(stack, session, viewer).await;
        Ok(Self {
            status: records.detail["status"].as_str().unwrap_or_default().to_owned(),
            questions: (questions, answers.count()),
            repeated: twice(calls),
            duplicates: duplicates(&records, &published, questions),
            gaps: missing.count(),
            disagreement: whole.err().map(|error| format!("{error:#}")),
        })
    }

    /// Whether the session completed and every question was answered.
    pub(super) fn is_complete(&self) -> bool {
        let (asked, answered) = self.questions;
        self.status == "completed" && asked > 0 && asked == answered && self.disagreement.is_none()
    }

    /// Whether nothing happened twice, and nothing is missing.
    pub(super) fn is_nothing(&self) -> bool {
        self.repeated.is_empty() && self.duplicates.is_empty() && self.gaps == 0
    }
}

impl fmt::Display for Toll {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (asked, answered) = self.questions;
        write!(out, "{}, {answered} of {asked} answered", self.status)?;
        if !self.repeated.is_empty() {
            write!(out, ", REPEATED {:?}", self.repeated)?;
        }
        if !self.duplicates.is_empty() {
            write!(out, ", DUPLICATES {:?}", self.duplicates)?;
        }
        if self.gaps > 0 {
            write!(out, ", GAPS {}", self.gaps)?;
        }
        if let Some(disagreement) = &self.disagreement {
            write!(out, ", DISAGREEMENT {disagreement}")?;
        }
        Ok(())
    }
}

/// What of a session is there more than once.
fn duplicates(records: &Records, published: &[&Value], questions: usize) -> Vec<String> {
    let stages = records
        .stages
        .iter()
        .filter(|stage| stage["chat_user_message_id"].is_null())
        .map(|stage| json!(["stage", stage["stage_name"]]));
    let executions = records
        .executions
        .iter()
        .map(|one| json!(["execution", one["stage_id"], one["agent_name"]]));
    let messages = records.messages.iter().map(|message| {
        let keys = ["execution_id", "role", "content", "tool_calls", "tool_call_id"];
        json!(["message", keys.map(|key| &message[key])])
    });
    // A text that was broken off stays on the timeline, as failed, beside the whole one.
    let timeline = records
        .timeline
        .iter()
        .filter(|event| event["status"] == "completed" && event["event_type"] != "user_question")
        .map(|event| {
            let arguments = &event["metadata"]["arguments"];
            let keys = ["execution_id", "event_type", "content"].map(|key| &event[key]);
            json!(["timeline", keys, arguments])
        });
    let numbers = published.iter().map(|event| json!(["event", event["db_event_id"]]));
    let steps = published
        .iter()
        .filter(|event| event["type"] == "stage.status")
        .map(|event| json!(["step", event["stage_id"], event["status"]]));
    let mut found =
        twice(stages.chain(executions).chain(messages).chain(timeline).chain(numbers).chain(steps));
    let turns = records.stages.iter().filter(|stage| !stage["chat_user_message_id"].is_null());
    if turns.count() != questions {
        found.push(format!("stages of {questions} questions"));
    }
    found
}

/// What comes more than once.
fn twice(all: impl Iterator<Item = Value>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for one in all {
        *counts.entry(one.to_string()).or_default() += 1;
    }
    counts.into_iter().filter(|(_, count)| *count > 1).map(|(one, _)| one).collect()
}
