//! A network namespace with one link into it, whose packets the kernel can drop: what connects through it sees neither
//! an end nor a reset, as when a host is lost. Needs root.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

use anyhow::{Context as _, ensure};
use nix::sched::{CloneFlags, setns};
use tokio::net::TcpListener;
use tokio::process::Command;

/// Where `ip netns` keeps the namespaces it made.
const NAMESPACES: &str = "/run/netns";
/// The network for benchmarks of RFC 2544, which no real host has: 32,768 pairs of addresses.
const FIRST_ADDRESS: u32 = u32::from_be_bytes([198, 18, 0, 0]);
const PAIRS: u32 = 32_768;

/// The namespace. Dropping it deletes it.
#[derive(Debug)]
pub struct TestNetwork {
    namespace: String,
    /// The end of the link on our side.
    outside: String,
    /// The end of the link within.
    inside: String,
    /// The address within.
    address: Ipv4Addr,
}

impl TestNetwork {
    /// Makes a namespace of its own for this process; an error where the machine does not allow it.
    pub async fn create() -> anyhow::Result<Self> {
        let id = std::process::id();
        let base = FIRST_ADDRESS + (id % PAIRS) * 4;
        let [here, there] = [1, 2].map(|host| Ipv4Addr::from(base + host));
        let network = Self {
            namespace: format!("tarsy-{id}"),
            outside: format!("tarsy-o{id}"),
            inside: format!("tarsy-i{id}"),
            address: there,
        };
        let Self { namespace, outside, inside, .. } = &network;
        ip(&format!("netns add {namespace}")).await?;
        ip(&format!("link add {outside} type veth peer name {inside} netns {namespace}")).await?;
        ip(&format!("addr add {here}/30 dev {outside}")).await?;
        ip(&format!("-n {namespace} addr add {there}/30 dev {inside}")).await?;
        ip(&format!("-n {namespace} link set {inside} up")).await?;
        ip(&format!("link set {outside} up")).await?;
        // Without it the kernel would report after three seconds that nobody has the address.
        let hardware = format!("-n {namespace} -br link show dev {inside}");
        let hardware = ip(&hardware).await?;
        let hardware = hardware.split_whitespace().nth(2).context("the link has no address")?;
        ip(&format!("neigh replace {there} lladdr {hardware} dev {outside} nud permanent")).await?;
        Ok(network)
    }

    /// A listener within the namespace, which this process serves.
    pub fn listener(&self) -> anyhow::Result<TcpListener> {
        let namespace = Path::new(NAMESPACES).join(&self.namespace);
        let address = SocketAddr::from((self.address, 0));
        let listen = move || -> anyhow::Result<std::net::TcpListener> {
            // Only this thread enters the namespace, and it ends here.
            setns(std::fs::File::open(namespace)?, CloneFlags::CLONE_NEWNET)?;
            let listener = std::net::TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        };
        let listener = std::thread::spawn(listen).join();
        let listener =
            listener.map_err(|_| anyhow::anyhow!("the thread of a listener failed"))??;
        Ok(TcpListener::from_std(listener)?)
    }

    /// Drops every packet, in both directions.
    pub async fn cut(&self) -> anyhow::Result<()> {
        ip(&format!("-n {} link set {} down", self.namespace, self.inside)).await.map(drop)
    }

    /// Lets packets pass again.
    pub async fn restore(&self) -> anyhow::Result<()> {
        ip(&format!("-n {} link set {} up", self.namespace, self.inside)).await.map(drop)
    }
}

impl Drop for TestNetwork {
    fn drop(&mut self) {
        // The namespace itself lives until its last socket is closed; the link goes at once.
        for arguments in [["link", "del", &self.outside], ["netns", "del", &self.namespace]] {
            drop(std::process::Command::new("ip").args(arguments).output());
        }
    }
}

async fn ip(arguments: &str) -> anyhow::Result<String> {
    let output = Command::new("ip").args(arguments.split(' ')).output().await?;
    ensure!(
        output.status.success(),
        "ip {arguments}: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(String::from_utf8(output.stdout)?)
}
