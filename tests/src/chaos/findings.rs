//! What faults have done to a session: nothing, if all is well.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

use crate::chaos::script;
use crate::records::Records;
use crate::stack::Stack;
use crate::viewer::Viewer;

/// What is wrong with a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    /// Calls with side effects that reached the tool server more than once.
    pub(crate) repeated: Vec<String>,
    /// What is there more than once.
    pub(crate) duplicates: Vec<String>,
    /// How many events are missing, in the table or before the viewer.
    pub(crate) gaps: usize,
    /// Where the records disagree.
    pub(crate) disagreement: Option<String>,
}

impl Findings {
    /// Looks at everything that was kept and seen of the session with this number.
    pub(crate) async fn of(
        stack: &Stack,
        session: &str,
        viewer: &Viewer,
        number: usize,
    ) -> anyhow::Result<Self> {
        let records = Records::of(stack, session).await?;
        let mark = format!("record {}", script::mark(number));
        let ledger = stack.ledger();
        let calls = ledger.iter().filter(|line| line.starts_with(&mark)).map(|line| json!(line));
        let questions = records.contents("user_question").len();
        let seen = viewer.seen();
        let published: Vec<&Value> =
            seen.iter().filter(|one| one["db_event_id"].is_i64()).collect();
        let last = stack.last_event(session).await?;
        let missing =
            (1..=last).filter(|number| !published.iter().any(|one| one["db_event_id"] == *number));
        let whole = Records::agreeing(stack, session, viewer).await;
        let mut duplicates = duplicates(&records, &published, questions);
        if questions != 1 {
            duplicates.push(format!("{questions} questions"));
        }
        let dispatched = records.executions.iter().filter(|one| !one["task"].is_null()).count();
        if dispatched != script::DISPATCHED {
            duplicates.push(format!("{dispatched} dispatched agents"));
        }
        Ok(Self {
            repeated: twice(calls),
            duplicates,
            gaps: missing.count(),
            disagreement: whole.err().map(|error| format!("{error:#}")),
        })
    }

    /// Whether nothing happened twice, and nothing is missing.
    pub(crate) fn is_nothing(&self) -> bool {
        self.repeated.is_empty()
            && self.duplicates.is_empty()
            && self.gaps == 0
            && self.disagreement.is_none()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_nothing() {
            write!(out, "completed")?;
        }
        if !self.repeated.is_empty() {
            write!(out, " REPEATED {:?}", self.repeated)?;
        }
        if !self.duplicates.is_empty() {
            write!(out, " DUPLICATES {:?}", self.duplicates)?;
        }
        if self.gaps > 0 {
            write!(out, " GAPS {}", self.gaps)?;
        }
        if let Some(disagreement) = &self.disagreement {
            write!(out, " DISAGREEMENT {disagreement}")?;
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
        .map(|one| json!(["execution", one["stage_id"], one["agent_name"], one["task"]]));
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
pub(crate) fn twice(all: impl Iterator<Item = Value>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for one in all {
        *counts.entry(one.to_string()).or_default() += 1;
    }
    counts.into_iter().filter(|(_, count)| *count > 1).map(|(one, _)| one).collect()
}
