//! Without a destination the notifier rests.

use std::time::Duration;

use tarsy_domain::status::SessionStatus;
use tarsy_embedded::free_port;

use crate::world::{Alert, World};

#[tokio::test]
async fn without_a_destination_it_is_ready_and_silent() {
    let world = World::new("").await;
    let port = free_port().unwrap();
    let notifier = world.process(&[("TARSY_ADMIN_ADDR", format!("127.0.0.1:{port}"))]).await;
    let ready = format!("http://127.0.0.1:{port}/readyz");
    world
        .until("it is ready", async || {
            reqwest::get(&ready).await.is_ok_and(|answer| answer.status().is_success())
        })
        .await;
    world.over(Alert::default(), SessionStatus::Completed).await;
    notifier.stop(Duration::from_secs(30)).await;
    assert_eq!(world.count("select count(*) from notifications").await, 0);
    let log = world.log();
    assert!(log.contains("nobody is to be told") && !log.contains("\"level\":\"WARN\""), "{log}");
}
