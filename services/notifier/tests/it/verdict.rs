//! The verdict of a session in its reports.

use serde_json::json;
use tarsy_domain::status::SessionStatus;
use tarsy_testkit::{a_verdict, record_verdict};

use crate::slack::Slack;
use crate::stack::{Alert, Stack};

#[tokio::test]
async fn the_report_of_an_end_has_the_verdict_in_one_line() {
    let slack = Slack::start().await;
    let fixture = Stack::with_channel(&slack).await;
    let _notifier = fixture.notifier().await;
    let claim = fixture.running(Alert::default()).await;
    let mut verdict = a_verdict();
    "<!channel> is full".clone_into(&mut verdict.cause);
    record_verdict(&fixture.store, &claim, verdict).await.unwrap();
    fixture.end(&claim, SessionStatus::Completed, "In short.").await;
    fixture.until("the end is posted", async || !slack.posted().is_empty()).await;
    let blocks = &slack.posted()[0]["blocks"];
    let expected = "*Verdict:* &lt;!channel&gt; is full (disk) · host web-1 · confidence high";
    assert_eq!(blocks[2]["text"]["text"], json!(expected), "{blocks:#}");
    assert_eq!(blocks[2]["text"]["verbatim"], json!(true));
}
