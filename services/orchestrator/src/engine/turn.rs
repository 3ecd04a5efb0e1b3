//! One turn of a model: taken again when it breaks, and by the next provider when one cannot be
//! used.

mod extras;
mod hearing;
mod patience;

use std::time::Duration;

use rand::Rng as _;
use serde_json::json;
use tarsy_catalog::ResolvedProvider;
use tarsy_domain::code::{Code, Coded as _};
use tarsy_domain::event::{LlmInteractionKind, TimelineKind};
use tarsy_domain::id::TimelineEventId;
use tarsy_domain::status::{TimelineStatus, WorkStatus};
use tarsy_llm::{Config, Error, Request, ToolDefinition};
use tarsy_store::{NewTimelineEvent, Op, ProviderSwitch};
use tokio::time::{Instant, sleep};

use crate::engine::agent::{Task, failed};
use crate::engine::conversation::{ActiveProvider, Conversation};
use crate::engine::stage::Outcome;
use crate::engine::turn::hearing::{StreamOutcome, Turn};
use crate::metrics;
use crate::owner::{Owner, StopReason};

/// Timeouts in a row that end an execution.
pub(crate) const TIMEOUTS_IN_A_ROW: u32 = 2;
/// Tries of one turn whose model breaks off or refuses for now.
pub(crate) const TRIES: u32 = 5;
/// Tries of one turn whose model says nothing at all, repeats itself or does not come to an end.
const DEGENERATE_TRIES: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Longer than this a provider is not waited for if another one can take over,
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// and longer than this not if there is none: then it is asked all the same.
const LONGEST_ASKED: Duration = Duration::from_mins(1);
/// The longest reason, in characters, that a timeline gives for a switch.
const LONGEST_REASON: usize = 500;

/// What is asked of the model.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    /// Why.
    pub(crate) kind: LlmInteractionKind,
    /// What it may call.
    pub(crate) tools: Vec<ToolDefinition>,
    /// Whether the agent has MCP tools, offered now or not: then the provider's own are off.
    pub(crate) mcp_tools: bool,
}

/// What the turn came to.
#[derive(Clone, Debug)]
pub(crate) enum TurnOutcome {
    /// The model wants calls made, or cannot be read; its words stand in the conversation.
    Calls,
    /// The model has concluded.
    Conclusion(String),
    /// The model could not be brought to answer.
    Nothing(String),
    /// The model did not answer in time.
    TimedOut {
        /// It said nothing at all.
        silent: bool,
    },
}

/// Takes one turn, by another provider if need be.
pub(crate) async fn take(
    owner: &Owner,
    task: &Task<'_>,
    conversation: &mut Conversation,
    ask: Ask,
) -> Result<TurnOutcome, StopReason> {
    loop {
        let said = with_one(owner, task, conversation, &ask).await?;
        let reason = match &said {
            TurnOutcome::Nothing(reason) => reason.clone(),
            TurnOutcome::TimedOut { silent: true } => "the model said nothing in time".to_owned(),
            TurnOutcome::TimedOut { silent: false }
            | TurnOutcome::Calls
            | TurnOutcome::Conclusion(_) => return Ok(said),
        };
        let Some(next) = conversation.next_provider(task.spec) else { return Ok(said) };
        let from = conversation.provider(task.spec);
        let active = conversation.take_over();
        owner
            .commit(fallback(Some(task), (&from.name, &next.name), &reason, active).into())
            .await?;
    }
}

/// Another provider takes over, for the timeline.
pub(crate) fn fallback(
    task: Option<&Task<'_>>,
    (from, to): (&str, &str),
    reason: &str,
    active: ActiveProvider,
) -> [Op; 2] {
    tracing::warn!(from, to, reason, "another provider takes over");
    metrics::provider_fallback();
    let reason: String = reason.chars().take(LONGEST_REASON).collect();
    let event = Op::OpenEvent(NewTimelineEvent {
        id: TimelineEventId::new(),
        stage_id: task.map(|task| task.stage),
        execution_id: task.map(|task| task.execution),
        kind: TimelineKind::ProviderFallback,
        status: TimelineStatus::Completed,
        content: format!("The provider {from} could not be used: {reason}. {to} takes over."),
        metadata: Some(json!({ "from": from, "to": to, "reason": reason, "since": active.since })),
    });
    let switch = Op::SwitchProvider(ProviderSwitch {
        execution_id: task.map(|task| task.execution),
        provider: to.to_owned(),
        since: active.since,
    });
    [event, switch]
}

/// How often in a row the provider that speaks did not answer in time, as the store knows it: also
/// when an earlier owner waited.
pub(crate) async fn timeouts(
    owner: &Owner,
    task: &Task<'_>,
    conversation: &Conversation,
) -> Result<u32, StopReason> {
    let (store, provider) = (&owner.app.store, conversation.provider(task.spec));
    owner.read(|| store.count_consecutive_timeouts(task.execution, &provider.name)).await
}

/// The end of an agent whose model did not answer in time.
pub(crate) fn timed_out(timeouts: u32) -> Outcome {
    let times = if timeouts == 1 { String::new() } else { format!(", {timeouts} times") };
    failed(WorkStatus::TimedOut, format!("the model did not answer in time{times}"))
}

/// Why a call of a model came to nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failure<'a> {
    /// In words.
    pub(crate) why: &'a str,
    /// There was no answer in time.
    pub(crate) timed_out: bool,
}

impl<'a> Failure<'a> {
    /// Something other than time.
    pub(crate) fn of(why: &'a str) -> Self {
        Self { why, timed_out: false }
    }
}

/// How a call that is stopped while the model speaks ends; nothing if the record is another owner's.
pub(crate) fn stopped(stop: StopReason) -> Option<(TimelineStatus, Failure<'static>)> {
    match stop {
        StopReason::Cancelled => Some((TimelineStatus::Cancelled, Failure::of("it was cancelled"))),
        StopReason::TimedOut => {
            let failure =
                Failure { why: "the time was over while the model spoke", timed_out: true };
            Some((TimelineStatus::TimedOut, failure))
        }
        StopReason::Shutdown => {
            Some((TimelineStatus::Failed, Failure::of("the worker stopped while the model spoke")))
        }
        StopReason::Fenced | StopReason::Stuck => None,
    }
}

/// How often what went wrong, in one turn with one provider.
#[derive(Debug, Default)]
struct Failures {
    broken: u32,
    empty: u32,
    degenerate: u32,
    away: u32,
}

/// Takes one turn with the provider that speaks, with tries again for what passes by itself.
async fn with_one(
    owner: &Owner,
    task: &Task<'_>,
    conversation: &mut Conversation,
    ask: &Ask,
) -> Result<TurnOutcome, StopReason> {
    let limit = Duration::from_millis(task.plan.chain.iteration_timeout_ms);
    let provider = conversation.provider(task.spec);
    let mut failures = Failures::default();
    loop {
        let begun = Instant::now();
        let request = Request {
            session_id: owner.session(),
            execution_id: Some(task.execution),
            messages: conversation.messages(),
            tools: ask.tools.clone(),
            config: config(provider, ask.mcp_tools),
            max_output_tokens: None,
            deadline: limit,
        };
        task.plan.budget.begin_llm_call();
        let mut turn = Turn::new(owner, task, provider, ask.kind, begun);
        match turn.listen(request, begun + limit).await {
            Err(StreamOutcome::Stopped(stop)) => return Err(turn.stop(conversation, stop).await),
            Ok(()) if turn.is_empty() => {
                failures.empty += 1;
                turn.give_up(conversation, Failure::of("the model said nothing")).await?;
                if failures.empty == DEGENERATE_TRIES {
                    let tries = failures.empty;
                    return Ok(TurnOutcome::Nothing(format!(
                        "the model said nothing, {tries} times"
                    )));
                }
            }
            Ok(()) => return turn.keep(conversation).await,
            Err(StreamOutcome::TimedOut(why)) => {
                let silent = !turn.shown();
                turn.give_up(conversation, Failure { why: &why, timed_out: true }).await?;
                return Ok(TurnOutcome::TimedOut { silent });
            }
            Err(StreamOutcome::Degenerate(why)) => {
                failures.degenerate += 1;
                turn.give_up(conversation, Failure::of(why)).await?;
                if failures.degenerate == DEGENERATE_TRIES {
                    return Ok(TurnOutcome::Nothing(format!(
                        "{why}, {} times",
                        failures.degenerate
                    )));
                }
            }
            Err(StreamOutcome::Broken(error)) => {
                let has_next = conversation.next_provider(task.spec).is_some();
                let tries = broke(turn, conversation, &error, &mut failures).await?;
                let Some(tries) = tries.filter(|_| !(has_next && retry_after_exceeds(&error)))
                else {
                    return Ok(TurnOutcome::Nothing(format!(
                        "the model could not be used: {error}"
                    )));
                };
                owner.unless_stopped(sleep(pause(&error, tries))).await?;
            }
        }
    }
}

/// Writes down that a turn broke; how often this has happened, unless trying again is of no use.
async fn broke(
    turn: Turn<'_>,
    conversation: &Conversation,
    error: &Error,
    failures: &mut Failures,
) -> Result<Option<u32>, StopReason> {
    let chain = tarsy_telemetry::chain(error).to_string();
    tracing::warn!(error = %chain, ?failures, "a turn broke");
    if matches!(error, Error::Transport(_)) && !turn.shown() {
        failures.away += 1;
        // A service that is away is waited for, as long as the session has time; it is told once.
        if failures.away == 1 {
            turn.give_up(conversation, Failure::of(&error.to_string())).await?;
        } else {
            turn.forget();
        }
        return Ok(Some(failures.away));
    }
    (failures.away, failures.broken) = (0, failures.broken + 1);
    turn.give_up(conversation, Failure::of(&error.to_string())).await?;
    Ok(Some(failures.broken).filter(|broken| error.is_retryable() && *broken < TRIES))
}

/// Whether a provider wants to be left alone for longer than we wait.
pub(crate) fn retry_after_exceeds(error: &Error) -> bool {
    error.code() == Code::RateLimited
        && error.retry_after().is_some_and(|pause| pause > LONGEST_PAUSE)
}

/// How long to wait before the next try: as long as the provider wants, within bounds, and longer and
/// longer on top; by chance, so that many agents do not come back at once.
pub(crate) fn pause(error: &Error, tries: u32) -> Duration {
    let asked = error.retry_after().unwrap_or_default().min(LONGEST_ASKED);
    let longest = FIRST_PAUSE * (1 << tries.clamp(1, 5)) / 2;
    asked + longest.mul_f64(rand::rng().random_range(0.5..=1.0))
}

/// The wire's words for a provider; its own tools are off beside MCP tools.
pub(crate) fn config(provider: &ResolvedProvider, mcp_tools: bool) -> Config {
    let mut config = Config::from(provider);
    if provider.native_tools_beside(mcp_tools).is_off() {
        config.native_tools.values_mut().for_each(|on| *on = false);
    }
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy(retry_after: Option<Duration>) -> Error {
        Error::Provider {
            message: "too many requests".to_owned(),
            code: "rate_limited".to_owned(),
            retryable: true,
            retry_after,
        }
    }

    #[test]
    fn a_busy_provider_is_left_alone_as_long_as_it_wants_and_a_little_longer() {
        let wants = Duration::from_secs(30);
        for tries in 0..100 {
            let pause = pause(&busy(Some(wants)), tries);
            assert!(pause > wants && pause <= wants + Duration::from_secs(8), "{pause:?}");
        }
    }

    #[test]
    fn nobody_is_waited_for_without_a_bound() {
        let bound = LONGEST_ASKED + Duration::from_secs(8);
        assert!(pause(&busy(Some(Duration::from_hours(24))), u32::MAX) <= bound);
        let bound = Duration::from_secs(8);
        assert!(pause(&busy(None), u32::MAX) <= bound);
        assert!(pause(&busy(None), 1) <= FIRST_PAUSE);
        assert!(pause(&busy(None), 1) >= FIRST_PAUSE / 2);
    }

    #[test]
    fn only_who_wants_to_be_left_alone_for_long_retry_after_exceeds() {
        assert!(!retry_after_exceeds(&busy(None)));
        assert!(!retry_after_exceeds(&busy(Some(LONGEST_PAUSE))));
        assert!(retry_after_exceeds(&busy(Some(LONGEST_PAUSE + Duration::from_millis(1)))));
    }
}
