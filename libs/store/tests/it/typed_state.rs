//! State that is a column.

use tarsy_catalog::Budget;
use tarsy_domain::claim::ConclusionCause;
use tarsy_domain::id::{ExecutionId, SessionId, StageId};
use tarsy_domain::status::WorkStatus;
use tarsy_store::{
    Batch, Conclusion, ConclusionRequest, NewStage, Op, ProviderSwitch, SessionSettings, Store,
};

use crate::setup::{Work, alert, db, end_execution, new_execution, new_stage};

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
        budget: Budget { llm_calls: 1, tokens: 2, tool_calls: 3, cost_usd: None },
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
