//! Sessions, from an alert to a claim.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::event::Committed;
use tarsy_domain::id::SessionId;
use tarsy_store::{Claim, Created, NewSession, SessionSettings, Store};

/// No lease of a test ends by itself.
const LEASE: Duration = Duration::from_mins(10);
/// More sessions than any test runs at once.
const CAPACITY: i64 = 1_000;

/// A session that a test is about to create.
#[derive(Debug, Clone)]
pub struct NewTestSession(NewSession);

/// A session of chain `host` without stages; the alert is `the disk is full`.
pub fn a_session() -> NewTestSession {
    NewTestSession(NewSession {
        id: SessionId::new(),
        alert_data: "the disk is full".to_owned(),
        alert_type: None,
        chain_id: "host".to_owned(),
        author: None,
        principal: None,
        runbook_url: None,
        mcp_selection: None,
        requested_provider: None,
        slack_message_fingerprint: None,
        fields: AlertFields::default(),
        idempotency: None,
        settings: SessionSettings::default(),
        config_snapshot: json!({"stages": []}),
        traceparent: None,
    })
}

impl NewTestSession {
    #[must_use]
    pub fn alert(mut self, data: &str) -> Self {
        data.clone_into(&mut self.0.alert_data);
        self
    }

    #[must_use]
    pub fn alert_type(mut self, alert_type: Option<&str>) -> Self {
        self.0.alert_type = alert_type.map(str::to_owned);
        self
    }

    #[must_use]
    pub fn author(mut self, author: &str) -> Self {
        self.0.author = Some(author.to_owned());
        self
    }

    #[must_use]
    pub fn runbook(mut self, url: Option<String>) -> Self {
        self.0.runbook_url = url;
        self
    }

    /// The fingerprint of the Slack message that the alert came with.
    #[must_use]
    pub fn fingerprint(mut self, fingerprint: Option<&str>) -> Self {
        self.0.slack_message_fingerprint = fingerprint.map(str::to_owned);
        self
    }

    /// What the alert's sender states beside its text.
    #[must_use]
    pub fn fields(mut self, fields: AlertFields) -> Self {
        self.0.fields = fields;
        self
    }

    /// The chain, and the resolved configuration that the session keeps of it.
    #[must_use]
    pub fn chain(mut self, chain_id: &str, snapshot: Value) -> Self {
        chain_id.clone_into(&mut self.0.chain_id);
        let timeout_ms = snapshot.get("session_timeout_ms").and_then(Value::as_u64);
        self.0.settings.timeout = timeout_ms.map(Duration::from_millis);
        self.0.settings.chat_enabled = snapshot.get("chat").is_some_and(|chat| !chat.is_null());
        self.0.config_snapshot = snapshot;
        self
    }

    /// What the services read of the chain as columns.
    #[must_use]
    pub fn settings(mut self, settings: SessionSettings) -> Self {
        self.0.settings = settings;
        self
    }

    /// The row as it will be inserted.
    pub fn build(self) -> NewSession {
        self.0
    }

    /// Creates the session; it waits for a worker. The events are to be published by the test, if at all.
    pub async fn pending(self, store: &Store) -> anyhow::Result<(SessionId, Vec<Committed>)> {
        match store.insert_session(self.0).await? {
            Created::New { session_id, events } => Ok((session_id, events)),
            Created::Existing { session_id } => anyhow::bail!("session {session_id} existed"),
            Created::KeyReused => anyhow::bail!("the idempotency key was used for another alert"),
        }
    }

    /// Creates the session, and claims it for `owner`. No other session may be waiting. The claim's events begin with
    /// those of the creation.
    pub async fn running(self, store: &Store, owner: &str) -> anyhow::Result<Claim> {
        let (id, mut events) = self.pending(store).await?;
        let claim = store.claim_session(owner, LEASE, CAPACITY).await?;
        let mut claim = claim.context("the session cannot be claimed")?;
        anyhow::ensure!(claim.session.id == id, "session {} waited before", claim.session.id);
        events.append(&mut claim.events);
        claim.events = events;
        Ok(claim)
    }
}
