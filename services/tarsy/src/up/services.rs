//! The services: all in this process, or one process each.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use anyhow::Context as _;
use futures::future::select_all;
use nix::sys::signal::Signal;
use tarsy_contracts::permissions::PROVISIONER;
use tarsy_embedded::{Child, Spec, free_port};
use tarsy_service::{BusNeed, Requester, ServiceContext, Settings};
use tarsy_store::secret;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::parts::Parts;
use crate::home::Home;

const START: Duration = Duration::from_mins(1);

pub(crate) enum Services {
    /// In this process.
    Together {
        service: ServiceContext,
        /// How long work may go on once a successor took the place.
        grace: Duration,
        address: SocketAddr,
        port: u16,
        /// Flushes logs and spans when it is dropped.
        _telemetry: tarsy_telemetry::Guard,
    },
    /// One process each.
    Split {
        /// Of this process, which hears requests to reload.
        service: ServiceContext,
        children: Vec<(String, Child)>,
        port: u16,
    },
}

/// Services in this process whose place was taken.
pub(crate) struct Predecessor {
    service: ServiceContext,
    grace: Duration,
}

/// The file with the token of the start, which is for api-gateway alone.
fn local_token_file(home: &Home) -> (&'static str, String) {
    ("TARSY_LOCAL_TOKEN_FILE", home.local_token_path().display().to_string())
}

/// Starts all services in this process, on one port.
pub(crate) async fn together(
    home: &Home,
    environment: &BTreeMap<String, String>,
    address: SocketAddr,
) -> anyhow::Result<Services> {
    let settings = settings_together(home, environment, address)?;
    let guard = tarsy_service::telemetry("all-in-one", &settings)?;
    let service = ServiceContext::with_metrics(guard.metrics())
        .with_server_limits(tarsy_service::server_limits(&settings)?);
    let grace = settings.grace;
    let port = begin(settings, &service, address).await?;
    Ok(Services::Together { service, grace, address, port, _telemetry: guard })
}

fn settings_together(
    home: &Home,
    environment: &BTreeMap<String, String>,
    address: SocketAddr,
) -> anyhow::Result<Settings> {
    let mut environment = environment.clone();
    let (name, file) = local_token_file(home);
    environment.insert(name.to_owned(), file);
    environment.insert("TARSY_HTTP_ADDR".to_owned(), address.to_string());
    environment.entry("RUST_LOG".to_owned()).or_insert_with(|| "warn,rmcp=error".to_owned());
    environment.entry("LOG_FORMAT".to_owned()).or_insert_with(|| "pretty".to_owned());
    let program = std::env::current_exe()?.display().to_string();
    environment
        .entry("TARSY_HOST_INSPECTOR".to_owned())
        .or_insert_with(|| format!("{program} host-inspector"));
    Ok(Settings::from_map(environment)?)
}

/// Starts all services in this process; returns the port that they serve.
async fn begin(
    mut settings: Settings,
    service: &ServiceContext,
    address: SocketAddr,
) -> anyhow::Result<u16> {
    settings.instance = service.instance(&settings.instance);
    if let Some(admin) = settings.admin_addr {
        service.serve_http("admin", admin, tarsy_service::admin_router(service)).await?;
    }
    tarsy_service::start_provisioner(settings.clone(), service.clone()).await?;
    tarsy_mcp_gateway::start(settings.clone(), service.clone()).await?;
    tarsy_orchestrator::start(settings.clone(), service.clone()).await?;
    tarsy_summarizer::start(settings.clone(), service.clone()).await?;
    tarsy_notifier::start(settings.clone(), service.clone()).await?;
    let relay = tarsy_stream_relay::build(&settings, service).await?;
    let api = tarsy_api_gateway::build(&settings, service, Some(relay)).await?;
    Ok(service.serve_http("http", address, api).await?.port())
}

/// How services run that are processes of their own.
pub(crate) struct Split {
    pub(crate) address: SocketAddr,
    pub(crate) orchestrators: u8,
}

/// Starts every service as a process of its own; the keys of providers are not for them.
pub(crate) async fn split(
    home: &Home,
    environment: &BTreeMap<String, String>,
    keys: &BTreeSet<String>,
    Split { address, orchestrators }: Split,
) -> anyhow::Result<Services> {
    let mut port = address.port();
    if port == 0 {
        port = free_port()?;
    }
    let address = SocketAddr::new(address.ip(), port);
    let relay = SocketAddr::from(([127, 0, 0, 1], free_port()?));
    let relay_token = secret::random_text().context("the system has no randomness")?;
    let mut plan = vec![
        (PROVISIONER.name.to_owned(), PROVISIONER.name, None),
        ("mcp-gateway".to_owned(), "mcp-gateway", None),
        ("stream-relay".to_owned(), "stream-relay", Some(relay)),
        ("summarizer".to_owned(), "summarizer", None),
        ("api-gateway".to_owned(), "api-gateway", Some(address)),
        ("notifier".to_owned(), "notifier", None),
    ];
    for number in 1..=orchestrators {
        plan.push((format!("orchestrator-{number}"), "orchestrator", None));
    }
    let program = std::env::current_exe()?;
    let mut children = Vec::new();
    for (name, service, http) in plan {
        let known = environment.iter().filter(|(name, _)| !keys.contains(*name));
        let mut env: Vec<(String, String)> =
            known.map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut set = |name: &str, value: String| env.push((name.to_owned(), value));
        set("TARSY_INSTANCE", name.clone());
        set("TARSY_ADMIN_ADDR", format!("127.0.0.1:{}", free_port()?));
        set("TARSY_RELAY_URL", format!("http://{relay}"));
        set("TARSY_RELAY_TOKEN", relay_token.clone());
        if let Some(http) = http {
            set("TARSY_HTTP_ADDR", http.to_string());
        }
        if service == "api-gateway" {
            let (variable, file) = local_token_file(home);
            set(variable, file);
        }
        let child = Child::start(&Spec {
            program: program.clone(),
            args: arguments(service),
            env,
            log: home.at(&format!("logs/{name}.log")),
            user: None,
            remove: None,
        })
        .await?;
        children.push((name, child));
    }
    wait_until_ready(home, address, &mut children).await?;
    // It runs llm-service, and hears requests to reload for it.
    let service = ServiceContext::default();
    let settings = Settings::from_map(environment.clone())?;
    tarsy_service::connect_bus(&settings, &service, PROVISIONER.name, BusNeed::Optional).await?;
    Ok(Services::Split { service, children, port })
}

/// The arguments with which this program runs a service; the provisioner is a command of its own.
fn arguments(service: &str) -> Vec<String> {
    if service == PROVISIONER.name {
        return vec!["provision".to_owned()];
    }
    vec!["service".to_owned(), service.to_owned()]
}

async fn wait_until_ready(
    home: &Home,
    listens_at: SocketAddr,
    children: &mut [(String, Child)],
) -> anyhow::Result<()> {
    let deadline = Instant::now() + START;
    let url = format!("http://{}/readyz", reached_at(listens_at));
    loop {
        if reqwest::get(&url).await.is_ok_and(|answer| answer.status().is_success()) {
            return Ok(());
        }
        let ended = tokio::select! {
            name = first_end(children) => Some(name),
            () = sleep(Duration::from_millis(100)) => None,
        };
        let late = (Instant::now() > deadline).then(|| "api-gateway".to_owned());
        if let Some(name) = ended.or(late) {
            anyhow::bail!("{name} did not start; see {}", home.at("logs").display());
        }
    }
}

/// Where this machine reaches what listens at an address.
fn reached_at(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        other => other,
    };
    SocketAddr::new(ip, address.port())
}

async fn first_end(children: &mut [(String, Child)]) -> String {
    if children.is_empty() {
        return std::future::pending().await;
    }
    let ends = children.iter_mut().map(|(name, child)| {
        let name = name.clone();
        Box::pin(async move {
            child.exited().await;
            name
        })
    });
    select_all(ends).await.0
}

impl Services {
    /// The port of the dashboard and the API.
    pub(crate) fn port(&self) -> u16 {
        match self {
            Self::Together { port, .. } | Self::Split { port, .. } => *port,
        }
    }

    /// How they run, for the start's summary.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Together { .. } => {
                "api-gateway, orchestrator, mcp-gateway, stream-relay, summarizer, notifier: in this process"
            }
            Self::Split { .. } => "one process each",
        }
    }

    /// All processes, by name.
    pub(crate) fn processes(&self, parts: &Parts) -> Vec<(String, u32)> {
        let mut processes = parts.processes();
        match self {
            Self::Together { .. } => processes.push(("tarsy".to_owned(), std::process::id())),
            Self::Split { children, .. } => {
                processes.extend(children.iter().filter_map(|(name, child)| {
                    Some((name.clone(), u32::try_from(child.pid()).ok()?))
                }));
            }
        }
        processes
    }

    /// Resolves with the name of what ended by itself.
    pub(crate) async fn failed(&mut self) -> &'static str {
        match self {
            Self::Together { service, .. } => {
                service.stopping().cancelled_owned().await;
                "a service"
            }
            Self::Split { children, .. } => {
                let name = first_end(children).await;
                crate::output::problem(&format!("{name} ended unexpectedly"));
                // The remaining instances take over.
                children.retain(|(one, _)| *one != name);
                if children.is_empty() { "every service" } else { Box::pin(self.failed()).await }
            }
        }
    }

    /// Requests to start again, from the API.
    pub(crate) fn reload_requests(&self) -> watch::Receiver<String> {
        match self {
            Self::Together { service, .. } | Self::Split { service, .. } => {
                service.reloads().subscribe()
            }
        }
    }

    /// Whether they are processes of their own, with the environment of their start.
    pub(crate) fn are_split(&self) -> bool {
        matches!(self, Self::Split { .. })
    }

    /// Sends SIGHUP to services that are processes of their own, unless the API asked: then they heard it, too.
    pub(crate) fn hang_up(&self, requester: Requester) {
        if let (Self::Split { children, .. }, Requester::Signal) = (self, requester) {
            for (_, child) in children {
                child.signal(Signal::SIGHUP);
            }
        }
    }

    /// Starts successors of the services in this process, with this environment. Returns what they follow on, to
    /// [`Self::retire`]; none of processes of their own, which start again by themselves.
    pub(crate) async fn succeed(
        &mut self,
        home: &Home,
        environment: &BTreeMap<String, String>,
    ) -> anyhow::Result<Option<Predecessor>> {
        let Self::Together { service, address, grace, .. } = self else { return Ok(None) };
        let settings = settings_together(home, environment, *address)?;
        let (next_grace, address) = (settings.grace, *address);
        let successor = tarsy_service::succeed(service, |next| async move {
            begin(settings, &next, address).await.map(|_port| ())
        })
        .await?;
        Ok(Some(Predecessor {
            service: std::mem::replace(service, successor),
            grace: std::mem::replace(grace, next_grace),
        }))
    }

    /// Lets a predecessor end its work, and then runs `after`.
    pub(crate) fn retire(
        &self,
        predecessor: Option<Predecessor>,
        after: impl Future<Output = ()> + Send + 'static,
    ) {
        if let (Self::Together { service, .. }, Some(Predecessor { service: before, grace })) =
            (self, predecessor)
        {
            tarsy_service::retire(before, service, grace, after);
        }
    }

    /// Stops them in order.
    pub(crate) async fn stop(self, grace: Duration) -> anyhow::Result<()> {
        match self {
            Self::Together { service, .. } => service.drain(grace).await,
            Self::Split { service, children, .. } => {
                service.drain(grace).await?;
                let ends = children
                    .into_iter()
                    .map(|(_, child)| child.stop(grace + Duration::from_secs(10)));
                futures::future::join_all(ends).await;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_reached_at_an_address_of_its_own_family() {
        for (listens_at, reached) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:8080", "[::1]:8080"),
            ("[::1]:1", "[::1]:1"),
            ("[2001:db8::7]:8080", "[2001:db8::7]:8080"),
            ("10.0.0.7:8080", "10.0.0.7:8080"),
        ] {
            assert_eq!(reached_at(listens_at.parse().unwrap()).to_string(), reached);
        }
    }
}
