//! Investigations that begin by the calendar. A time of long ago is due at once: nothing here waits for a minute.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use tarsy_domain::access::{Grant, Role};
use tarsy_testkit::{Seen, TestStack, eventually, free_port};
use tempfile::TempDir;

use crate::matrix::api_token;
use crate::providers::{TOKEN, llm_service};
use crate::stack::{Stack, send};

const CONFIGURATION: &str = "schedules:
  yearly:
    cron: '0 0 1 1 *'
    time_zone: Europe/Berlin
    alert_type: host
    text: |
      Look at the certificates of next week.
      The user of the exporter is admin, password=hunter2hunter2.
    severity: warning
    labels: {team: platform}
  skipped: {cron: '0 0 1 1 *', alert_type: host, text: Look at the disks, missed_runs: skip}
  later: {cron: '0 0 1 1 *', alert_type: host, text: Look at the clocks, suspend: true}
";

/// As though all of them had been there for two years.
const LONG_AGO: &str = "with known as (
    insert into schedules (name, cron, time_zone, suspended, since)
    select name, '0 0 1 1 *', zone, name = 'later', now() - interval '2 years'
    from (values ('yearly', 'Europe/Berlin'), ('skipped', 'UTC'), ('later', 'UTC')) as s (name, zone) returning 1)
    select count(*) from known";
const RUNS: &str = "select count(*) from schedule_runs";
const SESSIONS: &str = "select count(*) from alert_sessions";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tarsy.yaml"), CONFIGURATION).unwrap();
    folder
}

async fn gateway(servers: TestStack, folder: &TempDir) -> Stack {
    let path = folder.path().to_str().unwrap();
    Stack::with_settings(servers, &[("TARSY_CONFIG_DIR", path)]).await
}

async fn count(stack: &Stack, sql: &'static str, count: i64) {
    let what = format!("{count} of: {sql}");
    eventually(&what, async || Seen::equal(stack.count(sql).await.unwrap(), count)).await;
}

#[tokio::test]
async fn of_times_at_which_nothing_ran_the_last_one_runs_once_in_two_gateways() {
    let (folder, servers) = (folder(), TestStack::start().await.unwrap());
    assert_eq!(servers.count(LONG_AGO).await.unwrap(), 3);
    let mut stack = gateway(servers, &folder).await;
    let settings = [("TARSY_CONFIG_DIR", folder.path().to_str().unwrap())];
    stack.another_gateway(&settings).await;
    count(&stack, RUNS, 2).await;
    count(&stack, SESSIONS, 1).await;

    // The first one is gone, and a third one finds nothing left to do.
    stack.service.stop();
    stack.service.drain(Duration::from_secs(30)).await.unwrap();
    stack.address = stack.another_gateway(&settings).await;
    let listed = stack.get("/api/v1/schedules").await.body;
    let [later, skipped, yearly] = listed["schedules"].as_array().unwrap().as_slice() else {
        panic!("{listed}")
    };
    assert_eq!((&later["suspended"], &later["next_runs"]), (&json!(true), &json!([])));
    assert_eq!(later["runs"], json!([]));
    assert_eq!(skipped["runs"][0]["outcome"], "missed", "{skipped}");
    assert_eq!(yearly["title"], "Look at the certificates of next week.", "{yearly}");
    assert_eq!(yearly["next_runs"].as_array().unwrap().len(), 3, "{yearly}");
    let due = yearly["runs"][0]["due_at"].as_str().unwrap();
    assert!(due.ends_with("-12-31T23:00:00Z"), "a time of its zone: {due}");
    let run = &yearly["runs"][0];
    assert_eq!((&run["outcome"], &run["status"]), (&json!("started"), &json!("pending")));
    let id = run["session_id"].as_str().unwrap();
    let session = stack.get(&format!("/api/v1/sessions/{id}")).await.body;
    assert_eq!(session["author"], "schedule:yearly", "{session}");
    assert_eq!(session["labels"], json!({"schedule": "yearly", "team": "platform"}));
    assert!(!session.to_string().contains("hunter2"), "{session}");
    assert_eq!(stack.count(RUNS).await.unwrap(), 2);
}

#[tokio::test]
async fn a_person_runs_a_suspended_schedule_now_and_may_not_without_the_role() {
    let folder = folder();
    let stack = gateway(TestStack::start().await.unwrap(), &folder).await;
    let run = |name: &str| format!("/api/v1/schedules/{name}/runs");
    let viewer = api_token(&stack, "vic", &Grant::Role(Role::Viewer)).await;
    let request = stack.anonymous(Method::POST, &run("later")).bearer_auth(viewer);
    assert_eq!(send(request).await.status, 403);
    assert_eq!(stack.post(&run("nobody")).await.status, 404);
    assert_eq!(
        stack.count(SESSIONS).await.unwrap(),
        0,
        "a schedule that is new has missed nothing"
    );

    let started = stack.post(&run("later")).await;
    assert_eq!(started.status, 202, "{started:?}");
    let listed = stack.get("/api/v1/schedules").await.body;
    let later = &listed["schedules"][0];
    assert_eq!(later["runs"][0]["session_id"], started.body["session_id"], "{later}");
    assert!(later["runs"][0]["requested_by"].is_string(), "{later}");
    count(
        &stack,
        "select count(*) from audit_log where action = 'run_schedule' and outcome = 'allowed'",
        1,
    )
    .await;
}

#[tokio::test]
async fn a_schedule_that_is_changed_or_resumed_has_missed_nothing() {
    let (folder, servers) = (folder(), TestStack::start().await.unwrap());
    let others = "with known as (
        insert into schedules (name, cron, time_zone, suspended, since)
        values ('yearly', '0 6 * * *', 'Europe/Berlin', false, now() - interval '2 years'),
            ('skipped', '0 0 1 1 *', 'UTC', true, now() - interval '2 years') returning 1)
        select count(*) from known";
    assert_eq!(servers.count(others).await.unwrap(), 2);
    let stack = gateway(servers, &folder).await;
    count(&stack, "select count(*) from schedules where since > now() - interval '1 hour'", 3)
        .await;
    assert_eq!(stack.count(RUNS).await.unwrap(), 0);
}

#[tokio::test]
async fn a_run_waits_until_it_is_known_which_model_investigates() {
    let (folder, servers) = (folder(), TestStack::start().await.unwrap());
    assert_eq!(servers.count(LONG_AGO).await.unwrap(), 3);
    let port = free_port().unwrap().to_string();
    let address = format!("127.0.0.1:{port}");
    let path = folder.path().to_str().unwrap();
    let settings =
        [("TARSY_CONFIG_DIR", path), ("LLM_SERVICE_ADDR", &address), ("LLM_SERVICE_TOKEN", TOKEN)];
    let stack = Stack::with_settings(servers, &settings).await;
    let _child = llm_service(port.parse().unwrap(), folder.path()).await;
    count(&stack, RUNS, 2).await;
    let provider = "select count(*) from alert_sessions s
        join config_snapshots k on k.digest = s.config_digest where k.snapshot #>> '{stages,0,agents,0,provider,name}' = 'openai-default'";
    assert_eq!(stack.count(provider).await.unwrap(), 1, "and not the offline analyst");
}
