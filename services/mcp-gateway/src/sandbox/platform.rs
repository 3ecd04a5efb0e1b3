//! What the machine provides to confine tool servers.

use nix::unistd::Uid;

use super::domain::{self, Domain};
use super::plan::Confinement;

/// What the machine provides to confine tool servers, for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform {
    /// What Landlock keeps from a tool server.
    pub landlock: &'static str,
    pub has_landlock: bool,
    /// Whether tool servers can run as other users.
    pub can_change_user: bool,
}

impl Platform {
    /// Finds out on a thread that it gives up: a domain binds the thread that enters it, and cannot be left.
    pub fn detect() -> Self {
        let confinement = Confinement::Processes { hidden: Vec::new() };
        let trial = std::thread::spawn(move || domain::enter(&confinement).ok().flatten());
        let domain = trial.join().ok().flatten();
        let landlock = match domain {
            Some(Domain::Signals | Domain::Files) => {
                "other processes, signals to them, TARSY_HOME, other files where configured"
            }
            Some(Domain::Processes) => {
                "other processes, mounts, TARSY_HOME, other files where configured"
            }
            None => {
                "nothing: the kernel has no Landlock (Linux 5.19 and later have it), so that a tool server can read \
                 TARSY_HOME with the token of the start, and decide in your place"
            }
        };
        Self {
            landlock,
            has_landlock: domain.is_some(),
            can_change_user: Uid::effective().is_root(),
        }
    }
}

/// Logs what keeps tool servers from the rest of the machine.
pub(crate) fn report_platform() {
    let Platform { landlock, has_landlock, can_change_user } = Platform::detect();
    if has_landlock {
        tracing::info!(landlock, can_change_user, "tool servers are confined");
    } else {
        tracing::warn!(
            landlock,
            can_change_user,
            "tool servers can read what their user can read: other programs of this user, and their files"
        );
    }
}
