//! The runbooks that alerts name: fetched once, before the first stage, and kept with the session, so
//! that whoever goes on, and the chat, read the same words.

use tarsy_catalog::AlertMasking;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::TimelineEventId;
use tarsy_domain::status::TimelineStatus;
use tarsy_masking::Masker;
use tarsy_runbooks::{Rules, Runbooks};
use tarsy_store::{NewTimelineEvent, Op, RunbookContent, Session};

use crate::engine::text;
use crate::metrics;
use crate::owner::{Owner, StopReason};

/// The most of a runbook that a model is given, in tokens.
const LONGEST: usize = 25_000;

/// Where runbooks come from, and what takes secrets out of them; cheap to clone.
#[derive(Clone, Debug)]
pub struct RunbookLoader {
    runbooks: Runbooks,
    masker: Option<std::sync::Arc<Masker>>,
}

impl RunbookLoader {
    /// Prepares both; asks nobody yet.
    pub fn new(rules: Rules, masking: &AlertMasking) -> anyhow::Result<Self> {
        let masker = if masking.enabled {
            Some(Masker::builder().group(&masking.pattern_group).build()?.into())
        } else {
            None
        };
        Ok(Self { runbooks: Runbooks::new(rules)?, masker })
    }

    /// The text, masked and of a size for models; or why there is none, for people.
    async fn text(&self, address: &str) -> Result<String, String> {
        let fetched = self.runbooks.fetch(address).await.map_err(|error| {
            tracing::warn!(error = %tarsy_telemetry::chain(&error), "a runbook was not fetched");
            error.to_string()
        })?;
        let masked = match &self.masker {
            None => fetched,
            Some(masker) => match masker.mask(&fetched) {
                Ok(found) => found.text.into_owned(),
                Err(error) => {
                    let error = tarsy_telemetry::chain(&error);
                    tracing::error!(%error, "a runbook that cannot be masked is withheld");
                    return Err("could not be masked".to_owned());
                }
            },
        };
        Ok(text::cut(&masked, LONGEST).unwrap_or(masked))
    }
}

/// The session with its runbook, or with the reason why it goes on without. Nothing is fetched twice.
pub(crate) async fn load(owner: &Owner, session: &Session) -> Result<Session, StopReason> {
    let mut session = session.clone();
    let settled = session.runbook.is_some() || session.runbook_error.is_some();
    let Some(address) = session.runbook_url.as_deref().filter(|_| !settled) else {
        return Ok(session);
    };
    let fetched = owner.unless_stopped(owner.app.runbooks.text(address)).await?;
    metrics::runbook(if fetched.is_ok() { "fetched" } else { "missing" });
    let note = fetched.as_ref().err().map(|why| {
        format!("The runbook {address} {why}. The investigation goes on with the default one.")
    });
    (session.runbook, session.runbook_error) = match fetched {
        Ok(text) => (Some(text), None),
        Err(error) => (None, Some(error)),
    };
    let kept =
        RunbookContent { text: session.runbook.clone(), error: session.runbook_error.clone() };
    let mut ops = vec![Op::SetRunbook(kept)];
    ops.extend(note.map(|content| {
        Op::OpenEvent(NewTimelineEvent {
            id: TimelineEventId::new(),
            stage_id: None,
            execution_id: None,
            kind: TimelineKind::Error,
            status: TimelineStatus::Completed,
            content,
            metadata: None,
        })
    }));
    owner.commit(ops).await?;
    Ok(session)
}
