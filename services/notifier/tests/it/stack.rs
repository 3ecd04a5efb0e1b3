//! Servers, sessions, and the notifier as a process that can be killed.

use std::ops::Deref;
use std::time::Duration;

use tarsy_contracts::event::Committed;
use tarsy_contracts::failure::Failure;
use tarsy_contracts::prevention::{Prevention, UnreadSource};
use tarsy_domain::failure::FailureCode;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_embedded::{Child, Spec};
use tarsy_store::{Claim, SessionEnd};
use tarsy_testkit::{NewTestSession, TestStack, WAIT, a_session};
use tempfile::TempDir;
use tokio::time::Instant;

use crate::slack::{CHANNEL, Slack, TOKEN};

pub(crate) const SECRET: &str = "a secret to sign with";

pub(crate) struct Stack {
    servers: TestStack,
    folder: TempDir,
}

/// What a session's alert says beside its text.
#[derive(Clone, Copy, Default)]
pub(crate) struct Alert<'a> {
    pub(crate) alert_type: Option<&'a str>,
    pub(crate) fingerprint: Option<&'a str>,
}

impl Stack {
    /// With this `tarsy.yaml`.
    pub(crate) async fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tarsy.yaml"), config).unwrap();
        Self { servers: TestStack::start().await.unwrap(), folder }
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

    /// Starts the notifier, and waits until it has registered its destinations.
    pub(crate) async fn notifier(&self) -> Child {
        self.notifier_with(&[]).await
    }

    /// Likewise, with more variables.
    pub(crate) async fn notifier_with(&self, more: &[(&str, String)]) -> Child {
        let child = self.process(more).await;
        self.until("the destinations are registered", async || {
            self.count("select count(*) from notification_destinations").await > 0
        })
        .await;
        child
    }

    /// Starts the notifier with more variables.
    pub(crate) async fn process(&self, more: &[(&str, String)]) -> Child {
        let config = self.folder.path().display().to_string();
        let mut env = self.environment("notifier", "notifier-1");
        env.extend(
            [
                ("TARSY_CONFIG_DIR", config),
                ("SLACK_BOT_TOKEN", TOKEN.to_owned()),
                ("HOOK_SECRET", SECRET.to_owned()),
                ("RUST_BACKTRACE", "0".to_owned()),
            ]
            .into_iter()
            .chain(more.iter().cloned())
            .map(|(name, value)| (name.to_owned(), value)),
        );
        Child::start(&Spec {
            program: env!("CARGO_BIN_EXE_tarsy-notifier").into(),
            args: Vec::new(),
            env: env.into_iter().collect(),
            log: self.folder.path().join("notifier.log"),
            user: None,
            remove: None,
        })
        .await
        .unwrap()
    }

    /// The notifier's log.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("notifier.log")).unwrap_or_default()
    }

    /// A session that an orchestrator works on.
    pub(crate) async fn running(&self, alert: Alert<'_>) -> Claim {
        let session = a_session()
            .alert_type(Some(alert.alert_type.unwrap_or("host")))
            .author("alice")
            .fingerprint(alert.fingerprint);
        self.running_session(session).await
    }

    /// Likewise, this one.
    pub(crate) async fn running_session(&self, session: NewTestSession) -> Claim {
        let claim = session.running(&self.store, "test").await.unwrap();
        self.publish(&claim.events).await.unwrap();
        claim
    }

    /// Ends a session, and publishes its end.
    pub(crate) async fn end(&self, claim: &Claim, status: SessionStatus, text: &str) {
        let events = self.end_unpublished(claim, status, text).await;
        self.publish(&events).await.unwrap();
    }

    /// Ends a session as if NATS had lost the event.
    pub(crate) async fn end_unpublished(
        &self,
        claim: &Claim,
        status: SessionStatus,
        text: &str,
    ) -> Vec<Committed> {
        let failed = status != SessionStatus::Completed;
        let end = SessionEnd {
            status,
            final_analysis: Some(format!("The whole analysis: {text}")),
            executive_summary: (!failed).then(|| text.to_owned()),
            executive_summary_error: None,
            verdict_failure: None,
            error_message: failed.then(|| "the model went away".to_owned()),
            failure: failed.then(|| {
                let reason = "the model went away";
                Failure::new(FailureCode::Credentials, reason).of_provider("google")
            }),
        };
        self.store.finish_session(claim.fence, end).await.unwrap()
    }

    /// A session from its start to its end.
    pub(crate) async fn ended(&self, alert: Alert<'_>, status: SessionStatus) -> SessionId {
        let claim = self.running(alert).await;
        self.end(&claim, status, "the disk was full").await;
        claim.session.id
    }

    /// A week of which there is something to say to these destinations.
    pub(crate) async fn week(&self, name: &str, destinations: &[&str]) {
        let at = "2026-02-28T12:00:00Z".parse().unwrap();
        let source = UnreadSource {
            source: "probe_1".to_owned(),
            not_understood: 4,
            not_understood_before: 0,
            refused: 0,
            refused_before: 0,
            refusal_reasons: Vec::new(),
            last_at: at,
        };
        let found = Prevention {
            week: Some(name.to_owned()),
            previous_week: "2026-W08".to_owned(),
            next_week: None,
            from: at,
            to: at,
            sessions: 12,
            sessions_before: 3,
            is_cut: false,
            causes: Vec::new(),
            alerts: Vec::new(),
            tools: Vec::new(),
            sources: vec![source],
        };
        let names: Vec<String> = destinations.iter().map(|&name| name.to_owned()).collect();
        assert!(self.store.add_week(name, Some(&found), &names).await.unwrap());
    }

    /// Lets the claims of notifiers that were killed end now.
    pub(crate) async fn end_claims(&self) {
        let sql = "update notifications set due_at = now() where status = 'pending'";
        sqlx::query(sql).execute(&self.raw).await.unwrap();
    }

    pub(crate) async fn count(&self, sql: &'static str) -> i64 {
        self.servers.count(sql).await.unwrap()
    }

    pub(crate) async fn until(&self, what: &str, holds: impl AsyncFn() -> bool) {
        self.within(WAIT, what, holds).await;
    }

    /// Checks a condition until it holds; shows the end of the notifier's log when it does not.
    pub(crate) async fn within(
        &self,
        timeout: Duration,
        what: &str,
        holds: impl AsyncFn() -> bool,
    ) {
        let deadline = Instant::now() + timeout;
        while !holds().await {
            let log = self.log();
            let last: Vec<&str> = log.lines().rev().take(5).collect();
            assert!(Instant::now() < deadline, "waited until {what}; its log: {last:#?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Deref for Stack {
    type Target = TestStack;

    fn deref(&self) -> &TestStack {
        &self.servers
    }
}
