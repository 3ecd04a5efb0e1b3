//! What a request of a source was.

use url::Url;

use crate::alert::Alert;
use crate::change::Change;
use crate::dependency::Dependency;

/// What a request was.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// Alerts, at least one.
    Alerts(Group),
    /// Changes, at least one; no alert comes of them.
    Changes(Vec<Change>),
    /// What depends on what; no alert comes of it.
    Dependencies(Vec<Dependency>),
    /// The source asks whether its messages are wanted; whoever wants them opens the address.
    Confirm(Confirmation),
    /// Nothing that an alert is made of.
    Ignored(Ignored),
}

/// The alerts of one request.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The source's id of the delivery, the same at each attempt, if it sends one.
    pub delivery_id: Option<String>,
    pub alerts: Vec<Alert>,
    /// How many more alerts the source left out.
    pub left_out: u64,
}

impl Group {
    pub(crate) const fn of(alerts: Vec<Alert>) -> Self {
        Self { delivery_id: None, alerts, left_out: 0 }
    }
}

/// The confirmation of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// The address to open; its host is one of the source's.
    pub url: Url,
    /// What was subscribed to.
    pub topic: String,
}

/// Why a request has no alerts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// A test of the connection.
    Ping,
    /// An event of this type, which changes no alert.
    Event(String),
    /// A group without alerts.
    Empty,
}
