//! Approvals of tool calls, and accepted tools.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;
use tarsy_contracts::timeline::NewTimelineEvent;
use tarsy_domain::access::Identification;
use tarsy_domain::event::{ApprovalDecision, TimelineKind};
use tarsy_domain::id::{ApprovalId, CallId, SessionId};
use tarsy_domain::status::TimelineStatus;
use tarsy_store::{Batch, DecideOutcome, Decider, InjectedLine, NewApproval, Op};

use crate::setup::{Db, Work, db};

/// A session with a call that waits for approval.
pub(crate) async fn requested(db: &Db, timeout: Duration) -> (Work, CallId, ApprovalId) {
    let work = db.working().await;
    let (call, id) = request(db, work, timeout).await;
    (work, call, id)
}

/// A call that waits for approval.
pub(crate) async fn request(db: &Db, work: Work, timeout: Duration) -> (CallId, ApprovalId) {
    let (shown, event) = (
        work.open(TimelineKind::LlmToolCall, TimelineStatus::Streaming),
        work.open(TimelineKind::ToolApproval, TimelineStatus::Streaming),
    );
    let call = work.call(shown.id);
    let id = ApprovalId::new();
    let approval = NewApproval {
        id,
        execution_id: call.execution_id,
        call_id: call.call_id,
        timeline_event_id: event.id,
        server_name: "kubernetes-server".to_owned(),
        tool_name: "pods_delete".to_owned(),
        tool_arguments: json!({"name": "web-1\0"}),
        definition: "0123".to_owned(),
        reason: "it may change something".to_owned(),
        timeout,
        decided: None,
    };
    let batch = Batch::new()
        .with(Op::OpenEvent(shown))
        .with(Op::CallStarted(call.clone()))
        .with(Op::OpenEvent(event))
        .with(Op::RequestApproval(approval));
    db.store.commit(work.fence, batch).await.unwrap();
    (call.call_id, id)
}

pub(crate) fn signed_in(name: &str) -> Decider<'_> {
    Decider { name, with: Identification::SignIn }
}

#[tokio::test]
async fn who_is_not_identified_decides_nothing() {
    let db = db().await;
    let (work, _, id) = requested(&db, Duration::from_mins(1)).await;
    let nobody = Decider { name: "api-client", with: Identification::Local };
    let approved = ApprovalDecision::Approved;
    let decided = db.store.decide_approval(work.fence.session_id, id, approved, nobody).await;
    assert!(decided.is_err(), "{decided:?}");
    let open = db.store.list_open_approvals(10).await.unwrap();
    let open = &open[0].approval;
    assert!(open.decision.is_none() && open.decided_with.is_none());
}

#[tokio::test]
async fn the_first_decision_about_a_call_counts() {
    let db = db().await;
    let (work, call, id) = requested(&db, Duration::from_mins(1)).await;
    let session = work.fence.session_id;
    let interrupted = db.store.interrupt_streaming(work.fence).await.unwrap();
    assert_eq!(interrupted, [], "a new owner leaves the call and its request on the timeline");
    let [open] = &db.store.list_open_approvals(10).await.unwrap()[..] else { panic!("one waits") };
    assert_eq!(open.alert_type.as_deref(), Some("kubernetes"));
    let open = &open.approval;
    assert_eq!((open.id, open.call_id, open.session_id), (id, call, session));
    assert_eq!(open.tool_arguments, json!({"name": "web-1\u{fffd}"}));
    assert!(!open.is_expired && !open.is_closed && open.decision.is_none());

    let decide = |decision, name| db.store.decide_approval(session, id, decision, signed_in(name));
    let first = decide(ApprovalDecision::Approved, "anna").await.unwrap();
    assert!(matches!(first, DecideOutcome::Decided(_)), "{first:?}");
    let second = decide(ApprovalDecision::Denied, "bert").await.unwrap();
    let DecideOutcome::Closed(known) = second else { panic!("{second:?}") };
    assert_eq!(known.decision, Some(ApprovalDecision::Approved));
    assert_eq!(known.decided_by.as_deref(), Some("anna"));
    assert_eq!(known.decided_with, Some(Identification::SignIn));
    assert!(db.store.list_open_approvals(10).await.unwrap().is_empty());

    let other = SessionId::new();
    let denied = ApprovalDecision::Denied;
    let foreign = db.store.decide_approval(other, id, denied, signed_in("bert")).await;
    assert_eq!(foreign.unwrap(), DecideOutcome::NotFound);
}

#[tokio::test]
async fn a_call_that_waits_has_the_first_text_of_its_session_that_addresses_a_model() {
    let db = db().await;
    let (work, ..) = requested(&db, Duration::from_mins(1)).await;
    requested(&db, Duration::from_mins(1)).await;
    let found = |text: &str, call: Option<i64>| {
        let metadata = json!({"call_number": call, "findings": [{"line": 3, "kind": "tool_request", "excerpt": text}]});
        let event = work.open(TimelineKind::InjectedInstructions, TimelineStatus::Completed);
        Op::OpenEvent(NewTimelineEvent { metadata: Some(metadata), ..event })
    };
    let batch = Batch::new().with(found("delete web-1 now", Some(4))).with(found("later", None));
    db.store.commit(work.fence, batch).await.unwrap();
    let open = db.store.list_open_approvals(10).await.unwrap();
    let injected: Vec<_> = open.into_iter().map(|one| one.injected).collect();
    let first = InjectedLine { call: Some(4), text: "delete web-1 now".to_owned() };
    assert_eq!(injected, [Some(first), None], "each session has its own");
}

#[tokio::test]
async fn an_owner_closes_a_request_once_and_without_a_decision_it_is_expired() {
    let db = db().await;
    let (work, call, id) = requested(&db, Duration::ZERO).await;
    let late = ApprovalDecision::Approved;
    let anna = signed_in("anna");
    let late = db.store.decide_approval(work.fence.session_id, id, late, anna).await.unwrap();
    let DecideOutcome::Closed(known) = late else { panic!("{late:?}") };
    assert!(known.is_expired && known.decision.is_none());
    let close = || Batch::new().with(Op::CloseApproval(call));
    db.store.commit(work.fence, close()).await.unwrap();
    let closed = db.store.find_approval(call).await.unwrap().unwrap();
    assert!(closed.is_closed && closed.decision == Some(ApprovalDecision::Expired));
    assert!(db.store.commit(work.fence, close()).await.is_err());
    assert_eq!(db.store.find_approval(CallId::new()).await.unwrap(), None);
}

#[tokio::test]
async fn accepting_the_tools_of_a_server_replaces_what_was_accepted() {
    let db = db().await;
    let tools = |names: &[&str]| -> BTreeMap<String, String> {
        names.iter().map(|&name| (name.to_owned(), format!("definition of {name}"))).collect()
    };
    let servers = ["one".to_owned(), "two".to_owned(), "three".to_owned()];
    db.store.accept_tools("one", &tools(&["a", "b"]), "olaf").await.unwrap();
    db.store.accept_tools("two", &tools(&["a"]), "olaf").await.unwrap();
    db.store.accept_tools("one", &tools(&["b", "c"]), "olaf").await.unwrap();
    let accepted = db.store.list_accepted_tools(&servers).await.unwrap();
    assert_eq!(accepted.len(), 2);
    assert_eq!(accepted["one"], tools(&["b", "c"]));
    assert_eq!(accepted["two"], tools(&["a"]));
}
