//! The trace.

use serde_json::json;
use tarsy_domain::event::{CallStatus, LlmInteractionKind, McpInteractionKind, Role};
use tarsy_domain::id::InteractionId;
use tarsy_store::{Batch, Op};

use crate::setup::{call_end, db};

#[tokio::test]
async fn calls_stand_where_they_were_made() {
    let db = db().await;
    let work = db.working().await;
    let event = work.streaming();
    let call = work.call(event.id);
    let mut of_agent = work.llm(None);
    of_agent.timed_out = true;
    let mut of_session = work.llm(None);
    of_session.stage_id = None;
    of_session.execution_id = None;
    of_session.kind = LlmInteractionKind::ExecutiveSummary;
    let batch = Batch::new()
        .with(Op::OpenEvent(event))
        .with(Op::CallStarted(call.clone()))
        .with(Op::LlmInteraction(of_agent.clone()))
        .with(Op::LlmInteraction(of_session.clone()));
    let committed = db.store.commit(work.fence, batch).await.unwrap();
    assert!(!committed[3].payload.contains("execution_id"));

    let trace = db.store.find_trace(work.fence.session_id).await.unwrap();
    let [stage] = trace.stages.as_slice() else { panic!("one stage") };
    assert_eq!((stage.stage_id, stage.stage_name.as_str()), (work.stage, "triage"));
    let [execution] = stage.executions.as_slice() else { panic!("one execution") };
    assert_eq!(execution.execution_id, work.execution);
    assert_eq!(execution.llm_interactions[0].id, of_agent.id);
    assert_eq!(execution.llm_interactions[0].total_tokens, Some(120));
    assert!(execution.llm_interactions[0].timed_out);
    assert!(!trace.session_interactions[0].timed_out);
    assert_eq!(execution.mcp_interactions[0].id, call.id);
    assert!(!execution.mcp_interactions[0].refused_by_policy);
    assert_eq!(execution.mcp_interactions[0].status, CallStatus::Started);
    assert_eq!(execution.mcp_interactions[0].call_number, Some(1));
    assert_eq!(trace.session_interactions.len(), 1);
    assert_eq!(trace.session_interactions[0].id, of_session.id);
    assert_eq!(trace.session_interactions[0].kind, LlmInteractionKind::ExecutiveSummary);

    let other = db.pending().await;
    let empty = db.store.find_trace(other).await.unwrap();
    assert!(empty.stages.is_empty() && empty.session_interactions.is_empty());
}

#[tokio::test]
async fn a_model_call_is_shown_with_its_conversation_up_to_its_last_message() {
    let db = db().await;
    let work = db.working().await;
    let asked = work.message(2, Role::User, "why");
    let mut answer = work.message(3, Role::Assistant, "because");
    answer.tool_calls = Some(json!([{"id": "call_1", "name": "pods_list", "arguments": "{}"}]));
    let call = work.llm(Some(answer.id));
    let batch = Batch::new()
        .with(Op::AppendMessage(work.message(1, Role::System, "you are an SRE")))
        .with(Op::AppendMessage(asked))
        .with(Op::AppendMessage(answer))
        .with(Op::AppendMessage(work.message(4, Role::Tool, "later")))
        .with(Op::LlmInteraction(call.clone()));
    db.store.commit(work.fence, batch).await.unwrap();
    let id = work.fence.session_id;
    let shown = db.store.find_llm_interaction(id, call.id).await.unwrap().unwrap();
    assert_eq!(shown.brief.model_name, "offline");
    assert_eq!(shown.llm_request, call.llm_request);
    assert_eq!(shown.llm_response, call.llm_response);
    assert_eq!(shown.thinking_content.as_deref(), Some("hm"));
    let contents: Vec<_> =
        shown.conversation.iter().map(|message| message.content.as_str()).collect();
    assert_eq!(contents, ["you are an SRE", "why", "because"]);
    assert!(shown.conversation[2].tool_calls.is_some());

    let other = db.pending().await;
    assert!(db.store.find_llm_interaction(other, call.id).await.unwrap().is_none());
    assert!(db.store.find_llm_interaction(id, InteractionId::new()).await.unwrap().is_none());
}

#[tokio::test]
async fn a_tool_call_is_shown_with_its_result() {
    let db = db().await;
    let work = db.working().await;
    let event = work.streaming();
    let call = work.call(event.id);
    let mut outcome = call_end(&call, "cut");
    outcome.status = CallStatus::Failed;
    outcome.error_message = Some("no such namespace".to_owned());
    outcome.refused_by_policy = true;
    let start = Batch::new().with(Op::OpenEvent(event)).with(Op::CallStarted(call.clone()));
    db.store.commit(work.fence, start).await.unwrap();
    db.store.commit(work.fence, Batch::new().with(Op::CallFinished(outcome))).await.unwrap();
    let id = work.fence.session_id;
    let shown = db.store.find_mcp_interaction(id, call.id).await.unwrap().unwrap();
    assert_eq!(shown.brief.status, CallStatus::Failed);
    assert_eq!(shown.brief.kind, McpInteractionKind::ToolCall);
    assert_eq!(shown.brief.duration_ms, Some(5));
    assert!(shown.brief.refused_by_policy);
    let trace = db.store.find_trace(id).await.unwrap();
    assert!(trace.stages[0].executions[0].mcp_interactions[0].refused_by_policy);
    assert_eq!(shown.brief.error_message.as_deref(), Some("no such namespace"));
    assert_eq!(shown.tool_arguments, Some(json!({"namespace": "default"})));
    assert_eq!(shown.tool_result.as_deref(), Some("cut"));
    assert_eq!(shown.available_tools, None);

    let other = db.pending().await;
    assert!(db.store.find_mcp_interaction(other, call.id).await.unwrap().is_none());
    assert!(db.store.find_mcp_interaction(id, InteractionId::new()).await.unwrap().is_none());
}
