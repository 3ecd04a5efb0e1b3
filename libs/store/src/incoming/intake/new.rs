//! Alerts of a request, and what became of them.

use std::sync::Arc;

use tarsy_contracts::event::Committed;
use tarsy_domain::id::{IntakeAlertId, SessionId};
use tarsy_intake::{Alert, Decision, Policy};

use crate::encode;

/// The alerts of one request of a source.
#[derive(Clone, Debug)]
pub struct NewAlerts {
    /// The source's name.
    pub source: String,
    pub alerts: Vec<NewAlert>,
    /// The most sessions that may wait for a worker; none is no limit.
    pub pending_sessions: Option<u32>,
    /// The tokens of models for today are used up: an alert that would begin a session waits.
    pub tokens_used_up: bool,
}

/// An alert that is decided about.
#[derive(Clone, Debug)]
pub struct NewAlert {
    /// Masked, but for its keys.
    pub alert: Alert,
    /// What the alerts of its group have in common.
    pub group: Option<String>,
    pub policy: Arc<Policy>,
    pub alert_type: String,
    /// The chain that would investigate it.
    pub chain_id: String,
    /// The rule that gave it its type.
    pub rule: Option<String>,
    pub runbook_url: Option<String>,
    /// It was held, and its time has come.
    pub held: Option<IntakeAlertId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntakeOutcome {
    pub decision: Decision,
    /// The session that it began or belongs to.
    pub session_id: Option<SessionId>,
    /// The source sent it again.
    pub is_repeat: bool,
}

/// What became of the alerts of one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceivedAlerts {
    /// In the order of the alerts.
    pub outcomes: Vec<IntakeOutcome>,
    pub opened: Vec<SessionId>,
    pub stopped: Vec<SessionId>,
    pub events: Vec<Committed>,
}

impl NewAlert {
    /// Takes out what PostgreSQL has no place for.
    pub(super) fn clean(&mut self) {
        let alert = &mut self.alert;
        for text in [&mut alert.title, &mut alert.fingerprint, &mut alert.source] {
            encode::clean(text);
        }
        for text in [
            &mut alert.source_id,
            &mut alert.severity,
            &mut alert.service,
            &mut alert.namespace,
            &mut alert.cluster,
            &mut alert.group_key,
            &mut self.group,
            &mut self.runbook_url,
        ] {
            encode::clean_maybe(text);
        }
        for link in &mut alert.links {
            encode::clean(&mut link.title);
            encode::clean(&mut link.url);
        }
        encode::clean_json(&mut alert.raw);
        alert.notes.iter_mut().for_each(encode::clean);
        for map in [&mut alert.labels, &mut alert.annotations] {
            *map = std::mem::take(map)
                .into_iter()
                .map(|(mut name, mut value)| {
                    encode::clean(&mut name);
                    encode::clean(&mut value);
                    (name, value)
                })
                .collect();
        }
    }
}
