//! Calls that change something: from their plan to their outcome.

use tarsy_contracts::action::{ActionPlan, DryRun, Expectation, ReadingBefore};
use tarsy_domain::action::ActionOutcome;
use tarsy_domain::id::{ActionId, CallId, ExecutionId};
use tarsy_domain::verdict::AlertStatement;

use crate::encode::{clean, clean_json, clean_maybe};

/// A step of a call that changes something.
#[derive(Clone, Debug, PartialEq)]
pub enum ActionStep {
    /// It is about to be asked about; in the batch that stores the call.
    Plan(Box<NewAction>),
    /// What its check shows before it is made; in the batch that lets it be made.
    Read(CallId, ReadingBefore),
    /// Its end is stored; in the same batch.
    Made(CallId),
    /// Its outcome is known, or it was not made.
    End(ActionEnd),
}

/// A call that is planned.
#[derive(Clone, Debug, PartialEq)]
pub struct NewAction {
    pub id: ActionId,
    pub execution_id: ExecutionId,
    pub call_id: CallId,
    pub plan: ActionPlan,
    /// What the tool of the rollback says of itself, as a digest.
    pub rollback_definition: Option<String>,
    pub dry_run: Option<DryRun>,
    /// The action that it takes back.
    pub rolls_back: Option<ActionId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionEnd {
    pub call_id: CallId,
    /// None if the call was not made.
    pub outcome: Option<ActionOutcome>,
    pub reason: String,
    pub observed: Option<String>,
    /// The number of the call that decided.
    pub check_number: Option<i64>,
    /// What the alert's statement came to, with one sentence.
    pub statement: Option<(AlertStatement, String)>,
}

impl ActionStep {
    pub(super) fn clean(&mut self) {
        match self {
            Self::Plan(new) => clean_plan(new),
            Self::Read(_, before) => clean_maybe(&mut before.observed),
            Self::Made(_) => {}
            Self::End(end) => {
                clean(&mut end.reason);
                clean_maybe(&mut end.observed);
                if let Some((_, answer)) = &mut end.statement {
                    clean(answer);
                }
            }
        }
    }
}

fn clean_plan(new: &mut NewAction) {
    let plan = &mut new.plan;
    clean(&mut plan.effect);
    let calls = [
        plan.check.as_mut().map(|check| &mut check.call),
        plan.rollback.as_mut().map(|rollback| &mut rollback.call),
    ];
    for call in calls.into_iter().flatten() {
        clean(&mut call.server_name);
        clean(&mut call.tool_name);
        clean_json(&mut call.arguments);
    }
    let expected = [
        plan.check.as_mut().map(|check| &mut check.expected),
        plan.rollback.as_mut().and_then(|rollback| rollback.expected.as_mut()),
    ];
    expected.into_iter().flatten().for_each(clean_expectation);
    if let Some(dry_run) = &mut new.dry_run {
        clean(&mut dry_run.result);
    }
}

fn clean_expectation(expected: &mut Expectation) {
    clean_maybe(&mut expected.pointer);
    clean_json(&mut expected.value);
}
