//! Questions about sessions that are over.

use std::time::Duration;

use futures::future::join_all;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{ChatId, SessionId, StageId};
use tarsy_domain::status::{SessionStatus, TimelineStatus, WorkStatus};
use tarsy_store::{
    Batch, CancelOutcome, ChatAgent, ChatClaim, ChatEnd, NewQuestion, Op, QuestionOutcome, Usage,
};

use crate::setup::{Db, LEASE, Work, db, end, end_execution, end_stage, payload};

fn question(session_id: SessionId, text: &str) -> NewQuestion {
    let agent = ChatAgent {
        name: "HostAgent".to_owned(),
        iteration_strategy: "langchain".to_owned(),
        llm_provider: "offline".to_owned(),
    };
    let (content, author) = (text.to_owned(), "bob".to_owned());
    NewQuestion { session_id, content, author, principal: None, agent: Some(agent), command: None }
}

/// A session that completed, its one stage and execution, too.
async fn over(db: &Db) -> SessionId {
    let work = db.working().await;
    let batch = Batch::new()
        .with(Op::EndExecution(end_execution(work.execution, WorkStatus::Completed)))
        .with(Op::EndStage(end_stage(work.stage, 0, "triage", WorkStatus::Completed)));
    db.store.commit(work.fence, batch).await.unwrap();
    let mut how = end(SessionStatus::Completed);
    how.final_analysis = Some("the disk is full".to_owned());
    db.store.finish_session(work.fence, how).await.unwrap();
    work.fence.session_id
}

async fn ask(db: &Db, session: SessionId) -> (ChatId, StageId) {
    match db.store.insert_question(question(session, "why?")).await.unwrap() {
        QuestionOutcome::Inserted { chat_id, stage_id, .. } => (chat_id, stage_id),
        other => panic!("not taken: {other:?}"),
    }
}

async fn claim(db: &Db) -> Option<ChatClaim> {
    db.store.claim_chat("owner", LEASE).await.unwrap()
}

fn ended(status: WorkStatus) -> ChatEnd {
    ChatEnd { status, error: None }
}

#[tokio::test]
async fn a_question_is_a_turn_and_an_event_at_once() {
    let db = db().await;
    let id = over(&db).await;
    let before = db.store.find_last_event_seq(id).await.unwrap().unwrap();
    let asked = db.store.insert_question(question(id, "why\0?")).await.unwrap();
    let QuestionOutcome::Inserted { chat_id, message_id, stage_id, events } = asked else {
        panic!("taken")
    };
    let kinds: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["chat.created", "chat.user_message", "timeline_event.created"]);
    assert_eq!(payload(&events[0])["created_by"], "bob");
    assert_eq!(payload(&events[1])["message_id"], message_id.to_string());
    assert_eq!(payload(&events[2])["stage_id"], stage_id.to_string());
    assert_eq!(db.seqs(id).await, (1..=before + 3).collect::<Vec<_>>());
    let timeline = db.store.list_timeline(id, None, None).await.unwrap();
    let shown = timeline.last().unwrap();
    assert_eq!((shown.kind, shown.status), (TimelineKind::UserQuestion, TimelineStatus::Completed));
    assert_eq!((shown.content.as_str(), shown.stage_id), ("why\u{fffd}?", Some(stage_id)));
    assert_eq!(payload(&events[2])["sequence_number"], shown.sequence_number);
    let stage = db.store.list_stages(id).await.unwrap().pop().unwrap();
    assert_eq!((stage.id, stage.chat_id), (stage_id, Some(chat_id)));
    assert_eq!((stage.stage_index, stage.status), (1, WorkStatus::Pending));
    assert_eq!(db.status(id).await, SessionStatus::Completed);
}

#[tokio::test]
async fn a_question_names_the_execution_that_will_answer_it() {
    let db = db().await;
    let id = over(&db).await;
    let asked = db.store.insert_question(question(id, "why?")).await.unwrap();
    let QuestionOutcome::Inserted { stage_id, events, .. } = asked else { panic!("taken") };
    let execution = db.store.list_executions(id).await.unwrap().pop().unwrap();
    assert_eq!(payload(&events[2])["execution_id"], execution.id.to_string());
    assert_eq!((execution.stage_id, execution.status), (stage_id, WorkStatus::Pending));
    assert_eq!(execution.started_at, None);
    let fence = claim(&db).await.unwrap().fence;
    let begun = db.store.find_execution(execution.id).await.unwrap().unwrap();
    assert!(begun.status == WorkStatus::Active && begun.started_at.is_some());
    db.store.finish_chat(fence, ended(WorkStatus::Cancelled)).await.unwrap();
    let ended = db.store.find_execution(execution.id).await.unwrap().unwrap();
    assert_eq!(ended.status, WorkStatus::Cancelled);
}

#[tokio::test]
async fn only_a_session_that_is_over_and_not_cancelled_can_be_asked_about() {
    let db = db().await;
    let asked = |id| db.store.insert_question(question(id, "why?"));
    assert_eq!(asked(SessionId::new()).await.unwrap(), QuestionOutcome::NotFound);
    let waits = db.pending().await;
    assert_eq!(asked(waits).await.unwrap(), QuestionOutcome::NotOpen(SessionStatus::Pending));
    let fence = db.claim().await.unwrap().fence;
    assert_eq!(asked(waits).await.unwrap(), QuestionOutcome::NotOpen(SessionStatus::InProgress));
    db.store.finish_session(fence, end(SessionStatus::Cancelled)).await.unwrap();
    assert_eq!(asked(waits).await.unwrap(), QuestionOutcome::NotOpen(SessionStatus::Cancelled));
    assert!(claim(&db).await.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_questions_at_once_one_is_taken() {
    let db = db().await;
    let id = over(&db).await;
    db.open(8).await;
    let answers = join_all((0..8).map(|_| db.store.insert_question(question(id, "why?")))).await;
    let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
    let taken =
        answers.iter().filter(|one| matches!(one, QuestionOutcome::Inserted { .. })).count();
    let busy = answers.iter().filter(|one| matches!(one, QuestionOutcome::Busy)).count();
    assert_eq!((taken, busy), (1, 7));
    assert_eq!(db.count("select count(*) from chat_user_messages").await, 1);
    assert_eq!(db.store.count_claimable_chats().await.unwrap(), 1);
    let claims = join_all((0..8).map(|_| db.store.claim_chat("owner", LEASE))).await;
    assert_eq!(claims.into_iter().filter_map(Result::unwrap).count(), 1);
    assert_eq!(db.store.count_claimable_chats().await.unwrap(), 0);
    assert_eq!(
        db.store.insert_question(question(id, "why?")).await.unwrap(),
        QuestionOutcome::Busy
    );
}

#[tokio::test]
async fn a_turn_ends_without_touching_its_session_and_the_next_is_in_the_same_chat() {
    let db = db().await;
    let id = over(&db).await;
    let (chat, stage) = ask(&db, id).await;
    let turn = claim(&db).await.unwrap();
    assert_eq!((turn.fence.epoch, turn.attempts, turn.resumed), (3, 1, false));
    assert_eq!((turn.stage.id, turn.question.as_str()), (stage, "why?"));
    assert_eq!(payload(&turn.events[0])["status"], "started");
    assert_eq!(
        db.store.count_in_progress_sessions().await.unwrap(),
        0,
        "the cap does not count it"
    );
    let committed = db.store.finish_chat(turn.fence, ended(WorkStatus::Completed)).await.unwrap();
    assert_eq!(payload(&committed[0])["status"], "completed");
    let again = db.store.finish_chat(turn.fence, ended(WorkStatus::Failed)).await.unwrap_err();
    assert!(again.is_fenced(), "{again:?}");
    let session = db.store.find_session(id).await.unwrap().unwrap();
    assert_eq!(session.status, SessionStatus::Completed);
    assert_eq!(session.final_analysis.as_deref(), Some("the disk is full"));
    let (same, second) = ask(&db, id).await;
    assert_eq!(same, chat);
    let turn = claim(&db).await.unwrap();
    assert_eq!((turn.stage.id, turn.stage.stage_index), (second, 2));
    let detail = db.store.find_session_detail(id).await.unwrap().unwrap();
    assert_eq!((detail.chat_id, detail.item.chat_message_count), (Some(chat), 2));
    assert_eq!(detail.item.total_stages, 2, "turns are no stages of the chain");
}

#[tokio::test]
async fn a_turn_whose_owner_is_lost_goes_to_the_next_one() {
    let db = db().await;
    let id = over(&db).await;
    ask(&db, id).await;
    let first = claim(&db).await.unwrap();
    assert!(claim(&db).await.is_none());
    db.expire(id).await;
    assert_eq!(db.store.count_claimable_chats().await.unwrap(), 1);
    assert!(db.claim().await.is_none(), "it is no session to investigate");
    let second = claim(&db).await.unwrap();
    assert_eq!((second.fence.epoch, second.attempts), (first.fence.epoch + 1, 2));
    assert!(second.resumed && second.events.is_empty());
    assert!(second.elapsed > first.elapsed, "it counts from the first start");
    let late = db.store.finish_chat(first.fence, ended(WorkStatus::Completed)).await.unwrap_err();
    assert!(late.is_fenced(), "{late:?}");
    db.store.release_lease(second.fence).await.unwrap();
    assert_eq!(claim(&db).await.unwrap().attempts, 2, "a handover does not count");
}

#[tokio::test]
async fn a_waiting_turn_is_cancelled_at_once_and_a_running_one_by_its_owner() {
    let db = db().await;
    let id = over(&db).await;
    let nothing = db.store.request_cancel(id).await.unwrap();
    assert_eq!(nothing, CancelOutcome::NothingToCancel(SessionStatus::Completed));
    ask(&db, id).await;
    let cancelled = db.store.request_cancel(id).await.unwrap();
    let CancelOutcome::ChatCancelled { events } = cancelled else { panic!("{cancelled:?}") };
    assert_eq!(payload(&events[0])["status"], "cancelled");
    assert!(claim(&db).await.is_none());

    let (_, stage_id) = ask(&db, id).await;
    let turn = claim(&db).await.unwrap();
    assert!(!turn.cancel_requested);
    let execution = db.store.list_executions(id).await.unwrap().pop().unwrap().id;
    let work = Work { fence: turn.fence, stage: stage_id, execution };
    let batch = Batch::new().with(Op::OpenEvent(work.streaming()));
    db.store.commit(turn.fence, batch).await.unwrap();
    assert_eq!(db.store.request_cancel(id).await.unwrap(), CancelOutcome::ChatCancelling);
    assert!(db.store.renew_lease(turn.fence, LEASE).await.unwrap().cancel_requested);
    db.expire(id).await;
    let next = db.store.claim_chat("next", Duration::from_secs(9)).await.unwrap().unwrap();
    assert!(next.cancel_requested);
    db.store.finish_chat(next.fence, ended(WorkStatus::Cancelled)).await.unwrap();
    let timeline = db.store.list_timeline(id, None, None).await.unwrap();
    assert_eq!(timeline.last().unwrap().status, TimelineStatus::Cancelled);
    let execution = db.store.list_executions(id).await.unwrap().pop().unwrap();
    assert_eq!(execution.status, WorkStatus::Cancelled);
    let stage = db.store.list_stages(id).await.unwrap().pop().unwrap();
    assert_eq!((stage.id, stage.status), (stage_id, WorkStatus::Cancelled));
    assert_eq!(db.status(id).await, SessionStatus::Completed);
    ask(&db, id).await;
    assert!(!claim(&db).await.unwrap().cancel_requested, "a cancel is for one question");
}

#[tokio::test]
async fn an_investigation_and_a_question_about_it_each_count_what_they_used() {
    let db = db().await;
    let id = over(&db).await;
    let before = db.store.find_usage(id).await.unwrap();
    let (_, stage) = ask(&db, id).await;
    let turn = claim(&db).await.unwrap();
    let execution = db.store.list_executions(id).await.unwrap().pop().unwrap().id;
    let work = Work { fence: turn.fence, stage, execution };
    let (event, mut unfinished) = (work.streaming(), work.llm(None));
    unfinished.total_tokens = None;
    let batch = Batch::new()
        .with(Op::OpenEvent(event.clone()))
        .with(Op::CallStarted(work.call(event.id)))
        .with(Op::LlmInteraction(work.llm(None)))
        .with(Op::LlmInteraction(unfinished));
    db.store.commit(turn.fence, batch).await.unwrap();
    assert_eq!(db.store.find_usage(id).await.unwrap(), before);
    let used = db.store.find_stage_usage(id, stage).await.unwrap();
    assert_eq!(used, Usage { llm_calls: 2, tokens: 240, tool_calls: 1, ..Usage::default() });
    assert_eq!(db.store.find_stage_usage(id, StageId::new()).await.unwrap(), Usage::default());
}
