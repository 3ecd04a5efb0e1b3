//! The runtime of every service: settings, logs, signals, tasks, health and shutdown; the publisher of
//! committed events; and what workers share: heartbeats, cancels and live streams.
//!
//! It knows nothing of alerts, chains or tools.

mod cancels;
mod clock;
mod compute;
mod context;
mod control;
mod health;
mod heartbeat;
pub mod installation;
mod internal_address;
mod lease;
mod listeners;
mod live;
mod model_queue;
mod protect;
mod provisioner;
mod publisher;
mod reload;
mod reload_requests;
mod run;
mod serve;
mod settings;
mod stops;
mod version;
mod warning;

pub use cancels::subscribe_cancels;
pub use compute::compute;
pub use context::ServiceContext;
pub use health::{Health, Part};
pub use heartbeat::Heartbeat;
pub use internal_address::InternalAddress;
pub use lease::{
    Lease, LeaseState, LeaseTerms, LeasedWork, PollInterval, Runner, RunningWork, StopReason,
    StopSignal,
};
pub use live::{LiveStream, LiveStreams};
pub use model_queue::{ModelQueue, ModelTurn, Place, Waiting};
pub use protect::protect;
pub use provisioner::{provision, start_provisioner, start_provisioner_with};
pub use publisher::Publisher;
pub use reload::{Hangups, Requester, requested, retire, succeed};
pub use reload_requests::ReloadRequests;
pub use run::{BusNeed, Check, connect_bus, connect_store, main, run, telemetry};
pub use serve::{admin_router, server_limits};
pub use settings::{Problems, ProcessSetting, Settings};
pub use stops::Stops;
pub use version::VERSION;
pub use warning::set_warning;
