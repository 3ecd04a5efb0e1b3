//! Providers that answer one call at a time, over all orchestrators.

use std::time::Duration;

use futures::StreamExt as _;
use tarsy_bus::Subscription;
use tarsy_catalog::ResolvedChain;
use tarsy_contracts::live::{Live, LiveBody};
use tarsy_contracts::subject;
use tarsy_domain::id::InteractionId;
use tarsy_domain::status::SessionStatus;
use tarsy_llm::Script;

use crate::stack::{Stack, WAIT, answer_with, chain, text};

/// A chain of which each call waits for its turn.
fn one_at_a_time() -> ResolvedChain {
    let mut chain = chain();
    chain.executive_summary_provider.max_concurrent_requests = Some(1);
    for agent in chain.stages.iter_mut().flat_map(|stage| &mut stage.agents) {
        agent.provider.max_concurrent_requests = Some(1);
    }
    chain
}

async fn place(stack: &Stack, call: InteractionId) -> u32 {
    let lease = Duration::from_mins(1);
    let name = one_at_a_time().executive_summary_provider.name;
    stack.store.take_llm_place(call, &name, lease).await.unwrap()
}

/// Waits until viewers are shown that a call waits.
async fn shown(live: &mut Subscription) {
    let look = async {
        loop {
            let message = live.next().await.unwrap();
            let live: Live = serde_json::from_slice(&message.payload).unwrap();
            if let LiveBody::ExecutionProgress { message, .. } = live.body
                && message == "waiting for the model: 1 before it"
            {
                return;
            }
        }
    };
    tokio::time::timeout(WAIT, look).await.unwrap();
}

#[tokio::test]
async fn a_call_waits_for_its_turn_where_viewers_see_it() {
    let stack = Stack::new([answer_with("The load."), answer_with("Short.")]).await;
    let other = InteractionId::new();
    assert_eq!(place(&stack, other).await, 0);
    let mut submitted = stack.submit(&one_at_a_time()).await;
    let mut live = stack.bus.subscribe(subject::live_session(submitted.id)).await.unwrap();
    stack.worker("one").await;
    shown(&mut live).await;
    assert!(stack.llm.requests().is_empty());
    stack.store.leave_llm_queue(other).await.unwrap();
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("The load."));
    let waited = &stack.model_calls(submitted.id).await[0].response_metadata;
    assert!(waited.as_ref().is_some_and(|shown| shown["waited_ms"].is_i64()), "{waited:?}");
}

#[tokio::test]
async fn the_place_of_a_killed_process_ends_with_its_lease() {
    let streams = Script::Pause(vec![text("The load ")], Vec::new());
    let stack = Stack::new([streams, answer_with("The load."), answer_with("Short.")]).await;
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&one_at_a_time()).await;
    submitted.until("timeline_event.created", "streaming").await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
}

#[tokio::test]
async fn a_cancel_ends_the_wait() {
    let stack = Stack::new([]).await;
    place(&stack, InteractionId::new()).await;
    let mut submitted = stack.submit(&one_at_a_time()).await;
    let mut live = stack.bus.subscribe(subject::live_session(submitted.id)).await.unwrap();
    stack.worker("one").await;
    shown(&mut live).await;
    stack.store.request_cancel(submitted.id).await.unwrap();
    submitted.ends(SessionStatus::Cancelled).await;
    stack.check_end(&submitted, SessionStatus::Cancelled).await;
    assert!(stack.llm.requests().is_empty());
}
