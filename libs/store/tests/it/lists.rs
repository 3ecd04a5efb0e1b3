//! Lists: every filter, every order, pages.

use jiff::{Timestamp, ToSpan};
use tarsy_contracts::alert::{AlertFields, AlertLink};
use tarsy_contracts::trace::RequestRecord;
use tarsy_domain::id::{SessionId, StageId};
use tarsy_domain::status::{SessionStatus, WorkStatus};
use tarsy_store::{Batch, NewLlmInteraction, NewSession, Op, SessionQuery, SortBy};

use crate::setup::{Db, alert, db, end, end_stage, new_stage};

async fn ids(db: &Db, query: SessionQuery) -> Vec<SessionId> {
    let page = db.store.list_sessions(query).await.unwrap();
    page.items.iter().map(|item| item.id).collect()
}

/// Three sessions that differ in everything: waiting, running, finished.
async fn three(db: &Db) -> [SessionId; 3] {
    let mut finished = alert();
    "CrashLoopBackOff of payment-service".clone_into(&mut finished.alert_data);
    finished.author = Some("carol".to_owned());
    let finished = db.create(finished).await;
    let fence = db.claim().await.unwrap().fence;
    let mut how = end(SessionStatus::Completed);
    how.final_analysis = Some("the image checkout/v2 was never pushed".to_owned());
    db.store.finish_session(fence, how).await.unwrap();

    let mut running = alert();
    running.alert_type = Some("host".to_owned());
    "host".clone_into(&mut running.chain_id);
    running.author = Some("bob".to_owned());
    let running = db.create(running).await;
    db.claim().await.unwrap();

    let mut waiting = alert();
    waiting.alert_type = None;
    waiting.author = None;
    let waiting = db.create(waiting).await;
    [finished, running, waiting]
}

#[tokio::test]
async fn a_list_can_be_filtered_by_each_field() {
    let db = db().await;
    let [finished, running, waiting] = three(&db).await;
    let all = SessionQuery::default;
    assert_eq!(ids(&db, all()).await, [waiting, running, finished]);
    let by_status =
        SessionQuery { statuses: vec![SessionStatus::Completed, SessionStatus::Pending], ..all() };
    assert_eq!(ids(&db, by_status).await, [waiting, finished]);
    let by_type = SessionQuery { alert_type: Some("host".to_owned()), ..all() };
    assert_eq!(ids(&db, by_type).await, [running]);
    let by_chain = SessionQuery { chain_id: Some("kubernetes".to_owned()), ..all() };
    assert_eq!(ids(&db, by_chain).await, [waiting, finished]);
    let at = db.store.find_session(running).await.unwrap().unwrap().created_at;
    let after = SessionQuery { start_date: Some(at), ..all() };
    assert_eq!(ids(&db, after).await, [waiting, running]);
    let before = SessionQuery { end_date: Some(at), ..all() };
    assert_eq!(ids(&db, before).await, [running, finished]);
    let never: Timestamp = at.checked_add(24.hours()).unwrap();
    assert!(ids(&db, SessionQuery { start_date: Some(never), ..all() }).await.is_empty());
}

#[tokio::test]
async fn a_search_finds_beginnings_of_words_in_alert_and_findings() {
    let db = db().await;
    let [finished, running, waiting] = three(&db).await;
    let search = async |text: &str| {
        ids(&db, SessionQuery { search: Some(text.to_owned()), ..SessionQuery::default() }).await
    };
    assert_eq!(search("payment").await, [finished]);
    assert_eq!(search("crashloop").await, [finished]);
    assert_eq!(search("payment-serv").await, [finished]);
    assert_eq!(search("checkout/v2 never").await, [finished]);
    assert_eq!(search("7f9").await, [waiting, running]);
    assert_eq!(search("default disk").await, [waiting, running]);
    assert_eq!(search("bob").await, [running]);
    assert!(search("payment disk").await.is_empty());
    assert!(search("crash payment").await.is_empty(), "a word before the last one is whole");
    for hostile in ["---", "' or 1=1 --", "a & | !(", "\0", "x:*"] {
        assert!(search(hostile).await.is_empty(), "{hostile}");
    }
}

#[tokio::test]
async fn a_list_can_be_sorted_by_each_field_both_ways() {
    let db = db().await;
    let [finished, running, waiting] = three(&db).await;
    for (sort_by, up) in [
        (SortBy::CreatedAt, [finished, running, waiting]),
        // completed, in_progress, pending
        (SortBy::Status, [finished, running, waiting]),
        // host, kubernetes, none
        (SortBy::AlertType, [running, finished, waiting]),
        // bob, carol, none
        (SortBy::Author, [running, finished, waiting]),
    ] {
        let query = SessionQuery { sort_by, descending: false, ..SessionQuery::default() };
        assert_eq!(ids(&db, query.clone()).await, up, "{sort_by:?}");
        let mut down = up;
        down.reverse();
        assert_eq!(ids(&db, SessionQuery { descending: true, ..query }).await, down, "{sort_by:?}");
    }
    for descending in [false, true] {
        let query =
            SessionQuery { sort_by: SortBy::Duration, descending, ..SessionQuery::default() };
        assert_eq!(ids(&db, query).await[0], finished);
    }
}

#[tokio::test]
async fn pages_are_disjoint_and_complete() {
    let db = db().await;
    let mut made = Vec::new();
    for _ in 0..7 {
        made.push(db.pending().await);
    }
    made.reverse();
    let mut seen = Vec::new();
    for page in 1..=4 {
        let query = SessionQuery { page, page_size: 3, ..SessionQuery::default() };
        let page = db.store.list_sessions(query).await.unwrap();
        assert_eq!(page.total_items, 7);
        seen.extend(page.items.iter().map(|item| item.id));
    }
    assert_eq!(seen, made);
}

#[tokio::test]
async fn an_item_carries_its_counts() {
    let db = db().await;
    let work = db.working().await;
    let event = work.streaming();
    let second = StageId::new();
    let mut parallel = new_stage(second, 1, "fix");
    parallel.parallel_type = Some("replica".to_owned());
    let batch = Batch::new()
        .with(Op::OpenEvent(event.clone()))
        .with(Op::LlmInteraction(work.llm(None)))
        .with(Op::LlmInteraction(NewLlmInteraction {
            cost_micro_usd: Some(340),
            tokens_estimated: true,
            ..work.llm(None)
        }))
        .with(Op::CallStarted(work.call(event.id)))
        .with(Op::EndStage(end_stage(work.stage, 0, "triage", WorkStatus::Completed)))
        .with(Op::BeginStage(parallel));
    db.store.commit(work.fence, batch).await.unwrap();
    let other = db.pending().await;
    let page = db.store.list_sessions(SessionQuery::default()).await.unwrap();
    let (empty, item) = (&page.items[0], &page.items[1]);
    assert_eq!((empty.id, empty.llm_interaction_count, empty.total_tokens), (other, 0, 0));
    assert_eq!((empty.total_stages, empty.completed_stages), (2, 0));
    assert_eq!((item.llm_interaction_count, item.mcp_interaction_count), (2, 1));
    assert_eq!((item.input_tokens, item.output_tokens, item.total_tokens), (200, 40, 240));
    assert_eq!((item.tokens_estimated, empty.tokens_estimated), (true, false));
    assert_eq!((item.cost_micro_usd, item.unpriced_llm_calls), (Some(340), 1));
    assert_eq!((empty.cost_micro_usd, empty.unpriced_llm_calls), (None, 0));
    assert_eq!((item.total_stages, item.completed_stages), (2, 1));
    let detail = db.store.find_session_detail(item.id).await.unwrap().unwrap();
    assert_eq!((&detail.item, detail.failed_stages), (item, 0));
    assert!(item.has_parallel_stages && !empty.has_parallel_stages);
    assert_eq!((item.current_stage_index, item.current_stage_id), (Some(1), Some(second)));
    assert_eq!((detail.chat_id, item.chat_message_count), (None, 0));
    assert_eq!(item.duration_ms, None);
}

#[tokio::test]
async fn turns_of_the_offline_analyst_are_no_calls_of_a_model() {
    let db = db().await;
    let work = db.working().await;
    let of = |backend: &str| {
        let record =
            RequestRecord { backend: Some(backend.to_owned()), ..RequestRecord::default() };
        NewLlmInteraction { record: Box::new(record), ..work.llm(None) }
    };
    let turns = ["offline", "offline", "langchain"].map(|backend| Op::LlmInteraction(of(backend)));
    db.store.commit(work.fence, turns.into_iter().fold(Batch::new(), Batch::with)).await.unwrap();
    let item = &db.store.list_sessions(SessionQuery::default()).await.unwrap().items[0];
    assert_eq!(item.llm_interaction_count, 1);
    let summary = db.store.find_session_summary(item.id).await.unwrap().unwrap();
    assert_eq!((summary.llm_interactions, summary.total_interactions), (1, 1));
}

#[tokio::test]
async fn running_and_waiting_sessions_are_listed_apart() {
    let db = db().await;
    let [_, running, waiting] = three(&db).await;
    let later = db.pending().await;
    let now = db.store.list_active_sessions().await.unwrap();
    assert_eq!(now.active.iter().map(|item| item.id).collect::<Vec<_>>(), [running]);
    assert_eq!(now.active[0].status, SessionStatus::InProgress);
    assert!(now.active[0].started_at.is_some());
    let queue: Vec<_> = now.queued.iter().map(|item| (item.id, item.queue_position)).collect();
    assert_eq!(queue, [(waiting, 1), (later, 2)]);
}

#[tokio::test]
async fn what_runs_and_what_waits_is_named_like_what_is_over() {
    let db = db().await;
    let about = AlertFields {
        title: Some("disk of web-1 is full".to_owned()),
        severity: Some("critical".to_owned()),
        links: vec![AlertLink {
            title: "Grafana".to_owned(),
            url: "https://grafana.example/d/1".to_owned(),
        }],
        fingerprint: Some("disk of web-1".to_owned()),
        ..AlertFields::default()
    };
    for _ in 0..2 {
        let alert = NewSession { fields: about.clone(), ..alert() };
        db.create(alert).await;
    }
    db.claim().await.unwrap();
    let now = db.store.list_active_sessions().await.unwrap();
    for (alert, earlier) in [(&now.active[0].alert, 0), (&now.queued[0].alert, 1)] {
        assert_eq!((&alert.title, &alert.severity), (&about.title, &about.severity));
        assert_eq!((&alert.links, &alert.fingerprint), (&about.links, &about.fingerprint));
        assert_eq!(alert.earlier_sessions.count, earlier);
    }
    assert_eq!(now.queued[0].alert.earlier_sessions.last_session_id, Some(now.active[0].id));
    let page = db.store.list_sessions(SessionQuery::default()).await.unwrap();
    assert!(page.items.iter().all(|item| item.links == about.links));
}

#[tokio::test]
async fn filter_options_are_the_values_that_sessions_have() {
    let db = db().await;
    let none = db.store.list_filter_options().await.unwrap();
    assert!(none.alert_types.is_empty() && none.chain_ids.is_empty() && none.statuses.is_empty());
    three(&db).await;
    db.pending().await;
    let options = db.store.list_filter_options().await.unwrap();
    assert_eq!(options.alert_types, ["host", "kubernetes"]);
    assert_eq!(options.chain_ids, ["host", "kubernetes"]);
    assert_eq!(
        options.statuses,
        [SessionStatus::Completed, SessionStatus::InProgress, SessionStatus::Pending]
    );
}

#[tokio::test]
async fn planned_stages_are_counted_before_they_start() {
    let db = db().await;
    let mut new = alert();
    new.settings.planned_stages = Some(3);
    let id = db.create(new).await;
    let page = db.store.list_sessions(SessionQuery::default()).await.unwrap();
    let item = page.items.iter().find(|item| item.id == id).unwrap();
    assert_eq!(item.total_stages, 3);
}

#[tokio::test]
async fn calls_of_models_are_counted_from_an_index_alone() {
    let db = db().await;
    let work = db.working().await;
    db.store
        .commit(work.fence, Batch::new().with(Op::LlmInteraction(work.llm(None))))
        .await
        .unwrap();
    sqlx::query("vacuum analyze llm_interactions").execute(&db.raw).await.unwrap();
    let mut tx = db.raw.begin().await.unwrap();
    // The table is too small for the planner to bother.
    sqlx::query("set local enable_seqscan = off").execute(&mut *tx).await.unwrap();
    let plan: Vec<String> = sqlx::query_scalar(
        "explain select session_id, count(*) filter (where backend is distinct from 'offline'), sum(total_tokens)
         from llm_interactions where session_id = any(array[gen_random_uuid()]) group by session_id",
    )
    .fetch_all(&mut *tx)
    .await
    .unwrap();
    let plan = plan.join("\n");
    assert!(plan.contains("Index Only Scan using llm_interactions_sums"), "{plan}");
}
