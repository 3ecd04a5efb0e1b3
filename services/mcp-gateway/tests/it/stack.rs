//! A bus, a gateway with tool servers, and a toolbox.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_bus::Bus;
use tarsy_catalog::{Catalog, Env, PolicyMode, Source, Sources, ToolPolicy};
use tarsy_domain::clock::SystemClock;
use tarsy_domain::id::{CallId, ExecutionId, SessionId};
use tarsy_mcp_gateway::{Gateway, Parts, Records, StdioHost, Timing, Vault};
use tarsy_testkit::{TestNats, WAIT, a_tool_server, connect_bus};
use tarsy_tools::{
    BusToolbox, CallResult, Caller, OpenToolbox, ServerGrant, ToolCallRequest, ToolError,
    ToolLease, Toolbox,
};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

pub(crate) struct Stack {
    pub(crate) nats: TestNats,
    pub(crate) bus: Bus,
    pub(crate) gateway: Gateway,
    pub(crate) toolbox: BusToolbox,
    pub(crate) folder: TempDir,
}

/// What differs from the default.
pub(crate) struct GatewayOptions {
    /// Servers beside `peer`, as YAML entries; `{folder}` is the stack's folder.
    pub(crate) servers: String,
    /// Servers that count as coming with TARSy.
    pub(crate) builtin: &'static [&'static str],
    pub(crate) capacity: usize,
    pub(crate) spares: usize,
    pub(crate) timing: Timing,
    pub(crate) vault: Option<Vault>,
    pub(crate) records: Option<Records>,
    /// The built-in server `host` is the shipped one.
    pub(crate) builtin_host: bool,
    pub(crate) host_inspector: Vec<String>,
    /// Where its stdio servers run.
    pub(crate) stdio_host: Option<StdioHost>,
    /// What subprocesses do not reach.
    pub(crate) hidden_paths: Vec<PathBuf>,
    /// Variables of the gateway beside its usual ones.
    pub(crate) environment: Vec<(&'static str, String)>,
}

impl Default for GatewayOptions {
    fn default() -> Self {
        Self {
            servers: String::new(),
            builtin: &[],
            capacity: 8,
            spares: 0,
            // Checked servers run; most tests count those of leases.
            timing: Timing { check_delay: Duration::from_hours(1), ..Timing::default() },
            vault: None,
            records: None,
            builtin_host: false,
            host_inspector: Vec::new(),
            stdio_host: None,
            hidden_paths: Vec::new(),
            environment: Vec::new(),
        }
    }
}

impl Stack {
    pub(crate) async fn start() -> Self {
        Self::with(GatewayOptions::default()).await
    }

    /// With a server `peer` over standard streams; the programs of the built-in servers end at once.
    pub(crate) async fn with(options: GatewayOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let nats = TestNats::dedicated().await.unwrap();
        let bus = connect(nats.url(), "mcp-gateway", "gateway-1").await;
        bus.provision().await.unwrap();
        let gateway = launch(&bus, &folder, &options);
        let toolbox = BusToolbox::new(connect(nats.url(), "orchestrator", "orchestrator-1").await);
        Self { nats, bus, gateway, toolbox, folder }
    }

    pub(crate) async fn lease(&self, servers: &[&str]) -> Box<dyn ToolLease> {
        self.open(servers).await.unwrap()
    }

    /// A lease whose calls this caller writes.
    pub(crate) async fn lease_for(&self, servers: &[&str], caller: Caller) -> Box<dyn ToolLease> {
        let request = OpenToolbox { caller, ..request(servers, WAIT) };
        self.toolbox.open(request).await.unwrap()
    }

    pub(crate) async fn open(&self, servers: &[&str]) -> Result<Box<dyn ToolLease>, ToolError> {
        open(&self.toolbox, servers, WAIT).await
    }

    /// A file in the stack's folder.
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
    toolbox.open(request(servers, timeout)).await
}

fn request(servers: &[&str], timeout: Duration) -> OpenToolbox {
    let grant = |server: &&str| ServerGrant { server: (*server).to_owned(), tools: None };
    OpenToolbox {
        session_id: SessionId::new(),
        execution_id: ExecutionId::new(),
        servers: servers.iter().map(grant).collect(),
        caller: Caller::default(),
        timeout,
    }
}

pub(crate) async fn connect(url: &str, service: &'static str, instance: &str) -> Bus {
    connect_bus(url, service, instance).await.unwrap()
}

pub(crate) fn launch(bus: &Bus, folder: &TempDir, options: &GatewayOptions) -> Gateway {
    let home = folder.path().display().to_string();
    let peer = a_tool_server("peer")
        .program(&peer(), &[&home])
        .transport("env", json!({"PEER_TOKEN": "own-token-of-the-peer", "PEER_HOME": "/srv/peer"}))
        .transport("inherit_env", json!(["NAMED"]));
    let kubernetes =
        a_tool_server("kubernetes-server").transport("inherit_env", json!(["KUBECONFIG"]));
    let host = (!options.builtin_host).then(|| a_tool_server("host"));
    let unused: Vec<String> =
        std::iter::once(kubernetes).chain(host).map(|server| server.to_string()).collect();
    let others = options.servers.replace("{folder}", &home);
    let text = format!("mcp_servers:\n{}{peer}{others}", unused.concat());
    let source = Source { name: "tarsy.yaml".to_owned(), text };
    let sources = Sources { tarsy: Some(source), ..Sources::default() };
    let env = Env::empty().without_llm_credentials().without_slack_token();
    let mut catalog = Catalog::load(sources, &env).unwrap();
    // Every tool of a server whose entry says nothing runs: the tests of policies write one.
    for server in
        catalog.servers.values_mut().filter(|server| server.policy == ToolPolicy::default())
    {
        server.policy.mode = PolicyMode::AllowAll;
    }
    for server in options.builtin {
        catalog.servers.get_mut(*server).unwrap().builtin = true;
    }
    let ours = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", "/tmp"),
        ("LC_ALL", "C"),
        ("NAMED", "inherited by name"),
        ("DATABASE_URL", "postgres://tarsy:not-for-servers@db/tarsy"),
        ("OPENAI_API_KEY", "sk-not-for-servers"),
    ];
    let ours = ours.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter();
    let others =
        options.environment.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    Gateway::launch(Parts {
        bus: bus.clone(),
        catalog: Arc::new(catalog),
        environment: ours.chain(others).collect::<BTreeMap<_, _>>(),
        host_inspector: options.host_inspector.clone(),
        stdio_host: options.stdio_host.clone(),
        launcher: env!("CARGO_BIN_EXE_tarsy-mcp-gateway").into(),
        hidden_paths: options.hidden_paths.clone(),
        capacity: options.capacity,
        spares: options.spares,
        vault: options.vault.clone(),
        records: options.records.clone(),
        clock: Arc::new(SystemClock),
        timing: options.timing,
        capture_content: false,
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
        permit: None,
    }
}

pub(crate) async fn ask(lease: &dyn ToolLease, name: &str, arguments: Value) -> CallResult {
    lease.call(call(name, arguments), WAIT).await.unwrap()
}

/// Whether a process runs; a zombie does not.
pub(crate) fn is_running(pid: &str) -> bool {
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

/// The arguments of a `peer.counter` that adds a line to `file` and answers once `end` exists.
pub(crate) fn counts_until(file: &Path, end: &Path) -> Value {
    json!({"file": file, "ms": 300_000, "until": end})
}

/// How many calls have added a line to a file.
pub(crate) fn lines(file: &Path) -> usize {
    std::fs::read_to_string(file).map_or(0, |text| text.lines().count())
}
