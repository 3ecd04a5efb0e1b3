//! Questions about a session that is over.

use std::time::Duration;

use serde_json::json;
use tarsy_contracts::subject;
use tarsy_contracts::work::Cancel;
use tarsy_domain::event::{CallStatus, LlmInteractionKind, TimelineKind};
use tarsy_domain::id::{SessionId, StageId};
use tarsy_domain::status::{SessionStatus, TimelineStatus, WorkStatus};
use tarsy_llm::Script;
use tarsy_store::{CancelOutcome, ChatAgent, NewQuestion, QuestionOutcome, Stage};

use crate::stack::{Stack, SubmittedSession, WAIT, answer_with, calls, chain, text};

/// A stack in which one session is over, and the model's next turns are these.
async fn over(turns: impl IntoIterator<Item = Script>) -> (Stack, SubmittedSession) {
    let first = [calls("host.load"), answer_with("The load is high."), answer_with("Short.")];
    let stack = Stack::new(first.into_iter().chain(turns)).await;
    let worker = stack.worker("first").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    worker.drain(WAIT).await.unwrap();
    (stack, submitted)
}

fn question(session_id: SessionId, content: &str) -> NewQuestion {
    let chat = chain().chat.unwrap();
    let agent = ChatAgent {
        name: chat.name,
        iteration_strategy: chat.strategy.as_str().to_owned(),
        llm_provider: chat.provider.name,
    };
    let (content, author) = (content.to_owned(), "bob".to_owned());
    NewQuestion { session_id, content, author, principal: None, agent: Some(agent), command: None }
}

pub(crate) async fn ask(stack: &Stack, id: SessionId, content: &str) -> StageId {
    let asked = stack.store.insert_question(question(id, content)).await.unwrap();
    let QuestionOutcome::Inserted { stage_id, events, .. } = asked else { panic!("{asked:?}") };
    for event in &events {
        stack.bus.publish_event(event).await.unwrap();
        stack.store.set_published(&[(id, event.seq)]).await.unwrap();
    }
    stack.bus.wake_chat_workers(id).await.unwrap();
    stage_id
}

async fn stage(stack: &Stack, id: SessionId, stage: StageId) -> Stage {
    let stages = stack.store.list_stages(id).await.unwrap();
    stages.into_iter().find(|one| one.id == stage).unwrap()
}

/// The session is as its investigation left it, and nothing is open.
async fn check(stack: &Stack, submitted: &SubmittedSession) {
    let session = stack.check_end(submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("The load is high."));
    assert_eq!(stack.store.count_claimable_chats().await.unwrap(), 0);
}

#[tokio::test]
async fn three_questions_are_answered_each_with_the_history_before_it() {
    let turns = [
        answer_with("Since noon."),
        calls("host.load"),
        answer_with("It is 0.4 now."),
        answer_with("Bob did."),
    ];
    let (stack, mut submitted) = over(turns).await;
    stack.worker("one").await;
    for (asked, answered) in
        [("Since when?", "Since noon."), ("And now?", "It is 0.4 now."), ("Who asked?", "Bob did.")]
    {
        let id = ask(&stack, submitted.id, asked).await;
        submitted.until("stage.status", "completed").await;
        let stage = stage(&stack, submitted.id, id).await;
        assert_eq!(stage.status, WorkStatus::Completed);
        let timeline = stack.timeline(submitted.id).await;
        let of_stage: Vec<_> = timeline.iter().filter(|event| event.stage_id == Some(id)).collect();
        let (first, last) = (of_stage[0], of_stage[of_stage.len() - 1]);
        assert_eq!((first.kind, first.content.as_str()), (TimelineKind::UserQuestion, asked));
        assert!(of_stage.iter().all(|event| event.execution_id == first.execution_id));
        assert_eq!((last.kind, last.content.as_str()), (TimelineKind::FinalAnalysis, answered));
    }
    check(&stack, &submitted).await;
    // Who asks and who answers tell at once: whoever shows it puts it in order.
    submitted.receive_all_events(&stack).await;
    submitted.events.sort_by_key(|event| event["db_event_id"].as_i64());
    submitted.check_order();

    let asked = stack.llm.requests();
    assert_eq!(asked.len(), 7);
    let prompt = |turn: usize| asked[turn].messages[1].content.clone();
    assert!(prompt(3).contains("the load of web-1 is 40"), "the alert");
    assert!(prompt(3).contains("[call 1] host.load"), "the tool calls");
    assert!(prompt(3).contains("0.4"), "and their results");
    assert!(prompt(3).contains("Conclusion:\nThe load is high."));
    assert!(prompt(3).contains("<question>\nSince when?\n</question>"));
    assert_eq!(prompt(3).matches("Since when?").count(), 1);
    assert!(prompt(4).contains("Question from a person:\nSince when?"));
    assert!(prompt(6).contains("Conclusion:\nSince noon.") && prompt(6).contains("And now?"));
    assert!(stack.instructions(3).contains("follow-up"));
    assert_eq!(asked[3].tools.len(), 1, "the tools of the chain's chat");
    let trace = stack.store.find_trace(submitted.id).await.unwrap();
    let kinds: Vec<_> = trace.stages[1..]
        .iter()
        .flat_map(|stage| &stage.executions)
        .flat_map(|execution| &execution.llm_interactions)
        .map(|call| call.kind)
        .collect();
    assert_eq!(kinds, [LlmInteractionKind::ChatResponse; 4]);
}

#[tokio::test]
async fn a_second_question_is_refused_while_the_first_is_answered() {
    let pauses = Script::Pause(vec![text("Since ")], vec![text("noon.")]);
    let (stack, mut submitted) = over([pauses]).await;
    let busy = |content| stack.store.insert_question(question(submitted.id, content));
    assert!(matches!(busy("Since when?").await.unwrap(), QuestionOutcome::Inserted { .. }));
    assert_eq!(busy("And now?").await.unwrap(), QuestionOutcome::Busy);
    stack.worker("one").await;
    submitted.until("timeline_event.created", "streaming").await;
    assert_eq!(
        stack.store.insert_question(question(submitted.id, "And now?")).await.unwrap(),
        QuestionOutcome::Busy
    );
}

#[tokio::test]
async fn a_session_that_runs_cannot_be_asked_about() {
    let stack = Stack::new([Script::Pause(vec![text("The ")], vec![])]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.until("timeline_event.created", "streaming").await;
    let asked = stack.store.insert_question(question(submitted.id, "And?")).await.unwrap();
    assert_eq!(asked, QuestionOutcome::NotOpen(SessionStatus::InProgress));
}

#[tokio::test]
async fn a_cancel_ends_an_answer_and_the_next_question_is_answered() {
    let pauses = Script::Pause(vec![text("Since ")], vec![]);
    let (stack, mut submitted) = over([pauses, answer_with("Since noon.")]).await;
    stack.worker("one").await;
    let first = ask(&stack, submitted.id, "Since when?").await;
    submitted.until("timeline_event.created", "streaming").await;
    let asked = stack.store.request_cancel(submitted.id).await.unwrap();
    assert_eq!(asked, CancelOutcome::ChatCancelling);
    let cancel = Cancel { session_id: submitted.id };
    stack.bus.publish(subject::control_cancel(submitted.id), &cancel).await.unwrap();
    submitted.until("stage.status", "cancelled").await;
    let stage = stage(&stack, submitted.id, first).await;
    assert_eq!((stage.status, stage.error_message), (WorkStatus::Cancelled, None));
    let timeline = stack.timeline(submitted.id).await;
    assert_eq!(timeline.last().unwrap().status, TimelineStatus::Cancelled);
    check(&stack, &submitted).await;
    ask(&stack, submitted.id, "Once more: since when?").await;
    submitted.until("stage.status", "completed").await;
    check(&stack, &submitted).await;
    assert!(stack.prompt(4).contains("Once more"));
}

#[tokio::test]
async fn a_cancel_whose_message_is_lost_ends_a_call_of_an_answer() {
    let (stack, mut submitted) = over([calls("host.load")]).await;
    let gate = stack.toolbox.block("host.load");
    stack.worker("one").await;
    ask(&stack, submitted.id, "And now?").await;
    gate.entered(1).await;
    stack.store.request_cancel(submitted.id).await.unwrap();
    submitted.until("stage.status", "cancelled").await;
    check(&stack, &submitted).await;
    let execution = stack.store.list_executions(submitted.id).await.unwrap().pop().unwrap();
    let call = stack.store.list_calls(execution.id).await.unwrap().remove(0);
    assert_eq!(call.status, CallStatus::Unknown);
}

#[tokio::test]
async fn an_answer_whose_owner_died_is_taken_up_by_the_next() {
    let pauses = Script::Pause(vec![text("It is ")], vec![]);
    let turns = [calls("host.load"), pauses, answer_with("It is 0.4 now.")];
    let (stack, mut submitted) = over(turns).await;
    let doomed = stack.doomed("one").await;
    let id = ask(&stack, submitted.id, "And now?").await;
    submitted.until("stage.status", "started").await;
    // The words before the call, the call, the answer.
    for _ in 0..3 {
        submitted.until("timeline_event.created", "streaming").await;
    }
    doomed.kill().await;
    let wait = async {
        while stack.store.count_claimable_chats().await.unwrap() == 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(WAIT, wait).await.unwrap();
    stack.worker("two").await;
    submitted.until("stage.status", "completed").await;
    check(&stack, &submitted).await;
    let stages = stack.store.list_stages(submitted.id).await.unwrap();
    assert_eq!((stages.len(), stages[1].id), (2, id), "one stage, begun once");
    assert_eq!(stack.toolbox.calls().len(), 2, "one call for each of the two: none again");
    let asked = stack.llm.requests();
    assert_eq!(asked[4].messages, asked[5].messages);
    let timeline = stack.timeline(submitted.id).await;
    let broken: Vec<_> =
        timeline.iter().filter(|event| event.status == TimelineStatus::Failed).collect();
    assert_eq!(broken.len(), 1);
    assert_eq!(broken[0].metadata, Some(json!({"interrupted": true})));
    let questions = stack.texts(submitted.id, TimelineKind::UserQuestion).await;
    assert_eq!(questions, ["And now?"]);
}

#[tokio::test]
async fn an_answer_that_takes_too_long_is_timed_out() {
    let first =
        [answer_with("The load is high."), answer_with("Short."), Script::Pause(vec![], vec![])];
    let stack = Stack::new(first).await;
    stack.worker("one").await;
    let mut chain = chain();
    chain.session_timeout_ms = 10_000;
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    let id = ask(&stack, submitted.id, "Since when?").await;
    submitted.until("stage.status", "timed_out").await;
    let stage = stage(&stack, submitted.id, id).await;
    assert_eq!(stage.error_message.as_deref(), Some("the question ran out of time"));
    check(&stack, &submitted).await;
}

#[tokio::test]
async fn questions_wait_for_a_worker_but_not_for_the_cap() {
    let (mut stack, mut submitted) =
        over([Script::Pause(vec![text("The ")], vec![]), answer_with("Since noon.")]).await;
    stack.queue.worker_count = 2;
    // With room for two, a lease that ran out would be taken up here again.
    stack.queue.orphan_threshold = Duration::from_mins(20);
    stack.queue.max_concurrent_sessions = 1;
    // The second place is for the question, not for the session whose lease was renewed too late.
    stack.queue.orphan_threshold = Duration::from_mins(20);
    stack.worker("one").await;
    let mut running = stack.submit(&chain()).await;
    running.until("timeline_event.created", "streaming").await;
    ask(&stack, submitted.id, "Since when?").await;
    submitted.until("stage.status", "completed").await;
    assert_eq!(stack.store.count_in_progress_sessions().await.unwrap(), 1);
}

#[tokio::test]
async fn a_question_has_the_whole_budget_of_its_own() {
    let first = [calls("host.load"), answer_with("The load is high."), answer_with("Short.")];
    let turns = [calls("host.load"), answer_with("Since noon.")];
    let stack = Stack::new(first.into_iter().chain(turns)).await;
    stack.worker("one").await;
    let mut chain = chain();
    chain.budget =
        tarsy_catalog::Budget { llm_calls: 2, tokens: 1_000, tool_calls: 1, cost_usd: None };
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    let before = stack.store.find_usage(submitted.id).await.unwrap();
    assert_eq!(before.llm_calls, 3);
    let id = ask(&stack, submitted.id, "Since when?").await;
    submitted.until("stage.status", "completed").await;
    assert_eq!(stage(&stack, submitted.id, id).await.status, WorkStatus::Completed);
    let offered: Vec<_> = stack.llm.requests()[3..].iter().map(|asked| asked.tools.len()).collect();
    assert_eq!(offered, [1, 0], "after one call of a tool it only concludes");
    assert_eq!(stack.store.find_usage(submitted.id).await.unwrap(), before);
    assert_eq!(stack.store.find_stage_usage(submitted.id, id).await.unwrap().tool_calls, 1);
}
