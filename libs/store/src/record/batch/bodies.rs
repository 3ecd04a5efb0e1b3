//! The events of the operations of a batch.

use serde_json::{Value, json};
use tarsy_contracts::event::Body;
use tarsy_contracts::timeline::{EndTimelineEvent, NewTimelineEvent};
use tarsy_domain::event::InteractionKind;
use tarsy_domain::id::{ExecutionId, InteractionId, StageId};

use crate::finding::claims::check::{NewClaimCheck, number};
use crate::record::batch::op::Op;

/// The event of an operation, if it has one.
pub(super) fn body(op: &Op) -> Option<Body> {
    match op {
        Op::OpenEvent(event) => Some(opened(event)),
        Op::CloseEvent(event) => Some(closed(event)),
        Op::LlmInteraction(call) => {
            Some(recorded(call.stage_id, call.execution_id, call.id, InteractionKind::Llm))
        }
        Op::CallStarted(call) => Some(recorded(
            Some(call.stage_id),
            Some(call.execution_id),
            call.id,
            InteractionKind::Mcp,
        )),
        Op::ToolsListed(list) => Some(recorded(
            Some(list.stage_id),
            Some(list.execution_id),
            list.id,
            InteractionKind::Mcp,
        )),
        Op::BeginStage(stage) => {
            let (name, index) = (&stage.stage_name, stage.stage_index);
            Some(Body::stage_started(stage.id, name, index, stage.joins_stage_id))
        }
        Op::EndStage(end) => Some(Body::stage(end.id, &end.name, end.index, end.status)),
        Op::StoreClaimCheck(check) => Some(claims_checked(check)),
        Op::SetVerdict(id) => Some(Body::VerdictRecorded { verdict_id: *id }),
        Op::AppendMessage(_)
        | Op::CallFinished(_)
        | Op::DeliverResult(_)
        | Op::ReassignCall(_)
        | Op::RequestApproval(_)
        | Op::CloseApproval(_)
        | Op::Action(_)
        | Op::RequestSummary(_)
        | Op::BeginExecution(_)
        | Op::EndExecution(_)
        | Op::RequestConclusion(_)
        | Op::RequestRepair(_)
        | Op::RequestLook(_)
        | Op::Gather(_)
        | Op::Conclude(_)
        | Op::SwitchProvider(_)
        | Op::SetExecutiveSummary(_)
        | Op::SetRunbook(_)
        | Op::SetSeenBefore(..)
        | Op::SetChanges(_)
        | Op::SetDependencies(_)
        | Op::StoreVerdict(_) => None,
    }
}

/// The same operations; the timeline event of each call that is written down names its number.
pub(super) fn numbered(ops: &[Op], first: i64) -> Vec<Op> {
    let started = ops.iter().filter_map(|op| match op {
        Op::CallStarted(call) => Some(call.timeline_event_id),
        _ => None,
    });
    let numbers: Vec<_> = started.zip(first..).collect();
    let mut ops = ops.to_vec();
    for op in &mut ops {
        let Op::OpenEvent(event) = op else { continue };
        let Some((_, number)) = numbers.iter().find(|(id, _)| *id == event.id) else { continue };
        let metadata = event.metadata.get_or_insert_with(|| json!({}));
        if let Value::Object(fields) = metadata {
            fields.insert("call_number".to_owned(), json!(number));
        }
    }
    ops
}

/// The event of a timeline event that begins.
fn opened(event: &NewTimelineEvent) -> Body {
    Body::TimelineCreated { event: event.clone(), sequence_number: None }
}

fn closed(event: &EndTimelineEvent) -> Body {
    Body::TimelineCompleted(event.clone())
}

fn claims_checked(check: &NewClaimCheck) -> Body {
    Body::ClaimsChecked {
        check_id: check.id,
        text: check.text,
        execution_id: check.execution_id,
        timeline_event_id: check.timeline_event_id,
        claims: number(check.claims().len()),
        verified: number(check.verified()),
    }
}

fn recorded(
    stage_id: Option<StageId>,
    execution_id: Option<ExecutionId>,
    interaction_id: InteractionId,
    interaction_type: InteractionKind,
) -> Body {
    Body::InteractionCreated { stage_id, execution_id, interaction_id, interaction_type }
}
