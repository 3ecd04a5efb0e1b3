//! What a postmortem needs of a session beside its detail.

use jiff::Timestamp;
use sqlx::AssertSqlSafe;
use tarsy_contracts::alert::AlertFields;
use tarsy_domain::event::{ApprovalDecision, CallStatus, TimelineKind};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_store::{Batch, CallEnd, IncidentFacts, NewSession, Op};

use crate::setup::{Db, Work, alert, call_end, db, end};

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

async fn run(db: &Db, statement: String) {
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(&db.raw).await.unwrap();
}

/// A change of an alert of a source, as it was received at that minute of 10 o'clock.
async fn received(db: &Db, session: SessionId, fingerprint: &str, status: &str, minute: u32) {
    run(
        db,
        format!(
            "insert into intake_alerts (id, source, fingerprint, group_key, status, title, starts_at, ends_at, alert_type, chain_id,
                action, reason, decision, session_id, received_at, repeats, last_received_at)
             select gen_random_uuid(), 'alertmanager', '{fingerprint}', 'g', '{status}', 'the {fingerprint}',
                '2026-03-02T09:58:00Z', case when '{status}' = 'resolved' then '2026-03-02T10:20:30Z'::timestamptz end,
                'host', 'host', 'attach', 'same_group', '{{}}', '{session}', at, 2, at + interval '1 minute'
             from (select '2026-03-02T10:{minute:02}:00Z'::timestamptz as at) t"
        ),
    )
    .await;
}

/// A call of a tool that ended; an error makes it one that failed.
async fn called(db: &Db, work: &Work, error: Option<&str>) -> tarsy_domain::id::CallId {
    let event = work.open(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
    let call = work.call(event.id);
    let id = call.call_id;
    let status = error.map_or(CallStatus::Completed, |_| CallStatus::Failed);
    let ended =
        CallEnd { status, error_message: error.map(str::to_owned), ..call_end(&call, "a result") };
    let batch = Batch::new().with(Op::OpenEvent(event)).with(Op::CallStarted(call));
    db.store.commit(work.fence, batch).await.unwrap();
    db.store.commit(work.fence, Batch::new().with(Op::CallFinished(ended))).await.unwrap();
    id
}

#[tokio::test]
async fn the_facts_of_an_incident_are_those_of_its_session() {
    let db = db().await;
    let work = db.working().await;
    let session = work.fence.session_id;
    assert_eq!(db.store.find_incident_facts(session).await.unwrap(), IncidentFacts::default());
    received(&db, session, "disk", "firing", 0).await;
    received(&db, session, "disk", "resolved", 21).await;
    received(&db, session, "load", "firing", 5).await;
    let first = called(&db, &work, None).await;
    called(&db, &work, Some("connection refused")).await;
    let second_look = format!(
        "insert into tool_approvals (id, session_id, execution_id, call_id, timeline_event_id, server_name, tool_name,
            tool_arguments, definition, reason, expires_at, decision, decided_by, decided_at)
         values (gen_random_uuid(), '{session}', '{}', '{}', gen_random_uuid(), 'ops', 'restart', '{{}}', '', 'it changes',
            now(), 'denied', 'rosa', '2026-03-02T10:10:00Z');
         update agent_executions set unseen = array['loki.query'] where session_id = '{session}';
         insert into mcp_interactions (id, session_id, interaction_type, status, server_name, call_id, error_message)
         values (gen_random_uuid(), '{session}', 'tool_list', 'failed', 'loki', gen_random_uuid(), 'timed out'),
            (gen_random_uuid(), '{session}', 'tool_list', 'failed', 'ops', gen_random_uuid(), 'timed out'),
            (gen_random_uuid(), '{session}', 'tool_list', 'completed', 'ops', gen_random_uuid(), null);
         with chat as (insert into chats (id, session_id) values (gen_random_uuid(), '{session}') returning id),
            asked as (insert into chat_user_messages (id, chat_id, content, author)
                select gen_random_uuid(), id, 'Since when?', 'rosa' from chat returning id, chat_id),
            stage as (insert into stages (id, session_id, stage_name, stage_index, expected_agent_count, chat_id,
                    chat_user_message_id, status)
                select gen_random_uuid(), '{session}', 'chat', 7, 1, chat_id, id, 'completed' from asked returning id)
         insert into timeline_events (id, session_id, stage_id, sequence_number, event_type, status, content)
         select gen_random_uuid(), '{session}', id, 1000, 'final_analysis', 'completed', 'Since 10:00.' from stage",
        work.execution, first,
    );
    run(&db, second_look).await;

    let facts = db.store.find_incident_facts(session).await.unwrap();
    assert_eq!((facts.alert_count, facts.alerts.len()), (2, 2));
    let disk = &facts.alerts[0];
    assert_eq!((disk.title.as_str(), disk.source.as_str()), ("the disk", "alertmanager"));
    assert_eq!(disk.starts_at, Some(at("2026-03-02T09:58:00Z")));
    assert_eq!(disk.first_seen_at, at("2026-03-02T10:00:00Z"));
    assert_eq!((disk.last_seen_at, disk.notifications), (Some(at("2026-03-02T10:01:00Z")), 3));
    assert_eq!(disk.resolved_at, Some(at("2026-03-02T10:20:30Z")));
    assert_eq!((facts.alerts[1].resolved_at, facts.alerts[1].notifications), (None, 3));
    let decision = &facts.decisions[0];
    assert_eq!((decision.tool.as_str(), decision.call_number), ("ops.restart", Some(1)));
    assert_eq!(
        (decision.decision, decision.decided_by.as_deref()),
        (ApprovalDecision::Denied, Some("rosa"))
    );
    let numbers: Vec<_> = facts.calls.iter().map(|call| call.number).collect();
    assert_eq!(numbers, [1, 2]);
    let failed = &facts.failures[0];
    assert_eq!((failed.calls, failed.failed, failed.refused), (2, 1, 0));
    assert_eq!(failed.error.as_deref(), Some("connection refused"));
    assert_eq!(facts.missing_servers, [("loki".to_owned(), "timed out".to_owned())]);
    assert_eq!(facts.unseen, [["loki.query"]]);
    assert_eq!(facts.questions[0].answer.as_deref(), Some("Since 10:00."));
}

#[tokio::test]
async fn other_sessions_of_an_incident_have_its_alert_or_its_group_and_its_time() {
    let db = db().await;
    let firing = |fingerprint: &str| NewSession {
        fields: AlertFields { fingerprint: Some(fingerprint.to_owned()), ..AlertFields::default() },
        ..alert()
    };
    let own = db.create(firing("a")).await;
    let same = db.create(firing("a")).await;
    let (grouped, old, other) =
        (db.create(firing("b")).await, db.create(firing("a")).await, db.create(firing("c")).await);
    received(&db, own, "a", "firing", 0).await;
    received(&db, grouped, "b", "firing", 0).await;
    let earlier =
        "update alert_sessions set created_at = created_at - interval '2 days' where id = ";
    run(&db, format!("{earlier} '{old}'")).await;
    let related = async |sessions: &[SessionId]| {
        let found = db.store.list_related_sessions(sessions).await.unwrap();
        found.into_iter().map(|one| (one.id, one.because)).collect::<Vec<_>>()
    };
    let found = related(&[own]).await;
    assert_eq!(found, [(same, "same_alert".to_owned()), (grouped, "same_group".to_owned())]);
    assert_eq!(related(&[own, same, grouped]).await, []);
    assert_eq!(related(&[other]).await, []);
    // The queue gives the oldest first.
    while let Some(claim) = db.claim().await {
        db.store.finish_session(claim.fence, end(SessionStatus::Failed)).await.unwrap();
    }
    db.store.delete_session(same, "ada", "a test").await.unwrap();
    assert_eq!(related(&[own]).await, [(grouped, "same_group".to_owned())]);
}
