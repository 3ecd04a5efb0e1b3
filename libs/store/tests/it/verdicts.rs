//! Verdicts: what is stored of them, which one is the session's, and what a model is given to reach one.

use jiff::Timestamp;
use tarsy_contracts::finding::FindingSummary;
use tarsy_domain::change::ChangeKind;
use tarsy_domain::claim::{CheckedText, ClaimKind, Verdict as ClaimVerdict};
use tarsy_domain::event::{CallStatus, TimelineKind};
use tarsy_domain::id::{ChangeId, ClaimCheckId, InteractionId, VerdictId};
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_domain::verdict::{
    AffectedObject, AlertStatement, Alternative, Category, Chart, ChartChange, ChartPoint,
    Confidence, Evidence, ExplainingChange, NotExamined, Outcome, Source, Verdict, VerdictFailure,
};
use tarsy_store::{
    Batch, Conclusion, Error, NewClaim, NewClaimCheck, NewToolList, NewVerdict, Op, SessionQuery,
    SessionVerdict,
};

use crate::setup::{Work, call_end, db, end, payload};

fn line(call: u32, text: &str) -> Evidence {
    Evidence { call, line: 2, text: text.to_owned() }
}

fn verdict() -> Verdict {
    let object = AffectedObject {
        kind: "Pod".to_owned(),
        name: "web-1".to_owned(),
        namespace: Some("shop".to_owned()),
    };
    Verdict {
        outcome: Outcome::CauseFound,
        alert_statement: AlertStatement::Confirmed,
        answer: "confirmed: 39G of 40G".to_owned(),
        cause: "the disk is full".to_owned(),
        category: Category::Disk,
        object: object.clone(),
        since: Some("3m".to_owned()),
        confidence: Confidence::Medium,
        evidence: vec![line(2, "/var 40G 39G"), line(1, "no space left")],
        alternatives: vec![
            Alternative {
                cause: "a leak".to_owned(),
                category: Category::OutOfMemory,
                object: None,
                because: "memory is free".to_owned(),
                evidence: Vec::new(),
                change: None,
            },
            Alternative {
                cause: "a probe".to_owned(),
                category: Category::Other,
                object: Some(object),
                because: "it follows".to_owned(),
                evidence: vec![line(3, "probe failed")],
                change: Some(change("Deployment/web", "probes every second")),
            },
        ],
        not_examined: vec![NotExamined { what: "logs".to_owned(), why: "it failed".to_owned() }],
        next_steps: vec!["look".to_owned(), "delete logs".to_owned()],
        charts: vec![chart(true), chart(false)],
        change: Some(change("ConfigMap/web", "keeps logs for a year")),
        source: Source::Rules,
    }
}

fn change(object: &str, text: &str) -> ExplainingChange {
    ExplainingChange {
        id: Some(ChangeId::new()),
        kind: ChangeKind::Configuration,
        object: Some(object.to_owned()),
        service: None,
        occurred_at: "2026-03-01T09:59:00Z".parse().unwrap(),
        text: text.to_owned(),
    }
}

fn chart(has_changed: bool) -> Chart {
    let at: Timestamp = "2026-03-01T10:00:00.5Z".parse().unwrap();
    Chart {
        call: 2,
        metric: "disk_used_percent".to_owned(),
        object: if has_changed { "/var".to_owned() } else { String::new() },
        unit: "Percent".to_owned(),
        points: vec![ChartPoint { at, value: 61.25 }, ChartPoint { at, value: 100.0 }],
        change: has_changed.then_some(ChartChange { at, before: 61.25, after: 100.0 }),
    }
}

fn new(work: &Work, of_agent: bool) -> NewVerdict {
    let execution_id = of_agent.then_some(work.execution);
    NewVerdict { id: VerdictId::new(), execution_id, verdict: verdict() }
}

#[tokio::test]
async fn a_verdict_is_stored_whole_and_reported_when_it_is_the_sessions() {
    let db = db().await;
    let work = db.working().await;
    let session = work.fence.session_id;
    let new = new(&work, true);
    db.store.commit(work.fence, Batch::new().with(Op::StoreVerdict(new.clone()))).await.unwrap();
    assert_eq!(db.store.find_session_verdict(session).await.unwrap(), SessionVerdict::default());
    let [of_agent] = db.store.list_agent_verdicts(session).await.unwrap().try_into().unwrap();
    assert_eq!((of_agent.id, of_agent.execution_id), (new.id, work.execution));
    assert_eq!(of_agent.verdict, new.verdict);
    let events =
        db.store.commit(work.fence, Batch::new().with(Op::SetVerdict(new.id))).await.unwrap();
    let event = payload(&events[0]);
    assert_eq!(
        (&event["type"], &event["verdict_id"]),
        (&"verdict.recorded".into(), &new.id.to_string().into())
    );
    let mut completed = end(SessionStatus::Completed);
    completed.verdict_failure = Some(VerdictFailure::TimedOut);
    db.store.finish_session(work.fence, completed).await.unwrap();
    let detail = db.store.find_session_detail(session).await.unwrap().unwrap();
    assert_eq!((detail.verdict, detail.verdict_failure), (Some(new.verdict), None));
}

/// Refuses rows of a statement that does not check the fence itself.
const ONE_STATEMENT: &str = "
    create function one_statement() returns trigger language plpgsql as $$
    begin
        if position('update session_control' in current_query()) = 0 then
            raise exception 'a statement of its own';
        end if;
        return new;
    end $$;
    create trigger one_statement before insert on claims for each row execute function one_statement();
    create trigger one_statement before insert on verdict_evidence for each row execute function one_statement();
    create trigger one_statement before update on agent_executions for each row execute function one_statement();
    create trigger one_statement before update of executive_summary, verdict_id on alert_sessions
        for each row execute function one_statement()";

#[tokio::test]
async fn what_ends_an_investigation_takes_one_round_trip_each() {
    let db = db().await;
    let work = db.working().await;
    sqlx::raw_sql(ONE_STATEMENT).execute(&db.raw).await.unwrap();
    let text = "the disk is full".to_owned();
    let concluded = Conclusion { execution_id: work.execution, text, unseen: None };
    let conclusion = checked(&work, vec![claim(ClaimVerdict::Supported, 2)])
        .with(Op::LlmInteraction(work.llm(None)))
        .with(Op::Conclude(concluded));
    db.store.commit(work.fence, conclusion).await.unwrap();
    let summary = Op::SetExecutiveSummary("full".to_owned());
    let summary = Batch::new().with(summary).with(Op::LlmInteraction(work.llm(None)));
    db.store.commit(work.fence, summary).await.unwrap();
    let mut found = new(&work, false);
    found.verdict.charts = Vec::new();
    let id = found.id;
    let verdict = Batch::new().with(Op::StoreVerdict(found)).with(Op::SetVerdict(id));
    db.store.commit(work.fence, verdict).await.unwrap();
    let stored = "select count(*) from alert_sessions s
        where executive_summary = 'full' and last_interaction_at is not null
            and (select count(*) from verdict_evidence e where e.verdict_id = s.verdict_id) = 3";
    assert_eq!(db.count(stored).await, 1);
}

#[tokio::test]
async fn a_list_has_each_finding_in_a_line() {
    let db = db().await;
    let (caused, unfounded, without) = (db.working().await, db.working().await, db.working().await);
    let mut of_none = new(&unfounded, false);
    of_none.verdict.outcome = Outcome::NoFaultFound;
    of_none.verdict.alert_statement = AlertStatement::NotConfirmed;
    of_none.verdict.cause = String::new();
    of_none.verdict.answer = "not confirmed: 12G of 40G".to_owned();
    for (work, verdict) in [(&caused, new(&caused, false)), (&unfounded, of_none)] {
        let id = verdict.id;
        let batch = Batch::new().with(Op::StoreVerdict(verdict)).with(Op::SetVerdict(id));
        db.store.commit(work.fence, batch).await.unwrap();
    }
    let listed = db.store.list_sessions(SessionQuery::default()).await.unwrap().items;
    let finding = |work: &Work| {
        let item = listed.iter().find(|item| item.id == work.fence.session_id).unwrap();
        item.finding.clone()
    };
    let summary = |outcome, headline: &str, answer: &str| FindingSummary {
        outcome,
        headline: headline.to_owned(),
        answer: answer.to_owned(),
        confidence: Confidence::Medium,
    };
    assert_eq!(
        finding(&caused),
        Some(summary(Outcome::CauseFound, "the disk is full", "confirmed: 39G of 40G"))
    );
    assert_eq!(
        finding(&unfounded),
        Some(summary(Outcome::NoFaultFound, "No fault found", "not confirmed: 12G of 40G"))
    );
    assert_eq!(finding(&without), None);
}

#[tokio::test]
async fn a_session_without_a_verdict_has_the_reason() {
    let db = db().await;
    let work = db.working().await;
    let mut completed = end(SessionStatus::Completed);
    completed.verdict_failure = Some(VerdictFailure::Invalid);
    db.store.finish_session(work.fence, completed).await.unwrap();
    let detail = db.store.find_session_detail(work.fence.session_id).await.unwrap().unwrap();
    assert_eq!((detail.verdict, detail.verdict_failure), (None, Some(VerdictFailure::Invalid)));
}

#[tokio::test]
async fn a_session_and_an_agent_have_one_verdict_each() {
    let db = db().await;
    let work = db.working().await;
    for of_agent in [true, false] {
        let store = |new| db.store.commit(work.fence, Batch::new().with(Op::StoreVerdict(new)));
        store(new(&work, of_agent)).await.unwrap();
        let again = store(new(&work, of_agent)).await.unwrap_err();
        assert!(matches!(again, Error::Conflict(_)), "{again}");
    }
}

#[tokio::test]
async fn a_verdict_is_deleted_with_its_session() {
    let db = db().await;
    let work = db.working().await;
    let new = new(&work, false);
    let batch = Batch::new().with(Op::StoreVerdict(new.clone())).with(Op::SetVerdict(new.id));
    db.store.commit(work.fence, batch).await.unwrap();
    sqlx::query("delete from alert_sessions").execute(&db.raw).await.unwrap();
    for table in [
        "select count(*) from verdicts",
        "select count(*) from verdict_alternatives",
        "select count(*) from verdict_evidence",
        "select count(*) from verdict_not_examined",
        "select count(*) from verdict_next_steps",
    ] {
        let rows: i64 = sqlx::query_scalar(table).fetch_one(&db.raw).await.unwrap();
        assert_eq!(rows, 0, "{table}");
    }
}

/// A claim that the second line of the first call bears out, or contradicts.
fn claim(verdict: ClaimVerdict, line: usize) -> NewClaim {
    NewClaim {
        kind: ClaimKind::Quantity,
        text: "39G".to_owned(),
        start: 0,
        end: 3,
        verdict,
        call: Some(1),
        line: Some(line),
        shown: None,
    }
}

fn checked(work: &Work, claims: Vec<NewClaim>) -> Batch {
    let event = work.open(TimelineKind::FinalAnalysis, TimelineStatus::Completed);
    let check = NewClaimCheck {
        id: ClaimCheckId::new(),
        execution_id: Some(work.execution),
        timeline_event_id: Some(event.id),
        text: CheckedText::FinalAnalysis,
        successful_calls: 1,
        outcome: Ok(claims),
    };
    Batch::new().with(Op::OpenEvent(event)).with(Op::StoreClaimCheck(check))
}

fn offered(name: &str) -> tarsy_contracts::trace::OfferedTool {
    tarsy_contracts::trace::OfferedTool {
        server: "kubernetes-server".to_owned(),
        name: name.to_owned(),
        description: String::new(),
        input_schema: serde_json::json!({}),
        read_only: true,
        idempotent: true,
    }
}

#[tokio::test]
async fn a_model_is_given_calls_unused_tools_and_the_lines_of_supported_claims() {
    let db = db().await;
    let work = db.working().await;
    let list = NewToolList {
        id: InteractionId::new(),
        stage_id: work.stage,
        execution_id: work.execution,
        gateway_instance: None,
        server_name: "kubernetes-server".to_owned(),
        available_tools: None,
        description: None,
        duration_ms: None,
        error_message: None,
        tools: vec![offered("pods_list"), offered("pods_log")],
    };
    let event = work.streaming();
    let call = work.call(event.id);
    let mut ended = call_end(&call, "cut");
    let long = "x".repeat(900);
    ended.whole_result = Some(format!("filesystem used\r\n  /var 39G  \r\n{long} 39G\nlast"));
    let begun = Batch::new().with(Op::ToolsListed(list)).with(Op::OpenEvent(event));
    let made = begun.with(Op::CallStarted(call)).with(Op::CallFinished(ended));
    db.store.commit(work.fence, made).await.unwrap();
    let claims = vec![
        claim(ClaimVerdict::Supported, 2),
        claim(ClaimVerdict::Uncited, 3),
        claim(ClaimVerdict::Contradicted, 4),
        claim(ClaimVerdict::Supported, 2),
    ];
    db.store.commit(work.fence, checked(&work, claims)).await.unwrap();

    let session = work.fence.session_id;
    let material = db.store.find_verdict_material(session).await.unwrap();
    assert_eq!(material.unused_tools, ["kubernetes-server.pods_log"]);
    let [call] = material.calls.as_slice() else { panic!("{material:?}") };
    assert_eq!((call.number, call.tool.as_str()), (1, "kubernetes-server.pods_list"));
    assert_eq!(call.status, CallStatus::Completed);
    let [short, cut] = material.evidence.as_slice() else { panic!("{material:?}") };
    assert_eq!((short.call, short.line, short.text.as_str()), (1, 2, "/var 39G"));
    assert!(cut.text.ends_with(" 39G") && cut.text.len() <= 500, "{}", cut.text);

    let texts = ["/VAR", "web-2", "last"].map(str::to_owned);
    let unknown = db.store.list_unknown_texts(session, &texts).await.unwrap();
    assert_eq!(unknown, ["web-2"]);
}
