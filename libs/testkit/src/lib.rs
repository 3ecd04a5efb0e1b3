//! Real servers and shared builders for tests.
//!
//! * [`TestStack`]: PostgreSQL, NATS, a migrated store and a connected bus.
//! * [`TestPg`], [`TestNats`]: one of the servers alone. Servers are looked for in this order: the URLs
//!   `TARSY_TEST_DATABASE_URL` and `TARSY_TEST_NATS_URL`, then Docker (feature `containers`), then the embedded
//!   programs. Every test gets a database of its own and, unless a URL is given, a nats-server of its own, so that an
//!   outage in one test does not disturb others.
//! * [`a_session`], [`a_tool_server`], [`Investigation`], [`a_failed_action`]: what tests put into them.
//! * [`TestIssuer`]: an issuer of OpenID Connect, over its wire protocol.
//! * [`slack_signature`], [`hmac_hex`], [`hmac_digest`]: what Slack and alert sources sign their requests with.
//! * [`TestAuthority`]: an authority that signs certificates.
//! * [`TestReverseProxy`]: a proxy that serves a server below a path.
//! * [`TestLink`]: a TCP proxy that delays or loses what passes.
//! * [`seed_sessions`], [`list_requests`]: a database of many sessions, and what is asked of it.
//! * [`eventually`], [`within`], [`poll`]: waiting for a state that no event announces; [`Seen`] is what was there instead.

mod actions;
mod authority;
mod connection;
#[cfg(feature = "containers")]
mod containers;
mod disk;
mod issuer;
mod killable;
mod link;
mod many_sessions;
mod nats;
mod postgres;
mod reverse_proxy;
mod score;
mod scratch;
mod selection;
mod session;
mod slack;
mod stack;
mod steps;
mod template;
mod tool_server;
mod verdict;
mod wait;

pub use actions::a_failed_action;
pub use authority::{TestAuthority, TestCertificate};
pub use connection::{connect_bus, connected};
pub use issuer::{CLIENT_ID, CLIENT_SECRET, Forgery, TestIssuer};
pub use killable::KillableService;
pub use link::TestLink;
pub use many_sessions::{ListRequest, RequestGroup, list_requests, seed_sessions};
pub use nats::{TestNats, TestNatsCluster};
pub use postgres::TestPg;
pub use reverse_proxy::{PathOfProxy, TestReverseProxy};
pub use score::{a_judgement, a_score_call, answer_score, begin_score};
pub use scratch::{disk_folder, scratch_folder};
pub use session::{NewTestSession, a_session};
pub use slack::{hmac_digest, hmac_hex, slack_signature};
pub use stack::TestStack;
pub use steps::Investigation;
pub use tarsy_embedded::{Programs, SearchPath, free_port};
pub use template::{migrate_by_copy, postgres_seed};
pub use tool_server::{NewToolServer, a_tool_server};
pub use verdict::{a_verdict, record_verdict};
pub use wait::{Seen, WAIT, eventually, poll, within};

use std::path::{Path, PathBuf};

use tempfile::TempDir;

pub fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// The embedded programs of this checkout.
pub fn programs() -> anyhow::Result<Programs> {
    let places = SearchPath {
        postgres_bin: variable("PG_BIN").map(PathBuf::from),
        nats_server: variable("NATS_SERVER_BIN").map(PathBuf::from),
        environments: vec![workspace().join(".tarsy/venv")],
    };
    Ok(Programs::find(&places)?)
}

/// Removes the folder of a stopped server. The wrapper of a running one removes the folder when the server ends.
pub(crate) fn remove_folder(folder: Option<TempDir>, server_runs: bool) {
    if let Some(folder) = folder.filter(|_| server_runs) {
        let _path = folder.keep();
    }
}

#[expect(clippy::disallowed_methods, reason = "tests have no settings but the environment")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
