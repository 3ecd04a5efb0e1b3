use std::time::Duration;

use futures::StreamExt as _;
use serde_json::{Value, json};
use tarsy_contracts::subject;
use tarsy_contracts::work::Cancel;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_domain::verdict::VerdictFailure;
use tarsy_store::SessionEnd;

use crate::stack::Stack;

/// The members of an item of the list, in their order.
const ITEM: [&str; 43] = [
    "id",
    "alert_type",
    "chain_id",
    "status",
    "origin",
    "waiting_for_approval",
    "author",
    "created_at",
    "started_at",
    "completed_at",
    "duration_ms",
    "error_message",
    "executive_summary",
    "finding",
    "claims",
    "degraded",
    "degraded_reasons",
    "llm_interaction_count",
    "mcp_interaction_count",
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "tokens_estimated",
    "cost_micro_usd",
    "unpriced_llm_calls",
    "total_stages",
    "completed_stages",
    "has_parallel_stages",
    "chat_message_count",
    "current_stage_index",
    "current_stage_id",
    "title",
    "severity",
    "service",
    "namespace",
    "cluster",
    "links",
    "fingerprint",
    "earlier_sessions",
    "review",
    "score",
    "triage",
    "assignee",
];

#[tokio::test]
async fn a_list_is_filtered_sorted_and_paged() {
    let stack = Stack::start().await;
    for (data, alert_type) in
        [("disk of alpha", "host"), ("memory of beta", "host"), ("pod of gamma", "kubernetes")]
    {
        let id = stack.submit(&json!({"data": data, "alert_type": alert_type})).await.session_id();
        stack.can_be_searched(&id.to_string()).await;
    }
    let total = async |query: &str| {
        let answer = stack.get(&format!("/api/v1/sessions?{query}")).await;
        assert_eq!(answer.status, 200, "{query}: {answer:?}");
        answer.body["pagination"]["total_items"].as_i64().unwrap()
    };
    assert_eq!(total("").await, 3);
    assert_eq!(total("alert_type=host").await, 2);
    assert_eq!(total("chain_id=kubernetes").await, 1);
    assert_eq!(total("status=pending,in_progress").await, 3);
    assert_eq!(total("status=completed").await, 0);
    assert_eq!(total("search=gamma").await, 1);
    assert_eq!(total("search=gamma&alert_type=host").await, 0);
    assert_eq!(total("start_date=2020-01-01").await, 3);
    assert_eq!(total("end_date=2020-01-01T00:00:00Z").await, 0);

    let page =
        stack.get("/api/v1/sessions?page=2&page_size=2&sort_by=created_at&sort_order=asc").await;
    assert_eq!(
        page.body["pagination"],
        json!({"page": 2, "page_size": 2, "total_pages": 2, "total_items": 3})
    );
    let items = page.body["sessions"].as_array().unwrap();
    assert_eq!(items.len(), 1);
    let item = items[0].as_object().unwrap();
    let names: Vec<&str> = item.keys().map(String::as_str).collect();
    assert_eq!(names, ITEM);
    assert_eq!(item["alert_type"], "kubernetes");

    let bad =
        stack.get("/api/v1/sessions?page=0&page_size=500&sort_by=x&status=done&search=a").await;
    assert_eq!(bad.status, 400);
    assert_eq!(bad.fields(), ["page", "page_size", "sort_by", "status", "search"]);
}

#[tokio::test]
async fn what_waits_and_what_runs_is_listed_apart() {
    let stack = Stack::start().await;
    let (first, second) = (stack.pending().await, stack.pending().await);
    let lease = Duration::from_mins(1);
    stack.store.claim_session("owner", lease, 5).await.unwrap().unwrap();
    let lists = stack.get("/api/v1/sessions/active").await.body;
    assert_eq!(lists["active"][0]["id"], json!(first));
    assert_eq!(lists["active"][0]["status"], "in_progress");
    assert_eq!(lists["queued"][0]["id"], json!(second));
    assert_eq!(lists["queued"][0]["queue_position"], 1);
    let options = stack.get("/api/v1/sessions/filter-options").await.body;
    assert_eq!(options["statuses"], json!(["in_progress", "pending"]));
    assert_eq!(options["alert_types"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn one_session_is_shown_from_every_side() {
    let stack = Stack::start().await;
    let id = stack.pending().await;
    let detail = stack.get(&format!("/api/v1/sessions/{id}")).await.body;
    assert_eq!(detail["id"], json!(id));
    assert_eq!(detail["alert_data"], "the disk is full");
    assert_eq!(detail["stages"], json!([]));
    for name in [
        "final_analysis",
        "executive_summary_error",
        "runbook_url",
        "slack_message_fingerprint",
        "mcp_selection",
        "chat_enabled",
        "chat_id",
        "failed_stages",
        "llm_interaction_count",
    ] {
        assert!(detail.get(name).is_some(), "{name} is missing");
    }
    let summary = stack.get(&format!("/api/v1/sessions/{id}/summary")).await.body;
    assert_eq!(summary["session_id"], json!(id));
    assert_eq!(summary["total_interactions"], 0);
    assert!(summary["chain_statistics"].get("current_stage_index").is_some());
    let status = stack.get(&format!("/api/v1/sessions/{id}/status")).await.body;
    assert_eq!(
        status,
        json!({"id": id, "status": "pending", "final_analysis": null,
               "executive_summary": null, "error_message": null})
    );
    assert_eq!(stack.get(&format!("/api/v1/sessions/{id}/timeline")).await.body, json!([]));
    assert_eq!(
        stack.get(&format!("/api/v1/sessions/{id}/trace")).await.body,
        json!({"stages": [], "session_interactions": []})
    );
}

#[tokio::test]
async fn what_does_not_exist_is_not_found() {
    let stack = Stack::start().await;
    let (id, known) = (SessionId::new(), stack.pending().await);
    for path in [
        format!("/api/v1/sessions/{id}"),
        format!("/api/v1/sessions/{id}/summary"),
        format!("/api/v1/sessions/{id}/status"),
        format!("/api/v1/sessions/{id}/timeline"),
        format!("/api/v1/sessions/{id}/trace"),
        format!("/api/v1/sessions/{known}/trace/llm/{id}"),
        format!("/api/v1/sessions/{known}/trace/mcp/{id}"),
        "/api/v1/nothing".to_owned(),
        "/api".to_owned(),
    ] {
        let answer = stack.get(&path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.headers["content-type"], "application/problem+json", "{path}");
        assert_eq!(answer.body["status"], 404, "{path}");
        assert_eq!(answer.body["instance"], json!(path));
    }
    assert_eq!(stack.post(&format!("/api/v1/sessions/{id}/cancel")).await.status, 404);
    let answer = stack.get("/api/v1/sessions/not-an-id").await;
    assert_eq!((answer.status.as_u16(), answer.fields()), (400, vec!["id"]));
    let answer = stack.post("/api/v1/sessions/active").await;
    assert_eq!(answer.status, 405);
    assert_eq!(answer.headers["content-type"], "application/problem+json");
    let answer = stack.get(&format!("/api/v1/sessions/{known}/timeline?limit=0&after=x")).await;
    assert_eq!(answer.fields(), ["after", "limit"]);
}

#[tokio::test]
async fn a_waiting_session_is_cancelled_at_once() {
    let stack = Stack::start().await;
    let id = stack.pending().await;
    let mut events = stack.bus.subscribe(subject::events_of(id)).await.unwrap();
    let answer = stack.post(&format!("/api/v1/sessions/{id}/cancel")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body["session_id"], json!(id));
    let row = stack.store.find_session_status(id).await.unwrap().unwrap();
    assert_eq!(row.status, SessionStatus::Cancelled);
    loop {
        let event: Value = serde_json::from_slice(&events.next().await.unwrap().payload).unwrap();
        if event["status"] == "cancelled" {
            assert_eq!(event["db_event_id"], 2);
            break;
        }
    }
    let again = stack.post(&format!("/api/v1/sessions/{id}/cancel")).await;
    assert_eq!(again.status, 409);
    assert!(again.body["detail"].as_str().unwrap().contains("cancelled"));
}

#[tokio::test]
async fn the_owner_of_a_running_session_is_asked_to_stop() {
    let stack = Stack::start().await;
    let id = stack.pending().await;
    let lease = Duration::from_mins(1);
    let claim = stack.store.claim_session("owner", lease, 5).await.unwrap().unwrap();
    let mut controls = stack.bus.subscribe(subject::control_cancel(id)).await.unwrap();
    for _ in 0..2 {
        // Asking twice tells the owner twice: the first word may have been lost.
        let answer = stack.post(&format!("/api/v1/sessions/{id}/cancel")).await;
        assert_eq!(answer.status, 200);
        let request: Cancel =
            serde_json::from_slice(&controls.next().await.unwrap().payload).unwrap();
        assert_eq!(request.session_id, id);
    }
    assert!(stack.store.renew_lease(claim.fence, lease).await.unwrap().cancel_requested);
    let end = SessionEnd {
        status: SessionStatus::Cancelled,
        final_analysis: None,
        executive_summary: None,
        executive_summary_error: None,
        verdict_failure: None,
        error_message: None,
        failure: None,
    };
    stack.store.finish_session(claim.fence, end).await.unwrap();
    let answer = stack.post(&format!("/api/v1/sessions/{id}/cancel")).await;
    assert_eq!(answer.status, 409);
}

#[tokio::test]
async fn the_summary_of_a_session_has_what_it_found() {
    let stack = Stack::start().await;
    let claim = tarsy_testkit::a_session().running(&stack.store, "owner-1").await.unwrap();
    let end = SessionEnd {
        status: SessionStatus::Completed,
        final_analysis: Some("pod-2 has too little memory".to_owned()),
        executive_summary: Some("Raise the limit of pod-2.".to_owned()),
        executive_summary_error: None,
        verdict_failure: None,
        error_message: None,
        failure: None,
    };
    let id = claim.fence.session_id;
    stack.store.finish_session(claim.fence, end).await.unwrap();
    let summary = stack.get(&format!("/api/v1/sessions/{id}/summary")).await.body;
    assert_eq!(summary["final_analysis"], "pod-2 has too little memory");
    assert_eq!(summary["executive_summary"], "Raise the limit of pod-2.");
}

#[tokio::test]
async fn a_summary_shows_its_prompt_its_thinking_and_what_the_provider_reported() {
    let stack = Stack::start().await;
    let claim = tarsy_testkit::a_session().running(&stack.store, "owner-1").await.unwrap();
    let record = tarsy_store::NewLlmInteraction {
        id: tarsy_domain::id::InteractionId::new(),
        stage_id: None,
        execution_id: None,
        kind: tarsy_domain::event::LlmInteractionKind::ExecutiveSummary,
        provider: "gemini".to_owned(),
        model_name: "gemini-2.5-pro".to_owned(),
        last_message_id: None,
        llm_request: json!({"messages": [
            {"role": "system", "content": "Be short."}, {"role": "user", "content": "It is the load."},
        ]}),
        llm_response: json!({"content": "The load."}),
        thinking_content: Some("Hm.".to_owned()),
        response_metadata: Some(json!({"model_version": "gemini-2.5-pro-002"})),
        input_tokens: Some(10),
        output_tokens: Some(7),
        total_tokens: Some(17),
        thinking_tokens: Some(5),
        tokens_estimated: false,
        cost_micro_usd: None,
        duration_ms: Some(1),
        first_token_ms: Some(4),
        finish_reason: None,
        timed_out: false,
        error_message: None,
        compaction: None,
        record: Box::default(),
        tools: Vec::new(),
    };
    let (session, id) = (claim.session.id, record.id);
    let batch = tarsy_store::Batch::new().with(tarsy_store::Op::LlmInteraction(record));
    stack.store.commit(claim.fence, batch).await.unwrap();
    let trace = stack.get(&format!("/api/v1/sessions/{session}/trace")).await.body;
    assert_eq!(trace["session_interactions"][0]["thinking_tokens"], 5);
    let call = stack.get(&format!("/api/v1/sessions/{session}/trace/llm/{id}")).await.body;
    assert_eq!(
        call["conversation"],
        json!([{"role": "system", "content": "Be short."},
               {"role": "user", "content": "It is the load."}])
    );
    assert_eq!(call["thinking_content"], "Hm.");
    assert_eq!(call["response_metadata"]["model_version"], "gemini-2.5-pro-002");
}

#[tokio::test]
async fn a_session_without_checked_texts_has_no_claims() {
    let stack = Stack::start().await;
    let id =
        stack.submit(&json!({"data": "disk of alpha", "alert_type": "host"})).await.session_id();
    let answer = stack.get(&format!("/api/v1/sessions/{id}/claims")).await;
    assert_eq!((answer.status, answer.body), (reqwest::StatusCode::OK, json!({ "checks": [] })));
    let detail = stack.get(&format!("/api/v1/sessions/{id}")).await.body;
    assert_eq!((&detail["claims"], &detail["degraded"]), (&Value::Null, &json!(false)));
    let unknown = SessionId::new();
    let answer = stack.get(&format!("/api/v1/sessions/{unknown}/claims")).await;
    assert_eq!(answer.status, 404);
}

#[tokio::test]
async fn a_session_has_its_verdict_or_the_reason_for_none() {
    let stack = Stack::start().await;
    let end = |verdict_failure| SessionEnd {
        status: SessionStatus::Completed,
        final_analysis: None,
        executive_summary: None,
        executive_summary_error: None,
        verdict_failure,
        error_message: None,
        failure: None,
    };
    let running =
        async || tarsy_testkit::a_session().running(&stack.store, "owner-1").await.unwrap();
    let claim = running().await;
    let verdict = tarsy_testkit::a_verdict();
    tarsy_testkit::record_verdict(&stack.store, &claim, verdict).await.unwrap();
    stack.store.finish_session(claim.fence, end(None)).await.unwrap();
    let found = stack.get(&format!("/api/v1/sessions/{}", claim.session.id)).await.body;
    assert_eq!(
        found["verdict"],
        json!({
            "outcome": "cause_found",
            "alert_statement": "confirmed",
            "answer": "confirmed: /var is 100 % full",
            "cause": "the disk is full",
            "category": "disk",
            "object": {"kind": "host", "name": "web-1", "namespace": null},
            "since": "3m",
            "confidence": "high",
            "evidence": [{"call": 3, "line": 17, "text": "/var 40G 40G"}],
            "alternatives": [{
                "cause": "a leak",
                "category": "out_of_memory",
                "object": null,
                "because": "memory is free",
                "evidence": [{"call": 1, "line": 2, "text": "Mem: 64G free"}],
                "change": null,
            }],
            "not_examined": [{"what": "inodes", "why": "it failed"}],
            "next_steps": ["look", "delete <logs>"],
            "charts": [],
            "change": null,
            "source": "model",
        })
    );
    assert_eq!(found["verdict_failure"], Value::Null);

    let claim = running().await;
    stack.store.finish_session(claim.fence, end(Some(VerdictFailure::Invalid))).await.unwrap();
    let missing = stack.get(&format!("/api/v1/sessions/{}", claim.session.id)).await.body;
    assert_eq!(
        (&missing["verdict"], &missing["verdict_failure"]),
        (&Value::Null, &json!("invalid"))
    );
}
