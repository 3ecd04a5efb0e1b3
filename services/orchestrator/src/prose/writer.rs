//! Writes one claimed prose: one request to a model, repaired once.

use std::time::Duration;

use tarsy_catalog::ResolvedWriter;
use tarsy_contracts::postmortem::PostmortemFact;
use tarsy_domain::event::{LlmInteractionKind, Role};
use tarsy_domain::postmortem::ProseFailure;
use tarsy_llm::{Attempt, Message, Timeouts};
use tarsy_store::{NewLlmInteraction, ProseEnd, WrittenProse};

use crate::asking::{Answered, NoAnswer, Question, ask};
use crate::journal::StopReason;
use crate::prompts::prose::prose_format;
use crate::prose::answer;
use crate::prose::work::Work;

/// Claims of one request before it fails.
const MAX_ATTEMPTS: i32 = 5;

/// How a request ends, with the call that its text came of.
pub(super) type Ended = (ProseEnd, Option<NewLlmInteraction>);

pub(super) async fn write(
    work: Work<'_>,
    writer: &ResolvedWriter,
    facts: &[PostmortemFact],
) -> Result<Ended, StopReason> {
    let failed = |why| (ProseEnd::Failed(why), None);
    if work.claim.attempts > MAX_ATTEMPTS {
        return Ok(failed(ProseFailure::AttemptsUsedUp));
    }
    if is_day_used_up(work).await? {
        return Ok(failed(ProseFailure::BudgetUsedUp));
    }
    let prompts = &work.proses.services.prompts;
    let prompt_version = prompts.prose_version();
    let mut messages = vec![
        Message::new(Role::System, prompts.prose_instructions()),
        Message::new(Role::User, prompts.prose(facts)),
    ];
    let question = Question {
        session: work.claim.session.id,
        kind: LlmInteractionKind::Postmortem,
        format: prose_format(),
        read: &|attempt: &Attempt<'_>| answer::read(&attempt.tool_calls, &attempt.text, facts),
        repair: &|problem: &str| prompts.score_repair(problem),
        prompt_version: &prompt_version,
        timeouts: timeouts(writer),
    };
    Ok(match ask(&work, &mut messages, &writer.providers, &question).await? {
        Ok(Answered { value, call }) => {
            let written = WrittenProse {
                sentences: value.sentences,
                left_out: value.left_out,
                provider: call.provider.clone(),
                model: call.model_name.clone(),
                prompt_version,
            };
            (ProseEnd::Completed(written), Some(call))
        }
        Err(why) => failed(match why {
            NoAnswer::Invalid => ProseFailure::Invalid,
            NoAnswer::Failed => ProseFailure::Failed,
            NoAnswer::TimedOut => ProseFailure::TimedOut,
        }),
    })
}

async fn is_day_used_up(work: Work<'_>) -> Result<bool, StopReason> {
    let Work { proses, claim, lease } = work;
    let budget = proses.services.limits.daily;
    if budget.is_off() {
        return Ok(false);
    }
    let session = claim.session.id;
    let usage = lease.read(|| proses.leases.store.find_daily_usage(session, None)).await?;
    Ok(budget.reached(usage).is_some())
}

fn timeouts(writer: &ResolvedWriter) -> Timeouts {
    Timeouts {
        first_token: Duration::from_millis(writer.first_token_timeout_ms),
        idle: Duration::from_millis(writer.stall_timeout_ms),
        total: Duration::from_millis(writer.iteration_timeout_ms),
    }
}
