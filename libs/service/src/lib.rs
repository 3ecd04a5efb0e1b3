//! The shell around every service: settings, logs, signals, tasks, health, shutdown, and the
//! publisher that takes committed events to the bus, and the texts that viewers see grow.
//!
//! It starts and ends things; it knows nothing of alerts, chains or tools.

mod cancels;
mod events;
mod health;
mod live;
mod presence;
mod run;
mod serve;
mod settings;
mod shell;

pub use cancels::hear_cancels;
pub use events::Publisher;
pub use health::{Health, Part};
pub use live::{LiveText, LiveTexts};
pub use presence::{Presence, announce};
pub use run::{connect_bus, connect_store, main, telemetry};
pub use serve::admin_router;
pub use settings::{Problems, Settings};
pub use shell::Shell;
