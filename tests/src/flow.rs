//! What most tests go through: an alert is investigated, and questions about it are answered.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::records::Records;
use crate::stack::Stack;
use crate::viewer::Viewer;

/// How long an investigation without a pause of its own may take on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(2);

impl Stack {
    /// Hands in an alert and watches its session: its id, and the viewer.
    pub async fn begun(&self, alert_type: &str, data: &str) -> anyhow::Result<(String, Viewer)> {
        self.begun_whole(&json!({ "alert_type": alert_type, "data": data })).await
    }

    async fn begun_whole(&self, alert: &Value) -> anyhow::Result<(String, Viewer)> {
        let session = self.submit_whole(alert).await?;
        let viewer = self.watch(&session).await?;
        Ok((session, viewer))
    }

    /// Kills the owner of a session, and starts it again once another one has the session.
    pub async fn kill_owner(&mut self, session: &str) -> anyhow::Result<()> {
        let owner = self.owner(session).await?.context("the session has no owner")?;
        self.kill(&owner).await?;
        self.wait_until("another owner has it", TIMEOUT, async |stack| {
            Ok(stack.owner(session).await?.is_some_and(|other| other != owner))
        })
        .await?;
        self.launch(&owner).await
    }

    /// Waits until a session has completed.
    pub async fn completes(&self, viewer: &Viewer) -> anyhow::Result<()> {
        self.ends_as("completed", viewer).await
    }

    /// Waits until a session has ended in this status.
    pub async fn ends_as(&self, status: &str, viewer: &Viewer) -> anyhow::Result<()> {
        let end = viewer.wait_for_end(TIMEOUT).await.with_context(|| self.logs())?;
        ensure!(end == status, "it ended as {end}\n{}", self.logs());
        Ok(())
    }

    /// An alert whose session ended in this status, and what is kept of it: the records agree.
    pub async fn investigated(
        &self,
        alert_type: &str,
        data: &str,
        status: &str,
    ) -> anyhow::Result<(Records, Viewer)> {
        self.investigated_whole(&json!({ "alert_type": alert_type, "data": data }), status).await
    }

    /// The same with all fields of an alert.
    pub async fn investigated_whole(
        &self,
        alert: &Value,
        status: &str,
    ) -> anyhow::Result<(Records, Viewer)> {
        let (session, viewer) = self.begun_whole(alert).await?;
        let end = viewer.wait_for_end(TIMEOUT).await.with_context(|| self.logs())?;
        let records = Records::agreeing(self, &session, &viewer).await?;
        ensure!(end == status, "it ended as {end}\n{}", records.report());
        Ok((records, viewer))
    }

    /// Asks a question and waits for its answer; what is kept of the session then.
    pub async fn answered(
        &self,
        session: &str,
        viewer: &Viewer,
        question: &str,
    ) -> anyhow::Result<Records> {
        let stage = self.ask(session, question).await?;
        let end = viewer.stage_ends(&stage, "completed", TIMEOUT).await;
        end.with_context(|| self.logs())?;
        Records::agreeing(self, session, viewer).await
    }
}
