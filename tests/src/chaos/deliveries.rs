//! What Slack and the webhook received: each report of a session once.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::Row as _;
use tarsy_testkit::Seen;

use crate::chaos::inject::Disturbance;
use crate::posts::{Post, Receiver};
use crate::stack::Stack;

/// How long failed posts may be retried until all are done.
const TIMEOUT: Duration = Duration::from_mins(5);
/// How long after a disturbance the notifier may still lack its rows: what claims hold, and what a lost connection costs.
const RECOVERY: Duration = Duration::from_mins(1);

/// What is wrong with the posts.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeliveryFindings {
    /// Reports that were not received.
    pub(crate) missing: Vec<String>,
    /// Posts that were received again without a reason.
    pub(crate) duplicates: Vec<String>,
}

impl DeliveryFindings {
    /// Waits until nothing is to be sent any more, and compares what was received with the rows.
    pub(crate) async fn of(stack: &Stack, disturbances: &[Disturbance]) -> anyhow::Result<Self> {
        stack
            .wait_until("every notification is sent", TIMEOUT, async |stack| {
                Ok(Seen::equal(unfinished(stack).await?, 0))
            })
            .await?;
        let posts = stack.posts()?.received();
        let mut findings = Self { duplicates: duplicates(&posts, disturbances), ..Self::default() };
        for (session, event, receiver) in sent(stack).await? {
            let is_it = |post: &Post| {
                post.session == session && post.event == event && post.receiver == receiver
            };
            if !posts.iter().any(is_it) {
                findings.missing.push(format!("{receiver:?}: {event} of {session}"));
            }
        }
        Ok(findings)
    }
}

/// Which reports were received more often than they had to be. Each call of a session has its own request for approval.
fn duplicates(posts: &[Post], disturbances: &[Disturbance]) -> Vec<String> {
    let mut all: BTreeMap<(&str, &str, &str, Receiver), Vec<&Post>> = BTreeMap::new();
    for post in posts {
        let key = (post.session.as_str(), post.event, post.step.as_str(), post.receiver);
        all.entry(key).or_default().push(post);
    }
    let mut found = Vec::new();
    for ((session, event, step, receiver), posts) in all {
        let again = posts.windows(2).filter(|pair| match pair {
            [first, second] => !is_excused(first, second, disturbances),
            _ => false,
        });
        let again = again.count();
        if again > 0 {
            found.push(format!("{receiver:?}: {event} {step} of {session}, {again} too many"));
        }
    }
    found
}

/// Whether a post had to be sent again: Slack can be searched for the first one; a webhook cannot, so it may receive
/// the same delivery again if its answer was lost, or could not be stored.
fn is_excused(first: &Post, second: &Post, disturbances: &[Disturbance]) -> bool {
    let was_disturbed =
        disturbances.iter().any(|one| one.from <= second.at && first.at <= one.until + RECOVERY);
    first.receiver == Receiver::Webhook
        && first.id == second.id
        && (!first.acknowledged || was_disturbed)
}

/// Ended sessions whose rows are missing or not finished.
async fn unfinished(stack: &Stack) -> anyhow::Result<i64> {
    let query = "select (select count(*) from notifications where status = 'pending') \
         + (select count(*) from alert_sessions s where s.status = 'completed' and \
             (select count(*) from notifications n where n.session_id = s.id \
                 and n.kind = 'ended') < 2)";
    Ok(sqlx::query_scalar(query).fetch_one(&mut stack.sql().await?).await?)
}

/// The reports that were sent as the rows have it: session, event, receiver.
async fn sent(stack: &Stack) -> anyhow::Result<Vec<(String, &'static str, Receiver)>> {
    let query = "select session_id::text as session, kind, destination from notifications \
         where status <> 'skipped'";
    let rows = sqlx::query(query).fetch_all(&mut stack.sql().await?).await?;
    Ok(rows
        .iter()
        .map(|row| {
            let kind = row.get::<&str, _>("kind");
            let receiver = match row.get::<&str, _>("destination") {
                "slack" => Receiver::Slack,
                _ => Receiver::Webhook,
            };
            (row.get("session"), if kind == "started" { "started" } else { "ended" }, receiver)
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    fn post(receiver: Receiver, at: Instant, acknowledged: bool) -> Post {
        Post {
            receiver,
            session: "a session".to_owned(),
            event: "ended",
            step: String::new(),
            id: "1".to_owned(),
            at,
            acknowledged,
        }
    }

    #[test]
    fn only_a_webhook_whose_answer_was_lost_is_sent_again() {
        let now = Instant::now();
        let later = now + Duration::from_secs(5);
        let lost = post(Receiver::Webhook, now, false);
        let known = post(Receiver::Webhook, now, true);
        let second = post(Receiver::Webhook, later, true);
        assert!(is_excused(&lost, &second, &[]));
        assert!(!is_excused(&known, &second, &[]));
        let disturbance = Disturbance { from: now, until: now };
        assert!(is_excused(&known, &second, &[disturbance]));
        let other = Post { id: "2".to_owned(), ..second };
        assert!(!is_excused(&lost, &other, &[]));
        let slack = |at| post(Receiver::Slack, at, false);
        assert!(!is_excused(&slack(now), &slack(later), &[disturbance]));
    }
    #[test]
    fn two_calls_of_a_session_are_two_requests_for_approval() {
        let request = |step: &str| Post {
            event: "approval",
            step: step.to_owned(),
            ..post(Receiver::Slack, Instant::now(), true)
        };
        assert_eq!(duplicates(&[request("1"), request("2")], &[]), Vec::<String>::new());
        let again = duplicates(&[request("1"), request("2"), request("1")], &[]);
        assert_eq!(again, ["Slack: approval 1 of a session, 1 too many"]);
    }
}
