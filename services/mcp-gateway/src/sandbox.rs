//! What the subprocess of a tool server may do on the machine.
//!
//! The gateway starts its own program again with a [`Plan`]. That process, the launcher, gives its rights
//! up and then becomes the server: the process id, the streams and the environment stay the same. The
//! kernel keeps what was given up from the server and from everything that it starts.

mod domain;
mod launcher;
mod mounts;
mod places;
mod plan;
mod platform;
mod rights;

pub use launcher::launch_if_asked;
pub(crate) use launcher::{LAUNCH, find_program};
pub(crate) use plan::Plan;
pub use platform::Platform;
pub(crate) use platform::report_platform;

/// The program of this process, even after its file was replaced: the launcher of tool servers.
pub(crate) const OWN_PROGRAM: &str = "/proc/self/exe";
