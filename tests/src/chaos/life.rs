//! The life of a session as its user sees it: an alert, its end, a question, the answer. The client sends a request again
//! whose outcome it did not learn, as a monitoring system does.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};
use tokio::time::{Instant, sleep};

use crate::chaos::script;
use crate::stack::Client;
use crate::viewer::Viewer;

/// How long a request may be refused, and a session or an answer may take, faults included.
const TIMEOUT: Duration = Duration::from_mins(4);
/// The pause before a request is sent again.
const AGAIN: Duration = Duration::from_millis(300);
/// How long a viewer may be behind the table.
const BEHIND: Duration = Duration::from_mins(1);

/// What is needed to live a session while the processes die.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) client: Client,
    pub(crate) database_url: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Alert {
    /// Its `Idempotency-Key`.
    pub(crate) key: String,
    pub(crate) data: String,
    /// The text of the message in Slack that it comes from.
    pub(crate) fingerprint: Option<String>,
    pub(crate) question: String,
}

/// Why a session did not complete.
#[derive(Debug)]
pub(crate) enum Problem {
    /// It was accepted and is not there, or ended otherwise.
    Lost(anyhow::Error),
    /// It, its question or its request did not come to an end.
    Stuck(anyhow::Error),
}

/// How many events a session has until its end, and until its question is answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Life {
    pub(crate) session: usize,
    pub(crate) chat: usize,
}

#[derive(Debug)]
pub(crate) struct Accepted {
    pub(crate) session: String,
    pub(crate) viewer: Viewer,
}

impl Access {
    /// Submits an alert until it is accepted, and finds its session.
    pub(crate) async fn accept(&self, alert: &Alert) -> Result<Accepted, Problem> {
        let body = json!({
            "alert_type": "chaos",
            "data": alert.data,
            "slack_message_fingerprint": alert.fingerprint,
        });
        let submit = async || {
            let answer = self.client.post_once("/api/v1/alerts", &body, Some(&alert.key)).await;
            let (status, body) = answer?;
            ensure!(status == 202, "{status} {body}");
            Ok(body["session_id"].as_str().context("202 without an id")?.to_owned())
        };
        let id = until_done("an alert was never accepted", submit).await.map_err(Problem::Stuck)?;
        // While PostgreSQL was unavailable the alert may have received an id that now stands for another one.
        let find = async || {
            let found = self.client.get(&format!("/api/v1/sessions/{id}")).await?;
            Ok(found["id"].as_str().context("a session without an id")?.to_owned())
        };
        let what = format!("the accepted session {id} is not found");
        let session = until_done(&what, find).await.map_err(Problem::Lost)?;
        let viewer = Viewer::lasting(self.client.socket(), format!("session:{session}"));
        Ok(Accepted { session, viewer })
    }

    /// Approves what the session waits for until its end, asks a question, and waits for the answer.
    pub(crate) async fn follow(&self, accepted: &Accepted, alert: &Alert) -> Result<(), Problem> {
        let Accepted { session, viewer } = accepted;
        let end = tokio::select! {
            end = viewer.wait_for_end(TIMEOUT) => end,
            twice = self.approve_all(session) => return Err(Problem::Lost(twice)),
        };
        let end = match end {
            Ok(end) => end,
            Err(error) => self.status(session, error).await?,
        };
        if end != "completed" {
            let detail = self.client.get(&format!("/api/v1/sessions/{session}")).await;
            let why = detail.map(|detail| detail["error_message"].clone()).unwrap_or_default();
            return Err(Problem::Lost(anyhow::anyhow!("{session} ended as {end}: {why}")));
        }
        let stage = self.ask(session, &alert.question).await.map_err(Problem::Stuck)?;
        let answered = viewer.wait_for("end of the answer", TIMEOUT, |event| {
            event["type"] == "stage.status"
                && event["stage_id"] == stage.as_str()
                && event["status"] != "started"
        });
        let answered = answered.await.map_err(Problem::Stuck)?;
        if answered["status"] != "completed" {
            return Err(Problem::Lost(anyhow::anyhow!("{session}: a question ended: {answered}")));
        }
        Ok(())
    }

    /// Approves the calls of a session, each with two requests at once, until a decision counted twice.
    async fn approve_all(&self, session: &str) -> anyhow::Error {
        let mut decided = BTreeMap::<String, usize>::new();
        loop {
            for approval in self.approvals_to_decide(session).await.unwrap_or_default() {
                let path = format!("/api/v1/sessions/{session}/approvals/{approval}");
                let body = json!({ "decision": "approve" });
                let request = || self.client.post_once(&path, &body, None);
                let answers = tokio::join!(request(), request());
                let counted = [answers.0, answers.1].into_iter().flatten();
                let counted = counted.filter(|(status, _)| *status == 200).count();
                let times = decided.entry(approval.clone()).or_default();
                *times += counted;
                if *times > 1 {
                    return anyhow::anyhow!("{session}: {approval} was decided {times} times");
                }
            }
            sleep(AGAIN).await;
        }
    }

    /// The calls that wait; those of one agent once nobody has the session.
    async fn approvals_to_decide(&self, session: &str) -> anyhow::Result<Vec<String>> {
        let open = self.client.get("/api/v1/approvals").await?;
        let mut found = Vec::new();
        for approval in open["approvals"].as_array().into_iter().flatten() {
            let (id, of) = (&approval["id"], &approval["session_id"]);
            let what = approval["arguments"]["what"].as_str().unwrap_or_default();
            if of != session {
                continue;
            }
            if what.contains(script::SUSPENDED) {
                let detail = self.client.get(&format!("/api/v1/sessions/{session}")).await?;
                if detail["waiting_for_approval"] != true {
                    continue;
                }
            }
            found.extend(id.as_str().map(str::to_owned));
        }
        Ok(found)
    }

    /// Waits until the API shows a session: the first reads after a loss may find connections that are gone.
    pub(crate) async fn is_shown(&self, session: &str) -> anyhow::Result<()> {
        let path = format!("/api/v1/sessions/{session}/timeline");
        let shown = async || self.client.get(&path).await.map(drop);
        until_done(&format!("the timeline of {session} is not shown"), shown).await
    }

    /// How a session ended whose viewer did not see an end.
    async fn status(&self, session: &str, error: anyhow::Error) -> Result<String, Problem> {
        let read = async {
            let row = self.client.get(&format!("/api/v1/sessions/{session}/status")).await?;
            let status = row["status"].as_str().unwrap_or_default().to_owned();
            ensure!(
                !["pending", "in_progress", "cancelling"].contains(&status.as_str()),
                "{status}"
            );
            Ok(status)
        };
        read.await.map_err(|status| Problem::Stuck(error.context(format!("{session}: {status}"))))
    }

    /// Asks a question once, however often the request must be sent; returns the stage that answers it.
    async fn ask(&self, session: &str, question: &str) -> anyhow::Result<String> {
        let path = format!("/api/v1/sessions/{session}/chat/messages");
        let body = json!({ "content": question });
        let ask = async || {
            let stages = self.stages_of(session, question).await?;
            if let Some(stage) = stages.first() {
                return Ok(stage.clone());
            }
            let (status, body) = self.client.post_once(&path, &body, None).await?;
            ensure!(status == 202, "{status} {body}");
            Ok(body["stage_id"].as_str().context("202 without a stage")?.to_owned())
        };
        until_done(&format!("a question about {session} was never accepted"), ask).await
    }

    /// The stages of a question; more than one if it was stored twice.
    async fn stages_of(&self, session: &str, question: &str) -> anyhow::Result<Vec<String>> {
        let mut sql = PgConnection::connect(&self.database_url).await?;
        let stages = sqlx::query_scalar(
            "select s.id::text from stages s \
             join chat_user_messages m on m.id = s.chat_user_message_id \
             where s.session_id = $1::uuid and m.content = $2",
        );
        Ok(stages.bind(session).bind(question).fetch_all(&mut sql).await?)
    }
}

/// Waits until a viewer has seen as many events as the table has, or for a minute: what is missing then is a gap.
pub(crate) async fn caught_up(viewer: &Viewer, last: i64) {
    let all = usize::try_from(last).unwrap_or_default();
    let is_so = |viewer: &Viewer| Ok(viewer.numbers().len() >= all);
    drop(viewer.wait_until("every event was seen", BEHIND, is_so).await);
}

/// Whether an event is the end of its session.
pub(crate) fn is_end(event: &Value) -> bool {
    let goes_on = ["pending", "in_progress", "cancelling"];
    event["type"] == "session.status" && !goes_on.iter().any(|status| event["status"] == *status)
}

/// The number of a persistent event.
pub(crate) fn number(event: &Value) -> usize {
    event["db_event_id"].as_u64().and_then(|id| usize::try_from(id).ok()).unwrap_or_default()
}

/// Waits until what a viewer has seen is enough.
pub(crate) async fn comes(
    viewer: &Viewer,
    what: &str,
    is_so: impl Fn(&[Value]) -> bool,
) -> anyhow::Result<()> {
    viewer.wait_until(what, TIMEOUT, |viewer| Ok(is_so(&viewer.seen()))).await
}

async fn until_done<T>(
    what: &str,
    attempt: impl AsyncFn() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        match attempt().await {
            Ok(value) => return Ok(value),
            Err(error) if Instant::now() > deadline => return Err(error.context(what.to_owned())),
            Err(_) => sleep(AGAIN).await,
        }
    }
}
