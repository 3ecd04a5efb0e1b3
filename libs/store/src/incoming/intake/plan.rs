//! What becomes of the alerts of a request, one after the other: the first one of a group may begin the session that the
//! others belong to.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use tarsy_domain::id::{IntakeAlertId, SessionId};
use tarsy_intake::{Action, Alert, Decision, SessionState, Status, StoredSession, decide};

use super::new::{NewAlert, NewAlerts};

/// What is stored about the alerts of a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) fingerprints: BTreeMap<String, OfFingerprint>,
    pub(super) groups: BTreeMap<String, OfGroup>,
    /// How many alerts of a session still fire; read only if an alert is resolved.
    pub(super) firing: BTreeMap<SessionId, u32>,
    pub(super) tokens_used_up: bool,
}

/// What is stored about the alerts with one fingerprint.
#[derive(Clone, Debug, Default)]
pub(super) struct OfFingerprint {
    /// The newest of them.
    pub(super) newest: Option<Newest>,
    /// The session of the newest one that has one.
    pub(super) session: Option<OfSession>,
    /// Of the newest one in that session.
    pub(super) starts_at: Option<Timestamp>,
    pub(super) source_id: Option<String>,
    pub(super) fires: bool,
    pub(super) changes: Vec<Timestamp>,
    pub(super) sessions_today: u32,
}

/// The newest row of a fingerprint.
#[derive(Clone, Debug)]
pub(super) struct Newest {
    pub(super) id: IntakeAlertId,
    pub(super) status: Status,
    pub(super) starts_at: Option<Timestamp>,
    pub(super) source_id: Option<String>,
    pub(super) action: String,
    pub(super) session: Option<SessionId>,
    /// It waits until then.
    pub(super) hold_until: Option<Timestamp>,
}

#[derive(Clone, Debug)]
pub(super) struct OfSession {
    pub(super) id: SessionId,
    pub(super) state: SessionState,
    pub(super) created_at: Timestamp,
}

/// What is stored about a group.
#[derive(Clone, Debug, Default)]
pub(super) struct OfGroup {
    pub(super) session: Option<OfSession>,
    /// Alerts that were attached in the last minute.
    pub(super) attached: u32,
}

/// What becomes of the alerts of a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Planned {
    /// In the order of the alerts.
    pub(super) steps: Vec<Step>,
    pub(super) opened: Vec<Opening>,
    pub(super) stopped: BTreeSet<SessionId>,
}

/// A session that begins.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    pub(super) session: SessionId,
    /// The alerts that its text has, by their places in the request.
    pub(super) alerts: Vec<usize>,
}

/// What becomes of one alert.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) id: IntakeAlertId,
    pub(super) decision: Decision,
    pub(super) session: Option<SessionId>,
    /// The row says already what is decided: it is counted there.
    pub(super) repeats: Option<IntakeAlertId>,
    /// The text of the session that begins with this request has it.
    pub(super) in_session_text: bool,
}

impl Step {
    /// Whether the timeline of its session shows it.
    pub(super) fn is_shown(&self) -> bool {
        let shown = matches!(
            self.decision.action,
            Action::Attach { .. } | Action::Resolve { .. } | Action::Stop { .. }
        );
        shown && self.repeats.is_none() && !self.in_session_text
    }
}

pub(super) fn plan(mut known: Known, new: &NewAlerts, now: Timestamp) -> Planned {
    let mut planned = Planned::default();
    for (place, alert) in new.alerts.iter().enumerate() {
        let step = step(&known, alert, now);
        let step = match step.decision.action {
            Action::Open => begin(&mut planned, step, place),
            _ => join(&mut planned, step, place),
        };
        known.note(alert, &step, now);
        planned.steps.push(step);
    }
    planned
}

fn begin(planned: &mut Planned, step: Step, place: usize) -> Step {
    let session = SessionId::new();
    planned.opened.push(Opening { session, alerts: vec![place] });
    Step { session: Some(session), in_session_text: true, ..step }
}

/// An alert that belongs to a session which begins with this request is part of the session's text.
fn join(planned: &mut Planned, step: Step, place: usize) -> Step {
    let opening = planned.opened.iter_mut().find(|opening| step.session == Some(opening.session));
    let Some(opening) = opening else {
        if let (Action::Stop { .. }, Some(session)) = (&step.decision.action, step.session) {
            planned.stopped.insert(session);
        }
        return step;
    };
    if step.repeats.is_none() {
        opening.alerts.push(place);
    }
    Step { in_session_text: true, ..step }
}

fn step(known: &Known, new: &NewAlert, now: Timestamp) -> Step {
    let nothing = OfFingerprint::default();
    let of = known.fingerprints.get(&new.alert.fingerprint).unwrap_or(&nothing);
    let decision = decide(&new.policy, &known.of(of, new), &new.alert, now);
    let session = decision.action.session().and_then(|id| id.parse().ok());
    let repeats = of
        .newest
        .as_ref()
        .filter(|newest| new.held.is_none() && newest.fits(&new.alert, &decision, session, now));
    Step {
        id: IntakeAlertId::new(),
        session,
        repeats: repeats.map(|newest| newest.id),
        in_session_text: false,
        decision,
    }
}

impl Newest {
    /// Whether the row says what is decided about this alert.
    fn fits(
        &self,
        alert: &Alert,
        decision: &Decision,
        session: Option<SessionId>,
        now: Timestamp,
    ) -> bool {
        let is_same = self.status == alert.status
            && self.starts_at == alert.starts_at
            && self.source_id == alert.source_id;
        is_same
            && match decision.action {
                Action::Open => false,
                Action::Hold { .. } => self.hold_until.is_some_and(|until| until > now),
                Action::Ignore => self.action == decision.action.as_str(),
                _ => self.session == session,
            }
    }
}

impl Known {
    fn of(&self, of: &OfFingerprint, new: &NewAlert) -> tarsy_intake::Known {
        let group = new.group.as_ref().and_then(|key| self.groups.get(key));
        let stored = |session: &OfSession, of: Option<&OfFingerprint>| StoredSession {
            id: session.id.to_string(),
            state: session.state,
            created_at: session.created_at,
            starts_at: of.and_then(|of| of.starts_at),
            source_id: of.and_then(|of| of.source_id.clone()),
            others_firing: self
                .firing
                .get(&session.id)
                .map_or(0, |firing| firing.saturating_sub(of.map_or(0, |of| u32::from(of.fires)))),
        };
        tarsy_intake::Known {
            same_alert: of.session.as_ref().map(|session| stored(session, Some(of))),
            same_group: group
                .and_then(|group| group.session.as_ref())
                .map(|session| stored(session, None)),
            changes: of.changes.clone(),
            sessions_today: of.sessions_today,
            attached_last_minute: group.map_or(0, |group| group.attached),
            tokens_used_up: self.tokens_used_up,
        }
    }

    /// Takes the step as if it were stored, for the alerts after it.
    fn note(&mut self, new: &NewAlert, step: &Step, now: Timestamp) {
        let alert = &new.alert;
        let opened = (step.decision.action == Action::Open).then_some(SessionState::Pending);
        let stopped = matches!(step.decision.action, Action::Stop { .. });
        let fires = alert.status != Status::Resolved;
        let group = new.group.as_ref().map(|key| self.groups.entry(key.clone()).or_default());
        let of = self.fingerprints.entry(alert.fingerprint.clone()).or_default();
        let group_session = group.as_ref().and_then(|group| group.session.clone());
        let of_step = step.session.map(|id| match (opened, &of.session, group_session) {
            (Some(state), ..) => OfSession { id, state, created_at: now },
            (None, Some(session), _) if session.id == id => session.clone(),
            (None, _, Some(session)) if session.id == id => session,
            (None, ..) => OfSession { id, state: SessionState::Running, created_at: now },
        });
        if let Some(mut session) = of_step {
            if stopped {
                session.state = SessionState::Finished;
            }
            let was_firing = of.fires && of.session.as_ref().is_some_and(|of| of.id == session.id);
            let firing = self.firing.entry(session.id).or_default();
            match (was_firing, fires) {
                (false, true) => *firing += 1,
                (true, false) => *firing = firing.saturating_sub(1),
                _ => {}
            }
            if let Some(group) = group {
                let is_attached = matches!(step.decision.action, Action::Attach { .. });
                group.attached += u32::from(is_attached && step.is_shown());
                group.session = Some(session.clone());
            }
            of.starts_at = alert.starts_at;
            of.source_id.clone_from(&alert.source_id);
            of.fires = fires;
            of.session = Some(session);
        }
        if opened.is_some() {
            of.sessions_today += 1;
        }
        if step.repeats.is_none() {
            if alert.status != Status::Acknowledged {
                of.changes.insert(0, now);
            }
            of.newest = Some(Newest {
                id: step.id,
                status: alert.status,
                starts_at: alert.starts_at,
                source_id: alert.source_id.clone(),
                action: step.decision.action.as_str().to_owned(),
                session: step.session,
                hold_until: match step.decision.action {
                    Action::Hold { until } => Some(until),
                    _ => None,
                },
            });
        }
    }
}
