//! The loop with a scripted model and paused time: every timeout takes exactly as long as it says.

use std::time::Duration;

use async_trait::async_trait;
use tarsy_catalog::{Backend, Catalog, Env, ResolvedProvider, ResolvedTimeouts};
use tarsy_domain::event::{FinishReason, Role};
use tarsy_domain::id::SessionId;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::error::Error;
use crate::policy::OnCut;
use crate::record::{Degenerate, TimeoutKind};
use crate::request::{Chunk, ToolCall, Usage};
use crate::scripted::{Script, ScriptedLlm};
use crate::sink::{Admission, Flow};

const FIRST_TOKEN: Duration = Duration::from_secs(10);
const IDLE: Duration = Duration::from_secs(5);
const TOTAL: Duration = Duration::from_mins(1);

/// Notes what it receives; fails, finishes or cancels on demand.
#[derive(Default)]
struct TestSink {
    log: Vec<String>,
    started: usize,
    discarded: usize,
    finish_at: Option<&'static str>,
    fail_at: Option<&'static str>,
    cancel_at: Option<(&'static str, CancellationToken)>,
    flush_at: Option<Instant>,
    flushes: usize,
    /// How long a request waits for its turn.
    waits: Duration,
}

#[async_trait]
impl Sink for TestSink {
    type Error = &'static str;

    async fn admit(&mut self, _: &ResolvedProvider) -> Result<Admission, Self::Error> {
        sleep(self.waits).await;
        Ok(if self.waits.is_zero() { Admission::default() } else { Admission::holding(()) })
    }

    fn attempt_started(&mut self, _: &ResolvedProvider) {
        self.started += 1;
    }

    fn attempt_discarded(&mut self) {
        self.discarded += 1;
    }

    async fn chunk(&mut self, chunk: &Chunk) -> Result<Flow, Self::Error> {
        let Chunk::Text(text) = chunk else { return Ok(Flow::Continue) };
        if self.fail_at == Some(text) {
            return Err("the lease is lost");
        }
        if let Some((at, token)) = &self.cancel_at
            && at == text
        {
            token.cancel();
        }
        self.flush_at = Some(Instant::now() + Duration::from_millis(30));
        let finish = self.finish_at == Some(text);
        Ok(if finish { Flow::Finish } else { Flow::Continue })
    }

    fn flush_at(&self) -> Option<Instant> {
        self.flush_at
    }

    async fn flush(&mut self) {
        self.flush_at = None;
        self.flushes += 1;
    }

    async fn attempt_failed(&mut self, attempt: &FailedAttempt<'_>) -> Result<(), Self::Error> {
        let FailedAttempt { attempt, failure } = attempt;
        self.log.push(format!("{}: {failure} ({:?})", attempt.provider.name, attempt.text));
        Ok(())
    }

    async fn provider_switched(&mut self, switch: ProviderSwitch<'_>) -> Result<(), Self::Error> {
        self.log.push(format!("{} -> {}", switch.from.name, switch.to.name));
        Ok(())
    }
}

fn provider(name: &str) -> ResolvedProvider {
    let chain = Catalog::builtin(&Env::empty()).unwrap().resolve_chain(None, None).unwrap();
    ResolvedProvider {
        name: name.to_owned(),
        model: format!("model-of-{name}"),
        backend: Backend::Langchain,
        ..chain.executive_summary_provider
    }
}

fn providers() -> Vec<ResolvedProvider> {
    ["first", "second", "third"].map(provider).to_vec()
}

/// A call of the first provider, with this many fallbacks.
fn request(providers: &[ResolvedProvider], fallbacks: usize, retries: Retries) -> Call<'_> {
    Call {
        session_id: SessionId::new(),
        execution_id: None,
        messages: vec![Message::new(Role::User, "what is wrong?")],
        compact: None,
        tools: Vec::new(),
        tool_calls: ToolCalls::Accept,
        response_format: None,
        native_tools: NativeToolUse::AsConfigured,
        provider: &providers[0],
        fallbacks: &providers[1..=fallbacks],
        max_output_tokens: None,
        max_bytes: 1024 * 1024,
        timeouts: Timeouts { first_token: FIRST_TOKEN, idle: IDLE, total: TOTAL },
        retries,
        previous_timeouts: 0,
    }
}

async fn run<'a>(
    llm: &ScriptedLlm,
    request: Call<'a>,
    sink: &mut TestSink,
) -> Interaction<'a, &'static str> {
    call(llm, request, sink, &CancellationToken::new()).await
}

fn text(text: &str) -> Chunk {
    Chunk::Text(text.to_owned())
}

fn answer(words: &str) -> Script {
    Script::Answer(vec![text(words), Chunk::Finish(FinishReason::Stop)])
}

fn error(code: &str, retryable: bool, retry_after: Option<Duration>) -> Error {
    let message = format!("{code}!");
    let (code, variable) = (code.to_owned(), None);
    Error::Provider { message, code, retryable, retry_after, variable }
}

fn refusal(code: &str, retryable: bool) -> Script {
    Script::Failure(Vec::new(), error(code, retryable, None))
}

fn models(llm: &ScriptedLlm) -> Vec<String> {
    llm.requests().into_iter().map(|request| request.config.model).collect()
}

#[track_caller]
fn answered<'a>(end: End<'a, &'static str>) -> Attempt<'a> {
    match end {
        End::Answered(attempt) => attempt,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn failed<'a>(end: End<'a, &'static str>) -> (FailedAttempt<'a>, u32) {
    match end {
        End::Failed { last, times } => (last, times),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_returned_with_everything_that_came_with_it() {
    let usage = Usage { total_tokens: 12, ..Usage::default() };
    let tool_call = ToolCall {
        id: "1".to_owned(),
        name: "host.load".to_owned(),
        arguments: "{}".to_owned(),
        ..ToolCall::default()
    };
    let llm = ScriptedLlm::new([Script::Answer(vec![
        Chunk::Thinking("hm".to_owned()),
        text("The load "),
        text("is high."),
        Chunk::ToolCall(tool_call.clone()),
        Chunk::CodeExecution { code: "1+1".to_owned(), result: "2".to_owned() },
        Chunk::ProviderState(vec![7]),
        Chunk::Usage(usage),
        Chunk::Finish(FinishReason::ToolCalls),
    ])]);
    let (providers, mut sink) = (providers(), TestSink::default());
    let interaction = run(&llm, request(&providers, 0, Retries::AGENT), &mut sink).await;
    assert_eq!(interaction.messages[0].content, "what is wrong?");
    assert!(interaction.failed.is_empty() && sink.log.is_empty());
    let answer = answered(interaction.end);
    assert_eq!((answer.thinking.as_str(), answer.text.as_str()), ("hm", "The load is high."));
    assert_eq!(answer.tool_calls, [tool_call]);
    assert_eq!((answer.usage, answer.provider_state), (Some(usage), Some(vec![7])));
    assert_eq!((answer.extras.len(), answer.first_token), (1, Some(Duration::ZERO)));
    assert_eq!(answer.finish_reason, Some(FinishReason::ToolCalls));
}

#[tokio::test(start_paused = true)]
async fn tokens_that_a_provider_leaves_out_are_estimated_and_those_that_it_reports_stand() {
    let reported = |input_tokens, output_tokens, total_tokens| Usage {
        input_tokens,
        output_tokens,
        total_tokens,
        ..Usage::default()
    };
    let cases = [
        // The question has 14 bytes, the answer 21.
        (None, (4, 6, true)),
        (Some(Usage::default()), (4, 6, true)),
        (Some(reported(0, 9, 9)), (4, 9, true)),
        (Some(reported(80, 0, 80)), (80, 6, true)),
        (Some(reported(80, 9, 89)), (80, 9, false)),
        (Some(reported(0, 0, 89)), (0, 0, false)),
    ];
    for (usage, expected) in cases {
        let mut chunks = vec![text("The disk of db is big")];
        chunks.extend(usage.map(Chunk::Usage));
        chunks.push(Chunk::Finish(FinishReason::Stop));
        let (llm, providers) = (ScriptedLlm::new([Script::Answer(chunks)]), providers());
        let request = request(&providers, 0, Retries::AGENT);
        let answer = answered(run(&llm, request, &mut TestSink::default()).await.end);
        let found = answer.usage.expect("tokens");
        assert_eq!(
            (found.input_tokens, found.output_tokens, found.estimated),
            expected,
            "{usage:?}"
        );
        assert!(found.total_tokens >= found.input_tokens + found.output_tokens);
    }
}

#[tokio::test(start_paused = true)]
async fn the_offline_analyst_uses_no_tokens() {
    let rules = ResolvedProvider { backend: Backend::Offline, ..provider("offline") };
    let llm = ScriptedLlm::new([Script::Answer(vec![
        text("The disk of db is big"),
        Chunk::Finish(FinishReason::Stop),
    ])]);
    let providers = [rules];
    let request = request(&providers, 0, Retries::AGENT);
    let answer = answered(run(&llm, request, &mut TestSink::default()).await.end);
    assert_eq!(answer.usage, None);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_interrupted_used_tokens_and_one_that_never_began_used_none() {
    let stalls = Script::Pause(vec![text("The load is ")], Vec::new());
    let (llm, providers) = (ScriptedLlm::new([stalls, Script::Unresponsive]), providers());
    let request = request(&providers, 0, Retries::AGENT);
    let interaction = run(&llm, request, &mut TestSink::default()).await;
    let begun = interaction.failed[0].attempt.usage.expect("an estimate");
    assert_eq!((begun.input_tokens, begun.output_tokens, begun.estimated), (4, 3, true));
    assert_eq!(failed(interaction.end).0.attempt.usage, None);
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_text_or_reasoning_has_no_first_token() {
    let call = ToolCall {
        id: "1".to_owned(),
        name: "host.load".to_owned(),
        arguments: "{}".to_owned(),
        ..ToolCall::default()
    };
    let chunks = vec![
        Chunk::ToolCall(call),
        Chunk::Usage(Usage::default()),
        Chunk::Finish(FinishReason::ToolCalls),
    ];
    let (llm, providers) = (ScriptedLlm::new([Script::Answer(chunks)]), providers());
    let request = request(&providers, 0, Retries::AGENT);
    let answer = answered(run(&llm, request, &mut TestSink::default()).await.end);
    assert_eq!((answer.first_token, answer.first_token_ms()), (None, None));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_cut_at_its_limit_is_truncated() {
    let cut = Script::Answer(vec![text("So far"), Chunk::Finish(FinishReason::Length)]);
    let (llm, providers) = (ScriptedLlm::new([cut]), providers());
    let request = request(&providers, 0, Retries::SUMMARY);
    let interaction = run(&llm, request, &mut TestSink::default()).await;
    assert!(answered(interaction.end).is_truncated());
}

#[tokio::test(start_paused = true)]
async fn a_model_without_a_first_token_is_replaced_by_its_fallback() {
    for script in [Script::Unresponsive, Script::Pause(Vec::new(), Vec::new())] {
        let (llm, providers) = (ScriptedLlm::new([script, answer("Found.")]), providers());
        let (mut sink, started) = (TestSink::default(), Instant::now());
        let interaction = run(&llm, request(&providers, 1, Retries::AGENT), &mut sink).await;
        assert_eq!(started.elapsed(), FIRST_TOKEN);
        assert_eq!(
            sink.log,
            [
                format!("first: {} (\"\")", TimeoutKind::FirstToken(FIRST_TOKEN)),
                "first -> second".to_owned()
            ]
        );
        assert_eq!(interaction.failed.len(), 1);
        assert_eq!(answered(interaction.end).provider.name, "second");
    }
}

#[tokio::test(start_paused = true)]
async fn two_timeouts_in_a_row_end_an_agents_call_and_earlier_ones_count() {
    let unresponsive = || Script::Unresponsive;
    for previous in [0, 1] {
        let (llm, providers) = (ScriptedLlm::new([unresponsive(), unresponsive()]), providers());
        let mut request = request(&providers, 0, Retries::AGENT);
        request.previous_timeouts = previous;
        let interaction = run(&llm, request, &mut TestSink::default()).await;
        let (last, times) = failed(interaction.end);
        assert_eq!(times, 2);
        assert!(last.failure.is_timeout());
        assert_eq!(llm.requests().len(), 2 - previous as usize);
    }
}

#[tokio::test(start_paused = true)]
async fn an_idle_model_is_called_again_and_its_text_is_reported_as_failed() {
    let stalls = Script::Pause(vec![text("The load ")], Vec::new());
    let (llm, providers) = (ScriptedLlm::new([stalls, answer("Found.")]), providers());
    let (mut sink, started) = (TestSink::default(), Instant::now());
    let interaction = run(&llm, request(&providers, 1, Retries::AGENT), &mut sink).await;
    assert_eq!(started.elapsed(), IDLE);
    assert_eq!(sink.log, [format!("first: {} (\"The load \")", TimeoutKind::Idle(IDLE))]);
    assert_eq!(answered(interaction.end).provider.name, "first");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_end_in_time_is_a_timeout_however_it_is_noticed() {
    let deadline = Script::Failure(vec![text("So ")], Error::Timeout);
    for script in [deadline, Script::Pause(vec![text("So ")], Vec::new())] {
        let (llm, providers) = (ScriptedLlm::new([script]), providers());
        let mut request = request(&providers, 0, Retries::SUMMARY);
        request.timeouts.idle = TOTAL * 2;
        let interaction = run(&llm, request, &mut TestSink::default()).await;
        let (last, _) = failed(interaction.end);
        assert!(matches!(last.failure, Failure::Timeout(TimeoutKind::Total(TOTAL))));
        assert_eq!(last.attempt.text, "So ");
    }
}

#[tokio::test(start_paused = true)]
async fn what_came_of_an_answer_whose_time_was_up_is_kept() {
    let streams = |chunk| Script::Pause(vec![chunk], Vec::new());
    let thinking = || streams(Chunk::Thinking("Hm, the load".to_owned()));
    let kept = [
        (streams(text("So far")), OnCut::Keep),
        (thinking(), OnCut::Keep),
        (streams(text("So far")), OnCut::KeepText),
    ];
    for (script, on_cut) in kept {
        let (llm, providers) = (ScriptedLlm::new([script]), providers());
        let mut request = request(&providers, 1, Retries { on_cut, ..Retries::AGENT });
        request.timeouts.idle = TOTAL * 2;
        let answer = answered(run(&llm, request, &mut TestSink::default()).await.end);
        assert_eq!((answer.cut, answer.is_truncated()), (Some(TimeoutKind::Total(TOTAL)), true));
        assert_eq!((answer.provider.name.as_str(), llm.requests().len()), ("first", 1));
    }
    let (llm, providers) = (ScriptedLlm::new([thinking(), thinking()]), providers());
    let retries = Retries { on_cut: OnCut::KeepText, ..Retries::AGENT };
    let mut request = request(&providers, 0, retries);
    request.timeouts.idle = TOTAL * 2;
    assert_eq!(failed(run(&llm, request, &mut TestSink::default()).await.end).1, 2);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_was_not_read_in_time_gets_more_of_it_and_providers_have_limits_of_their_own()
{
    let (llm, mut providers) =
        (ScriptedLlm::new([Script::Unresponsive, Script::Unresponsive]), providers());
    providers[0].timeouts =
        Some(ResolvedTimeouts { first_token_ms: 200_000, stall_ms: 1_000, answer_ms: 3_600_000 });
    let started = Instant::now();
    let request = request(&providers, 0, Retries::AGENT);
    let (last, _) = failed(run(&llm, request, &mut TestSink::default()).await.end);
    assert_eq!(started.elapsed(), Duration::from_mins(10));
    assert!(last.failure.to_string().contains("`llm_timeouts.first_token`"), "{}", last.failure);
    assert_eq!(llm.requests()[0].deadline, Duration::from_hours(1));
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_request_begins_when_it_is_sent() {
    let (llm, providers) = (ScriptedLlm::new([answer("Found.")]), providers());
    let mut sink = TestSink { waits: TOTAL * 3, ..TestSink::default() };
    let answer = answered(run(&llm, request(&providers, 0, Retries::AGENT), &mut sink).await.end);
    assert_eq!((answer.waited, answer.duration), (Some(TOTAL * 3), Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_for_good_goes_through_the_fallbacks_without_provider_state() {
    let wrong = || refusal("credentials", false);
    let (llm, providers) = (ScriptedLlm::new([wrong(), wrong(), answer("Found.")]), providers());
    let mut request = request(&providers, 2, Retries::AGENT);
    request.messages[0].provider_state = Some(vec![7]);
    let mut sink = TestSink::default();
    let interaction = run(&llm, request, &mut sink).await;
    assert_eq!(models(&llm), ["model-of-first", "model-of-second", "model-of-third"]);
    assert_eq!(
        sink.log,
        [
            "first: credentials! (\"\")",
            "first -> second",
            "second: credentials! (\"\")",
            "second -> third"
        ]
    );
    let states: Vec<_> =
        llm.requests().into_iter().map(|one| one.messages[0].provider_state.clone()).collect();
    assert_eq!(states, [Some(vec![7]), None, None]);
    assert_eq!(sink.started, 3);
    assert_eq!(answered(interaction.end).provider.name, "third");
}

#[tokio::test(start_paused = true)]
async fn transient_errors_are_retried_with_backoff_then_the_fallback_takes_over() {
    let busy = || refusal("overloaded", true);
    let turns = [busy(), busy(), busy(), busy(), busy(), answer("Found.")];
    let (llm, providers) = (ScriptedLlm::new(turns), providers());
    let started = Instant::now();
    let request = request(&providers, 1, Retries::AGENT);
    let interaction = run(&llm, request, &mut TestSink::default()).await;
    assert_eq!(models(&llm)[4..], ["model-of-first", "model-of-second"]);
    assert_eq!(interaction.failed.len(), 5);
    // Four pauses: 0.5, 1, 2 and 4 s at most, half of that at least.
    let waited = started.elapsed().as_millis();
    assert!((3_750..=7_500).contains(&waited), "{waited}");
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_is_respected_without_a_fallback_and_skipped_with_one() {
    let limited = || {
        let pause = Some(Duration::from_secs(40));
        Script::Failure(Vec::new(), error("rate_limited", true, pause))
    };
    for (fallbacks, least, most) in [(0, 40_000, 41_000), (1, 0, 0)] {
        let (llm, providers) = (ScriptedLlm::new([limited(), answer("Found.")]), providers());
        let started = Instant::now();
        let request = request(&providers, fallbacks, Retries::AGENT);
        answered(run(&llm, request, &mut TestSink::default()).await.end);
        let waited = started.elapsed().as_millis();
        assert!((least..=most).contains(&waited), "{waited}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_is_requested_three_times_in_all() {
    let empty = || Script::Answer(vec![text(" \n"), Chunk::Finish(FinishReason::Stop)]);
    let (llm, providers) = (ScriptedLlm::new([empty(), empty(), empty()]), providers());
    let mut sink = TestSink::default();
    let interaction = run(&llm, request(&providers, 0, Retries::AGENT), &mut sink).await;
    assert_eq!((sink.log.len(), interaction.failed.len()), (2, 2));
    let (last, times) = failed(interaction.end);
    assert_eq!(last.failure.describe(times), "the model returned an empty answer, 3 times");
}

#[tokio::test(start_paused = true)]
async fn repetition_and_size_are_cut_off_and_retried() {
    let repeats = Script::Answer(vec![text("I will check the logs. "); 10_000]);
    let page = |page: usize| text(&format!("{page}: ").repeat(10_000 + page * 7));
    let large = Script::Answer((0..100).map(page).collect());
    let call = |at: usize| ToolCall {
        id: at.to_string(),
        name: "host.load".to_owned(),
        arguments: "{}".to_owned(),
        ..ToolCall::default()
    };
    let calls = Script::Answer((0..200).map(|at| Chunk::ToolCall(call(at))).collect());
    for (script, kind) in [
        (repeats, Degenerate::Repetition),
        (large, Degenerate::TooLarge),
        (calls, Degenerate::TooLarge),
    ] {
        let (llm, providers) = (ScriptedLlm::new([script, answer("Found.")]), providers());
        let mut request = request(&providers, 0, Retries::AGENT);
        request.max_bytes = if kind == Degenerate::TooLarge { 5_000 } else { 1024 * 1024 };
        let interaction = run(&llm, request, &mut TestSink::default()).await;
        let FailedAttempt { attempt, failure } = &interaction.failed[0];
        assert!(matches!(failure, Failure::Degenerate(cut) if *cut == kind), "{failure}");
        assert!(attempt.text.len() < 40_000 && attempt.tool_calls.len() <= 129);
        assert_eq!(answered(interaction.end).text, "Found.");
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_waits_for_llm_service_and_records_the_outage_once() {
    let gone = || Script::Refusal(Error::Transport("refused".to_owned()));
    let mut turns: Vec<_> = (0..20).map(|_| gone()).collect();
    turns.push(answer("Found."));
    let (llm, providers) = (ScriptedLlm::new(turns), providers());
    let mut sink = TestSink::default();
    let interaction = run(&llm, request(&providers, 1, Retries::AGENT), &mut sink).await;
    assert_eq!((sink.started, sink.discarded, sink.log.len()), (21, 19, 1));
    assert_eq!(interaction.failed.len(), 1);
    assert_eq!(answered(interaction.end).provider.name, "first");
}

#[tokio::test(start_paused = true)]
async fn tool_calls_that_were_not_offered_are_dropped() {
    let call = ToolCall {
        id: String::new(),
        name: "host.load".to_owned(),
        arguments: "{}".into(),
        ..ToolCall::default()
    };
    let script = Script::Answer(vec![Chunk::ToolCall(call), text("Found.")]);
    let (llm, providers) = (ScriptedLlm::new([script]), providers());
    let mut request = request(&providers, 0, Retries::AGENT);
    request.tool_calls = ToolCalls::Ignore;
    let interaction = run(&llm, request, &mut TestSink::default()).await;
    assert!(answered(interaction.end).tool_calls.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_needs_no_more_ends_the_answer() {
    let script = Script::Answer(vec![text("one"), text("two"), text("three")]);
    let (llm, providers) = (ScriptedLlm::new([script]), providers());
    let mut sink = TestSink { finish_at: Some("two"), ..TestSink::default() };
    let interaction = run(&llm, request(&providers, 0, Retries::AGENT), &mut sink).await;
    let answer = answered(interaction.end);
    assert_eq!((answer.text.as_str(), answer.finish_reason), ("onetwo", None));
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_fails_ends_the_call_with_what_was_received() {
    let script = Script::Answer(vec![text("one"), text("two"), text("three")]);
    let (llm, providers) = (ScriptedLlm::new([script]), providers());
    let mut sink = TestSink { fail_at: Some("two"), ..TestSink::default() };
    let interaction = run(&llm, request(&providers, 0, Retries::AGENT), &mut sink).await;
    let End::SinkFailed(error, Some(attempt)) = interaction.end else { panic!("it failed") };
    assert_eq!((error, attempt.text.as_str()), ("the lease is lost", "onetwo"));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_returns_the_attempt_that_runs() {
    let script = Script::Pause(vec![text("one")], Vec::new());
    let (llm, providers, token) =
        (ScriptedLlm::new([script]), providers(), CancellationToken::new());
    let mut sink = TestSink { cancel_at: Some(("one", token.clone())), ..TestSink::default() };
    let request = request(&providers, 0, Retries::AGENT);
    let interaction = call(&llm, request, &mut sink, &token).await;
    let End::Cancelled(Some(attempt)) = interaction.end else { panic!("it was cancelled") };
    assert_eq!(attempt.text, "one");
    assert_eq!(sink.flushes, 1, "what is held back is published");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_before_it_begins_or_while_it_pauses_has_no_attempt() {
    let (providers, token) = (providers(), CancellationToken::new());
    let pause = Some(Duration::from_secs(50));
    let limited = Script::Failure(Vec::new(), error("rate_limited", true, pause));
    let llm = ScriptedLlm::new([limited]);
    let stop = token.clone();
    let cancelling = async {
        sleep(Duration::from_secs(20)).await;
        stop.cancel();
    };
    let mut sink = TestSink::default();
    let running = call(&llm, request(&providers, 0, Retries::AGENT), &mut sink, &token);
    let (interaction, ()) = tokio::join!(running, cancelling);
    assert!(matches!(interaction.end, End::Cancelled(None)));
    assert_eq!(interaction.failed.len(), 1);
    let again = request(&providers, 0, Retries::AGENT);
    let interaction = call(&llm, again, &mut TestSink::default(), &token).await;
    assert!(matches!(interaction.end, End::Cancelled(None)));
    assert_eq!(llm.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn held_back_text_is_flushed_when_the_sink_asks_for_it() {
    let script = Script::Pause(vec![text("one")], vec![text("two")]);
    let (llm, providers) = (ScriptedLlm::new([script]), providers());
    let resuming = async {
        sleep(Duration::from_secs(1)).await;
        llm.resume();
    };
    let mut sink = TestSink::default();
    let running = run(&llm, request(&providers, 0, Retries::AGENT), &mut sink);
    let (interaction, ()) = tokio::join!(running, resuming);
    assert_eq!(answered(interaction.end).text, "onetwo");
    assert_eq!(sink.flushes, 2, "one in the pause, one at the end");
}
