//! Refuses what exceeds a sender's quotas.

use std::time::Duration;

use tarsy_catalog::Limits;
use tarsy_store::{Admission, AlertQuota, DailyTokens, Error as StoreError, SpentBy};
use tarsy_web::Problem;

use crate::access::Principal;
use crate::refusal::refused;
use crate::state::AppState;

/// When an alert may be sent again that found too many sessions waiting: some end within this time.
const QUEUE_RETRY: Duration = Duration::from_secs(30);

/// What is limited in a minute.
struct Rate {
    /// The key of the configuration.
    key: &'static str,
    /// What is counted, for people.
    unit: &'static str,
    maximum: u32,
}

/// What limits an alert of this sender.
pub(crate) fn of_alert(
    app: &AppState,
    principal: &Principal,
    idempotency_key: Option<&str>,
) -> AlertQuota {
    let limits = app.catalog().system.limits;
    AlertQuota {
        principal: principal.scope(),
        idempotency_key: idempotency_key.map(str::to_owned),
        per_minute: Limits::on(limits.alerts_per_minute),
        pending_sessions: Limits::on(limits.pending_sessions),
    }
}

/// Refuses an alert that exceeds its sender's rate, or while too many sessions wait, or when the tokens of the day are
/// used up. While PostgreSQL is away, nothing is counted, and the alert is queued.
pub(crate) async fn admit_alert(
    app: &AppState,
    principal: &Principal,
    idempotency_key: Option<&str>,
) -> Result<(), Problem> {
    if !app.database_is_up() {
        return Ok(());
    }
    match app.store.admit_alert(of_alert(app, principal, idempotency_key)).await {
        Ok(Admission::Admitted) => admit_tokens(app, principal).await,
        Ok(admission) => check_alert(app, admission),
        Err(error) if error.is_unavailable() => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Refuses an alert when the tokens of the day are used up. While PostgreSQL is away, nothing is refused.
pub(crate) async fn admit_tokens(app: &AppState, principal: &Principal) -> Result<(), Problem> {
    if !app.database_is_up() {
        return Ok(());
    }
    match check_tokens(app, principal.scope()).await {
        Ok(admission) => check_alert(app, admission),
        Err(error) if error.is_unavailable() => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// A problem unless the alert is admitted.
pub(crate) fn check_alert(app: &AppState, admission: Admission) -> Result<(), Problem> {
    let limits = app.catalog().system.limits;
    let rate = Rate { key: "alerts_per_minute", unit: "alerts", maximum: limits.alerts_per_minute };
    check(admission, limits, &rate)
}

/// Refuses a question that exceeds its sender's rate, or when the tokens of the day are used up.
pub(crate) async fn admit_question(app: &AppState, principal: &Principal) -> Result<(), Problem> {
    let limits = app.catalog().system.limits;
    let maximum = limits.questions_per_minute;
    let rate = Rate { key: "questions_per_minute", unit: "questions", maximum };
    if let Some(limit) = Limits::on(maximum) {
        let admission = app.store.admit_question(principal.scope(), limit).await?;
        check(admission, limits, &rate)?;
    }
    check(check_tokens(app, principal.scope()).await?, limits, &rate)
}

/// Refuses a request with changes that exceeds the rate of its sender or source.
pub(crate) async fn admit_changes(app: &AppState, scope: String) -> Result<(), Problem> {
    let limits = app.catalog().system.limits;
    let maximum = limits.changes_per_minute;
    let Some(limit) = Limits::on(maximum) else { return Ok(()) };
    let rate = Rate { key: "changes_per_minute", unit: "requests with changes", maximum };
    check(app.store.admit_changes(scope, limit).await?, limits, &rate)
}

/// How many sessions may wait for a worker, if that many do.
pub(crate) async fn full_queue(app: &AppState) -> Result<Option<u32>, StoreError> {
    let Some(limit) = Limits::on(app.catalog().system.limits.pending_sessions) else {
        return Ok(None);
    };
    let pending = app.store.count_pending_sessions().await?;
    Ok((pending >= i64::from(limit)).then_some(limit))
}

/// Whether the tokens of the day are used up: those of all, or those of an alert source.
pub(crate) async fn tokens_used_up(app: &AppState, scope: String) -> Result<bool, StoreError> {
    Ok(matches!(check_tokens(app, scope).await?, Admission::TokensUsedUp { .. }))
}

async fn check_tokens(app: &AppState, scope: String) -> Result<Admission, StoreError> {
    let limits = app.catalog().system.limits;
    let budget = DailyTokens {
        total: Limits::on(limits.daily_tokens),
        of_sender: Limits::on(limits.daily_tokens_per_sender),
    };
    if budget == DailyTokens::default() {
        return Ok(Admission::Admitted);
    }
    app.store.check_daily_tokens(scope, budget).await
}

/// A problem unless the request is admitted.
fn check(admission: Admission, limits: Limits, rate: &Rate) -> Result<(), Problem> {
    let Rate { key, unit, maximum } = rate;
    let (limit, detail, retry_after) = match admission {
        Admission::Admitted | Admission::Known => return Ok(()),
        Admission::RateExceeded { retry_after } => {
            let detail = format!("you may send {maximum} {unit} in a minute; try again later");
            (*key, detail, retry_after)
        }
        Admission::QueueFull => {
            let waiting = limits.pending_sessions;
            let detail = format!(
                "the queue is full (system.limits.pending_sessions: {waiting}); send this alert again later"
            );
            ("pending_sessions", detail, QUEUE_RETRY)
        }
        Admission::TokensUsedUp { by: SpentBy::Sender, retry_after } => {
            let tokens = limits.daily_tokens_per_sender;
            let detail =
                format!("your {tokens} tokens of this day (UTC) are used up; try again tomorrow");
            ("daily_tokens_per_sender", detail, retry_after)
        }
        Admission::TokensUsedUp { by: SpentBy::All, retry_after } => {
            let tokens = limits.daily_tokens;
            let detail = format!(
                "the {tokens} tokens of all for this day (UTC) are used up; try again tomorrow"
            );
            ("daily_tokens", detail, retry_after)
        }
    };
    Err(refused(limit, detail, retry_after))
}
