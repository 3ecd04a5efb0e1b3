//! Calls that change something: what they are meant to do, how that is checked, how it is taken back, and what became of it.
//! All texts are those of a model or of a tool, masked.

use std::fmt::Write as _;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tarsy_domain::action::{ActionOutcome, ActionState, ExpectationKind};
use tarsy_domain::id::{ActionId, ApprovalId, CallId};
use tarsy_domain::verdict::AlertStatement;
use utoipa::ToSchema;

/// A call of a tool that is not made yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlannedCall {
    pub server_name: String,
    pub tool_name: String,
    #[schema(value_type = Object)]
    pub arguments: Value,
}

impl PlannedCall {
    /// `server.tool`.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.server_name, self.tool_name)
    }

    /// What a consent to this call names, in lower-case hexadecimal digits.
    pub fn digest(&self) -> String {
        let text = format!("{}\n{}\n{}", self.server_name, self.tool_name, self.arguments);
        let mut digits = String::new();
        for byte in Sha256::digest(text) {
            // Writing to a string cannot fail.
            let _ = write!(digits, "{byte:02x}");
        }
        digits
    }

    /// The call in one line.
    pub fn line(&self) -> String {
        format!("{} {}", self.full_name(), self.arguments)
    }
}

/// What the result of a check has if the effect is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Expectation {
    /// The JSON pointer of the value in the result; the whole text without it.
    pub pointer: Option<String>,
    /// `equals`, `contains`, `lacks`, `matches`, `at_least` or `at_most`.
    #[schema(value_type = String, example = "at_least")]
    pub kind: ExpectationKind,
    /// What it is compared with.
    #[schema(value_type = Object)]
    pub value: Value,
}

impl Expectation {
    /// The condition in one line: `/status/readyReplicas is at least 3`.
    pub fn line(&self) -> String {
        let place = self.pointer.as_deref().unwrap_or("the result");
        let verb = match self.kind {
            ExpectationKind::Equals => "is",
            ExpectationKind::Contains => "has",
            ExpectationKind::Lacks => "does not have",
            ExpectationKind::Matches => "matches",
            ExpectationKind::AtLeast => "is at least",
            ExpectationKind::AtMost => "is at most",
        };
        format!("{place} {verb} {}", self.value)
    }
}

/// The call by which an effect is checked, and what it is to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActionCheck {
    pub call: PlannedCall,
    pub expected: Expectation,
}

/// The call that takes an effect back. The reading call of the check shows whether it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Rollback {
    pub call: PlannedCall,
    /// What the check's call is to show afterwards; none if that was not said.
    pub expected: Option<Expectation>,
}

/// What an agent says of a call before it is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActionPlan {
    pub effect: String,
    /// How it is checked; none of a rollback that cannot be checked.
    pub check: Option<ActionCheck>,
    /// How it is taken back; none if the agent knows no way.
    pub rollback: Option<Rollback>,
}

impl ActionPlan {
    /// What a person reads of it, a line each.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("effect: {}", self.effect)];
        if let Some(check) = &self.check {
            lines.push(format!("check: {}: {}", check.call.line(), check.expected.line()));
        }
        if let Some(rollback) = &self.rollback {
            lines.push(format!("rollback: {}", rollback.call.line()));
        }
        lines
    }
}

/// A dry run of a call, made before a person was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DryRun {
    /// Its result, as much as is kept.
    pub result: String,
    pub failed: bool,
}

/// What the call of a check showed before the action's own call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReadingBefore {
    /// The number of that call in the session.
    pub call_number: i64,
    /// The value that it found, as much as is kept; none if it found none.
    pub observed: Option<String>,
    /// Whether the effect was there already; none if that could not be compared.
    pub shows_effect: Option<bool>,
}

/// A call that changes something, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Action {
    #[schema(value_type = Uuid)]
    pub id: ActionId,
    #[schema(value_type = Uuid)]
    pub call_id: CallId,
    /// The number of the call in its session.
    pub call_number: Option<i64>,
    /// The request for approval of the call.
    #[schema(value_type = Option<Uuid>)]
    pub approval_id: Option<ApprovalId>,
    pub call: PlannedCall,
    #[serde(flatten)]
    pub plan: ActionPlan,
    pub dry_run: Option<DryRun>,
    /// `open`, `not_made` or `ended`.
    #[schema(value_type = String, example = "ended")]
    pub state: ActionState,
    /// `worked`, `did_not_work` or `unknown`; none before the end, and of a call that was not made.
    #[schema(value_type = Option<String>, example = "did_not_work")]
    pub outcome: Option<ActionOutcome>,
    pub reason: Option<String>,
    /// What the check's call showed before the call was made; none if nothing could be read, or before that.
    #[serde(default)]
    pub before: Option<ReadingBefore>,
    /// The value that the check found afterwards, as much as is kept.
    pub observed: Option<String>,
    /// The number of the call that decided.
    pub check_number: Option<i64>,
    /// What the alert's own statement came to afterwards: `confirmed`, `not_confirmed` or `not_visible`.
    #[schema(value_type = Option<String>, example = "not_confirmed")]
    pub alert_statement: Option<AlertStatement>,
    /// The same in one sentence.
    pub alert_answer: Option<String>,
    /// The action that this one takes back.
    #[schema(value_type = Option<Uuid>)]
    pub rolls_back: Option<ActionId>,
    pub rollback_by: Option<String>,
    /// Whether a person may begin its rollback now, once the session is over.
    pub may_roll_back: bool,
    #[schema(value_type = String, format = DateTime)]
    pub planned_at: Timestamp,
    /// When the end of its call was stored; none before, and of a call that was not made.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub made_at: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub ended_at: Option<Timestamp>,
}

impl Action {
    /// What became of it, in words.
    pub fn words(&self) -> &'static str {
        match (self.state, self.outcome) {
            (ActionState::NotMade, _) => "not made",
            (_, Some(outcome)) => outcome.words(),
            _ => "open",
        }
    }

    /// The values that the check's call found before and after, those that are known.
    pub fn values(&self) -> Option<String> {
        values(
            self.before.as_ref().and_then(|one| one.observed.as_deref()),
            self.observed.as_deref(),
        )
    }
}

/// Two values of one reading, those that are known: `1 before, 3 after`.
pub fn values(before: Option<&str>, after: Option<&str>) -> Option<String> {
    match (before, after) {
        (None, None) => None,
        (Some(before), None) => Some(format!("{before} before")),
        (None, Some(after)) => Some(format!("{after} after")),
        (Some(before), Some(after)) => Some(format!("{before} before, {after} after")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn another_call_has_another_digest() {
        let call = |tool: &str, arguments| {
            let (server_name, tool_name) = ("ops".to_owned(), tool.to_owned());
            PlannedCall { server_name, tool_name, arguments }.digest()
        };
        let one = call("scale", json!({"to": 1}));
        assert_eq!((one.len(), &one), (64, &call("scale", json!({"to": 1}))));
        assert_ne!(one, call("scale", json!({"to": 0})));
        assert_ne!(one, call("restart", json!({"to": 1})));
    }

    #[test]
    fn values_that_are_not_known_are_left_out() {
        assert_eq!(values(Some("1"), Some("3")).as_deref(), Some("1 before, 3 after"));
        assert_eq!(values(None, Some("3")).as_deref(), Some("3 after"));
        assert_eq!(values(Some("1"), None).as_deref(), Some("1 before"));
        assert_eq!(values(None, None), None);
    }

    #[test]
    fn a_plan_is_read_in_lines() {
        let call = |tool: &str, arguments| PlannedCall {
            server_name: "ops".to_owned(),
            tool_name: tool.to_owned(),
            arguments,
        };
        let plan = ActionPlan {
            effect: "three replicas are ready".to_owned(),
            check: Some(ActionCheck {
                call: call("replicas", json!({"of": "checkout"})),
                expected: Expectation {
                    pointer: Some("/ready".to_owned()),
                    kind: ExpectationKind::AtLeast,
                    value: json!(3),
                },
            }),
            rollback: Some(Rollback { call: call("scale", json!({"to": 1})), expected: None }),
        };
        assert_eq!(
            plan.lines(),
            [
                "effect: three replicas are ready",
                r#"check: ops.replicas {"of":"checkout"}: /ready is at least 3"#,
                r#"rollback: ops.scale {"to":1}"#,
            ]
        );
    }
}
