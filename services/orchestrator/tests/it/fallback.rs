//! Providers that cannot be used, and those that take over; models that are stalled or repeat
//! themselves.

use std::time::Duration;

use serde_json::json;
use tarsy_catalog::{NativeTools, ProviderType, ResolvedChain, ResolvedProvider, SuccessPolicy};
use tarsy_domain::event::{LlmInteractionKind, TimelineKind};
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_llm::{Chunk, Error, Script};

use crate::stack::{Stack, answer_with, call, calls, chain, text, usage};

fn refusal(code: &str, retryable: bool, retry_after: Option<Duration>) -> Script {
    let error = Error::Provider {
        message: "the provider does not want to".to_owned(),
        code: code.to_owned(),
        retryable,
        retry_after,
        variable: None,
    };
    Script::Failure(vec![], error)
}

fn provider(chain: &ResolvedChain, name: &str) -> ResolvedProvider {
    let mut provider = chain.stages[0].agents[0].provider.clone();
    name.clone_into(&mut provider.name);
    provider.model = format!("model-of-{name}");
    provider
}

/// A chain whose agent has two more providers, and whose summary has one.
fn with_others() -> ResolvedChain {
    let mut chain = chain();
    let others = vec![provider(&chain, "second"), provider(&chain, "third")];
    chain.executive_summary_fallbacks = vec![others[0].clone()];
    chain.stages[0].agents[0].fallbacks = others;
    chain
}

fn models(stack: &Stack) -> Vec<String> {
    stack.llm.requests().into_iter().map(|asked| asked.config.model).collect()
}

#[tokio::test]
async fn a_provider_that_refuses_for_good_is_followed_by_the_next_one_which_stays() {
    let state = Chunk::ProviderState(vec![7]);
    let first = Script::Answer(vec![call("c1", "host.load"), state.clone(), usage()]);
    let third = Script::Answer(vec![call("c2", "host.load"), state, usage()]);
    let wrong = || refusal("credentials", false, None);
    let turns =
        [first, wrong(), wrong(), third, answer_with("The load."), wrong(), answer_with("Short.")];
    let stack = Stack::new(turns).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&with_others()).await;
    submitted.ends(SessionStatus::Completed).await;
    submitted.check_order();
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("The load."));
    assert_eq!(session.executive_summary.as_deref(), Some("Short."));
    let own = "offline-analyst";
    let (second, third) = ("model-of-second", "model-of-third");
    assert_eq!(models(&stack), [own, own, second, third, third, own, second]);

    let asked = stack.llm.requests();
    let states = |turn: usize| -> Vec<usize> {
        let messages = asked[turn].messages.iter().enumerate();
        messages.filter(|(_, one)| one.provider_state.is_some()).map(|(at, _)| at).collect()
    };
    assert_eq!(states(1), [2], "a provider gets back what it gave");
    assert!(states(2).is_empty() && states(3).is_empty(), "another one does not");
    assert_eq!(states(4), [4]);

    let prompt = stack.texts(submitted.id, TimelineKind::ProviderFallback).await;
    assert_eq!(prompt.len(), 3);
    assert_eq!(
        prompt[0],
        "The provider offline could not be used: the provider does not want to. second takes over."
    );
    let events = stack.timeline(submitted.id).await;
    let switches: Vec<_> =
        events.iter().filter(|event| event.kind == TimelineKind::ProviderFallback).collect();
    let metadata = switches[1].metadata.as_ref().unwrap();
    assert_eq!((&metadata["from"], &metadata["to"]), (&json!("second"), &json!("third")));
    assert!(switches[1].execution_id.is_some() && switches[2].execution_id.is_none());
    let execution = stack.store.list_executions(submitted.id).await.unwrap().remove(0);
    assert_eq!(execution.llm_provider.as_deref(), Some("offline"), "what it began with");
    let trace = stack.store.find_trace(submitted.id).await.unwrap();
    let used = trace.stages[0].executions[0].llm_interactions.iter();
    let used: Vec<_> = used.map(|one| one.model_name.as_str()).collect();
    assert_eq!(used, [own, own, second, third, third]);
}

#[tokio::test]
async fn a_long_retry_after_is_not_awaited_when_there_is_a_fallback() {
    let busy = refusal("rate_limited", true, Some(Duration::from_mins(5)));
    let stack = Stack::new([busy, answer_with("Found."), answer_with("Short.")]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&with_others()).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(models(&stack), ["offline-analyst", "model-of-second", "offline-analyst"]);
}

#[tokio::test]
async fn refusals_that_go_on_and_on_end_with_another_provider() {
    let busy = || refusal("overloaded", true, Some(Duration::from_millis(1)));
    let turns =
        [busy(), busy(), busy(), busy(), busy(), answer_with("Found."), answer_with("Short.")];
    let stack = Stack::new(turns).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&with_others()).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(models(&stack)[4..6], ["offline-analyst", "model-of-second"]);
}

#[tokio::test]
async fn another_owner_stays_with_the_provider_that_took_over() {
    let pauses = Script::Pause(vec![text("It is ")], vec![]);
    let turns =
        [refusal("credentials", false, None), pauses, answer_with("It is."), answer_with("Short.")];
    let stack = Stack::new(turns).await;
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&with_others()).await;
    submitted.until("timeline_event.created", "streaming").await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let second = "model-of-second";
    assert_eq!(models(&stack), ["offline-analyst", second, second, "offline-analyst"]);
    assert_eq!(stack.texts(submitted.id, TimelineKind::ProviderFallback).await.len(), 1);
}

#[tokio::test]
async fn another_owner_asks_the_provider_that_took_over_the_summary() {
    let pauses = Script::Pause(vec![text("It ")], vec![]);
    let wrong = refusal("credentials", false, None);
    let stack = Stack::new([answer_with("Found."), wrong, pauses, answer_with("Short.")]).await;
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&with_others()).await;
    stack.asks(3).await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.executive_summary.as_deref(), Some("Short."));
    let (own, second) = ("offline-analyst", "model-of-second");
    assert_eq!(models(&stack), [own, own, second, second]);
    assert_eq!(
        stack.texts(submitted.id, TimelineKind::ProviderFallback).await.len(),
        1,
        "told once"
    );
}

#[tokio::test]
async fn a_busy_provider_is_asked_again_when_it_wants_to_be() {
    let wants = Duration::from_secs(2);
    let busy = || refusal("rate_limited", true, Some(wants));
    let stack = Stack::new([busy(), answer_with("Found."), busy(), answer_with("Short.")]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.executive_summary.as_deref(), Some("Short."));
    // A call is recorded when it ends: the pause lies between two records.
    let calls = stack.model_calls(submitted.id).await;
    let at: Vec<_> = calls.iter().map(|call| call.brief.created_at).collect();
    assert_eq!(at.len(), 4);
    for (refused, answered) in [(0, 1), (2, 3)] {
        assert!(calls[refused].brief.error_message.is_some());
        assert!(calls[answered].brief.error_message.is_none());
        let waited = Duration::try_from(at[answered].duration_since(at[refused])).unwrap();
        assert!(waited >= wants, "{waited:?}");
    }
}

#[tokio::test]
async fn a_model_without_a_first_token_is_replaced_by_its_fallback() {
    let unresponsive = Script::Pause(vec![], vec![]);
    let stack = Stack::new([unresponsive, answer_with("Found."), answer_with("Short.")]).await;
    stack.worker("one").await;
    let mut chain = with_others();
    chain.first_token_timeout_ms = 300;
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(models(&stack)[..2], ["offline-analyst", "model-of-second"]);
    let errors = stack.texts(submitted.id, TimelineKind::Error).await;
    let output = "LLM request failed: the model sent no first token within 300ms (`llm_timeouts.first_token` of the provider \
                  or the defaults)";
    assert_eq!(errors, [output]);
}

#[tokio::test]
async fn without_a_fallback_a_second_timeout_ends_the_agent() {
    let unresponsive = || Script::Pause(vec![], vec![]);
    let stack = Stack::new([unresponsive(), unresponsive()]).await;
    stack.worker("one").await;
    let mut chain = chain();
    chain.first_token_timeout_ms = 300;
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::TimedOut).await;
    let session = stack.check_end(&submitted, SessionStatus::TimedOut).await;
    let error = session.error_message.unwrap();
    assert!(
        error.contains("no first token within 600ms") && error.ends_with(", 2 times"),
        "{error}"
    );
}

#[tokio::test]
async fn a_conclusion_that_times_out_once_is_requested_again() {
    let unresponsive = Script::Pause(vec![], vec![]);
    let stack = Stack::new([
        calls("host.load"),
        unresponsive,
        answer_with("The load."),
        answer_with("Short."),
    ])
    .await;
    stack.worker("one").await;
    let mut chain = chain();
    chain.first_token_timeout_ms = 300;
    chain.stages[0].agents[0].max_iterations = 1;
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("The load."));
    let calls = stack.model_calls(submitted.id).await;
    let kinds: Vec<_> = calls.iter().map(|call| (call.brief.kind, call.brief.timed_out)).collect();
    let forced = LlmInteractionKind::ForcedConclusion;
    assert_eq!(kinds[1..3], [(forced, true), (forced, false)]);
    let asked = stack.llm.requests();
    let messages = |turn: usize| asked[turn].messages.len();
    assert_eq!(messages(1), messages(2), "the conclusion is asked for with the same words, once");
}

#[tokio::test]
async fn another_owner_continues_to_count_timeouts() {
    let partial = Script::Pause(vec![text("The load ")], vec![]);
    let unresponsive = || Script::Pause(vec![], vec![]);
    let stack = Stack::new([unresponsive(), partial, unresponsive()]).await;
    let first = stack.doomed("one").await;
    let mut chain = chain();
    chain.first_token_timeout_ms = 300;
    let mut submitted = stack.submit(&chain).await;
    submitted.until("timeline_event.created", "streaming").await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::TimedOut).await;
    let session = stack.check_end(&submitted, SessionStatus::TimedOut).await;
    let error = session.error_message.unwrap();
    assert!(
        error.contains("no first token within 600ms") && error.ends_with(", 2 times"),
        "{error}"
    );
    assert_eq!(stack.llm.requests().len(), 3, "one silence before and one after");
}

#[tokio::test]
async fn a_result_is_cut_to_what_the_active_provider_accepts() {
    let wrong = refusal("credentials", false, None);
    let turns = [wrong, calls("host.load"), answer_with("The load."), answer_with("Short.")];
    let toolbox = tarsy_tools::ScriptedToolbox::new().tool("host.load");
    let toolbox = toolbox.answers("host.load", &"0.4 0.2 0.1\n".repeat(200));
    let stack = Stack::with(turns, toolbox).await;
    stack.worker("one").await;
    let mut chain = with_others();
    chain.stages[0].agents[0].fallbacks[0].max_tool_result_tokens = 100;
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let prompt = stack.prompt(2);
    assert!(prompt.contains("[cut here: 395 of 2400 bytes shown]"), "{prompt}");
}

#[tokio::test]
async fn a_model_that_pauses_too_long_is_closed_and_asked_again() {
    let stalls = Script::Pause(vec![text("The load ")], vec![]);
    let stack =
        Stack::new([stalls, calls("host.load"), answer_with("It is."), answer_with("Short.")])
            .await;
    stack.worker("one").await;
    let mut chain = with_others();
    chain.stall_timeout_ms = 300;
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert!(models(&stack).iter().all(|model| model == "offline-analyst"), "it had begun to talk");
    let first = stack.timeline(submitted.id).await.remove(0);
    assert_eq!((first.content.as_str(), first.status), ("The load ", TimelineStatus::Failed));
    let errors = stack.texts(submitted.id, TimelineKind::Error).await;
    let output = "LLM request failed: the model was idle for 300ms (`llm_timeouts.stall` of the provider or the defaults)";
    assert_eq!(errors, [output]);
}

#[tokio::test]
async fn a_model_that_pauses_twice_is_replaced_by_its_fallback() {
    let stalls = || Script::Pause(vec![text("The load ")], vec![]);
    let turns = [stalls(), stalls(), answer_with("It is."), answer_with("Short.")];
    let stack = Stack::new(turns).await;
    stack.worker("one").await;
    let mut chain = with_others();
    chain.stall_timeout_ms = 300;
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let own = "offline-analyst";
    assert_eq!(models(&stack), [own, own, "model-of-second", own]);
    let switches = stack.texts(submitted.id, TimelineKind::ProviderFallback).await;
    assert_eq!(switches.len(), 1, "{switches:?}");
}

#[tokio::test]
async fn another_owner_uses_the_fallback_of_a_model_that_paused_twice() {
    let stalls = || Script::Pause(vec![text("The load ")], vec![]);
    let slow = Script::Pause(vec![text("It ")], vec![]);
    let turns = [stalls(), stalls(), slow, answer_with("It is."), answer_with("Short.")];
    let stack = Stack::new(turns).await;
    let first = stack.doomed("one").await;
    let mut chain = with_others();
    chain.stall_timeout_ms = 1_000;
    let mut submitted = stack.submit(&chain).await;
    stack.asks(3).await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("It is."));
    assert_eq!(models(&stack)[3], "model-of-second");
}

#[tokio::test]
async fn every_kind_of_turn_has_the_configured_timeouts() {
    let stalled = || Script::Pause(vec![], vec![]);
    let text = answer_with;
    let summary = [stalled(), text("Short.")];
    let turns = [text("One."), text("Two."), stalled(), text("Both.")].into_iter().chain(summary);
    let stack = Stack::new(turns.chain([stalled(), text("Again.")])).await;
    stack.worker("one").await;
    let mut chain = crate::flows::replicas(2, SuccessPolicy::All);
    chain.first_token_timeout_ms = 300;
    chain.executive_summary_fallbacks = vec![provider(&chain, "second")];
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.executive_summary.as_deref(), Some("Short."));
    crate::chat::ask(&stack, submitted.id, "and now?").await;
    submitted.until("stage.status", "completed").await;
    stack.asks(8).await;
    let timed_out: Vec<_> = stack.model_calls(submitted.id).await;
    let timed_out: Vec<_> =
        timed_out.iter().filter(|call| call.brief.timed_out).map(|call| call.brief.kind).collect();
    let (synthesis, summary) =
        (LlmInteractionKind::Synthesis, LlmInteractionKind::ExecutiveSummary);
    assert_eq!(timed_out, [synthesis, summary, LlmInteractionKind::ChatResponse]);
}

#[tokio::test]
async fn a_model_that_repeats_itself_is_cut_off_and_asked_again_with_a_bound() {
    let repeating = || {
        let words = std::iter::repeat_n(text("I will check the logs. "), 10_000);
        Script::Answer(words.collect())
    };
    let stack = Stack::new([repeating(), answer_with("Found."), answer_with("Short.")]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let first = stack.timeline(submitted.id).await.remove(0);
    assert_eq!(first.status, TimelineStatus::Failed);
    assert!(first.content.len() < 10_000, "{}", first.content.len());

    let stack = Stack::new([repeating(), repeating(), repeating()]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Failed).await;
    let session = stack.check_end(&submitted, SessionStatus::Failed).await;
    assert!(session.error_message.unwrap().ends_with("the model repeated itself, 3 times"));
}

#[tokio::test]
async fn a_model_that_does_not_come_to_an_end_is_cut_off_and_asked_again() {
    let page = |page: usize| {
        let lines = (0..4_000).map(|line| format!("{page}-{line}: ok\n"));
        text(&lines.collect::<String>())
    };
    let endless = Script::Answer((0..200).map(page).collect());
    let greedy = Script::Answer((0..1_000).map(|n| call(&format!("c{n}"), "host.load")).collect());
    let stack = Stack::new([endless, greedy, answer_with("Found."), answer_with("Short.")]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let first = stack.timeline(submitted.id).await.remove(0);
    assert_eq!(first.status, TimelineStatus::Failed);
    assert!(first.content.len() < 5_000_000, "{}", first.content.len());
    let errors = stack.texts(submitted.id, TimelineKind::Error).await;
    let output = "LLM request failed: the model's answer exceeded its size limit";
    assert_eq!(errors, [output, output]);
    assert!(stack.toolbox.calls().is_empty());
}

#[tokio::test]
async fn the_providers_own_tools_are_off_beside_mcp_tools() {
    let native = |stack: &Stack, turn: usize| stack.llm.requests()[turn].config.native_tools["google_search"];
    let mut chain = chain();
    let provider = &mut chain.stages[0].agents[0].provider;
    provider.provider_type = ProviderType::Google;
    provider.native_tools.google_search = true;
    chain.stages[0].agents[0].max_iterations = 1;
    let stack =
        Stack::new([calls("host.load"), answer_with("Found."), answer_with("Short.")]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    assert!(!native(&stack, 0));
    assert!(!native(&stack, 1), "nor for the conclusion, when no tools are offered");

    chain.stages[0].agents[0].servers.clear();
    let stack = Stack::new([answer_with("Found."), answer_with("Short.")]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    assert!(native(&stack, 0));
}

#[tokio::test]
async fn a_provider_does_not_search_where_the_prompt_has_text_of_tools() {
    let mut searching = chain();
    let reading = searching.stages[0].clone();
    searching.stages[0].agents[0].servers.clear();
    searching.stages.insert(0, reading);
    let provider = &mut searching.stages[1].agents[0].provider;
    "searching".clone_into(&mut provider.name);
    provider.provider_type = ProviderType::Google;
    provider.native_tools =
        NativeTools { google_search: true, code_execution: true, url_context: true };
    for (first, is_allowed, on) in [
        (calls("host.load"), false, ["code_execution"].as_slice()),
        (calls("host.load"), true, &["code_execution", "google_search", "url_context"]),
        (answer_with("Nothing."), false, &["code_execution", "google_search", "url_context"]),
    ] {
        searching.stages[1].agents[0].provider.search_with_tool_text = is_allowed;
        let found = (0..4).map(|_| answer_with("Found."));
        let stack = Stack::new(std::iter::once(first).chain(found)).await;
        stack.worker("one").await;
        let mut submitted = stack.submit(&searching).await;
        submitted.ends(SessionStatus::Completed).await;
        let requests = stack.llm.requests();
        let request =
            requests.iter().find(|request| request.config.provider == "searching").unwrap();
        let native = request.config.native_tools.iter();
        let used: Vec<&str> =
            native.filter(|(_, on)| **on).map(|(name, _)| name.as_str()).collect();
        assert_eq!(used, on);
        let traced = stack.model_calls(submitted.id).await.into_iter();
        let traced = traced.map(|call| call.llm_request["native_tools_off"].clone());
        let left_out = traced.filter(|off| *off == json!(["google_search", "url_context"])).count();
        assert_eq!(left_out, usize::from(on.len() == 1), "the trace shows what was left out");
    }
}
