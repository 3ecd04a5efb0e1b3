//! Takes out of operations what PostgreSQL has no place for.

use tarsy_contracts::trace::OfferedTool;

use crate::encode::{clean, clean_failure, clean_json, clean_maybe, clean_maybe_json};
use crate::record::batch::op::{EndExecution, NewApproval, NewLlmInteraction, NewToolList, Op};

pub(super) fn clean_op(op: &mut Op) {
    match op {
        Op::OpenEvent(event) => {
            clean(&mut event.content);
            clean_maybe_json(&mut event.metadata);
        }
        Op::CloseEvent(event) => {
            clean(&mut event.content);
            clean_maybe_json(&mut event.metadata);
        }
        Op::RequestApproval(approval) => clean_approval(approval),
        Op::Action(step) => step.clean(),
        Op::AppendMessage(message) => {
            clean(&mut message.content);
            clean_maybe_json(&mut message.tool_calls);
            clean_maybe(&mut message.tool_call_id);
            clean_maybe(&mut message.tool_name);
        }
        Op::LlmInteraction(call) => clean_llm_interaction(call),
        Op::CallStarted(call) => {
            for text in [&mut call.server_name, &mut call.tool_name, &mut call.tool_call_id] {
                clean(text);
            }
            clean_json(&mut call.tool_arguments);
        }
        Op::CallFinished(end) => {
            clean(&mut end.tool_result);
            clean_maybe(&mut end.whole_result);
            clean_maybe(&mut end.error_message);
        }
        Op::RequestSummary(summary) => clean_json(&mut summary.request),
        Op::ToolsListed(list) => clean_tool_list(list),
        Op::EndStage(end) => clean_maybe(&mut end.error),
        Op::EndExecution(end) => clean_execution(end),
        Op::Conclude(conclusion) => clean(&mut conclusion.text),
        Op::SwitchProvider(switch) => clean(&mut switch.provider),
        Op::SetExecutiveSummary(text) => clean(text),
        Op::StoreClaimCheck(check) => check.clean(),
        Op::StoreVerdict(new) => new.clean(),
        Op::SetRunbook(kept) => {
            clean_maybe(&mut kept.text);
            clean_maybe(&mut kept.error);
        }
        // It was read from the database.
        Op::SetSeenBefore(..)
        | Op::SetChanges(_)
        | Op::SetDependencies(_)
        | Op::ReassignCall(_)
        | Op::DeliverResult(_)
        | Op::CloseApproval(_)
        | Op::BeginStage(_)
        | Op::BeginExecution(_)
        | Op::RequestConclusion(_)
        | Op::RequestRepair(_)
        | Op::RequestLook(_)
        | Op::Gather(_)
        | Op::SetVerdict(_) => {}
    }
}

fn clean_execution(end: &mut EndExecution) {
    clean_maybe(&mut end.error);
    clean_failure(&mut end.failure);
}

fn clean_approval(approval: &mut NewApproval) {
    for text in [&mut approval.server_name, &mut approval.tool_name, &mut approval.reason] {
        clean(text);
    }
    clean_json(&mut approval.tool_arguments);
}

fn clean_llm_interaction(call: &mut NewLlmInteraction) {
    clean(&mut call.provider);
    clean(&mut call.model_name);
    clean_json(&mut call.llm_request);
    clean_json(&mut call.llm_response);
    clean_maybe_json(&mut call.response_metadata);
    let record = &mut call.record;
    for text in [
        &mut call.thinking_content,
        &mut call.error_message,
        &mut record.backend,
        &mut record.prompt_version,
        &mut record.model_version,
        &mut record.response_id,
        &mut record.vendor_finish_reason,
        &mut record.response_format,
    ] {
        clean_maybe(text);
    }
    record.answer_notes.iter_mut().for_each(clean);
    call.tools.iter_mut().for_each(clean_tool);
}

fn clean_tool_list(list: &mut NewToolList) {
    clean(&mut list.server_name);
    clean_maybe_json(&mut list.available_tools);
    clean_maybe(&mut list.description);
    clean_maybe(&mut list.error_message);
    list.tools.iter_mut().for_each(clean_tool);
}

fn clean_tool(tool: &mut OfferedTool) {
    for text in [&mut tool.server, &mut tool.name, &mut tool.description] {
        clean(text);
    }
    clean_json(&mut tool.input_schema);
}
