//! What faults have done to a session: nothing, if all is well.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

use crate::chaos::script;
use crate::chaos::script::DISPATCHED;
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
    /// What is missing.
    pub(crate) lost: Vec<String>,
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
        duplicates.extend(decisions(stack, session).await?);
        let acted = format!("record {}", script::acted(number));
        let is_acted = ledger.contains(&acted);
        let mut missing_facts = delegation(&records);
        missing_facts.extend(action(&records.detail["actions"], is_acted));
        Ok(Self {
            repeated: twice(calls),
            duplicates,
            lost: missing_facts,
            gaps: missing.count(),
            disagreement: whole.err().map(|error| format!("{error:#}")),
        })
    }

    /// Whether nothing happened twice, and nothing is missing.
    pub(crate) fn is_nothing(&self) -> bool {
        self.repeated.is_empty()
            && self.duplicates.is_empty()
            && self.lost.is_empty()
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
        if !self.lost.is_empty() {
            write!(out, " LOST {:?}", self.lost)?;
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

/// How the agents that were dispatched differ from those that should be: each is there, has completed, and its result was
/// given to who dispatched it.
fn delegation(records: &Records) -> Vec<String> {
    let dispatched: Vec<&Value> =
        records.executions.iter().filter(|one| !one["parent_execution_id"].is_null()).collect();
    let ids: Vec<&Value> = dispatched.iter().map(|one| &one["id"]).collect();
    let (lower, upper): (Vec<&Value>, Vec<&Value>) =
        dispatched.iter().copied().partition(|one| ids.contains(&&one["parent_execution_id"]));
    let mut found = Vec::new();
    let levels = [upper.len(), lower.len()];
    if levels != DISPATCHED {
        found.push(format!("dispatched agents by level: {levels:?}"));
    }
    for one in dispatched {
        let given = records.messages.iter().filter(|message| {
            message["sub_execution_id"] == one["id"]
                && message["execution_id"] == one["parent_execution_id"]
        });
        let (given, status) = (given.count(), &one["status"]);
        if given != 1 || status != "completed" {
            found.push(format!("{} is {status}, its result was given {given} times", one["task"]));
        }
    }
    found
}

/// What is wrong with the action of a session: it has one, with an outcome that the ledger does not contradict, and what was read
/// before it is from before.
fn action(actions: &Value, is_acted: bool) -> Vec<String> {
    let actions = actions.as_array().map(Vec::as_slice).unwrap_or_default();
    let [action] = actions else { return vec![format!("{} actions", actions.len())] };
    let is_right = match action["outcome"].as_str() {
        Some("worked") => is_acted,
        Some("did_not_work") => !is_acted,
        // What could not be read is not known.
        Some("unknown") => true,
        _ => false,
    };
    // Nothing is in the ledger before the call.
    let is_right = is_right && action["before"]["shows_effect"] != true;
    if is_right { Vec::new() } else { vec![format!("acted: {is_acted}, but {action}")] }
}

/// Decisions and outcomes of actions that count more than once, in the audit log.
async fn decisions(stack: &Stack, session: &str) -> anyhow::Result<Vec<String>> {
    let counted = "select action || ' ' || coalesce(approval_id::text, object) from audit_log
         where session_id = $1::uuid and outcome = 'allowed' and action in ('decide_approval', 'check_action')
         group by action, approval_id, object having count(*) > 1";
    Ok(sqlx::query_scalar(counted).bind(session).fetch_all(&mut stack.sql().await?).await?)
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
            // What is read before and after an action is the same call, with another reason.
            let call = ["arguments", "again"].map(|key| &event["metadata"][key]);
            let keys = ["execution_id", "event_type", "content"].map(|key| &event[key]);
            json!(["timeline", keys, call])
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
