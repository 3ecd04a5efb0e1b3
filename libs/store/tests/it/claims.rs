//! Checks of claims: what is stored of them, what they may rest on, and what they come to.

use tarsy_contracts::claim::{ClaimCheck, ClaimCounts};
use tarsy_contracts::session::SessionItem;
use tarsy_domain::claim::{CheckFailure, CheckedText, ClaimKind, DegradedReason, Verdict};
use tarsy_domain::event::{CallStatus, TimelineKind};
use tarsy_domain::id::{
    ClaimCheckId, ExecutionId, InteractionId, SessionId, StageId, TimelineEventId,
};
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_store::{Batch, CallEnd, Error, NewCall, NewClaim, NewClaimCheck, NewToolList, Op};

use crate::setup::{Db, Work, call_end, db, end, new_execution, new_stage, payload};

fn claim(verdict: Verdict, start: usize) -> NewClaim {
    NewClaim {
        kind: ClaimKind::Quantity,
        text: format!("{start}\0 GiB"),
        start,
        end: start + 6,
        verdict,
        call: (verdict == Verdict::Contradicted).then_some(2),
        line: (verdict == Verdict::Contradicted).then_some(7),
        shown: (verdict == Verdict::Contradicted).then(|| "used of /var: 41 GiB".to_owned()),
    }
}

fn check(work: &Work, text: CheckedText, verdicts: &[Verdict]) -> NewClaimCheck {
    let claims = verdicts.iter().zip(0..).map(|(verdict, start)| claim(*verdict, start));
    let of_agent = text != CheckedText::ExecutiveSummary;
    NewClaimCheck {
        id: ClaimCheckId::new(),
        execution_id: of_agent.then_some(work.execution),
        timeline_event_id: Some(TimelineEventId::new()),
        text,
        successful_calls: 1,
        outcome: Ok(claims.collect()),
    }
}

/// The event that shows the text, and the check.
fn stored(work: &Work, check: NewClaimCheck) -> Batch {
    let mut event = work.open(TimelineKind::FinalAnalysis, TimelineStatus::Completed);
    event.id = check.timeline_event_id.unwrap();
    Batch::new().with(Op::OpenEvent(event)).with(Op::StoreClaimCheck(check))
}

/// A call of a tool that ends like this.
fn call_of(work: &Work, tool: &str, status: CallStatus, refused: bool) -> Batch {
    let event = work.streaming();
    let call = NewCall { tool_name: tool.to_owned(), ..work.call(event.id) };
    let ended = CallEnd { status, refused_by_policy: refused, ..call_end(&call, "") };
    let begun = Batch::new().with(Op::OpenEvent(event)).with(Op::CallStarted(call));
    begun.with(Op::CallFinished(ended))
}

/// A call with its number and whole result.
fn call(work: &Work, result: &str) -> Batch {
    let event = work.streaming();
    let call = work.call(event.id);
    let mut ended = call_end(&call, "cut");
    ended.whole_result = Some(result.to_owned());
    let begun = Batch::new().with(Op::OpenEvent(event)).with(Op::CallStarted(call));
    begun.with(Op::CallFinished(ended))
}

async fn begin(db: &Db, before: &Work, index: i32) -> Work {
    let (stage, execution) = (StageId::new(), ExecutionId::new());
    let batch = Batch::new()
        .with(Op::BeginStage(new_stage(stage, index, "next")))
        .with(Op::BeginExecution(new_execution(execution, stage, 1)));
    db.store.commit(before.fence, batch).await.unwrap();
    Work { fence: before.fence, stage, execution }
}

async fn checks(db: &Db, session: SessionId) -> Vec<ClaimCheck> {
    db.store.list_claim_checks(session).await.unwrap().checks
}

async fn item(db: &Db, session: SessionId) -> SessionItem {
    db.store.find_session_detail(session).await.unwrap().unwrap().item
}

#[tokio::test]
async fn a_check_is_stored_with_its_text_and_its_event() {
    let db = db().await;
    let work = db.working().await;
    let verdicts = [Verdict::Supported, Verdict::Contradicted, Verdict::Uncited];
    let new = check(&work, CheckedText::FinalAnalysis, &verdicts);
    let committed = db.store.commit(work.fence, stored(&work, new.clone())).await.unwrap();
    let event = payload(&committed[1]);
    assert_eq!(event["type"], "claims.checked");
    assert_eq!((&event["claims"], &event["verified"]), (&3.into(), &2.into()));
    assert_eq!(event["timeline_event_id"], new.timeline_event_id.unwrap().to_string());
    let [stored] = checks(&db, work.fence.session_id).await.try_into().unwrap();
    assert_eq!((stored.id, stored.execution_id), (new.id, Some(work.execution)));
    assert_eq!((stored.claims, stored.verified, stored.successful_calls), (3, 2, 1));
    let found: Vec<_> = stored.items.iter().map(|one| (one.start, one.verdict)).collect();
    assert_eq!(found, [(0, verdicts[0]), (1, verdicts[1]), (2, verdicts[2])]);
    let wrong = &stored.items[1];
    assert_eq!((wrong.call, wrong.line, wrong.end), (Some(2), Some(7), 7));
    assert_eq!(wrong.shown.as_deref(), Some("used of /var: 41 GiB"));
    assert_eq!(wrong.text, "1\u{fffd} GiB");
}

#[tokio::test]
async fn of_very_many_claims_the_worst_have_rows() {
    let db = db().await;
    let work = db.working().await;
    let mut verdicts = vec![Verdict::Supported; 600];
    verdicts[550] = Verdict::NoSuchCall;
    let new = check(&work, CheckedText::FinalAnalysis, &verdicts);
    db.store.commit(work.fence, stored(&work, new)).await.unwrap();
    let [stored] = checks(&db, work.fence.session_id).await.try_into().unwrap();
    assert_eq!((stored.claims, stored.verified), (600, 599));
    assert_eq!((stored.items.len(), stored.items_left_out), (500, 100));
    assert_eq!(stored.items[499].verdict, Verdict::NoSuchCall);
}

#[tokio::test]
async fn a_text_is_checked_once() {
    let db = db().await;
    let work = db.working().await;
    let first = check(&work, CheckedText::FinalAnalysis, &[Verdict::Supported]);
    let again = NewClaimCheck { id: ClaimCheckId::new(), ..first.clone() };
    db.store.commit(work.fence, stored(&work, first)).await.unwrap();
    let batch = Batch::new().with(Op::StoreClaimCheck(again));
    let error = db.store.commit(work.fence, batch).await.unwrap_err();
    assert!(matches!(error, Error::Conflict(_)), "{error}");
    assert_eq!(checks(&db, work.fence.session_id).await.len(), 1);
}

#[tokio::test]
async fn an_agent_knows_its_own_calls_and_those_of_earlier_stages_whole() {
    let db = db().await;
    let first = db.working().await;
    db.store.commit(first.fence, call(&first, "of the first stage")).await.unwrap();
    let second = begin(&db, &first, 1).await;
    let beside = Work { execution: ExecutionId::new(), ..second };
    let execution = new_execution(beside.execution, second.stage, 2);
    let batch = Batch::new().with(Op::BeginExecution(execution));
    db.store.commit(second.fence, batch).await.unwrap();
    db.store.commit(beside.fence, call(&beside, "of another agent")).await.unwrap();
    db.store.commit(second.fence, call(&second, "its own")).await.unwrap();
    let running = second.streaming();
    let begun = Batch::new().with(Op::OpenEvent(running.clone()));
    let begun = begun.with(Op::CallStarted(second.call(running.id)));
    db.store.commit(second.fence, begun).await.unwrap();
    let session = second.fence.session_id;
    let evidence = db.store.find_evidence(session, second.execution, 1_000).await.unwrap().unwrap();
    let known: Vec<_> =
        evidence.calls.iter().map(|call| (call.number, call.text.as_str())).collect();
    assert_eq!(known, [(1, "of the first stage"), (3, "its own")]);
    let call = &evidence.calls[0];
    assert_eq!(
        (call.status, call.server_name.as_str()),
        (CallStatus::Completed, "kubernetes-server")
    );
    assert!(call.answered_at.is_some());
    assert_eq!(db.store.count_successful_calls(session).await.unwrap(), 3);
}

#[tokio::test]
async fn more_results_than_a_check_may_read_are_not_read() {
    let db = db().await;
    let work = db.working().await;
    db.store.commit(work.fence, call(&work, "0123456789")).await.unwrap();
    let (session, execution) = (work.fence.session_id, work.execution);
    assert!(db.store.find_evidence(session, execution, 10).await.unwrap().is_some());
    assert!(db.store.find_evidence(session, execution, 9).await.unwrap().is_none());
}

#[tokio::test]
async fn the_results_of_some_calls_are_read_if_they_are_not_too_many_bytes() {
    let db = db().await;
    let work = db.working().await;
    for text in ["0123456789", "abcde"] {
        db.store.commit(work.fence, call(&work, text)).await.unwrap();
    }
    let session = work.fence.session_id;
    let read = async |numbers: &[i64], max_bytes| {
        let calls = db.store.list_call_results(session, numbers, max_bytes).await.unwrap();
        calls.into_iter().map(|call| (call.number, call.text)).collect::<Vec<_>>()
    };
    let (first, second) = ((1, "0123456789".to_owned()), (2, "abcde".to_owned()));
    assert_eq!(read(&[2], 5).await, std::slice::from_ref(&second));
    assert_eq!(read(&[2, 1, 9], 15).await, [first, second]);
    assert_eq!(read(&[1, 2], 14).await, []);
}

#[tokio::test]
async fn what_stands_on_the_timeline_of_earlier_stages_is_the_record() {
    let db = db().await;
    let first = db.working().await;
    let event = |work: &Work, kind, content: &str| {
        let mut event = work.open(kind, TimelineStatus::Completed);
        content.clone_into(&mut event.content);
        Op::OpenEvent(event)
    };
    let batch = Batch::new()
        .with(event(&first, TimelineKind::FinalAnalysis, "the disk is full"))
        .with(event(&first, TimelineKind::LlmResponse, "hm"))
        .with(event(&first, TimelineKind::CodeExecution, "1 + 1 = 2"));
    db.store.commit(first.fence, batch).await.unwrap();
    let second = begin(&db, &first, 1).await;
    let batch = Batch::new()
        .with(event(&second, TimelineKind::UserQuestion, "how full?"))
        .with(event(&second, TimelineKind::GoogleSearchResult, "a page"));
    db.store.commit(second.fence, batch).await.unwrap();
    let (session, execution) = (second.fence.session_id, second.execution);
    let evidence = db.store.find_evidence(session, execution, 1_000).await.unwrap().unwrap();
    assert_eq!(evidence.record, ["the disk is full"]);
    assert_eq!(evidence.native_results, ["1 + 1 = 2", "a page"]);
}

#[tokio::test]
async fn a_session_has_the_claims_of_its_last_conclusions_and_its_summary() {
    let db = db().await;
    let first = db.working().await;
    let session = first.fence.session_id;
    db.store.commit(first.fence, call(&first, "39G")).await.unwrap();
    let wrong = check(&first, CheckedText::FinalAnalysis, &[Verdict::Unsupported; 3]);
    db.store.commit(first.fence, stored(&first, wrong)).await.unwrap();
    let second = begin(&db, &first, 1).await;
    let right = check(&second, CheckedText::FinalAnalysis, &[Verdict::Supported, Verdict::Uncited]);
    db.store.commit(second.fence, stored(&second, right)).await.unwrap();
    let summary = check(&second, CheckedText::ExecutiveSummary, &[Verdict::Uncited]);
    db.store.commit(second.fence, stored(&second, summary)).await.unwrap();
    let running = item(&db, session).await;
    assert_eq!((running.claims, running.degraded), (None, false));
    db.store.finish_session(second.fence, end(SessionStatus::Completed)).await.unwrap();
    let ended = item(&db, session).await;
    assert_eq!(ended.claims, Some(ClaimCounts { total: 3, verified: 3 }));
    assert_eq!((ended.degraded, ended.degraded_reasons), (false, vec![]));
}

#[tokio::test]
async fn a_corrected_conclusion_counts_instead_of_the_first_one() {
    let db = db().await;
    let work = db.working().await;
    db.store.commit(work.fence, call(&work, "39G")).await.unwrap();
    let wrong = check(&work, CheckedText::FinalAnalysis, &[Verdict::NoSuchCall]);
    let wrong = NewClaimCheck { timeline_event_id: None, ..wrong };
    let asked = Batch::new().with(Op::StoreClaimCheck(wrong));
    let asked = asked.with(Op::RequestRepair(work.execution));
    db.store.commit(work.fence, asked.clone()).await.unwrap();
    let execution = db.store.find_execution(work.execution).await.unwrap().unwrap();
    assert!(execution.repair_requested_at.is_some() && execution.closing_at.is_some());
    assert!(db.store.commit(work.fence, asked).await.is_err(), "it is asked once");
    let right = check(&work, CheckedText::FinalAnalysis, &[Verdict::Supported; 2]);
    db.store.commit(work.fence, stored(&work, right)).await.unwrap();
    db.store.finish_session(work.fence, end(SessionStatus::Completed)).await.unwrap();
    let ended = item(&db, work.fence.session_id).await;
    assert_eq!(ended.claims, Some(ClaimCounts { total: 2, verified: 2 }));
    assert!(!ended.degraded);
}

#[tokio::test]
async fn a_session_names_each_reason_for_a_second_look() {
    let db = db().await;
    let work = db.working().await;
    let missing = NewToolList {
        id: InteractionId::new(),
        stage_id: work.stage,
        execution_id: work.execution,
        gateway_instance: None,
        server_name: "kubernetes-server".to_owned(),
        available_tools: None,
        tools: Vec::new(),
        description: None,
        duration_ms: None,
        error_message: Some("it does not start".to_owned()),
    };
    let verdicts = [Verdict::Supported, Verdict::SupportedElsewhere];
    let conclusion = check(&work, CheckedText::FinalAnalysis, &verdicts);
    let unread = check(&work, CheckedText::ExecutiveSummary, &[]);
    let unread = NewClaimCheck { outcome: Err(CheckFailure::TimedOut), ..unread };
    let offered = Batch::new().with(Op::ToolsListed(missing));
    for batch in [offered, stored(&work, conclusion), stored(&work, unread)] {
        db.store.commit(work.fence, batch).await.unwrap();
    }
    let session = work.fence.session_id;
    let evidence = db.store.find_evidence(session, work.execution, 1_000).await.unwrap().unwrap();
    assert_eq!(evidence.unavailable, ["kubernetes-server: it does not start"]);
    db.store.finish_session(work.fence, end(SessionStatus::Failed)).await.unwrap();
    let ended = item(&db, session).await;
    assert_eq!(ended.claims, Some(ClaimCounts { total: 2, verified: 1 }));
    assert!(ended.degraded);
    let reasons = [
        DegradedReason::NoSuccessfulCall,
        DegradedReason::ToolServerUnavailable,
        DegradedReason::UnverifiedClaims,
        DegradedReason::NotChecked,
    ];
    assert_eq!(ended.degraded_reasons, reasons);
    let failures: Vec<_> = checks(&db, session).await.iter().map(|one| one.failure).collect();
    assert_eq!(failures, [None, Some(CheckFailure::TimedOut)]);
}

#[tokio::test]
async fn a_session_without_a_conclusion_has_no_claims_and_is_not_degraded() {
    let db = db().await;
    let work = db.working().await;
    db.store.finish_session(work.fence, end(SessionStatus::Failed)).await.unwrap();
    let ended = item(&db, work.fence.session_id).await;
    assert_eq!((ended.claims, ended.degraded), (None, false));
    assert_eq!(checks(&db, work.fence.session_id).await, []);
}

#[tokio::test]
async fn a_session_is_degraded_when_each_call_of_a_tool_failed() {
    use CallStatus::{Completed, Failed, Unknown};
    let refused = &[("get", Completed, false), ("delete", Failed, true)];
    for (calls, reasons) in [
        (&[("get", Completed, false), ("logs", Failed, false)][..], &["tool_failed"][..]),
        (&[("get", Completed, false), ("logs", Unknown, false)], &["tool_failed"]),
        (&[("logs", Failed, false), ("logs", Completed, false)], &[]),
        (refused, &[]),
        (&[("logs", Failed, false)], &["no_successful_call"]),
    ] {
        let db = db().await;
        let work = db.working().await;
        for (tool, status, refused) in calls {
            db.store.commit(work.fence, call_of(&work, tool, *status, *refused)).await.unwrap();
        }
        let conclusion = check(&work, CheckedText::FinalAnalysis, &[Verdict::Supported]);
        db.store.commit(work.fence, stored(&work, conclusion)).await.unwrap();
        db.store.finish_session(work.fence, end(SessionStatus::Completed)).await.unwrap();
        let ended = item(&db, work.fence.session_id).await;
        let found: Vec<_> = ended.degraded_reasons.iter().map(|one| one.as_str()).collect();
        assert_eq!((found.as_slice(), ended.degraded), (reasons, !reasons.is_empty()), "{calls:?}");
        let detail = db.store.find_session_detail(work.fence.session_id).await.unwrap().unwrap();
        let failed: Vec<_> = detail.failed_tools.iter().map(|one| one.calls).collect();
        assert_eq!(failed, if reasons == ["tool_failed"] { vec![1] } else { vec![] }, "{calls:?}");
        let mut tools = detail.failed_tools.iter().filter_map(|one| one.tool.split_once('.'));
        assert!(tools.all(|(_, tool)| tool == "logs"), "{:?}", detail.failed_tools);
    }
}
