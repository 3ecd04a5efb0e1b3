//! Questions about a session that is over.

use std::time::Duration;

use serde_json::json;
use tarsy_contracts::subject;
use tarsy_contracts::work::Cancel;
use tarsy_domain::event::{CallStatus, LlmInteractionKind, TimelineKind};
use tarsy_domain::id::{SessionId, StageId};
use tarsy_domain::status::{SessionStatus, TimelineStatus, WorkStatus};
use tarsy_llm::Script;
use tarsy_store::{CancelOutcome, NewQuestion, QuestionOutcome, Stage};

use crate::world::{PATIENCE, Story, World, calls, chain, says, text};

/// A world in which one session is over, and the model's next turns are these.
async fn over(turns: impl IntoIterator<Item = Script>) -> (World, Story) {
    let first = [calls("host.load"), says("The load is high."), says("Short.")];
    let world = World::new(first.into_iter().chain(turns)).await;
    let worker = world.worker("first").await;
    let mut story = world.submit(&chain()).await;
    story.ends(SessionStatus::Completed).await;
    worker.drain(PATIENCE).await.unwrap();
    (world, story)
}

fn question(session_id: SessionId, content: &str) -> NewQuestion {
    NewQuestion { session_id, content: content.to_owned(), author: "bob".to_owned() }
}

pub(crate) async fn ask(world: &World, id: SessionId, content: &str) -> StageId {
    let asked = world.store.insert_question(question(id, content)).await.unwrap();
    let QuestionOutcome::Inserted { stage_id, events, .. } = asked else { panic!("{asked:?}") };
    for event in &events {
        world.bus.publish_event(event).await.unwrap();
        world.store.set_published(&[(id, event.seq)]).await.unwrap();
    }
    world.bus.wake_chat_workers(id).await.unwrap();
    stage_id
}

async fn stage(world: &World, id: SessionId, stage: StageId) -> Stage {
    let stages = world.store.list_stages(id).await.unwrap();
    stages.into_iter().find(|one| one.id == stage).unwrap()
}

/// The session is as its investigation left it, and nothing is open.
async fn check(world: &World, story: &Story) {
    let session = world.check_end(story, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("The load is high."));
    assert_eq!(world.store.count_claimable_chats().await.unwrap(), 0);
}

#[tokio::test]
async fn three_questions_are_answered_each_with_the_history_before_it() {
    let turns = [says("Since noon."), calls("host.load"), says("It is 0.4 now."), says("Bob did.")];
    let (world, mut story) = over(turns).await;
    world.worker("one").await;
    for (asked, answered) in
        [("Since when?", "Since noon."), ("And now?", "It is 0.4 now."), ("Who asked?", "Bob did.")]
    {
        let id = ask(&world, story.id, asked).await;
        story.until("stage.status", "completed").await;
        let stage = stage(&world, story.id, id).await;
        assert_eq!(stage.status, WorkStatus::Completed);
        let timeline = world.timeline(story.id).await;
        let of_stage: Vec<_> = timeline.iter().filter(|event| event.stage_id == Some(id)).collect();
        let (first, last) = (of_stage[0], of_stage[of_stage.len() - 1]);
        assert_eq!((first.kind, first.content.as_str()), (TimelineKind::UserQuestion, asked));
        assert_eq!((last.kind, last.content.as_str()), (TimelineKind::FinalAnalysis, answered));
    }
    check(&world, &story).await;
    // Who asks and who answers tell at once: whoever shows it puts it in order.
    story.hears_all(&world).await;
    story.events.sort_by_key(|event| event["db_event_id"].as_i64());
    story.check_order();

    let asked = world.llm.requests();
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
    assert!(world.instructions(3).contains("follow-up"));
    assert_eq!(asked[3].tools.len(), 1, "the tools of the chain's chat");
    let trace = world.store.find_trace(story.id).await.unwrap();
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
    let (world, mut story) = over([pauses]).await;
    let busy = |content| world.store.insert_question(question(story.id, content));
    assert!(matches!(busy("Since when?").await.unwrap(), QuestionOutcome::Inserted { .. }));
    assert_eq!(busy("And now?").await.unwrap(), QuestionOutcome::Busy);
    world.worker("one").await;
    story.until("timeline_event.created", "streaming").await;
    assert_eq!(
        world.store.insert_question(question(story.id, "And now?")).await.unwrap(),
        QuestionOutcome::Busy
    );
}

#[tokio::test]
async fn a_session_that_runs_cannot_be_asked_about() {
    let world = World::new([Script::Pause(vec![text("The ")], vec![])]).await;
    world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.until("timeline_event.created", "streaming").await;
    let asked = world.store.insert_question(question(story.id, "And?")).await.unwrap();
    assert_eq!(asked, QuestionOutcome::NotOpen(SessionStatus::InProgress));
}

#[tokio::test]
async fn a_cancel_ends_an_answer_and_the_next_question_is_answered() {
    let pauses = Script::Pause(vec![text("Since ")], vec![]);
    let (world, mut story) = over([pauses, says("Since noon.")]).await;
    world.worker("one").await;
    let first = ask(&world, story.id, "Since when?").await;
    story.until("timeline_event.created", "streaming").await;
    let asked = world.store.request_cancel(story.id).await.unwrap();
    assert_eq!(asked, CancelOutcome::ChatCancelling);
    let cancel = Cancel { session_id: story.id };
    world.bus.publish(subject::control_cancel(story.id), &cancel).await.unwrap();
    story.until("stage.status", "cancelled").await;
    let stage = stage(&world, story.id, first).await;
    assert_eq!((stage.status, stage.error_message), (WorkStatus::Cancelled, None));
    let timeline = world.timeline(story.id).await;
    assert_eq!(timeline.last().unwrap().status, TimelineStatus::Cancelled);
    check(&world, &story).await;
    ask(&world, story.id, "Once more: since when?").await;
    story.until("stage.status", "completed").await;
    check(&world, &story).await;
    assert!(world.told(4).contains("Once more"));
}

#[tokio::test]
async fn a_cancel_whose_message_is_lost_ends_a_call_of_an_answer() {
    let (world, mut story) = over([calls("host.load")]).await;
    let gate = world.toolbox.block("host.load");
    world.worker("one").await;
    ask(&world, story.id, "And now?").await;
    gate.entered(1).await;
    world.store.request_cancel(story.id).await.unwrap();
    story.until("stage.status", "cancelled").await;
    check(&world, &story).await;
    let execution = world.store.list_executions(story.id).await.unwrap().pop().unwrap();
    let call = world.store.list_calls(execution.id).await.unwrap().remove(0);
    assert_eq!(call.status, CallStatus::Unknown);
}

#[tokio::test]
async fn an_answer_whose_owner_died_is_taken_up_by_the_next() {
    let pauses = Script::Pause(vec![text("It is ")], vec![]);
    let turns = [calls("host.load"), pauses, says("It is 0.4 now.")];
    let (world, mut story) = over(turns).await;
    let doomed = world.doomed("one").await;
    let id = ask(&world, story.id, "And now?").await;
    story.until("stage.status", "started").await;
    // The words before the call, the call, the answer.
    for _ in 0..3 {
        story.until("timeline_event.created", "streaming").await;
    }
    doomed.kill().await;
    let wait = async {
        while world.store.count_claimable_chats().await.unwrap() == 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.unwrap();
    world.worker("two").await;
    story.until("stage.status", "completed").await;
    check(&world, &story).await;
    let stages = world.store.list_stages(story.id).await.unwrap();
    assert_eq!((stages.len(), stages[1].id), (2, id), "one stage, begun once");
    assert_eq!(world.toolbox.calls().len(), 2, "one call for each of the two: none again");
    let asked = world.llm.requests();
    assert_eq!(asked[4].messages, asked[5].messages);
    let timeline = world.timeline(story.id).await;
    let broken: Vec<_> =
        timeline.iter().filter(|event| event.status == TimelineStatus::Failed).collect();
    assert_eq!(broken.len(), 1);
    assert_eq!(broken[0].metadata, Some(json!({"interrupted": true})));
    let questions = world.texts(story.id, TimelineKind::UserQuestion).await;
    assert_eq!(questions, ["And now?"]);
}

#[tokio::test]
async fn an_answer_that_takes_too_long_is_timed_out() {
    let first = [says("The load is high."), says("Short."), Script::Pause(vec![], vec![])];
    let world = World::new(first).await;
    world.worker("one").await;
    let mut chain = chain();
    chain.session_timeout_ms = 10_000;
    let mut story = world.submit(&chain).await;
    story.ends(SessionStatus::Completed).await;
    let id = ask(&world, story.id, "Since when?").await;
    story.until("stage.status", "timed_out").await;
    let stage = stage(&world, story.id, id).await;
    assert_eq!(stage.error_message.as_deref(), Some("the question ran out of time"));
    check(&world, &story).await;
}

#[tokio::test]
async fn questions_wait_for_a_worker_but_not_for_the_cap() {
    let (mut world, mut story) =
        over([Script::Pause(vec![text("The ")], vec![]), says("Since noon.")]).await;
    world.queue.worker_count = 2;
    // With room for two, a lease that ran out would be taken up here again.
    world.queue.orphan_threshold = Duration::from_mins(20);
    world.queue.max_concurrent_sessions = 1;
    // The second place is for the question, not for the session whose lease was renewed too late.
    world.queue.orphan_threshold = Duration::from_mins(20);
    world.worker("one").await;
    let mut running = world.submit(&chain()).await;
    running.until("timeline_event.created", "streaming").await;
    ask(&world, story.id, "Since when?").await;
    story.until("stage.status", "completed").await;
    assert_eq!(world.store.count_in_progress_sessions().await.unwrap(), 1);
}

#[tokio::test]
async fn a_question_has_the_whole_budget_of_its_own() {
    let first = [calls("host.load"), says("The load is high."), says("Short.")];
    let turns = [calls("host.load"), says("Since noon.")];
    let world = World::new(first.into_iter().chain(turns)).await;
    world.worker("one").await;
    let mut chain = chain();
    chain.budget = tarsy_catalog::Budget { llm_calls: 2, tokens: 1_000, tool_calls: 1 };
    let mut story = world.submit(&chain).await;
    story.ends(SessionStatus::Completed).await;
    let before = world.store.find_usage(story.id).await.unwrap();
    assert_eq!(before.llm_calls, 3);
    let id = ask(&world, story.id, "Since when?").await;
    story.until("stage.status", "completed").await;
    assert_eq!(stage(&world, story.id, id).await.status, WorkStatus::Completed);
    let offered: Vec<_> = world.llm.requests()[3..].iter().map(|asked| asked.tools.len()).collect();
    assert_eq!(offered, [1, 0], "after one call of a tool it only concludes");
    assert_eq!(world.store.find_usage(story.id).await.unwrap(), before);
    assert_eq!(world.store.find_stage_usage(story.id, id).await.unwrap().tool_calls, 1);
}
