//! A bus, a gateway with some servers, and a toolbox.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_bus::{Bus, BusOptions};
use tarsy_catalog::{Catalog, Env, Source, Sources};
use tarsy_domain::clock::SystemClock;
use tarsy_domain::id::{CallId, ExecutionId, SessionId};
use tarsy_mcp_gateway::{Gateway, Parts, Timing, Vault};
use tarsy_testkit::TestNats;
use tarsy_tools::{
    BusToolbox, CallResult, OpenToolbox, ServerGrant, ToolCallRequest, ToolError, ToolLease,
    Toolbox,
};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// How long tests wait for what must happen.
pub(crate) const SOON: Duration = Duration::from_mins(1);

pub(crate) struct World {
    pub(crate) nats: TestNats,
    pub(crate) bus: Bus,
    pub(crate) gateway: Gateway,
    pub(crate) toolbox: BusToolbox,
    pub(crate) folder: TempDir,
}

/// How a world differs from the usual one.
pub(crate) struct GatewayOptions {
    /// Servers beside `peer`, as YAML entries; `{folder}` is the world's.
    pub(crate) servers: String,
    pub(crate) capacity: usize,
    pub(crate) spares: usize,
    pub(crate) timing: Timing,
    pub(crate) vault: Option<Vault>,
}

impl Default for GatewayOptions {
    fn default() -> Self {
        Self {
            servers: String::new(),
            capacity: 8,
            spares: 0,
            timing: Timing::default(),
            vault: None,
        }
    }
}

impl World {
    pub(crate) async fn start() -> Self {
        Self::with(GatewayOptions::default()).await
    }

    /// A world with a server `peer` over standard streams; the built-in servers are put out of use.
    pub(crate) async fn with(options: GatewayOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let nats = TestNats::start().await.unwrap();
        let bus = connect(nats.url(), "mcp-gateway", "gateway-1").await;
        bus.provision().await.unwrap();
        let gateway = launch(&bus, &folder, &options);
        let toolbox = BusToolbox::new(connect(nats.url(), "orchestrator", "orchestrator-1").await);
        Self { nats, bus, gateway, toolbox, folder }
    }

    pub(crate) async fn lease(&self, servers: &[&str]) -> Box<dyn ToolLease> {
        self.open(servers).await.unwrap()
    }

    pub(crate) async fn open(&self, servers: &[&str]) -> Result<Box<dyn ToolLease>, ToolError> {
        open(&self.toolbox, servers, SOON).await
    }

    /// A file in the world's folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) async fn drain(&self) {
        self.gateway.drain(Duration::ZERO, CancellationToken::new()).await;
    }
}

pub(crate) async fn open(
    toolbox: &BusToolbox,
    servers: &[&str],
    timeout: Duration,
) -> Result<Box<dyn ToolLease>, ToolError> {
    let grant = |server: &&str| ServerGrant { server: (*server).to_owned(), tools: None };
    let request = OpenToolbox {
        session_id: SessionId::new(),
        execution_id: ExecutionId::new(),
        servers: servers.iter().map(grant).collect(),
        timeout,
    };
    toolbox.open(request).await
}

pub(crate) async fn connect(url: &str, service: &'static str, instance: &str) -> Bus {
    let options = BusOptions {
        url: url.to_owned(),
        service,
        instance: instance.to_owned(),
        credentials: None,
    };
    let bus = Bus::connect(options).await.unwrap();
    let mut connection = bus.connection();
    tokio::time::timeout(SOON, connection.wait_for(|state| state.connected))
        .await
        .unwrap()
        .unwrap();
    bus
}

pub(crate) fn launch(bus: &Bus, folder: &TempDir, options: &GatewayOptions) -> Gateway {
    let program = peer();
    let text = format!(
        r#"
mcp_servers:
  kubernetes-server:
    transport: {{type: stdio, command: "/bin/false"}}
  host:
    transport: {{type: stdio, command: "/bin/false"}}
  peer:
    transport:
      type: stdio
      command: "{}"
      args: ["{}"]
      env: {{PEER_TOKEN: "own-token-of-the-peer", PEER_HOME: "/srv/peer"}}
      inherit_env: [NAMED]
{}"#,
        program.display(),
        folder.path().display(),
        options.servers.replace("{folder}", &folder.path().display().to_string()),
    );
    let source = Source { name: "tarsy.yaml".to_owned(), text };
    let sources = Sources { tarsy: Some(source), providers: None };
    let env = Env::empty().without_llm_credentials().without_slack_token();
    let catalog = Catalog::load(sources, &env).unwrap();
    let ours = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", "/tmp"),
        ("LC_ALL", "C"),
        ("NAMED", "inherited by name"),
        ("DATABASE_URL", "postgres://tarsy:not-for-servers@db/tarsy"),
        ("OPENAI_API_KEY", "sk-not-for-servers"),
    ];
    Gateway::launch(Parts {
        bus: bus.clone(),
        catalog: Arc::new(catalog),
        environment: BTreeMap::from(ours.map(|(name, value)| (name.to_owned(), value.to_owned()))),
        host_inspector: Vec::new(),
        capacity: options.capacity,
        spares: options.spares,
        vault: options.vault.clone(),
        clock: Arc::new(SystemClock),
        timing: options.timing,
    })
}

/// The example that is built beside this test.
pub(crate) fn peer() -> PathBuf {
    example("peer")
}

pub(crate) fn example(name: &str) -> PathBuf {
    let this = std::env::current_exe().unwrap();
    let built = this.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(
        built.exists(),
        "build the examples first: cargo build -p tarsy-mcp-gateway --examples"
    );
    built
}

#[expect(clippy::needless_pass_by_value, reason = "calls read better with values")]
pub(crate) fn call(name: &str, arguments: Value) -> ToolCallRequest {
    ToolCallRequest {
        call_id: CallId::new(),
        name: name.to_owned(),
        arguments: arguments.to_string(),
        display: None,
    }
}

pub(crate) async fn ask(lease: &dyn ToolLease, name: &str, arguments: Value) -> CallResult {
    lease.call(call(name, arguments), SOON).await.unwrap()
}

/// Whether a process lives; one that only waits to be taken note of does not.
pub(crate) fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// The processes whose command line names this folder.
pub(crate) fn processes(folder: &TempDir) -> usize {
    pids(folder).len()
}

pub(crate) fn pids(folder: &TempDir) -> Vec<i32> {
    let marker = folder.path().display().to_string();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let ours = entries.filter(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&marker)
    });
    ours.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The arguments of a `peer.counter` that notes itself in `file` and answers once `end` is there.
pub(crate) fn counts_until(file: &Path, end: &Path) -> Value {
    json!({"file": file, "ms": 300_000, "until": end})
}

/// How many calls have noted themselves in a file.
pub(crate) fn lines(file: &Path) -> usize {
    std::fs::read_to_string(file).map_or(0, |text| text.lines().count())
}

/// Waits until something holds, looking again and again: for what nobody announces.
pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let looking = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    };
    assert!(tokio::time::timeout(SOON, looking).await.is_ok(), "{what} never came true");
}
