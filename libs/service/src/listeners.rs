//! Listening sockets that a service shares with its successor, so that no client is refused in between.

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};

/// The listening sockets of a process; cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listeners {
    open: Arc<Mutex<BTreeMap<(&'static str, SocketAddr), TcpListener>>>,
}

impl Listeners {
    /// The socket of a listener at an address, which is opened unless it already is.
    pub(crate) async fn open(
        &self,
        name: &'static str,
        address: SocketAddr,
    ) -> io::Result<TcpListener> {
        let known = self
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&(name, address))
            .map(TcpListener::try_clone);
        if let Some(known) = known {
            return known;
        }
        let listener = tokio::net::TcpListener::bind(address).await?.into_std()?;
        let own = listener.try_clone()?;
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert((name, address), listener);
        Ok(own)
    }

    /// Closes them; connections are refused once nobody serves them any more.
    pub(crate) fn close(&self) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_socket_is_shared_until_all_are_closed() {
        let listeners = Listeners::default();
        let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
        let first = listeners.open("http", any_port).await.unwrap();
        let second = listeners.open("http", any_port).await.unwrap();
        let address = first.local_addr().unwrap();
        assert_eq!(second.local_addr().unwrap(), address);
        let other = listeners.open("admin", any_port).await.unwrap();
        assert_ne!(other.local_addr().unwrap(), address);

        drop((first, second));
        assert!(std::net::TcpStream::connect(address).is_ok(), "a successor may follow");
        listeners.close();
        assert!(std::net::TcpStream::connect(address).is_err());
    }
}
