//! Ports that this process was given, reserved among all processes of ours on the machine: each is the name of a
//! socket in the abstract namespace, which the kernel frees when the process ends, however it ends.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::sync::{Mutex, PoisonError};

/// Held until the process ends.
static HELD: Mutex<Vec<UnixListener>> = Mutex::new(Vec::new());

/// Reserves a port; false if a process has it already.
pub(crate) fn of_port(port: u16) -> bool {
    let name = SocketAddr::from_abstract_name(format!("tarsy-port-{port}"));
    match name.and_then(|name| UnixListener::bind_addr(&name)) {
        Ok(listener) => {
            HELD.lock().unwrap_or_else(PoisonError::into_inner).push(listener);
            true
        }
        // Where sockets cannot be named, the look at the port has to do.
        Err(error) => error.kind() != std::io::ErrorKind::AddrInUse,
    }
}
