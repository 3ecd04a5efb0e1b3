//! Limits of all senders together that are reached.

use tarsy_catalog::Limits;
use tarsy_store::{Admission, DailyTokens};

use crate::quotas;
use crate::state::AppState;

/// Describes a queue that takes no more sessions.
pub(super) async fn queue_is_full(app: &AppState) -> Option<String> {
    let limit = quotas::full_queue(app).await.ok()??;
    Some(format!(
        "{limit} sessions or more wait for a worker. Run more orchestrators, raise queue.worker_count and \
         queue.max_concurrent_sessions, cancel sessions, or raise system.limits.pending_sessions."
    ))
}

/// Describes the budget of tokens of this day that is used up for all senders.
pub(super) async fn tokens_used_up(app: &AppState) -> Option<String> {
    let total = Limits::on(app.catalog().system.limits.daily_tokens)?;
    let budget = DailyTokens { total: Some(total), of_sender: None };
    match app.store.check_daily_tokens(String::new(), budget).await {
        Ok(Admission::TokensUsedUp { .. }) => Some(format!(
            "The {total} tokens of this day (UTC) are used up. Alerts and questions are refused until it ends; raise \
             system.limits.daily_tokens to accept them."
        )),
        _ => None,
    }
}
