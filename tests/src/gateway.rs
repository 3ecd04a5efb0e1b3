//! A tool gateway as a process of its own, on a bus of its own, as agents use it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use tarsy_bus::{Bus, BusOptions, BusSecurity};
use tarsy_domain::id::{CallId, ExecutionId, SessionId};
use tarsy_embedded::{Child, Spec};
use tarsy_testkit::TestNats;
use tarsy_tools::{
    BusToolbox, CallResult, Caller, OpenToolbox, ServerGrant, ToolCallRequest, ToolLease,
    Toolbox as _,
};
use tempfile::TempDir;
use tokio::sync::Mutex;

/// How long a server may take to start on a busy machine.
const START: Duration = Duration::from_mins(3);
/// How long a call may take.
const CALL: Duration = Duration::from_mins(1);

/// A running gateway. Dropping it ends its process and its bus.
pub struct Gateway {
    toolbox: BusToolbox,
    bus: Bus,
    process: Mutex<Child>,
    _nats: TestNats,
    folder: TempDir,
}

impl Gateway {
    /// Starts a gateway with these servers (YAML below `mcp_servers`), in a folder that may have been
    /// filled before. The built-in servers are put out of use.
    pub async fn start(folder: TempDir, servers: &str) -> anyhow::Result<Self> {
        Self::start_with(folder, servers, Vec::new()).await
    }

    /// The same with further variables for its process.
    pub async fn start_with(
        folder: TempDir,
        servers: &str,
        variables: Vec<(String, String)>,
    ) -> anyhow::Result<Self> {
        let config = folder.path().join("config");
        std::fs::create_dir_all(&config)?;
        let out_of_use =
            "    transport: {type: stdio, command: /bin/false}\n    policy: {mode: allow_all}\n";
        std::fs::write(
            config.join("tarsy.yaml"),
            format!(
                "mcp_servers:\n  kubernetes-server:\n{out_of_use}  host:\n{out_of_use}{servers}"
            ),
        )?;
        let nats = TestNats::start().await?;
        let env = [
            ("NATS_URL", nats.url().to_owned()),
            ("TARSY_CONFIG_DIR", config.display().to_string()),
            ("TARSY_INSTANCE", "gateway-1".to_owned()),
            ("TARSY_MCP_CAPACITY", "64".to_owned()),
            ("TARSY_GRACE_SECONDS", "1".to_owned()),
            ("RUST_LOG", "info,rmcp=warn".to_owned()),
            ("RUST_BACKTRACE", "0".to_owned()),
        ];
        let env = env.map(|(name, value)| (name.to_owned(), value));
        let process = Child::start(&Spec {
            program: built("tarsy-mcp-gateway")?,
            args: Vec::new(),
            env: env.into_iter().chain(variables).collect(),
            log: folder.path().join("mcp-gateway.log"),
            user: None,
            remove: None,
        })
        .await?;
        let bus = Bus::connect(BusOptions {
            url: nats.url().to_owned(),
            service: "test",
            instance: "test-1".to_owned(),
            security: BusSecurity::default(),
            replicas: 1,
        })
        .await?;
        bus.connection().wait_for(|link| link.connected).await?;
        bus.provision().await?;
        Ok(Self {
            toolbox: BusToolbox::new(bus.clone()),
            bus,
            process: Mutex::new(process),
            _nats: nats,
            folder,
        })
    }

    pub const fn bus(&self) -> &Bus {
        &self.bus
    }

    /// Waits until the gateway's process has ended by itself; returns the end of its log.
    pub async fn ended(&self) -> String {
        let ended = self.process.lock().await.exited().await;
        let log = std::fs::read_to_string(self.folder().join("mcp-gateway.log"));
        let last = log.unwrap_or_default().lines().last().unwrap_or_default().to_owned();
        format!("{ended}: {last}")
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub async fn lease(&self, server: &str) -> anyhow::Result<Box<dyn ToolLease>> {
        let request = OpenToolbox {
            session_id: SessionId::new(),
            execution_id: ExecutionId::new(),
            servers: vec![ServerGrant { server: server.to_owned(), tools: None }],
            caller: Caller::default(),
            timeout: START,
        };
        let lease = self.toolbox.open(request).await.context("no lease")?;
        if let Some(failed) = lease.failed().first() {
            anyhow::bail!("{}: {}", failed.server, failed.error);
        }
        Ok(lease)
    }
}

pub async fn call(
    lease: &dyn ToolLease,
    tool: &str,
    arguments: &serde_json::Value,
) -> anyhow::Result<CallResult> {
    let request = ToolCallRequest {
        call_id: CallId::new(),
        name: tool.to_owned(),
        arguments: arguments.to_string(),
        display: None,
        permit: None,
    };
    Ok(lease.call(request, CALL).await?)
}

/// A program that is built beside this test.
pub fn built(name: &str) -> anyhow::Result<PathBuf> {
    let mut folder = std::env::current_exe()?.parent().context("no folder")?.to_owned();
    if folder.ends_with("deps") {
        folder.pop();
    }
    let program = folder.join(name);
    anyhow::ensure!(program.exists(), "{} is missing: build the workspace", program.display());
    Ok(program)
}
