//! What follows a call of an agent of type `action`: its effect is checked, and its outcome stored and given to the model.
//!
//! The end of the call is stored first. Checks are calls like others, with names of their own, so that a new owner of the
//! session finds those that were made, and goes on with the next one.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tarsy_analyst::CallRecord;
use tarsy_contracts::action::{Action, ActionCheck, DryRun, PlannedCall};
use tarsy_domain::action::{ActionOutcome, ActionState};
use tarsy_domain::event::{CallStatus, TimelineKind};
use tarsy_domain::id::CallId;
use tarsy_domain::verdict::AlertStatement;
use tarsy_llm::{ToolCall, Unmasked};
use tarsy_store::{ActionEnd, ActionStep, Call as StoredCall, CallResult, Op, OpenAction};

use crate::engine::action::{Held, Purpose, Reading, Seen, compare, judge, statement, states};
use crate::engine::calls::Caller;
use crate::engine::calls::execute::reading::record;
use crate::engine::calls::intent::Intent;
use crate::engine::calls::result::{RecordedCall, ToolResult, arguments, end_call, names};
use crate::journal::StopReason;
use crate::metrics;

/// The longest reason that is kept, in characters.
const MAX_REASON: usize = 500;
/// The longest result of a dry run that is kept, in characters.
const MAX_DRY_RUN: usize = 2_000;
/// Earlier results in which the alert's statement is looked for, the newest first.
const MAX_LOOKED_AT: usize = 12;
/// The most results of a session that are read for that, in bytes.
const MAX_RESULTS_BYTES: i64 = 8 * 1024 * 1024;

struct Checked {
    number: i64,
    reading: Reading,
    /// As the analyst reads it.
    record: Option<CallRecord>,
}

impl Caller<'_> {
    /// Stores the end of a call that is an action. Its effect is checked from now on, unless it was not made.
    pub(super) async fn end_action(
        &self,
        (recorded, result): (RecordedCall, ToolResult),
    ) -> Result<(), StopReason> {
        let call_id = recorded.call_id;
        let step = if result.refused {
            let reason = result.text.lines().next().unwrap_or_default();
            ActionStep::End(ActionEnd {
                call_id,
                outcome: None,
                reason: shortened(reason),
                observed: None,
                check_number: None,
                statement: None,
            })
        } else {
            ActionStep::Made(call_id)
        };
        let mut ops = end_call(self.task.scope(), recorded, result);
        ops.push(Op::Action(step));
        self.ctx.journal.commit(ops).await?;
        self.executor.note_end();
        Ok(())
    }

    /// What a dry run of a call answers, before a person is asked about the call; none where its tool has none.
    pub(super) async fn dry_run(
        &self,
        call: &ToolCall,
        intent: &Intent,
    ) -> Result<Option<DryRun>, StopReason> {
        let acts = self.task.spec.action.is_some_and(|action| action.enabled);
        if !acts || !matches!(intent.plan, Some(Ok(_))) || self.executor.is_stored(&call.id) {
            return Ok(None);
        }
        let (server, name) = names(&call.name);
        let parameter = self.tools.dry_run(server, name, self.executor.is_replay());
        // A secret in its arguments is not in what is stored of them.
        let (Some(parameter), Unmasked::Same, Value::Object(mut arguments)) =
            (parameter, &call.unmasked, arguments(&call.arguments))
        else {
            return Ok(None);
        };
        let asked = |arguments: &Map<String, Value>| PlannedCall {
            server_name: server.to_owned(),
            tool_name: name.to_owned(),
            arguments: Value::Object(arguments.clone()),
        };
        let had = |action: &Action| action.dry_run.is_some();
        if !self.executor.is_as_original(&asked(&arguments), had).await? {
            return Ok(None);
        }
        arguments.insert(parameter, Value::Bool(true));
        let planned = asked(&arguments);
        let id = format!("tarsy-dry-run-{}", call.id);
        let why = "shows what the call would do".to_owned();
        Ok(self.executor.read(id, planned, why).await?.ok().map(|(_, record)| DryRun {
            result: record.text.chars().take(MAX_DRY_RUN).collect(),
            failed: record.failed,
        }))
    }

    /// A call as it is stored now.
    pub(super) async fn stored(&self, call_id: CallId) -> Result<Option<StoredCall>, StopReason> {
        let execution = self.task.execution;
        let calls = self.ctx.journal.read(|store| store.list_calls(execution)).await?;
        Ok(calls.into_iter().find(|call| call.call_id == call_id))
    }

    /// What became of a call that is an action, for the model: checks it unless an earlier owner did.
    pub(super) async fn outcome(&self, call: &StoredCall) -> Result<Option<String>, StopReason> {
        let found = self.ctx.journal.read(|store| store.find_action(call.call_id)).await?;
        let Some(open) = found else { return Ok(None) };
        if open.action.state != ActionState::Open {
            return Ok(note(&open.action));
        }
        self.verify(&open, call).await?;
        let ended = self.ctx.journal.read(|store| store.find_action(call.call_id)).await?;
        Ok(ended.and_then(|ended| note(&ended.action)))
    }

    async fn verify(&self, open: &OpenAction, call: &StoredCall) -> Result<(), StopReason> {
        let action = &open.action;
        let check = action.plan.check.as_ref();
        let (checked, checks) = match check {
            Some(check) => self.check(open, check, call.call_number).await?,
            None => (Err("its agent gave no check for it".to_owned()), 0),
        };
        let (number, reading, record) = match checked {
            Ok(checked) => (Some(checked.number), checked.reading, checked.record),
            Err(why) => (None, Reading::unclear(why), None),
        };
        // What the alert states matters where the effect is there.
        let statement = if reading.held == Held::Yes {
            self.look_at_alert(call.call_number, record).await?
        } else {
            None
        };
        let expected = check.map(|check| &check.expected);
        let stated = statement.as_ref().map(|(statement, _)| *statement);
        let seen = Seen { before: action.before.as_ref(), after: &reading, statement: stated };
        let purpose = if action.rolls_back.is_some() { Purpose::Restore } else { Purpose::Change };
        let (outcome, reason) = judge((call.status, purpose), expected, &seen);
        let reason = shortened(&reason);
        let statement = statement.map(|(statement, answer)| (statement, shortened(&answer)));
        metrics::action(outcome);
        let metadata = json!({
            "action_id": action.id,
            "call_number": call.call_number,
            "server_name": action.call.server_name,
            "tool_name": action.call.tool_name,
            "effect": action.plan.effect,
            "outcome": outcome,
            "reason": reason,
            "observed": reading.observed,
            "before": action.before,
            "check_number": number,
            "checks": checks,
            "alert_statement": stated,
            "rolls_back": action.rolls_back,
        });
        let tool = action.call.full_name();
        let content = format!("{tool} [call {}]: {}. {reason}", call.call_number, outcome.words());
        let end = ActionEnd {
            call_id: call.call_id,
            outcome: Some(outcome),
            reason,
            observed: reading.observed,
            check_number: number,
            statement,
        };
        let event =
            self.task.scope().event_with(TimelineKind::ActionOutcome, content, Some(metadata));
        self.ctx.journal.commit(vec![Op::Action(ActionStep::End(end)), event]).await
    }

    /// Makes the call of a check until it shows the effect, or the attempts or the time for them are used up; the last result
    /// and how many there were.
    async fn check(
        &self,
        open: &OpenAction,
        check: &ActionCheck,
        number: i64,
    ) -> Result<(Result<Checked, String>, u32), StopReason> {
        let Some(settings) = self.task.spec.action else {
            return Ok((Err("the agent checks nothing any more".to_owned()), 0));
        };
        let millis = Duration::from_millis;
        let (initial_delay, pause) = (millis(settings.initial_delay_ms), millis(settings.pause_ms));
        let deadline = millis(settings.deadline_ms).max(initial_delay);
        let begun = tokio::time::Instant::now();
        let before = open.since_made.unwrap_or_default();
        let mut last = Err("no check was made in time".to_owned());
        let mut checks = 0;
        for attempt in 0..settings.checks {
            let due = initial_delay + pause * attempt;
            if due > deadline {
                break;
            }
            let id = format!("tarsy-check-{number}-{attempt}");
            if !self.executor.is_stored(&id) && !self.executor.is_replay() {
                let since = before + begun.elapsed();
                if attempt > 0 && since > deadline {
                    break;
                }
                let wait = tokio::time::sleep(due.saturating_sub(since));
                self.ctx.journal.unless_stopped(wait).await?;
            }
            checks = attempt + 1;
            let why = format!("checks the effect of [call {number}]");
            last = match self.executor.read(id, check.call.clone(), why).await? {
                Ok((number, record)) => {
                    let reading = if record.failed {
                        Reading::unclear(format!("the check failed: {}", first_line(&record.text)))
                    } else {
                        compare(&check.expected, &record.text)
                    };
                    Ok(Checked { number, reading, record: Some(record) })
                }
                Err(why) => Err(why),
            };
            match &last {
                Ok(checked) if checked.reading.held != Held::Yes => {}
                _ => break,
            }
        }
        Ok((last, checks))
    }

    /// What the alert states, looked at again: by the reading that showed it before the call, else by the check itself.
    async fn look_at_alert(
        &self,
        number: i64,
        checked: Option<CallRecord>,
    ) -> Result<Option<(AlertStatement, String)>, StopReason> {
        let session = self.task.plan.session;
        let (alert, received_at) = (session.alert_data.as_str(), session.received_at);
        let Some(earlier) = self.shown_before(number).await? else {
            return Ok(checked.and_then(|record| statement(alert, received_at, record)));
        };
        let why = format!("looks at what the alert states after [call {number}]");
        let id = format!("tarsy-alert-{number}");
        let read = self.executor.read(id, earlier, why).await?;
        Ok(read.ok().and_then(|(_, record)| statement(alert, received_at, record)))
    }

    /// The last call before this one whose result shows what the alert states.
    async fn shown_before(&self, number: i64) -> Result<Option<PlannedCall>, StopReason> {
        let (id, execution) = (self.ctx.journal.session(), self.task.execution);
        let journal = &self.ctx.journal;
        let found =
            journal.read(|store| store.find_evidence(id, execution, MAX_RESULTS_BYTES)).await?;
        let session = self.task.plan.session;
        let calls = found.map(|found| found.calls).unwrap_or_default();
        let before = calls.into_iter().filter(|call| call.number < number);
        let mut before: Vec<CallResult> =
            before.filter(|call| call.status == CallStatus::Completed).collect();
        before.sort_by_key(|call| std::cmp::Reverse(call.number));
        for call in before.into_iter().take(MAX_LOOKED_AT) {
            let planned = PlannedCall {
                server_name: call.server_name,
                tool_name: call.tool_name.unwrap_or_default(),
                arguments: call.arguments.unwrap_or_else(|| Value::Object(Map::new())),
            };
            let record = record(&planned, call.number, (call.text, call.status));
            if states(&session.alert_data, session.received_at, record) {
                return Ok(Some(planned));
            }
        }
        Ok(None)
    }
}

/// What the model reads of an outcome; none of a call that was not made, which its result says.
fn note(action: &Action) -> Option<String> {
    let outcome = action.outcome?;
    let by = action.check_number.map(|number| format!(" with [call {number}]")).unwrap_or_default();
    let reason = action.reason.as_deref().unwrap_or_default();
    let next = match outcome {
        ActionOutcome::Worked => "",
        ActionOutcome::DidNotWork | ActionOutcome::Unknown => {
            " Say so in your conclusion; a person decides about a rollback."
        }
    };
    Some(format!("Checked by TARSy{by}: {}. {reason}.{next}", outcome.words()))
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_REASON).collect()
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
