//! The agents that one agent dispatched: what is known of them while it works.
//!
//! Each is a row that is stored with the answer to the call that dispatched it, under the id of that call. This is the state of
//! one owner: the next one reads it from the rows.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tarsy_catalog::ResolvedDelegation;
use tarsy_domain::id::{CallId, ExecutionId};
use tarsy_domain::status::WorkStatus;
use tarsy_store::SubExecution;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::engine::context::Context;
use crate::engine::outcome::Outcome;
use crate::journal::{Journal, StopReason};

/// The longest name of an agent in a message about an unknown one, in characters.
const MAX_NAME: usize = 100;

/// The agents that one agent dispatched.
#[derive(Default)]
pub(crate) struct Team {
    members: Mutex<Members>,
    changed: Notify,
}

#[derive(Default)]
struct Members {
    /// In the order of their numbers, from 1.
    all: Vec<Member>,
    /// When the time of all of them is up; none before the first.
    budget_ends: Option<Instant>,
    /// Whether the agent that dispatches has ended.
    is_closed: bool,
}

/// One dispatched agent.
#[derive(Clone)]
pub(crate) struct Member {
    /// From 1, among those of the same agent.
    pub(crate) number: i32,
    pub(crate) execution: ExecutionId,
    pub(crate) agent: String,
    pub(crate) task: String,
    pub(crate) begun: Instant,
    /// When its time is up.
    pub(crate) ends: Instant,
    /// Whether an earlier owner began it.
    pub(crate) is_resumed: bool,
    /// Stops it alone.
    pub(crate) journal: Journal,
    state: State,
    /// Whether the agent that dispatched it was given its result.
    is_given: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// It is stored with the answer to the call that dispatches it.
    Reserved,
    /// It is stored and can run.
    Ready,
    Running,
    Ended(Outcome),
}

impl State {
    const fn is_ended(&self) -> bool {
        matches!(self, Self::Ended(_))
    }
}

/// A dispatched agent that has ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) number: i32,
    pub(crate) execution: ExecutionId,
    pub(crate) agent: String,
    pub(crate) outcome: Outcome,
}

impl Team {
    /// Continues with the agents that are stored.
    pub(crate) fn of_stored(
        journal: &Journal,
        limits: &ResolvedDelegation,
        stored: Vec<SubExecution>,
    ) -> Self {
        let now = Instant::now();
        let mut members = Members::default();
        for SubExecution { execution, elapsed } in stored {
            let begun = now.checked_sub(elapsed).unwrap_or(now);
            let is_ended = execution.status.is_terminal();
            let ends = members.time_of(limits, now, elapsed);
            let outcome = Outcome {
                status: execution.status,
                analysis: execution.conclusion.unwrap_or_default(),
                error: execution.error_message,
                failure: execution.failure.map(Box::new),
            };
            members.all.push(Member {
                number: execution.agent_index,
                execution: execution.id,
                agent: execution.agent_name,
                task: execution.task.unwrap_or_default(),
                begun,
                ends,
                is_resumed: true,
                journal: journal.part(),
                state: if is_ended { State::Ended(outcome) } else { State::Ready },
                is_given: false,
            });
        }
        Self { members: Mutex::new(members), changed: Notify::new() }
    }

    /// Notes whose results the dispatching agent was given.
    pub(crate) fn note_given(&self, given: impl Iterator<Item = ExecutionId>) {
        let mut members = self.members();
        for execution in given {
            let mut known = members.all.iter_mut();
            if let Some(member) = known.find(|one| one.execution == execution) {
                member.is_given = true;
            }
        }
    }

    /// Takes a place for an agent that a call dispatches. The error is for the model.
    pub(crate) fn reserve(
        &self,
        journal: &Journal,
        limits: &ResolvedDelegation,
        call: CallId,
        (name, task): (&str, &str),
    ) -> Result<Member, String> {
        let Some(agent) = limits.agent(name) else {
            let known: Vec<&str> =
                limits.agents.iter().map(|one| one.agent.name.as_str()).collect();
            let name: String = name.chars().take(MAX_NAME).collect();
            return Err(format!(
                "There is no sub-agent {name:?}; write one of these as `name`: {}.",
                known.join(", ")
            ));
        };
        if task.is_empty() {
            return Err("`task` is empty: write what the sub-agent is to find out.".to_owned());
        }
        let mut members = self.members();
        let execution = ExecutionId::from(call.uuid());
        if let Some(known) = members.all.iter().find(|one| one.execution == execution) {
            return Ok(known.clone());
        }
        let running = members.all.iter().filter(|one| !one.state.is_ended()).count();
        let most = limits.max_concurrent_agents;
        if running >= most as usize {
            return Err(format!(
                "{running} sub-agents run, and more than {most} may not: wait for one of them, then dispatch this one."
            ));
        }
        let begun = Instant::now();
        if members.budget_ends.is_some_and(|ends| ends <= begun) {
            let seconds = limits.max_budget_ms / 1_000;
            return Err(format!(
                "The time of all sub-agents together, {seconds} s, is up: go on without them."
            ));
        }
        let ends = members.time_of(limits, begun, Duration::ZERO);
        let member = Member {
            number: i32::try_from(members.all.len() + 1).unwrap_or(i32::MAX),
            execution,
            agent: agent.name.clone(),
            task: task.to_owned(),
            begun,
            ends,
            is_resumed: false,
            journal: journal.part(),
            state: State::Reserved,
            is_given: false,
        };
        members.all.push(member.clone());
        Ok(member)
    }

    /// The agent of a call is stored, if the call dispatched one: it can run.
    pub(crate) fn begin(&self, call: CallId) {
        let execution = ExecutionId::from(call.uuid());
        self.change(execution, |member| {
            if member.state == State::Reserved {
                member.state = State::Ready;
            }
        });
    }

    /// The agents that can run and do not yet.
    pub(crate) fn start_ready(&self) -> Vec<Member> {
        let mut members = self.members();
        let ready = members.all.iter_mut().filter(|member| member.state == State::Ready);
        ready
            .map(|member| {
                member.state = State::Running;
                member.clone()
            })
            .collect()
    }

    /// The end of an agent is stored.
    pub(crate) fn end(&self, execution: ExecutionId, outcome: Outcome) {
        self.change(execution, |member| member.state = State::Ended(outcome));
    }

    /// The agent that dispatches has ended: whoever runs is cancelled, unless the whole work stops anyway.
    pub(crate) fn close(&self, is_stopping: bool) {
        let mut members = self.members();
        members.is_closed = true;
        for member in members.all.iter().filter(|member| !is_stopping && !member.state.is_ended()) {
            member.journal.stop_signal().stop(StopReason::Cancelled);
        }
        drop(members);
        self.changed.notify_waiters();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.members().is_closed
    }

    /// Cancels an agent and waits until its end is stored. The error is for the model.
    pub(crate) async fn cancel(
        &self,
        ctx: &Context,
        number: i64,
    ) -> Result<Result<String, String>, StopReason> {
        let found = {
            let members = self.members();
            members.all.iter().find(|one| i64::from(one.number) == number).cloned()
        };
        let Some(member) = found else {
            return Ok(Err(format!("There is no sub-agent {number}.")));
        };
        if let State::Ended(outcome) = &member.state {
            let status = in_words(outcome.status);
            return Ok(Ok(format!("Sub-agent {number} ({}) has ended: {status}.", member.agent)));
        }
        member.journal.stop_signal().stop(StopReason::Cancelled);
        self.until(ctx, |members| {
            members.all.iter().any(|one| one.execution == member.execution && one.state.is_ended())
        })
        .await?;
        Ok(Ok(format!("Sub-agent {number} ({}) is cancelled.", member.agent)))
    }

    /// Waits until an agent has ended whose result was not given, or none runs.
    pub(crate) async fn wait_for_one(&self, ctx: &Context) -> Result<String, StopReason> {
        self.until(ctx, |members| {
            members.unreported().next().is_some()
                || members.all.iter().all(|one| one.state.is_ended())
        })
        .await?;
        let members = self.members();
        let ended: Vec<String> = members
            .unreported()
            .map(|(one, outcome)| {
                format!("{} ({}): {}", one.number, one.agent, in_words(outcome.status))
            })
            .collect();
        if ended.is_empty() {
            return Ok("No sub-agent runs, and you have the results of all.".to_owned());
        }
        Ok(format!("Ended: {}. What they found follows.", ended.join(", ")))
    }

    /// Waits until no agent runs.
    pub(crate) async fn wait_for_all(&self, ctx: &Context) -> Result<(), StopReason> {
        self.until(ctx, |members| members.all.iter().all(|one| one.state.is_ended())).await
    }

    /// The agents that have ended and whose results were not given, in the order of their numbers.
    pub(crate) fn unreported(&self) -> Vec<Ended> {
        let members = self.members();
        let ended = members.unreported().map(|(one, outcome)| Ended {
            number: one.number,
            execution: one.execution,
            agent: one.agent.clone(),
            outcome: outcome.clone(),
        });
        ended.collect()
    }

    /// Those that run, or whose results were not given: their numbers and names.
    pub(crate) fn awaited(&self) -> Vec<String> {
        let members = self.members();
        let open = members.all.iter().filter(|one| !one.is_given);
        open.map(|one| format!("{} ({})", one.number, one.agent)).collect()
    }

    /// All of them, for the model.
    pub(crate) fn list(&self) -> String {
        let members = self.members();
        let line = |one: &Member| {
            let state = match &one.state {
                State::Ended(outcome) => in_words(outcome.status).to_owned(),
                _ => format!("running for {} s", one.begun.elapsed().as_secs()),
            };
            format!("{} ({}): {state}", one.number, one.agent)
        };
        let lines: Vec<String> = members.all.iter().map(line).collect();
        if lines.is_empty() { "No sub-agent was dispatched.".to_owned() } else { lines.join("\n") }
    }

    /// Waits until something changes.
    pub(crate) fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.changed.notified()
    }

    /// Waits until this holds. Whoever waits does nothing else meanwhile.
    async fn until(
        &self,
        ctx: &Context,
        holds: impl Fn(&Members) -> bool,
    ) -> Result<(), StopReason> {
        let _waiting = ctx.activity.pause();
        loop {
            let changed = self.changed.notified();
            let mut changed = std::pin::pin!(changed);
            // Before the look, so that no change is missed.
            changed.as_mut().enable();
            if holds(&self.members()) {
                return Ok(());
            }
            ctx.journal.unless_stopped(changed).await?;
        }
    }

    fn change(&self, execution: ExecutionId, change: impl FnOnce(&mut Member)) {
        let mut members = self.members();
        if let Some(member) = members.all.iter_mut().find(|one| one.execution == execution) {
            change(member);
        }
        drop(members);
        self.changed.notify_waiters();
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Members {
    /// When the time of a member is up that began so long ago: its own, and that of all together.
    fn time_of(&mut self, limits: &ResolvedDelegation, now: Instant, elapsed: Duration) -> Instant {
        let left = |limit: u64| now + Duration::from_millis(limit).saturating_sub(elapsed);
        let all = *self.budget_ends.get_or_insert_with(|| left(limits.max_budget_ms));
        left(limits.agent_timeout_ms).min(all)
    }

    /// Those that have ended and whose results were not given.
    fn unreported(&self) -> impl Iterator<Item = (&Member, &Outcome)> {
        self.all.iter().filter_map(|one| match &one.state {
            State::Ended(outcome) if !one.is_given => Some((one, outcome)),
            _ => None,
        })
    }
}

/// How an agent ended, in words.
pub(crate) fn in_words(status: WorkStatus) -> &'static str {
    match status {
        WorkStatus::Completed => "completed",
        WorkStatus::Failed => "failed",
        WorkStatus::TimedOut => "timed out",
        WorkStatus::Cancelled => "cancelled",
        WorkStatus::Pending | WorkStatus::Active => "running",
    }
}
