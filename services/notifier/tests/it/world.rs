//! Servers, sessions, and the notifier as a process that can be killed.

use std::time::Duration;

use serde_json::json;
use sqlx::postgres::{PgPool, PgPoolOptions};
use tarsy_bus::{Bus, BusOptions};
use tarsy_contracts::event::Committed;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_embedded::{Child, Spec};
use tarsy_store::{Claim, Created, NewSession, SessionEnd, Store};
use tarsy_testkit::{TestNats, TestPg};
use tempfile::TempDir;
use tokio::time::Instant;

use crate::slack::{CHANNEL, Slack, TOKEN};

/// Longer than anything here takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);
pub(crate) const SECRET: &str = "a secret to sign with";

pub(crate) struct World {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    /// To look at the facts.
    pub(crate) raw: PgPool,
    pg: TestPg,
    nats: TestNats,
    folder: TempDir,
}

/// A session that is to be.
#[derive(Clone, Copy, Default)]
pub(crate) struct Alert<'a> {
    pub(crate) alert_type: Option<&'a str>,
    pub(crate) fingerprint: Option<&'a str>,
}

impl World {
    /// With this `tarsy.yaml`.
    pub(crate) async fn new(config: &str) -> Self {
        let pg = TestPg::start().await.unwrap();
        let nats = TestNats::start().await.unwrap();
        let store = Store::connect(pg.url(), 4).await.unwrap();
        store.migrate().await.unwrap();
        let bus = Bus::connect(BusOptions {
            url: nats.url().to_owned(),
            service: "test",
            instance: "test-1".to_owned(),
            credentials: None,
        })
        .await
        .unwrap();
        let mut connection = bus.connection();
        tokio::time::timeout(PATIENCE, connection.wait_for(|state| state.connected))
            .await
            .unwrap()
            .unwrap();
        bus.provision().await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tarsy.yaml"), config).unwrap();
        let raw = PgPoolOptions::new().max_connections(2).connect_lazy(pg.url()).unwrap();
        Self { store, bus, raw, pg, nats, folder }
    }

    /// With one channel, in the simple form.
    pub(crate) async fn with_channel(slack: &Slack) -> Self {
        let config = format!(
            "system:\n  dashboard_url: https://tarsy.example\n  slack: {{enabled: true, channel: \
             {CHANNEL}, api_url: '{}'}}\n",
            slack.url
        );
        Self::new(&config).await
    }

    /// Starts the notifier; it is ready when its destinations are known.
    pub(crate) async fn notifier(&self) -> Child {
        let child = self.process(&[]).await;
        self.until("the destinations are known", async || {
            self.count("select count(*) from notification_destinations").await > 0
        })
        .await;
        child
    }

    /// Starts the notifier with more variables.
    pub(crate) async fn process(&self, more: &[(&str, String)]) -> Child {
        let config = self.folder.path().display().to_string();
        let mut env = vec![
            ("DATABASE_URL".to_owned(), self.pg.url().to_owned()),
            ("NATS_URL".to_owned(), self.nats.url().to_owned()),
            ("TARSY_CONFIG_DIR".to_owned(), config),
            ("SLACK_BOT_TOKEN".to_owned(), TOKEN.to_owned()),
            ("HOOK_SECRET".to_owned(), SECRET.to_owned()),
            ("RUST_BACKTRACE".to_owned(), "0".to_owned()),
        ];
        env.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        Child::start(&Spec {
            program: env!("CARGO_BIN_EXE_tarsy-notifier").into(),
            args: Vec::new(),
            env,
            log: self.folder.path().join("notifier.log"),
            user: None,
            remove: None,
        })
        .await
        .unwrap()
    }

    /// What the notifier wrote to its log.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("notifier.log")).unwrap_or_default()
    }

    async fn tell(&self, events: &[Committed]) {
        for event in events {
            self.bus.publish_event(event).await.unwrap();
        }
    }

    /// A session that an orchestrator works on.
    pub(crate) async fn begun(&self, alert: Alert<'_>) -> Claim {
        let id = SessionId::new();
        let new = NewSession {
            id,
            alert_data: "the disk is full".to_owned(),
            alert_type: Some(alert.alert_type.unwrap_or("host").to_owned()),
            chain_id: "host".to_owned(),
            author: Some("alice".to_owned()),
            runbook_url: None,
            mcp_selection: None,
            slack_message_fingerprint: alert.fingerprint.map(str::to_owned),
            idempotency_key: None,
            settings: tarsy_store::SessionSettings::default(),
            config_snapshot: json!({"stages": []}),
        };
        let Created::New { events, .. } = self.store.insert_session(new).await.unwrap() else {
            panic!("the id is fresh");
        };
        self.tell(&events).await;
        let lease = Duration::from_mins(5);
        let claim = self.store.claim_session("test", lease, 1_000).await.unwrap().unwrap();
        assert_eq!(claim.session.id, id);
        self.tell(&claim.events).await;
        claim
    }

    /// Ends a session; without a word, as if NATS had lost it, when `told` is false.
    pub(crate) async fn end(&self, claim: &Claim, status: SessionStatus, text: &str, told: bool) {
        let failed = status != SessionStatus::Completed;
        let end = SessionEnd {
            status,
            final_analysis: Some(format!("The whole story: {text}")),
            executive_summary: (!failed).then(|| text.to_owned()),
            executive_summary_error: None,
            error_message: failed.then(|| "the model went away".to_owned()),
        };
        let events = self.store.finish_session(claim.fence, end).await.unwrap();
        if told {
            self.tell(&events).await;
        }
    }

    /// A session from its begin to its end.
    pub(crate) async fn over(&self, alert: Alert<'_>, status: SessionStatus) -> SessionId {
        let claim = self.begun(alert).await;
        self.end(&claim, status, "the disk was full", true).await;
        claim.session.id
    }

    /// Asks the database for a number.
    pub(crate) async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql).fetch_one(&self.raw).await.unwrap()
    }

    /// Waits until something is so; the state of a process is nothing that announces itself.
    pub(crate) async fn until(&self, what: &str, is_so: impl AsyncFn() -> bool) {
        self.within(PATIENCE, what, is_so).await;
    }

    pub(crate) async fn within(
        &self,
        patience: Duration,
        what: &str,
        is_so: impl AsyncFn() -> bool,
    ) {
        let deadline = Instant::now() + patience;
        while !is_so().await {
            let log = self.log();
            let last: Vec<&str> = log.lines().rev().take(5).collect();
            assert!(Instant::now() < deadline, "waited until {what}; its log: {last:#?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}
