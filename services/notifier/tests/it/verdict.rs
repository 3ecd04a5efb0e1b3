//! The verdict of a session in its reports: the cause comes first.

use serde_json::json;
use tarsy_domain::status::SessionStatus;
use tarsy_testkit::{a_verdict, record_verdict};

use crate::slack::Slack;
use crate::stack::{Alert, Stack};

#[tokio::test]
async fn the_first_line_and_what_telephones_show_are_the_cause_and_the_next_step() {
    let slack = Slack::start().await;
    let fixture = Stack::with_channel(&slack).await;
    let _notifier = fixture.notifier().await;
    let claim = fixture.running(Alert { alert_type: Some("host"), ..Alert::default() }).await;
    let mut verdict = a_verdict();
    "<!channel> is full".clone_into(&mut verdict.cause);
    verdict.next_steps = vec!["<!here> run `df -h`".to_owned(), "Wait".to_owned()];
    record_verdict(&fixture.store, &claim, verdict).await.unwrap();
    fixture.end(&claim, SessionStatus::Completed, "In short.").await;
    fixture.until("the end is posted", async || !slack.posted().is_empty()).await;
    let posted = slack.posted();
    let first = &posted[0]["blocks"][0]["text"];
    let lines: Vec<_> = first["text"].as_str().unwrap().lines().collect();
    assert_eq!(lines[0], ":white_check_mark: *host*: &lt;!channel&gt; is full (high confidence)");
    assert_eq!(lines[1], "*Next step:* &lt;!here&gt; run `df -h`");
    assert!(lines[2].contains("*Affected:* host web-1 · *Kind of cause:* disk"), "{first:#}");
    assert_eq!(first["verbatim"], json!(true));
    let pushed = posted[0]["text"].as_str().unwrap();
    let expected = "host: &lt;!channel&gt; is full (high confidence). Next step: &lt;!here&gt; run `df -h` https://";
    assert!(pushed.starts_with(expected), "{pushed}");
}
