//! Process settings: addresses, sizes and secrets, read once from the environment.

mod described;
mod llm;
mod reader;

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use tarsy_bus::BusSecurity;
use tarsy_llm::Endpoint;
use tarsy_telemetry::LogFormat;
use url::Url;

pub use self::described::ProcessSetting;
use self::reader::Reader;

/// The variables of ours that exist; another `TARSY_…` is a mistake that is named.
const KNOWN: [&str; 32] = [
    "TARSY_DEBUGGABLE",
    "TARSY_INSECURE",
    "TARSY_HTTP_ADDR",
    "TARSY_ADMIN_ADDR",
    "TARSY_CONFIG_DIR",
    "TARSY_DASHBOARD_DIR",
    "TARSY_RELAY_URL",
    "TARSY_TOOL_SERVERS_URL",
    "TARSY_RELAY_TOKEN",
    "TARSY_RELAY_TOKEN_FILE",
    "TARSY_HOST_INSPECTOR",
    "TARSY_TRUSTED_PROXIES",
    "TARSY_DATABASE_CONNECTIONS",
    "TARSY_MAX_CONNECTIONS",
    "TARSY_MAX_CONNECTIONS_PER_ADDRESS",
    "TARSY_INSTANCE",
    "TARSY_GRACE_SECONDS",
    "TARSY_MCP_CAPACITY",
    "TARSY_MCP_SERVER_TOKEN",
    "TARSY_MCP_SERVER_TOKEN_FILE",
    "TARSY_MCP_SPARES",
    "TARSY_INTAKE_SOURCE",
    "TARSY_URL",
    "TARSY_TOKEN",
    "TARSY_SKILLS_TOKEN",
    "TARSY_IMPORT_AUTHORIZATION",
    "TARSY_HOME",
    "TARSY_TOKEN_KEYS",
    "TARSY_LOCAL_TOKEN",
    "TARSY_LOCAL_TOKEN_FILE",
    "TARSY_PUBLISHED_ADDR",
    "TARSY_HIDDEN_PATHS",
];

/// The process's settings, from its environment.
#[derive(Clone)]
pub struct Settings {
    /// PostgreSQL; from `DATABASE_URL`.
    pub database_url: String,
    /// Connections to it; from `TARSY_DATABASE_CONNECTIONS`, default 16.
    pub database_connections: u32,
    /// NATS; from `NATS_URL`, default `nats://127.0.0.1:4222`.
    pub nats_url: String,
    /// How NATS and this process identify each other, beside a user and a password in the URL; from `NATS_CREDS`,
    /// `NATS_NKEY`, `NATS_CA`, and `NATS_CERT` with `NATS_KEY`.
    pub nats_security: BusSecurity,
    /// How many servers of a NATS cluster keep each stream and bucket: 1, 3 or 5; from `NATS_REPLICAS`, default 1.
    pub nats_replicas: usize,
    /// llm-service; from `LLM_SERVICE_ADDR`, one address or several with commas between, default
    /// `http://127.0.0.1:50051`, `LLM_SERVICE_TOKEN` or
    /// `LLM_SERVICE_TOKEN_FILE`, and `LLM_SERVICE_TLS_CA`, `_CERT` and `_KEY`.
    pub llm_service: Endpoint,
    /// How fast the offline analyst sends its text, in tokens per second; from `OFFLINE_TOKENS_PER_SECOND`, default 0
    /// for at once.
    pub offline_tokens_per_second: u32,
    /// Where this process serves HTTP; from `TARSY_HTTP_ADDR`, default `127.0.0.1:8080`.
    pub http_addr: SocketAddr,
    /// Where others reach it, if that is not `http_addr`: the published port of a container; from `TARSY_PUBLISHED_ADDR`.
    pub published_addr: Option<SocketAddr>,
    /// What a sender shows to decide something in mode `local`; from `TARSY_LOCAL_TOKEN` or `TARSY_LOCAL_TOKEN_FILE`,
    /// 32 characters or more. Without it nobody decides in that mode.
    pub local_token: Option<String>,
    /// Folders and files that stdio tool servers do not reach; from `TARSY_HIDDEN_PATHS`, with colons between.
    pub hidden_paths: Vec<PathBuf>,
    /// Where it serves health and metrics; from `TARSY_ADMIN_ADDR`, none serves them nowhere.
    pub admin_addr: Option<SocketAddr>,
    /// The folder of `tarsy.yaml`; from `TARSY_CONFIG_DIR`, default `deploy/config`, of a package `~/.config/tarsy`.
    pub config_dir: Option<PathBuf>,
    /// The built dashboard; from `TARSY_DASHBOARD_DIR`, default `dashboard/dist` or that of the package.
    pub dashboard_dir: Option<PathBuf>,
    /// A stream-relay that api-gateway passes `WebSockets` on to; from `TARSY_RELAY_URL`.
    pub relay_url: Option<Url>,
    /// A process that runs the stdio servers for mcp-gateway (`serve --all`); from `TARSY_TOOL_SERVERS_URL`.
    pub tool_servers_url: Option<Url>,
    /// api-gateway, as kubernetes-watcher and the command line reach it; from `TARSY_URL`.
    pub url: Option<Url>,
    /// The alert source that kubernetes-watcher sends events of; from `TARSY_INTAKE_SOURCE`, default `kubernetes`.
    pub intake_source: String,
    /// The secret that api-gateway shows to stream-relay; from `TARSY_RELAY_TOKEN` or
    /// `TARSY_RELAY_TOKEN_FILE`, 32 characters or more.
    pub relay_token: Option<String>,
    /// The secret that mcp-gateway shows to stdio servers behind HTTP; from `TARSY_MCP_SERVER_TOKEN` or
    /// `TARSY_MCP_SERVER_TOKEN_FILE`, 32 characters or more.
    pub mcp_server_token: Option<String>,
    /// Program and arguments of the built-in `host` server; from `TARSY_HOST_INSPECTOR`, default
    /// the `tarsy-host-inspector` beside this program.
    pub host_inspector: Vec<String>,
    /// Proxies whose user headers are trusted; from `TARSY_TRUSTED_PROXIES`.
    pub trusted_proxies: Vec<IpNet>,
    /// Open connections of clients; from `TARSY_MAX_CONNECTIONS`; none is as many as the process may have, up to 10,000.
    pub max_connections: Option<usize>,
    /// Those of one address, which is not a trusted proxy's; from `TARSY_MAX_CONNECTIONS_PER_ADDRESS`, default 1000, 0
    /// for no limit.
    pub max_connections_per_address: usize,
    /// Accepts requests from other machines without identifying their sender; from `TARSY_INSECURE`, default false.
    pub insecure: bool,
    /// Lets debuggers, and every other program of the same user, read the memory and the environment of this
    /// process; from `TARSY_DEBUGGABLE`, default false.
    pub debuggable: bool,
    /// The id of this instance of the service; from `TARSY_INSTANCE`, default host name and process id.
    pub instance: String,
    /// How long work may go on after a stop was asked for; from `TARSY_GRACE_SECONDS`, default 30.
    pub grace: Duration,
    /// Leases that a gateway takes at once, and sessions of a served stdio server; from `TARSY_MCP_CAPACITY`, default
    /// 64.
    pub mcp_capacity: usize,
    /// How many unused sessions the MCP gateway keeps ready for each subprocess server in use; from
    /// `TARSY_MCP_SPARES`, default 1.
    pub mcp_spares: usize,
    /// Which log lines are written; from `RUST_LOG`, or `LOG_LEVEL`, default `info`.
    pub log_filter: String,
    /// How they look; from `LOG_FORMAT`: json or pretty.
    pub log_format: LogFormat,
    /// Where spans go; from `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub otlp_endpoint: Option<String>,
    /// Whether spans carry the arguments and the masked results of tool calls; from
    /// `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`, default false.
    pub capture_content: bool,
    /// The keys that tokens of tool servers are sealed with, the first for new ones; from
    /// `TARSY_TOKEN_KEYS`.
    pub token_keys: Vec<[u8; 32]>,
    environment: BTreeMap<String, String>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // URLs of servers carry passwords, and the environment carries keys.
        f.debug_struct("Settings")
            .field("database_url", &hidden(&self.database_url))
            .field("nats_url", &hidden(&self.nats_url))
            .field("nats_security", &self.nats_security)
            .field("llm_service", &self.llm_service)
            .field("offline_tokens_per_second", &self.offline_tokens_per_second)
            .field("http_addr", &self.http_addr)
            .field("admin_addr", &self.admin_addr)
            .field("config_dir", &self.config_dir)
            .field("dashboard_dir", &self.dashboard_dir)
            .field("relay_url", &self.relay_url.as_ref().map(Url::as_str))
            .field("tool_servers_url", &self.tool_servers_url.as_ref().map(Url::as_str))
            .field("url", &self.url.as_ref().map(Url::as_str))
            .field("intake_source", &self.intake_source)
            .field("host_inspector", &self.host_inspector)
            .field("trusted_proxies", &self.trusted_proxies)
            .field("database_connections", &self.database_connections)
            .field("max_connections", &self.max_connections)
            .field("max_connections_per_address", &self.max_connections_per_address)
            .field("insecure", &self.insecure)
            .field("debuggable", &self.debuggable)
            .field("instance", &self.instance)
            .field("grace", &self.grace)
            .field("mcp_capacity", &self.mcp_capacity)
            .field("mcp_spares", &self.mcp_spares)
            .finish_non_exhaustive()
    }
}

/// Everything that is wrong with the environment, at once.
#[derive(Clone, Debug)]
pub struct Problems(Vec<String>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for Problems {}

impl Settings {
    /// Reads the environment of this process.
    pub fn from_env() -> Result<Self, Problems> {
        Self::from_map(std::env::vars().collect())
    }

    /// Reads settings from these variables.
    pub fn from_map(environment: BTreeMap<String, String>) -> Result<Self, Problems> {
        let mut reader = Reader { environment: &environment, problems: Vec::new() };
        reader.refuse_unknown(&KNOWN);
        let settings = Self {
            database_url: reader.text("DATABASE_URL").unwrap_or_default(),
            database_connections: reader
                .parse("TARSY_DATABASE_CONNECTIONS", "a number")
                .unwrap_or(16),
            nats_url: reader.text("NATS_URL").unwrap_or_else(|| "nats://127.0.0.1:4222".to_owned()),
            nats_security: reader.nats_security(),
            nats_replicas: reader.nats_replicas(),
            llm_service: llm::read(&mut reader),
            offline_tokens_per_second: reader
                .parse("OFFLINE_TOKENS_PER_SECOND", "a whole number")
                .unwrap_or(0),
            http_addr: reader
                .parse("TARSY_HTTP_ADDR", "an address such as 0.0.0.0:8080")
                .unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8080))),
            published_addr: reader
                .parse("TARSY_PUBLISHED_ADDR", "an address such as 127.0.0.1:8080"),
            local_token: reader.shared_secret("TARSY_LOCAL_TOKEN"),
            hidden_paths: reader.paths("TARSY_HIDDEN_PATHS"),
            admin_addr: reader.parse("TARSY_ADMIN_ADDR", "an address such as 0.0.0.0:9090"),
            config_dir: reader.config_dir(),
            dashboard_dir: reader.dashboard_dir(),
            relay_url: reader.parse("TARSY_RELAY_URL", "a URL such as http://stream-relay:8081"),
            tool_servers_url: reader
                .parse("TARSY_TOOL_SERVERS_URL", "a URL such as http://tool-servers:8080"),
            url: reader.parse("TARSY_URL", "a URL such as http://api-gateway:8080"),
            intake_source: reader.text("TARSY_INTAKE_SOURCE").unwrap_or_else(kubernetes),
            relay_token: reader.shared_secret("TARSY_RELAY_TOKEN"),
            mcp_server_token: reader.shared_secret("TARSY_MCP_SERVER_TOKEN"),
            host_inspector: host_inspector(&reader),
            trusted_proxies: reader.networks("TARSY_TRUSTED_PROXIES"),
            max_connections: reader.parse("TARSY_MAX_CONNECTIONS", "a number of connections"),
            max_connections_per_address: reader
                .parse("TARSY_MAX_CONNECTIONS_PER_ADDRESS", "a number of connections, or 0")
                .unwrap_or(1_000),
            insecure: reader.switch("TARSY_INSECURE"),
            debuggable: reader.switch("TARSY_DEBUGGABLE"),
            instance: reader.text("TARSY_INSTANCE").unwrap_or_else(|| instance(&environment)),
            grace: Duration::from_secs(
                reader.parse("TARSY_GRACE_SECONDS", "a number of seconds").unwrap_or(30),
            ),
            mcp_capacity: reader.parse("TARSY_MCP_CAPACITY", "a number of leases").unwrap_or(64),
            mcp_spares: reader.parse("TARSY_MCP_SPARES", "a number of sessions").unwrap_or(1),
            log_filter: log_filter(&reader),
            log_format: reader.log_format("LOG_FORMAT"),
            otlp_endpoint: reader.text("OTEL_EXPORTER_OTLP_ENDPOINT"),
            capture_content: reader.switch("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"),
            token_keys: reader.keys("TARSY_TOKEN_KEYS"),
            environment: BTreeMap::new(),
        };
        let problems = reader.problems;
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        Ok(Self { environment, ..settings })
    }

    /// All variables of the environment, for `{{.NAME}}` in configuration files and for the checks
    /// whether a provider's key is set.
    pub fn environment(&self) -> &BTreeMap<String, String> {
        &self.environment
    }
}

/// The alert source of kubernetes-watcher, if none is named.
fn kubernetes() -> String {
    "kubernetes".to_owned()
}

fn log_filter(reader: &Reader<'_>) -> String {
    let level = || reader.text("LOG_LEVEL").map(|level| quiet(&level.to_lowercase()));
    reader.text("RUST_LOG").or_else(level).unwrap_or_else(|| quiet("info"))
}

fn host_inspector(reader: &Reader<'_>) -> Vec<String> {
    let words = |text: String| text.split_whitespace().map(str::to_owned).collect();
    reader.text("TARSY_HOST_INSPECTOR").map_or_else(beside_this_program, words)
}

/// A level for everything but the libraries that would write down tool results and statements.
fn quiet(level: &str) -> String {
    format!("{level},rmcp=warn,sqlx=warn,async_nats=warn,h2=warn,hyper=warn")
}

fn beside_this_program() -> Vec<String> {
    let program = std::env::current_exe()
        .ok()
        .and_then(|path| Some(path.parent()?.join("tarsy-host-inspector")))
        .unwrap_or_else(|| PathBuf::from("tarsy-host-inspector"));
    vec![program.display().to_string()]
}

fn instance(environment: &BTreeMap<String, String>) -> String {
    let host = environment.get("HOSTNAME").cloned().unwrap_or_else(|| {
        std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default()
    });
    let safe: String = host
        .trim()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    format!("{safe}-{}", std::process::id())
}

/// Addresses, with commas between, without what they prove themselves by.
fn hidden(urls: &str) -> String {
    urls.split(',').map(hidden_one).collect::<Vec<_>>().join(",")
}

/// An address without what it proves itself by: a password, NATS's token (a user without a password),
/// and what stands after the question mark, where PostgreSQL takes a password, too.
fn hidden_one(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(url) else { return "hidden".to_owned() };
    let cut = if parsed.password().is_some() {
        parsed.set_password(Some("hidden"))
    } else if !parsed.username().is_empty() && !parsed.scheme().starts_with("postgres") {
        parsed.set_username("hidden")
    } else {
        Ok(())
    };
    if cut.is_err() {
        return "hidden".to_owned();
    }
    if parsed.query().is_some_and(|query| query.contains("password")) {
        parsed.set_query(Some("hidden"));
    }
    parsed.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> Result<Settings, Problems> {
        Settings::from_map(
            pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect(),
        )
    }

    #[test]
    fn every_problem_of_the_environment_is_named_at_once() {
        let problems = settings(&[
            ("TARSY_HTTP_ADDR", "everywhere"),
            ("TARSY_HTPP_ADDR", "0.0.0.0:80"),
            ("LOG_FORMAT", "xml"),
        ])
        .unwrap_err()
        .to_string();
        for word in ["TARSY_HTTP_ADDR", "0.0.0.0:8080", "TARSY_HTPP_ADDR", "json or pretty"] {
            assert!(problems.contains(word), "{problems}");
        }
    }

    #[test]
    fn every_setting_that_is_documented_is_taken() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operating.md");
        let page = std::fs::read_to_string(page).unwrap();
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `TARSY_"));
        let named: Vec<String> = rows
            .filter_map(|row| row.split_once('`'))
            .map(|(name, _)| format!("TARSY_{name}"))
            .filter(|name| !name.contains(['*', '<', '…']))
            .collect();
        assert!(named.len() > 10, "{named:?}");
        let unknown: Vec<&String> =
            named.iter().filter(|name| !KNOWN.contains(&name.as_str())).collect();
        assert_eq!(unknown, Vec::<&String>::new());
        let spares = settings(&[("TARSY_MCP_SPARES", "3")]).unwrap();
        assert_eq!(spares.mcp_spares, 3);
    }

    #[test]
    fn passwords_do_not_show() {
        let settings = settings(&[
            ("DATABASE_URL", "postgres://tarsy:s3cret@db/tarsy"),
            ("OPENAI_API_KEY", "sk-verysecret"),
        ])
        .unwrap();
        let shown = format!("{settings:?}");
        assert!(!shown.contains("s3cret") && !shown.contains("verysecret"), "{shown}");
        assert!(shown.contains("postgres://tarsy:hidden@db/tarsy"), "{shown}");
        for (address, shown) in [
            ("nats://s3cret@bus:4222", "nats://hidden@bus:4222"),
            ("nats://tarsy:s3cret@bus:4222", "nats://tarsy:hidden@bus:4222"),
            (
                "postgres://tarsy@db/tarsy?sslmode=require",
                "postgres://tarsy@db/tarsy?sslmode=require",
            ),
            ("postgres://tarsy@db/tarsy?password=s3cret", "postgres://tarsy@db/tarsy?hidden"),
            ("nats://a:s3cret@b,nats://s3cret@d", "nats://a:hidden@b,nats://hidden@d"),
            ("postgres://tarsy:s3,cret@db/tarsy", "hidden,hidden"),
        ] {
            assert_eq!(hidden(address), shown);
        }
    }

    #[test]
    fn keys_are_read_and_a_wrong_one_is_not_printed() {
        let (first, second) = ("0f".repeat(32), "A0".repeat(32));
        let read = settings(&[("TARSY_TOKEN_KEYS", &format!("{first}, {second}"))]).unwrap();
        assert_eq!(read.token_keys, [[15; 32], [160; 32]]);
        assert!(!format!("{read:?}").contains("15, 15"));
        for wrong in ["0f", &format!("+f{}", "0f".repeat(31)), &"zz".repeat(32)] {
            let problems = settings(&[("TARSY_TOKEN_KEYS", wrong)]).unwrap_err().to_string();
            assert!(problems.contains("openssl rand") && !problems.contains(wrong), "{problems}");
        }
    }

    #[test]
    fn what_nats_is_identified_by_is_read_and_half_of_it_is_a_problem() {
        let read = settings(&[("NATS_NKEY", "/seed"), ("NATS_CA", "/ca.pem")]).unwrap();
        assert_eq!(read.nats_security.nkey, Some(PathBuf::from("/seed")));
        assert_eq!(read.nats_security.authorities, Some(PathBuf::from("/ca.pem")));
        let both = [("NATS_NKEY", "/seed"), ("NATS_CREDS", "/creds"), ("NATS_CERT", "/cert")];
        let problems = settings(&both).unwrap_err().to_string();
        assert!(problems.contains("NATS_KEY") && problems.contains("exclude"), "{problems}");
    }

    #[test]
    fn addresses_and_networks_are_read() {
        let settings = settings(&[("TARSY_TRUSTED_PROXIES", "10.0.0.0/8, 127.0.0.1")]).unwrap();
        assert_eq!(settings.trusted_proxies.len(), 2);
    }
}
