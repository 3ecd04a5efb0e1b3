//! A finding that a person shares is posted, once, whatever the rules of its destination.

use std::time::Duration;

use tarsy_domain::status::SessionStatus;
use tarsy_store::ShareOutcome;

use crate::slack::{CHANNEL, Slack};
use crate::stack::{Alert, Stack};

const SKIPPED: &str = "select count(*) from notifications where status = 'skipped'";

#[tokio::test]
async fn a_finding_that_the_rules_left_out_is_posted_when_it_is_shared() {
    let slack = Slack::start().await;
    let fixture = Stack::new(&format!(
        "system: {{dashboard_url: 'https://tarsy.example'}}\nnotifications:\n  destinations:\n    oncall: {{type: slack, \
         channel: {CHANNEL}, api_url: '{}', alert_types: [kubernetes]}}\n",
        slack.url
    ))
    .await;
    let notifier = fixture.notifier().await;
    let alert = Alert { alert_type: Some("host"), ..Alert::default() };
    let session = fixture.ended(alert, SessionStatus::Completed).await;
    fixture.until("the rules left it out", async || fixture.count(SKIPPED).await > 0).await;
    assert!(slack.posted().is_empty(), "{:?}", slack.posted());

    let share = async || fixture.store.share_finding(session, "oncall").await.unwrap();
    assert_eq!(share().await, ShareOutcome::Queued);
    fixture.until("it is posted", async || slack.posted().len() == 1).await;
    fixture.until("that is known", async || matches!(share().await, ShareOutcome::Sent(_))).await;
    notifier.stop(Duration::from_secs(30)).await;
    let posted = slack.posted();
    assert!(posted[0].to_string().contains(&session.to_string()), "{posted:?}");
    assert_eq!(posted.len(), 1);
}
