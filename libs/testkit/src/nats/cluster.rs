//! Three nats-servers that replicate what they store.

use anyhow::Context as _;
use tarsy_bus::Bus;
use tarsy_embedded::{Nats, NatsMember, NatsOptions};
use tempfile::TempDir;

use super::new_folder;
use crate::connection::connect_replicated;

/// Of the one user that all members know.
const PASSWORD: &str = "the-password-of-all-members";

/// A cluster of embedded servers, each of which the test may stop, kill and restart.
#[derive(Debug)]
pub struct TestNatsCluster {
    servers: Vec<Nats>,
    folders: Vec<TempDir>,
}

impl TestNatsCluster {
    /// How many servers there are, of which one may fail.
    pub const MEMBERS: usize = 3;

    /// Starts the members; a leader may not be elected yet.
    pub async fn start() -> anyhow::Result<Self> {
        let mut cluster = Self { servers: Vec::new(), folders: Vec::new() };
        let access = format!("authorization {{ user: tarsy, password: \"{PASSWORD}\" }}\n");
        for member in NatsMember::cluster(Self::MEMBERS)? {
            let folder = new_folder()?;
            let options = NatsOptions {
                program: crate::programs()?.nats_server,
                folder: folder.path().to_owned(),
                port: None,
                durable: false,
                access: Some(access.clone()),
                member: Some(member),
                temporary: true,
            };
            cluster.servers.push(Nats::start(options).await?);
            cluster.folders.push(folder);
        }
        Ok(cluster)
    }

    /// The addresses of all members, with commas between.
    pub fn url(&self) -> String {
        let urls = self.servers.iter().map(|server| server.url_of("tarsy", PASSWORD));
        urls.collect::<Vec<_>>().join(",")
    }

    /// Connects to any member, and waits until the connection is open. What this bus provisions is kept by so many.
    pub async fn connect(
        &self,
        service: &'static str,
        instance: &str,
        replicas: usize,
    ) -> anyhow::Result<Bus> {
        connect_replicated(&self.url(), service, instance, replicas).await
    }

    /// A member, by its place.
    pub fn server(&mut self, place: usize) -> anyhow::Result<&mut Nats> {
        self.servers.get_mut(place).context("the cluster has no such member")
    }
}

impl Drop for TestNatsCluster {
    fn drop(&mut self) {
        for (server, folder) in self.servers.iter().zip(self.folders.drain(..)) {
            crate::remove_folder(Some(folder), server.pid().is_some());
        }
    }
}
