//! The plan of a call that changes something, stored with the call.

use tarsy_contracts::action::Rollback;
use tarsy_domain::id::{ActionId, CallId};
use tarsy_domain::status::SessionOrigin;
use tarsy_store::{ActionStep, NewAction, Op};

use crate::engine::admission::Admission;
use crate::engine::calls::intent::Intent;
use crate::engine::task::AgentTask;
use crate::engine::tools::Tools;

/// The operation that stores the plan of a call that a person is asked about. A replay, which asks nobody, has the actions of
/// its original.
pub(super) fn op(
    task: &AgentTask<'_>,
    tools: &Tools,
    (admission, call_id): (&Admission, CallId),
    intent: Intent,
) -> Option<Op> {
    let is_replay = task.plan.session.origin == SessionOrigin::Replay;
    if !is_replay && !matches!(admission, Admission::Approval(_)) {
        return None;
    }
    let plan = intent.plan?.ok()?;
    let definition = |rollback: &Rollback| {
        tools.definition(&rollback.call.server_name, &rollback.call.tool_name)
    };
    Some(Op::Action(ActionStep::Plan(Box::new(NewAction {
        id: ActionId::new(),
        execution_id: task.execution,
        call_id,
        rollback_definition: plan.rollback.as_ref().and_then(definition),
        plan,
        dry_run: intent.dry_run,
        rolls_back: intent.rollback.map(|(action, _)| action),
    }))))
}
