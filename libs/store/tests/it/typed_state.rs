//! State that is a column, and the migrations that fill the columns of older rows.

use sqlx::migrate::Migrator;
use sqlx::{PgPool, raw_sql};
use tarsy_catalog::Budget;
use tarsy_domain::claim::ConclusionCause;
use tarsy_domain::id::{CallId, ExecutionId, SessionId, StageId};
use tarsy_domain::status::WorkStatus;
use tarsy_store::{
    Batch, Conclusion, ConclusionRequest, NewStage, Op, ProviderSwitch, SessionSettings, Store,
    SummaryUsage,
};
use tarsy_testkit::{TestPg, workspace};

use crate::setup::{Work, alert, db, end_execution, new_execution, new_stage};

/// The last migration before typed state.
const BEFORE: i64 = 26;

/// Rows as the program wrote them before: one session with a stage and its synthesis.
const OLD_ROWS: &str = r#"
    insert into alert_sessions (id, alert_data, chain_id, status, config_snapshot) values
        ('00000000-0000-7000-8000-000000000001', 'disk', 'host', 'in_progress', '{
            "alert_type": "host", "session_timeout_ms": 90000, "chat": {"name": "chat"},
            "budget": {"llm_calls": 5, "tokens": 600, "tool_calls": 7},
            "stages": [{"name": "triage", "synthesis": {"name": "joins"}}]}'),
        ('00000000-0000-7000-8000-000000000002', 'disk', 'host', 'pending',
            '{"stages": [], "chat": null}');
    insert into session_control (session_id) select id from alert_sessions;
    insert into stages (id, session_id, stage_name, stage_index, expected_agent_count, status) values
        ('00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000001', 'triage', 0, 2, 'completed'),
        ('00000000-0000-7000-8000-000000000012', '00000000-0000-7000-8000-000000000001', 'triage - Synthesis', 1, 1, 'active');
    insert into agent_executions
        (id, stage_id, session_id, agent_name, agent_index, iteration_strategy, llm_provider, status) values
        ('00000000-0000-7000-8000-000000000021', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000001', 'a', 1, 'native', 'first', 'completed'),
        ('00000000-0000-7000-8000-000000000022', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000001', 'b', 2, 'native', 'first', 'completed'),
        ('00000000-0000-7000-8000-000000000023', '00000000-0000-7000-8000-000000000012', '00000000-0000-7000-8000-000000000001', 'c', 1, 'native', 'first', 'active');
    insert into timeline_events
        (id, session_id, stage_id, execution_id, sequence_number, event_type, status, content, metadata, created_at)
    select gen_random_uuid(), '00000000-0000-7000-8000-000000000001', e.stage_id, e.id, t.number, t.kind, 'completed', t.content, t.metadata::jsonb,
        now() + make_interval(secs => t.number)
    from (values
        (1, 'a', 'provider_fallback', 'x', '{"from": "first", "to": "second", "since": 2}'),
        (2, 'a', 'provider_fallback', 'x', '{"from": "second", "to": "third", "since": 4}'),
        (3, 'a', 'final_analysis', 'the disk is full', null),
        (4, 'b', 'budget_reached', 'no more', '{}'),
        (5, 'b', 'final_analysis', 'the log grows', null),
        (6, null, 'provider_fallback', 'x', '{"from": "first", "to": "fifth", "since": 0}'),
        (7, null, 'executive_summary', 'In short.', null)
    ) t (number, agent, kind, content, metadata)
    left join agent_executions e on e.agent_name = t.agent;
    insert into messages (id, session_id, stage_id, execution_id, sequence_number, role, content)
    select gen_random_uuid(), session_id, stage_id, id, 2, 'user',
        E'All 3 iterations are used; no more tools can be called. Conclude now from what you have\nseen, in the order'
    from agent_executions where agent_name = 'c';
    insert into llm_interactions
        (id, session_id, execution_id, interaction_type, model_name, llm_request, llm_response, error_message, timed_out)
    select gen_random_uuid(), session_id, id, 'iteration', 'm', '{"provider": "first"}', '{}', 'late', true
    from agent_executions where agent_name = 'c';
    insert into mcp_interactions
        (id, session_id, execution_id, status, call_id, interaction_type, server_name, call_number)
    select '00000000-0000-7000-8000-000000000031', session_id, id, 'completed',
        '00000000-0000-7000-8000-000000000032', 'tool_call', 'host', 1
    from agent_executions where agent_name = 'a';
    insert into summaries (id, mcp_interaction_id, session_id, status, request, usage) values
        (gen_random_uuid(), '00000000-0000-7000-8000-000000000031', '00000000-0000-7000-8000-000000000001',
            'failed', '{}', '{"calls": 2, "input_tokens": 30, "output_tokens": 4, "total_tokens": 34}');
    insert into timeline_events
        (id, session_id, execution_id, sequence_number, event_type, status, content, metadata)
    select t.id::uuid, e.session_id, e.id, t.number, t.kind, 'completed', t.content, t.metadata::jsonb
    from agent_executions e, (values
        ('00000000-0000-7000-8000-000000000051', 8, 'llm_tool_call', 'a long result', '{}'),
        ('00000000-0000-7000-8000-000000000052', 9, 'mcp_tool_summary', 'in short',
            '{"tool_event_id": "00000000-0000-7000-8000-000000000051"}')
    ) t (id, number, kind, content, metadata)
    where e.agent_name = 'a';
    update mcp_interactions set timeline_event_id = '00000000-0000-7000-8000-000000000051';
    insert into notifications (id, session_id, kind, destination, status) values
        ('00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000001', 'started', 'ops', 'failed');
    insert into dead_letters (id, subject, payload, error, deliveries) values
        ('00000000-0000-7000-8000-000000000042', 'notification.ops',
            convert_to('{"notification_id": "00000000-0000-7000-8000-000000000041"}', 'UTF8'), 'refused', 3);
"#;

fn id<T: From<uuid::Uuid>>(number: u128) -> T {
    T::from(uuid::Uuid::from_u128(0x7000_8000_0000_0000_0000 + number))
}

/// A database with rows of the schema before typed state, migrated.
async fn migrated() -> (Store, TestPg) {
    let pg = TestPg::start().await.unwrap();
    let raw = PgPool::connect(pg.url()).await.unwrap();
    let all = Migrator::new(workspace().join("migrations")).await.unwrap();
    let old = all.iter().filter(|one| one.version <= BEFORE).cloned().collect::<Vec<_>>();
    Migrator::with_migrations(old).run(&raw).await.unwrap();
    raw_sql(OLD_ROWS).execute(&raw).await.unwrap();
    let store = Store::connect(pg.url(), 2).await.unwrap();
    store.migrate().await.unwrap();
    (store, pg)
}

#[tokio::test]
async fn settings_of_older_sessions_become_columns() {
    let (store, _pg) = migrated().await;
    let session = store.find_session(id(1)).await.unwrap().unwrap();
    assert_eq!(session.alert_type.as_deref(), Some("host"));
    let settings = session.settings;
    assert_eq!(settings.timeout.unwrap().as_secs(), 90);
    assert!(settings.chat_enabled);
    assert_eq!(settings.budget, Budget { llm_calls: 5, tokens: 600, tool_calls: 7 });
    assert_eq!(settings.planned_stages, Some(2));
    assert_eq!(session.executive_summary.as_deref(), Some("In short."));
    assert_eq!(session.executive_summary_provider.as_deref(), Some("fifth"));
    let bare = store.find_session(id(2)).await.unwrap().unwrap();
    let unset = SessionSettings { planned_stages: Some(0), ..SessionSettings::default() };
    assert_eq!((bare.settings, bare.executive_summary_provider), (unset, None));
}

#[tokio::test]
async fn state_of_older_executions_becomes_columns() {
    let (store, _pg) = migrated().await;
    let stages = store.list_stages(id(1)).await.unwrap();
    assert_eq!(stages[0].joins_stage_id, None);
    assert_eq!(stages[1].joins_stage_id, Some(id(0x11)));
    let found = store.list_executions(id(1)).await.unwrap();
    let [a, b, c] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((a.active_provider.as_deref(), a.active_provider_since), (Some("third"), 4));
    assert_eq!((a.closing_at, a.conclusion.as_deref()), (None, Some("the disk is full")));
    assert_eq!((b.active_provider.as_deref(), b.active_provider_since), (Some("first"), 0));
    assert!(b.closing_at.is_some(), "its budget was used up");
    assert!(c.closing_at.is_some() && c.conclusion.is_none(), "its conclusion was requested");
    assert_eq!(store.find_last_conclusion(id(1)).await.unwrap().unwrap(), "the log grows");
    assert_eq!(store.count_consecutive_timeouts(c.id, "first").await.unwrap(), 1);
}

#[tokio::test]
async fn the_events_of_older_summaries_become_a_column() {
    let (store, _pg) = migrated().await;
    let history = store.list_history(id(1)).await.unwrap();
    let called = history.iter().find(|one| one.call.is_some()).unwrap();
    assert_eq!(called.event.id, id(0x51));
    let call = called.call.as_ref().unwrap();
    assert_eq!((call.number, call.summary.as_deref()), (1, Some("in short")));
}

#[tokio::test]
async fn usage_of_older_summaries_and_dead_notifications_become_columns() {
    let (store, _pg) = migrated().await;
    let call: CallId = id(0x32);
    let summary = store.find_summary(call).await.unwrap().unwrap();
    let used = SummaryUsage { llm_calls: 2, input_tokens: 30, output_tokens: 4, total_tokens: 34 };
    assert_eq!(summary.usage, used);
    let letters = store.list_dead_letters(10).await.unwrap();
    assert_eq!(letters[0].notification_id, Some(id(0x41)));
    assert!(store.retry_notification(id(0x42)).await.unwrap());
}

/// Commits operations of a working session.
async fn commit(store: &Store, work: &Work, ops: impl IntoIterator<Item = Op>) {
    let batch = ops.into_iter().fold(Batch::new(), Batch::with);
    store.commit(work.fence, batch).await.unwrap();
}

#[tokio::test]
async fn an_execution_keeps_its_provider_its_closing_and_its_conclusion() {
    let db = db().await;
    let work = db.working().await;
    let find = || async { db.store.find_execution(work.execution).await.unwrap().unwrap() };
    let started = find().await;
    assert_eq!(
        (started.active_provider.as_deref(), started.active_provider_since),
        (Some("offline"), 0)
    );
    assert_eq!((started.closing_at, started.conclusion), (None, None));

    let cause = ConclusionCause::Budget;
    let request = ConclusionRequest { execution_id: work.execution, cause };
    let (execution_id, provider) = (Some(work.execution), "second".to_owned());
    let switch = Op::SwitchProvider(ProviderSwitch { execution_id, provider, since: 3 });
    commit(&db.store, &work, [switch, Op::RequestConclusion(request)]).await;
    let closing = find().await;
    assert_eq!(
        (closing.active_provider.as_deref(), closing.active_provider_since),
        (Some("second"), 3)
    );
    assert_eq!(closing.llm_provider.as_deref(), Some("offline"));
    assert!(closing.closing_at.is_some());
    commit(&db.store, &work, [Op::RequestConclusion(request)]).await;
    assert_eq!(find().await.closing_at, closing.closing_at, "the first request counts");

    let text = "the disk\0 is full".to_owned();
    let conclusion = Conclusion { execution_id: work.execution, text, unseen: None };
    commit(&db.store, &work, [Op::Conclude(conclusion)]).await;
    assert_eq!(find().await.conclusion.as_deref(), Some("the disk\u{fffd} is full"));
    assert_eq!(db.store.find_execution(ExecutionId::new()).await.unwrap(), None);
}

#[tokio::test]
async fn the_last_conclusion_of_a_chain_is_found() {
    let db = db().await;
    let work = db.working().await;
    let session = work.fence.session_id;
    assert_eq!(db.store.find_last_conclusion(session).await.unwrap(), None);
    let other = ExecutionId::new();
    commit(&db.store, &work, [Op::BeginExecution(new_execution(other, work.stage, 2))]).await;
    for (execution_id, text) in [(other, "first"), (work.execution, "second")] {
        let conclusion = Conclusion { execution_id, text: text.to_owned(), unseen: None };
        commit(&db.store, &work, [Op::Conclude(conclusion)]).await;
    }
    assert_eq!(db.store.find_last_conclusion(session).await.unwrap().unwrap(), "second");
    let ended = Op::EndExecution(end_execution(other, WorkStatus::Completed));
    commit(&db.store, &work, [ended]).await;
    let late =
        Op::Conclude(Conclusion { execution_id: other, text: "late".to_owned(), unseen: None });
    db.store.commit(work.fence, Batch::new().with(late)).await.unwrap_err();
}

#[tokio::test]
async fn a_synthesis_names_the_stage_that_it_joins() {
    let db = db().await;
    let work = db.working().await;
    let id = StageId::new();
    let joins_stage_id = Some(work.stage);
    let stage = NewStage { joins_stage_id, ..new_stage(id, 1, "triage - Synthesis") };
    let committed =
        db.store.commit(work.fence, Batch::new().with(Op::BeginStage(stage))).await.unwrap();
    assert!(committed[0].payload.contains(&format!("\"joins_stage_id\":\"{}\"", work.stage)));
    let stages = db.store.list_stages(work.fence.session_id).await.unwrap();
    assert_eq!((stages[0].joins_stage_id, stages[1].joins_stage_id), (None, joins_stage_id));
}

#[tokio::test]
async fn a_session_keeps_its_settings_and_its_executive_summary() {
    let db = db().await;
    let settings = SessionSettings {
        timeout: Some(std::time::Duration::from_millis(1_500)),
        chat_enabled: true,
        budget: Budget { llm_calls: 1, tokens: 2, tool_calls: 3 },
        planned_stages: Some(4),
    };
    let mut new = alert();
    new.settings = settings.clone();
    let session: SessionId = db.create(new).await;
    let fence = db.claim().await.unwrap().fence;
    let switch = ProviderSwitch { execution_id: None, provider: "second".to_owned(), since: 0 };
    let batch = Batch::new()
        .with(Op::SwitchProvider(switch))
        .with(Op::SetExecutiveSummary("In short.".to_owned()));
    db.store.commit(fence, batch).await.unwrap();
    let found = db.store.find_session(session).await.unwrap().unwrap();
    assert_eq!(found.settings, settings);
    assert_eq!(found.executive_summary_provider.as_deref(), Some("second"));
    assert_eq!(found.executive_summary.as_deref(), Some("In short."));
}
