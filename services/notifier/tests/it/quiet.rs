//! Without a destination the notifier rests.

use std::time::Duration;

use serde_json::Value;
use tarsy_domain::status::SessionStatus;

use crate::stack::{Alert, Stack};

#[tokio::test]
async fn without_a_destination_it_is_ready_and_sends_nothing() {
    let fixture = Stack::new("").await;
    let notifier = fixture.process(&[("TARSY_ADMIN_ADDR", "127.0.0.1:0".to_owned())]).await;
    fixture.until("the port is open", async || admin(&fixture.log()).is_some()).await;
    let ready = format!("http://{}/readyz", admin(&fixture.log()).unwrap());
    fixture
        .until("it is ready", async || {
            reqwest::get(&ready).await.is_ok_and(|answer| answer.status().is_success())
        })
        .await;
    fixture.ended(Alert::default(), SessionStatus::Completed).await;
    notifier.stop(Duration::from_secs(30)).await;
    assert_eq!(fixture.count("select count(*) from notifications").await, 0);
    let log = fixture.log();
    assert!(
        log.contains("no destinations are configured") && !log.contains("\"level\":\"WARN\""),
        "{log}"
    );
}

/// Where the process serves its health, as it says.
fn admin(log: &str) -> Option<String> {
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut opened = lines.filter(|line| line["fields"]["message"] == "the admin port is open");
    opened.next().and_then(|line| line["fields"]["address"].as_str().map(str::to_owned))
}
