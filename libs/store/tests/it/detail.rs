//! One session, whole and in numbers.

use tarsy_catalog::{Budget, Catalog, Env, ResolvedPrice, ResolvedProvider};
use tarsy_domain::id::ExecutionId;
use tarsy_domain::price::PriceSource;
use tarsy_domain::status::{SessionStatus, WorkStatus};
use tarsy_store::{Batch, NewLlmInteraction, NewSession, Op};

use crate::setup::{alert, db, end, end_execution, end_stage, new_execution};

#[tokio::test]
async fn the_detail_holds_stages_executions_and_their_tokens() {
    let db = db().await;
    let work = db.working().await;
    let idle = ExecutionId::new();
    let batch = Batch::new()
        .with(Op::BeginExecution(new_execution(idle, work.stage, 2)))
        .with(Op::LlmInteraction(work.llm(None)))
        .with(Op::LlmInteraction(work.llm(None)))
        .with(Op::EndExecution(end_execution(work.execution, WorkStatus::Completed)));
    db.store.commit(work.fence, batch).await.unwrap();
    let detail = db.store.find_session_detail(work.fence.session_id).await.unwrap().unwrap();
    assert_eq!(detail.item.id, work.fence.session_id);
    let last = db.store.find_last_event_seq(work.fence.session_id).await.unwrap();
    assert!(detail.last_event > 1 && last == Some(detail.last_event), "{last:?}");
    assert_eq!(detail.item.llm_interaction_count, 2);
    let budget = detail.budget;
    let used = (budget.llm_calls.used, budget.tokens.used, budget.tool_calls.used);
    assert_eq!(used, (2, 240, 0));
    assert_eq!(budget.llm_calls.limit, i64::from(Budget::default().llm_calls));
    let [stage] = detail.stages.as_slice() else { panic!("one stage") };
    assert_eq!(stage.id, work.stage);
    let [first, second] = stage.executions.as_slice() else { panic!("two executions") };
    assert_eq!(first.execution_id, work.execution);
    assert!(first.duration_ms.is_some() && first.by_rules);
    assert_eq!((first.input_tokens, first.output_tokens, first.total_tokens), (200, 40, 240));
    assert_eq!((second.execution_id, second.total_tokens), (idle, 0));
    assert!(second.duration_ms.is_none());
}

#[tokio::test]
async fn a_session_has_the_source_of_the_price_of_each_model() {
    let db = db().await;
    let catalog = Catalog::builtin(&Env::empty()).unwrap();
    let mut chain = catalog.resolve_chain(None, None).unwrap();
    let price = |listed: Option<&str>| ResolvedPrice {
        input: 1,
        cached_input: 1,
        output: 1,
        thinking: None,
        listed: listed.map(|day| day.parse().unwrap()),
    };
    let provider = |name: &str, price| ResolvedProvider {
        name: name.to_owned(),
        price,
        ..ResolvedProvider::offline()
    };
    chain.executive_summary_provider = provider("own", Some(price(None)));
    chain.stages[0].agents[0].provider = provider("listed", Some(price(Some("2026-11-20"))));
    chain.stages[0].agents[0].fallbacks = vec![provider("free", None)];
    db.create(NewSession { config_snapshot: serde_json::to_value(&chain).unwrap(), ..alert() })
        .await;
    let work = db.begin(db.claim().await.unwrap().fence).await;
    let called = ["own", "listed", "free", "gone"]
        .map(|name| NewLlmInteraction { provider: name.to_owned(), ..work.llm(None) });
    let batch = called.into_iter().map(Op::LlmInteraction).fold(Batch::new(), Batch::with);
    db.store.commit(work.fence, batch).await.unwrap();
    let detail = db.store.find_session_detail(work.fence.session_id).await.unwrap().unwrap();
    let found = detail
        .prices
        .iter()
        .map(|one| (one.provider.as_str(), one.source, one.list_day.map(|day| day.to_string())));
    let day = Some("2026-11-20".to_owned());
    let expected = [
        ("free", PriceSource::None, None),
        ("gone", PriceSource::None, None),
        ("listed", PriceSource::PriceList, day),
        ("own", PriceSource::Configured, None),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn the_summary_counts_calls_tokens_and_stages() {
    let db = db().await;
    let work = db.working().await;
    let event = work.streaming();
    let mut failed = end_stage(work.stage, 0, "triage", WorkStatus::Failed);
    failed.error = Some("no tools".to_owned());
    let batch = Batch::new()
        .with(Op::OpenEvent(event.clone()))
        .with(Op::CallStarted(work.call(event.id)))
        .with(Op::LlmInteraction(work.llm(None)))
        .with(Op::EndStage(failed));
    db.store.commit(work.fence, batch).await.unwrap();
    let id = work.fence.session_id;
    let running = db.store.find_session_summary(id).await.unwrap().unwrap();
    assert!(running.total_duration_ms.is_some_and(|duration| duration >= 0));
    db.store.finish_session(work.fence, end(SessionStatus::Failed)).await.unwrap();
    let summary = db.store.find_session_summary(id).await.unwrap().unwrap();
    assert_eq!(summary.session_id, id);
    assert_eq!(
        (summary.total_interactions, summary.llm_interactions, summary.mcp_interactions),
        (2, 1, 1)
    );
    assert_eq!(summary.total_tokens, 120);
    let chain = summary.chain_statistics;
    assert_eq!((chain.total_stages, chain.completed_stages, chain.failed_stages), (2, 0, 1));
    assert_eq!(chain.current_stage_index, Some(0));
    let stages = db.store.list_stages(id).await.unwrap();
    assert_eq!(stages[0].error_message.as_deref(), Some("no tools"));
}

#[tokio::test]
async fn the_timeline_comes_whole_or_in_pages() {
    let db = db().await;
    let work = db.working().await;
    let mut batch = Batch::new();
    for _ in 0..5 {
        batch.push(Op::OpenEvent(work.streaming()));
    }
    db.store.commit(work.fence, batch).await.unwrap();
    let places = async |after, limit| {
        let rows = db.store.list_timeline(work.fence.session_id, after, limit).await.unwrap();
        rows.iter().map(|row| row.sequence_number).collect::<Vec<_>>()
    };
    assert_eq!(places(None, None).await, [1, 2, 3, 4, 5]);
    assert_eq!(places(None, Some(2)).await, [1, 2]);
    assert_eq!(places(Some(2), Some(2)).await, [3, 4]);
    assert_eq!(places(Some(4), None).await, [5]);
}
