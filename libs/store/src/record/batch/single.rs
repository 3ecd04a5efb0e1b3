//! Which operations are written by one statement.

use crate::record::batch::op::Op;

/// Whether these operations can be parts of one statement: none changes a row that another one changes. One that needs what
/// another has written, such as the end of an event that begins with it, refuses the statement.
pub(super) fn is_single(ops: &[Op]) -> bool {
    let (mut models, mut summaries) = (0, 0);
    let (mut changes_session, mut is_touched) = (false, false);
    let (mut concludes, mut ends) = (false, false);
    for op in ops {
        match op {
            Op::OpenEvent(_)
            | Op::CloseEvent(_)
            | Op::AppendMessage(_)
            | Op::CallStarted(_)
            | Op::DeliverResult(_)
            | Op::ToolsListed(_)
            | Op::BeginExecution(_)
            | Op::EndStage(_)
            | Op::StoreClaimCheck(_) => {}
            Op::EndExecution(_) => ends = true,
            Op::Conclude(_) => concludes = true,
            // A chart is a part of its own.
            Op::StoreVerdict(new) if new.verdict.charts.is_empty() => {}
            Op::LlmInteraction(_) => {
                models += 1;
                is_touched = true;
            }
            Op::CallFinished(_) | Op::SetVerdict(_) => is_touched = true,
            Op::SetExecutiveSummary(_) => {
                summaries += 1;
                is_touched = true;
            }
            Op::BeginStage(_)
            | Op::SetSeenBefore(..)
            | Op::SetChanges(_)
            | Op::SetDependencies(_) => {
                changes_session = true;
            }
            Op::ReassignCall(_)
            | Op::RequestApproval(_)
            | Op::CloseApproval(_)
            | Op::Action(_)
            | Op::RequestSummary(_)
            | Op::RequestConclusion(_)
            | Op::RequestRepair(_)
            | Op::RequestLook(_)
            | Op::Gather(_)
            | Op::SwitchProvider(_)
            | Op::SetRunbook(_)
            | Op::StoreVerdict(_) => return false,
        }
    }
    models <= 1 && summaries <= 1 && !(changes_session && is_touched) && !(concludes && ends)
}
