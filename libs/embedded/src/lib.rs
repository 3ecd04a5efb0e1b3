//! PostgreSQL and nats-server as child processes, for one machine and for tests.
//!
//! This crate finds the programs, starts them on loopback with limits, and makes sure that none outlives
//! its owner: each runs under a small shell that stops it as soon as the owner's pipe closes, also
//! after `kill -9`, and kills it if it does not stop. It knows nothing of what is stored or sent.

mod child;
mod files;
mod nats;
mod postgres;
mod programs;
mod reservation;

pub use child::{Child, Server, Spec};
pub use files::copy_owned;
pub use nats::{Nats, NatsMember, NatsOptions};
pub use postgres::{Postgres, PostgresOptions};
pub use programs::{MissingPrograms, Programs, SearchPath};

use std::net::TcpListener;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU16, Ordering};

/// Below the ports that the system gives to whoever wants any: between our look and the start of the
/// server that wants it, no other process is given one of these, and none of ours takes one that is reserved.
const PORTS: Range<u16> = 15_000..32_000;
/// The port that is looked at next: each is handed out once before all others were.
static NEXT: LazyLock<AtomicU16> = LazyLock::new(|| AtomicU16::new(rand::random_range(PORTS)));

/// Why an embedded server does not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder could not be prepared.
    #[error("could not prepare {path}")]
    Prepare {
        /// What was being prepared.
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// A program could not be started.
    #[error("could not start {program}")]
    Spawn {
        program: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// A program ended, or was not ready in time.
    #[error("{what} did not become ready; the end of its log:\n{log}")]
    NotReady {
        /// Which server.
        what: &'static str,
        /// The last lines of its log.
        log: String,
    },
    /// A program that prepares data failed.
    #[error("{what} failed: {output}")]
    Failed {
        /// Which program.
        what: &'static str,
        output: String,
    },
    /// No port was free.
    #[error("no free port on 127.0.0.1")]
    Port(#[source] std::io::Error),
}

/// A port on loopback that is free at this moment, and that no other process of ours is given while this one lives.
pub fn free_port() -> Result<u16, Error> {
    // Reserved first: the look takes the port for a moment, in which the server of another process may start.
    let is_free =
        |port: &u16| reservation::of_port(*port) && TcpListener::bind(("127.0.0.1", *port)).is_ok();
    if let Some(port) = PORTS.map(|_| next_port()).find(is_free) {
        return Ok(port);
    }
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(Error::Port)?;
    Ok(listener.local_addr().map_err(Error::Port)?.port())
}

fn next_port() -> u16 {
    let after = |port: u16| Some(if port + 1 < PORTS.end { port + 1 } else { PORTS.start });
    NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, after).unwrap_or(PORTS.start)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_port_is_free_and_handed_out_once() {
        let ports: HashSet<u16> = (0..100).map(|_| free_port().unwrap()).collect();
        assert_eq!(ports.len(), 100);
    }

    #[test]
    fn a_port_that_another_process_reserved_is_not_free() {
        let port = free_port().unwrap();
        // As another process would.
        assert!(!reservation::of_port(port));
        assert!(TcpListener::bind(("127.0.0.1", port)).is_ok(), "a server can have it");
    }
}
