//! What every handler and task of this service shares.

use std::ops::Deref;
use std::sync::Arc;

use tarsy_bus::Bus;
use tarsy_catalog::Catalog;
use tarsy_domain::clock::Clock;
use tarsy_runbooks::Runbooks;
use tarsy_service::{Health, ProcessSetting, Publisher, ServiceContext, Settings};
use tarsy_store::Store;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access::{AuditLog, Authenticator};
use crate::configuration::Configuration;
use crate::intake::outcome::KeyedOutcomes;
use crate::masking::AlertMasker;
use crate::messengers::Messengers;
use crate::notices::Notices;
use crate::open_sockets::OpenSockets;
use crate::slack::SlackApp;
use crate::sources::{Capacity, Certificates, Refused};
use crate::workers::WorkerPool;

/// The [parts](AppParts) that are shared; cheap to clone, which the router does several times for each request.
#[derive(Clone)]
pub(crate) struct AppState(Arc<AppParts>);

impl Deref for AppState {
    type Target = AppParts;

    fn deref(&self) -> &AppParts {
        &self.0
    }
}

pub(crate) struct AppParts {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    pub(crate) publisher: Publisher,
    pub(crate) configuration: Configuration,
    pub(crate) masker: Arc<AlertMasker>,
    pub(crate) runbooks: Runbooks,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) health: Health,
    pub(crate) workers: Arc<WorkerPool>,
    pub(crate) notices: Notices,
    pub(crate) keyed_outcomes: Arc<KeyedOutcomes>,
    pub(crate) alert_slots: Arc<Semaphore>,
    pub(crate) socket_slots: Arc<Semaphore>,
    pub(crate) sockets: TaskTracker,
    pub(crate) open_sockets: OpenSockets,
    pub(crate) stopping: CancellationToken,
    /// For tasks that outlive their request.
    pub(crate) service: ServiceContext,
    pub(crate) authenticator: Arc<Authenticator>,
    pub(crate) audit: AuditLog,
    /// The app of Slack whose buttons decide, if one is configured.
    pub(crate) slack: Option<Arc<SlackApp>>,
    pub(crate) messengers: Messengers,
    /// Those that the service was started with.
    pub(crate) settings: Settings,
    /// The settings of the process, as people read them.
    pub(crate) process: Arc<[ProcessSetting]>,
    pub(crate) certificates: Certificates,
    /// Capacity for large bodies of alert sources.
    pub(crate) capacity: Capacity,
    pub(crate) refused: Refused,
    /// Accepts requests from other machines in mode `local`.
    pub(crate) insecure: bool,
}

impl AppState {
    pub(crate) fn new(parts: AppParts) -> Self {
        Self(Arc::new(parts))
    }

    /// The configuration as it is now.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        self.configuration.get()
    }

    /// Whether the last health check reached the database. During an outage this spares each alert the wait for a
    /// connection; an alert that is queued because of a stale check is stored a moment later.
    pub(crate) fn database_is_up(&self) -> bool {
        self.health.parts().get("database").is_none_or(|part| part.healthy)
    }
}
