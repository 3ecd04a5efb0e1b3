//! `tarsy doctor --cluster` on installations that lack something, with real servers.

use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::Value;
use tarsy_contracts::status::{Instance, Warning};
use tarsy_contracts::system::DatabaseState;
use tarsy_contracts::topology;
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_store::{NewDeadLetter, Store};
use tarsy_testkit::{TestNats, TestNatsCluster, TestPg, TestStack, a_session, eventually};
use tokio::process::Command;

const TIMEOUT: Duration = Duration::from_mins(2);
/// Nothing listens there.
const NOWHERE: u16 = 9;

struct Found {
    healthy: bool,
    checks: Vec<Value>,
}

impl Found {
    /// State, text and advice of a check.
    fn check(&self, name: &str) -> (&str, &str, &str) {
        let found = self.checks.iter().find(|check| check["name"] == name);
        let text = |key: &str| found.and_then(|check| check[key].as_str()).unwrap_or_default();
        (text("state"), text("text"), text("advice"))
    }

    fn state(&self, name: &str) -> &str {
        self.check(name).0
    }

    fn names(&self) -> Vec<&str> {
        self.checks.iter().filter_map(|check| check["name"].as_str()).collect()
    }
}

/// The doctor with these variables alone.
async fn doctor(variables: &[(&str, &str)]) -> anyhow::Result<Found> {
    let mut program = std::env::current_exe()?;
    program.pop();
    program.pop();
    let folder = tempfile::tempdir()?;
    let mut command = Command::new(program.join("tarsy"));
    command.env_clear().current_dir(folder.path()).envs(variables.iter().copied());
    command.args(["doctor", "--cluster", "--json"]).stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(TIMEOUT, command.output()).await??;
    let checks = serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    Ok(Found { healthy: output.status.success(), checks })
}

async fn doctor_of(stack: &TestStack) -> anyhow::Result<Found> {
    doctor(&[("DATABASE_URL", stack.pg.url()), ("NATS_URL", stack.nats.url())]).await
}

#[tokio::test]
async fn servers_that_cannot_be_reached_are_each_one_line_with_what_to_do() -> anyhow::Result<()> {
    let (database, nats) = (
        format!("postgres://tarsy:secret@127.0.0.1:{NOWHERE}/tarsy"),
        format!("nats://cli:secret@127.0.0.1:{NOWHERE}"),
    );
    let llm = format!("http://127.0.0.1:{NOWHERE}");
    let found = doctor(&[
        ("DATABASE_URL", database.as_str()),
        ("NATS_URL", nats.as_str()),
        ("LLM_SERVICE_ADDR", llm.as_str()),
    ])
    .await?;
    assert!(!found.healthy);
    assert_eq!(found.names(), ["source", "PostgreSQL", "NATS", "llm-service"]);
    for (name, variable) in
        [("PostgreSQL", "DATABASE_URL"), ("NATS", "NATS_URL"), ("llm-service", "LLM_SERVICE_ADDR")]
    {
        let (state, text, advice) = found.check(name);
        assert_eq!(state, "failed", "{name}: {text}");
        assert!(advice.contains(variable) && !text.contains("secret"), "{text}; {advice}");
    }
    let api = doctor(&[("TARSY_URL", llm.as_str())]).await?;
    assert_eq!((api.healthy, api.state("api-gateway")), (false, "failed"));
    Ok(())
}

#[tokio::test]
async fn an_installation_that_was_not_migrated_and_runs_nothing_is_reported() -> anyhow::Result<()>
{
    let (pg, nats) = (TestPg::dedicated().await?, TestNats::dedicated().await?);
    let found = doctor(&[("DATABASE_URL", pg.url()), ("NATS_URL", nats.url())]).await?;
    assert!(!found.healthy);
    for name in ["PostgreSQL", "primary", "connections", "standbys", "NATS", "storage"] {
        assert_eq!(found.state(name), "ok", "{name}");
    }
    let (state, _, advice) = found.check("schema");
    assert!(state == "failed" && advice.contains("tarsy migrate"), "{advice}");
    let (state, missing, advice) = found.check("streams");
    assert!(state == "failed" && missing.contains("stream TARSY_WORK"), "{missing}");
    assert!(
        missing.contains("consumer notifier") && advice.contains("tarsy provision"),
        "{missing}"
    );
    assert_eq!(found.state("llm-service"), "failed", "its address is not set");
    Ok(())
}

#[tokio::test]
async fn what_waits_what_expired_and_what_services_warn_of_is_reported() -> anyhow::Result<()> {
    let stack = TestStack::dedicated().await?;
    let found = doctor_of(&stack).await?;
    for name in
        ["schema", "queue", "claimed sessions", "dead letters", "streams", "consumers", "warnings"]
    {
        assert_eq!(found.state(name), "ok", "{name}: {:?}", found.checks);
    }
    assert_eq!((found.healthy, found.state("orchestrator")), (false, "failed"), "nothing runs");

    a_session().running(&stack.store, "worker-1").await?;
    a_session().pending(&stack.store).await?;
    stack
        .pg
        .execute("update alert_sessions set created_at = now() - interval '1 hour' where status = 'pending'")
        .await?;
    stack.pg.execute("update session_control set lease_expires_at = now() - interval '1 hour' where owner_id is not null").await?;
    stack
        .store
        .insert_dead_letter(NewDeadLetter {
            subject: "tarsy.intake.alert".to_owned(),
            payload: Vec::new(),
            error: "no alert".to_owned(),
            deliveries: 1,
        })
        .await?;
    let instance = Instance {
        service: "mcp-gateway".to_owned(),
        instance: "one".to_owned(),
        version: "tarsy/older".to_owned(),
        config_hash: String::new(),
        capacity: 4,
        load: 4,
        seen_at: SystemClock.now(),
        clock_offset_ms: None,
    };
    stack.bus.kv(&topology::INSTANCES).put("mcp-gateway.one", &instance).await?;
    let warning = Warning {
        id: "clock.offset".to_owned(),
        category: "clock".to_owned(),
        message: "The clocks of services differ.".to_owned(),
        details: String::new(),
        server_id: None,
        created_at: SystemClock.now(),
    };
    stack.bus.kv(&topology::WARNINGS).put("clock.offset", &warning).await?;

    let found = doctor_of(&stack).await?;
    for (name, part) in [
        ("queue", "the oldest for 60 min"),
        ("claimed sessions", "1 leases expired"),
        ("dead letters", "1 wait"),
        ("mcp-gateway", "none of 4 leases is free"),
        ("versions", "tarsy/older"),
        ("warning", "clock.offset"),
    ] {
        let (state, text, advice) = found.check(name);
        assert_eq!(state, "warning", "{name}: {text}");
        assert!(text.contains(part) && !advice.is_empty(), "{name}: {text}");
    }
    Ok(())
}

#[tokio::test]
async fn alerts_that_wait_in_nats_are_reported() -> anyhow::Result<()> {
    let stack = TestStack::dedicated().await?;
    stack
        .bus
        .publish_durable(tarsy_bus::DurableMessage {
            subject: "tarsy.intake.alert".to_owned(),
            message_id: "one".to_owned(),
            payload: "{}".into(),
        })
        .await?;
    let found = doctor_of(&stack).await?;
    let (state, text, _) = found.check("consumers");
    assert!(state == "warning" && text.contains("1 alert in NATS"), "{text}");
    Ok(())
}

#[tokio::test]
async fn a_standby_is_no_primary_and_a_primary_shows_how_its_standby_follows() -> anyhow::Result<()>
{
    let mut primary = TestPg::dedicated().await?;
    let standby = primary.replicate().await?;
    let store = Store::connect(primary.url(), 2).await?;
    store.migrate().await?;
    eventually("the standby follows", async || {
        let state = store.find_database_state().await;
        state.is_ok_and(|state: DatabaseState| {
            state.standbys.iter().any(|one| one.state.as_deref() == Some("streaming"))
        })
    })
    .await;
    let found = doctor(&[("DATABASE_URL", primary.url())]).await?;
    let (state, text, _) = found.check("standbys");
    assert!(state == "ok" && text.starts_with("1 follow"), "{text}");
    let (state, text, _) = found.check("NATS");
    assert!(state == "failed" && text == "NATS_URL is not set", "{text}");

    store.create_roles().await?;
    let limited = primary.url_as("cli");
    let found = doctor(&[("DATABASE_URL", limited.as_str())]).await?;
    let (state, _, advice) = found.check("standbys");
    assert_eq!(
        (state, advice),
        ("warning", "as an administrator: grant pg_read_all_stats to tarsy_cli")
    );
    assert_eq!(found.state("queue"), "ok", "{:?}", found.check("queue"));

    let found = doctor(&[("DATABASE_URL", standby.url())]).await?;
    assert_eq!(found.state("primary"), "failed");
    Ok(())
}

#[tokio::test]
async fn connections_that_are_used_up_are_reported() -> anyhow::Result<()> {
    let pg = TestPg::dedicated().await?;
    let store = Store::connect(pg.url(), 2).await?;
    store.migrate().await?;
    let state = store.find_database_state().await?;
    let free = state.max_connections - state.reserved_connections - state.server_connections;
    let mut held = Vec::new();
    for _ in 0..free - 2 {
        held.push(Store::connect(pg.url(), 1).await?);
    }
    let found = doctor(&[("DATABASE_URL", pg.url())]).await?;
    let (state, text, advice) = found.check("connections");
    assert!(state == "failed" && advice.contains("max_connections"), "{text}; {advice}");
    drop(held);
    Ok(())
}

#[tokio::test]
async fn a_server_of_nats_that_is_lost_is_reported_before_the_majority_is() -> anyhow::Result<()> {
    let mut cluster = TestNatsCluster::start().await?;
    let bus = cluster.connect("provisioner", "one", 3).await?;
    eventually("the cluster is provisioned", async || bus.provision().await.is_ok()).await;
    let url = cluster.url();
    let variables = [("NATS_URL", url.as_str()), ("NATS_REPLICAS", "3")];
    let replicas = async || {
        let found = doctor(&variables).await.ok()?;
        let (state, text, _) = found.check("replicas");
        Some((state.to_owned(), text.to_owned()))
    };
    let is = async |state: &str| replicas().await.is_some_and(|(found, _)| found == state);
    eventually("all are in sync", async || is("ok").await).await;
    cluster.server(2)?.kill().await;
    eventually("the lost one is reported", async || is("warning").await).await;
    Ok(())
}
