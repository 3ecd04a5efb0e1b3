//! Inspectors of nodes: `tarsy-mcp-gateway serve host`, as pods run it, at addresses of this machine.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reqwest::StatusCode;
use rmcp::service::ClientLifecycleMode;
use tarsy_testkit::eventually;
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::client::Inspector;

pub(crate) const TOKEN: &str = "a-token-of-the-inspectors-that-is-long-enough";

/// The inspector of a node. It runs until it is dropped.
pub(crate) struct NodeInspector {
    process: Child,
    address: String,
    _folder: TempDir,
}

/// The program beside the one that is tested.
fn gateway() -> PathBuf {
    let inspector = Path::new(env!("CARGO_BIN_EXE_tarsy-host-inspector"));
    let program = inspector.with_file_name("tarsy-mcp-gateway");
    assert!(program.exists(), "build it first: cargo build --workspace");
    program
}

/// An address of this machine with a free port.
pub(crate) fn free(host: &str) -> String {
    let listener = std::net::TcpListener::bind((host, 0)).expect("a port");
    listener.local_addr().expect("its address").to_string()
}

pub(crate) fn url(address: &str) -> String {
    format!("http://{address}/mcp")
}

impl NodeInspector {
    /// Starts the inspector of a node with this name and this address of its own.
    pub(crate) async fn start(address: &str, name: &str, node_address: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let process = Command::new(gateway())
            .args(["serve", "host"])
            .current_dir(folder.path())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("TARSY_HTTP_ADDR", address)
            .env("TARSY_MCP_SERVER_TOKEN", TOKEN)
            .env("TARSY_HOST_INSPECTOR", env!("CARGO_BIN_EXE_tarsy-host-inspector"))
            .env("HOST_INSPECTOR_NODE_NAME", name)
            .env("HOST_INSPECTOR_NODE_ADDRESS", node_address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("a process");
        let inspector = Self { process, address: address.to_owned(), _folder: folder };
        eventually("the inspector serves", async || inspector.status(TOKEN).await.is_ok()).await;
        inspector
    }

    pub(crate) fn url(&self) -> String {
        url(&self.address)
    }

    /// What the place with its node answers.
    pub(crate) async fn status(&self, token: &str) -> reqwest::Result<(StatusCode, String)> {
        let place = format!("http://{}/node", self.address);
        let answer = reqwest::Client::new().get(place).bearer_auth(token).send().await?;
        Ok((answer.status(), answer.text().await?))
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = self.process.id().and_then(|id| i32::try_from(id).ok()).expect("it runs");
        kill(Pid::from_raw(pid), signal).expect("a signal");
    }

    /// The processes of its sessions.
    pub(crate) fn sessions(&self) -> usize {
        let parent = format!("PPid:\t{}\n", self.process.id().expect("it runs"));
        let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
        let is_session = |process: &std::fs::DirEntry| {
            let status = std::fs::read_to_string(process.path().join("status"));
            let status = status.unwrap_or_default();
            status.contains(&parent) && status.starts_with("Name:\ttarsy-host-insp")
        };
        processes.filter(is_session).count()
    }

    pub(crate) async fn end(mut self) {
        self.process.kill().await.expect("it runs");
    }
}

/// A router of calls to the inspectors at these URLs.
pub(crate) async fn router(urls: &[String], token: &str) -> anyhow::Result<Inspector> {
    let urls = urls.join(", ");
    let variables =
        [("HOST_INSPECTOR_NODES", urls.as_str()), ("HOST_INSPECTOR_NODES_TOKEN", token)];
    Inspector::start_with(&variables, ClientLifecycleMode::Initialize).await
}
