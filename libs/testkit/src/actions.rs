//! Calls that changed something.

use tarsy_contracts::action::{ActionPlan, ReadingBefore};
use tarsy_domain::action::ActionOutcome;
use tarsy_domain::event::{CallStatus, TimelineKind};
use tarsy_domain::id::{ActionId, CallId};
use tarsy_domain::status::TimelineStatus;
use tarsy_store::{ActionEnd, ActionStep, Batch, CallEnd, Error, NewAction, Op, Store};

use crate::steps::Investigation;

/// An action of this plan that did not work: its check found `1`, before and after. The ids of the action and of its call.
pub async fn a_failed_action(
    store: &Store,
    work: &Investigation,
    plan: ActionPlan,
) -> Result<(ActionId, CallId), Error> {
    let shown = work.event(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
    let new = work.tool_call(shown.id);
    let (id, call_id) = (ActionId::new(), new.call_id);
    let planned = NewAction {
        id,
        execution_id: work.execution,
        call_id,
        plan,
        rollback_definition: Some("0123".to_owned()),
        dry_run: None,
        rolls_back: None,
    };
    let one = Some("1".to_owned());
    let read = ReadingBefore { call_number: 2, observed: one.clone(), shows_effect: Some(false) };
    let begun = Batch::new()
        .with(Op::OpenEvent(shown.clone()))
        .with(Op::CallStarted(new))
        .with(Op::Action(ActionStep::Plan(Box::new(planned))))
        .with(Op::Action(ActionStep::Read(call_id, read)));
    store.commit(work.fence, begun).await?;
    let end = CallEnd {
        call_id,
        status: CallStatus::Completed,
        tool_result: "done".to_owned(),
        whole_result: None,
        duration_ms: None,
        refused_by_policy: false,
        injected_instructions: 0,
        error_message: None,
    };
    let outcome = ActionEnd {
        call_id,
        outcome: Some(ActionOutcome::DidNotWork),
        reason: "found: 1".to_owned(),
        observed: one,
        check_number: None,
        statement: None,
    };
    let ended = Batch::new()
        .with(Op::CallFinished(end))
        .with(Op::CloseEvent(Investigation::completed(&shown, "done")))
        .with(Op::Action(ActionStep::Made(call_id)))
        .with(Op::Action(ActionStep::End(outcome)));
    store.commit(work.fence, ended).await?;
    Ok((id, call_id))
}
