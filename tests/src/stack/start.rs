//! Starting the product's processes.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context as _;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use serde_json::Value;
use tarsy_contracts::permissions::PROVISIONER;
use tarsy_domain::access::{Grant, Role};
use tarsy_embedded::{Spec, free_port};
use tarsy_store::{NewApiToken, Store, secret};
use tarsy_testkit::{CLIENT_SECRET, Seen, disk_folder, scratch_folder, seed_sessions};

use super::access::{Access, bus_user};
use super::links::{Backend, ServiceLinks};
use super::options::{INTAKE_SECRET, LLM_TOKEN, LOCAL_TOKEN, Links, Llm, Programs, StackOptions};
use super::program::program_path;
use super::servers::{Content, Servers};
use super::{Client, START, Stack, config};
use crate::model::Model;
use crate::network::TestNetwork;
use crate::posts::{Posts, SIGNING_SECRET, SLACK_TOKEN};

/// A service: its name, its program and its port.
type Planned = (String, &'static str, Option<u16>);

/// The name of the service that watches a cluster's events.
const KUBERNETES_WATCHER: &str = "kubernetes-watcher";
/// The program that has every service but that one.
const TARSY: &str = "tarsy";

impl Stack {
    /// Starts everything and waits until it serves.
    pub async fn start(options: StackOptions) -> anyhow::Result<Self> {
        let folder = if options.durable { disk_folder } else { scratch_folder }("tarsy-e2e-")?;
        std::fs::set_permissions(
            folder.path(),
            std::os::unix::fs::PermissionsExt::from_mode(0o755),
        )?;
        let access = options.least_privilege.then(Access::new);
        let servers =
            Servers::start(folder.path(), &options, access.as_ref(), Content::Schema).await?;
        if options.stored > 0 {
            seed_sessions(&servers.postgres.url("postgres"), options.stored).await?;
        }
        let network =
            if options.links == Links::Namespace { TestNetwork::create().await.ok() } else { None };
        let posts = match options.posts {
            Some((seed, failures)) => Some(Posts::start(seed, failures).await?),
            None => None,
        };
        let model = match &options.llm {
            Llm::Offline(_) => None,
            Llm::Scripted(script) => Some(Model::start(script.clone()).await?),
        };
        let http = free_port()?;
        let dashboard = format!("http://127.0.0.1:{http}");
        let receivers = config::Receivers {
            model: model.as_ref().map(Model::url),
            posts: posts.as_ref().map(|posts| posts.url().to_owned()),
            dashboard: dashboard.clone(),
        };
        config::write(folder.path(), &options, &receivers)?;
        let mut stack = Self {
            folder,
            servers,
            access,
            links: BTreeMap::new(),
            network,
            model,
            posts,
            llm_ports: Vec::new(),
            offline_pace: options.offline_pace(),
            entrances: vec![dashboard.clone()],
            services: BTreeMap::new(),
            admin_ports: BTreeMap::new(),
            specs: BTreeMap::new(),
            relay: String::new(),
            client: Client {
                url: dashboard,
                http: client(LOCAL_TOKEN)?,
                token: options.issuer.is_none().then_some(LOCAL_TOKEN),
            },
        };
        stack.start_llm_services(&options).await?;
        stack.start_services(&options, http).await?;
        Ok(stack)
    }

    /// The variables that all services share; the relay listens on this port.
    fn environment(&self, relay: u16) -> Vec<(&'static str, String)> {
        let mut env = vec![
            ("DATABASE_URL", self.database_url()),
            ("NATS_URL", self.nats_url()),
            ("NATS_REPLICAS", self.servers.replicas().to_string()),
            ("LLM_SERVICE_ADDR", self.llm_service().addresses.join(",")),
            ("LLM_SERVICE_TOKEN", LLM_TOKEN.to_owned()),
            ("OFFLINE_TOKENS_PER_SECOND", self.offline_pace.to_string()),
            ("TARSY_CONFIG_DIR", self.path("config").display().to_string()),
            ("TARSY_RELAY_URL", format!("http://127.0.0.1:{relay}")),
            ("TARSY_GRACE_SECONDS", "3".to_owned()),
            // The soak counts the descriptors of each process, which may be ours without being root.
            ("TARSY_DEBUGGABLE", "true".to_owned()),
            ("RUST_LOG", "info,rmcp=warn,sqlx=warn,async_nats=warn".to_owned()),
            ("RUST_BACKTRACE", "0".to_owned()),
        ];
        let dashboard = tarsy_testkit::workspace().join("dashboard/dist");
        env.push(("TARSY_DASHBOARD_DIR", dashboard.display().to_string()));
        env
    }

    /// The variables of one service beside those that all share.
    async fn own_environment(
        &mut self,
        name: &str,
        links: Links,
    ) -> anyhow::Result<Vec<(&'static str, String)>> {
        let mut env = vec![("TARSY_INSTANCE", name.to_owned())];
        if name.starts_with("api-gateway") {
            env.push(("INTAKE_SECRET", INTAKE_SECRET.to_owned()));
            env.push(("TARSY_LOCAL_TOKEN", LOCAL_TOKEN.to_owned()));
            env.push(("OIDC_SECRET", CLIENT_SECRET.to_owned()));
            env.push(("SLACK_SIGNING_SECRET", SIGNING_SECRET.to_owned()));
        }
        if name == KUBERNETES_WATCHER {
            env.push(("INTAKE_SECRET", INTAKE_SECRET.to_owned()));
            env.push(("KUBECONFIG", self.path("kubeconfig").display().to_string()));
            env.push(("TARSY_URL", self.client.url.clone()));
        }
        if name == "notifier" && self.posts.is_some() {
            env.push(("SLACK_BOT_TOKEN", SLACK_TOKEN.to_owned()));
            env.push(("HOOK_SECRET", "a secret to sign with".to_owned()));
        }
        let nats = self.nats_url_of(bus_user(name));
        let postgres = self.servers.with_standby(&self.database_url_of(bus_user(name)))?;
        env.push(("NATS_URL", nats.clone()));
        env.push(("DATABASE_URL", postgres.clone()));
        if links != Links::Direct {
            let links = ServiceLinks::new(&postgres, &nats, self.network.as_ref()).await?;
            env.push(("DATABASE_URL", links.to(Backend::Postgres).url(&postgres)));
            env.push(("NATS_URL", links.to(Backend::Nats).url(&nats)));
            self.links.insert(name.to_owned(), links);
        }
        Ok(env)
    }

    /// The services: their names, programs and ports.
    fn plan(
        &mut self,
        options: &StackOptions,
        http: u16,
        relay: u16,
    ) -> anyhow::Result<Vec<Planned>> {
        let mut plan = vec![
            (PROVISIONER.name.to_owned(), TARSY, None),
            ("stream-relay".to_owned(), "tarsy-stream-relay", Some(relay)),
            ("summarizer".to_owned(), "tarsy-summarizer", None),
            ("api-gateway".to_owned(), "tarsy-api-gateway", Some(http)),
            ("notifier".to_owned(), "tarsy-notifier", None),
        ];
        for number in 2..=options.api_gateways {
            let port = free_port()?;
            plan.push((format!("api-gateway-{number}"), "tarsy-api-gateway", Some(port)));
            self.entrances.push(format!("http://127.0.0.1:{port}"));
        }
        if let Some(kubeconfig) = &options.kubernetes {
            std::fs::write(self.path("kubeconfig"), kubeconfig)?;
            plan.push((KUBERNETES_WATCHER.to_owned(), "tarsy-kubernetes-watcher", None));
        }
        for name in gateways(options.gateways) {
            plan.push((name, "tarsy-mcp-gateway", None));
        }
        for number in 1..=options.orchestrators {
            plan.push((format!("orchestrator-{number}"), "tarsy-orchestrator", None));
        }
        Ok(plan)
    }

    async fn start_services(&mut self, options: &StackOptions, http: u16) -> anyhow::Result<()> {
        let relay = free_port()?;
        self.relay = format!("ws://127.0.0.1:{relay}/api/v1/ws");
        let env = self.environment(relay);
        if let Some(access) = &self.access {
            self.create_roles(&env).await?;
            access.let_roles_log_in(self.sql().await?).await?;
        }
        if options.issuer.is_some() {
            self.identify().await?;
        }
        let plan = self.plan(options, http, relay)?;
        for (name, program, port) in plan {
            let mut own = self.own_environment(&name, options.links).await?;
            if let Some(port) = port {
                own.push(("TARSY_HTTP_ADDR", format!("127.0.0.1:{port}")));
            }
            if options.admin_ports {
                let port = free_port()?;
                own.push(("TARSY_ADMIN_ADDR", format!("127.0.0.1:{port}")));
                self.admin_ports.insert(name.clone(), port);
            }
            let mut env: Vec<(String, String)> =
                owned(&env).chain(owned(&own)).chain(owned(&options.variables)).collect();
            if let Some((_, offset)) = options.clocks.iter().find(|(service, _)| *service == name) {
                env.extend(wrong_clock(offset)?);
            }
            let (program, args) = command(program, options.programs);
            let spec = Spec {
                program: program_path(program)?,
                args,
                env,
                log: self.path(&format!("{name}.log")),
                user: None,
                remove: None,
            };
            self.specs.insert(name.clone(), spec);
            self.launch(&name).await?;
        }
        self.is_ready(START).await?;
        // Tools are available once the gateway has reported its status.
        self.wait_until("the tools are there", START, async |stack| {
            let servers = stack.get("/api/v1/system/mcp-servers").await?;
            let is_healthy = |all: &Vec<Value>| all.iter().any(|one| one["healthy"] == true);
            Ok(Seen::value(&servers["servers"], |servers| {
                servers.as_array().is_some_and(is_healthy)
            }))
        })
        .await?;
        self.workers_are_there().await
    }

    /// Waits until every instance has its heartbeat.
    async fn workers_are_there(&self) -> anyhow::Result<()> {
        self.wait_until("every worker has told of itself", START, async |stack| {
            let services = stack.get("/api/v1/system/services").await?;
            let services = services["services"].as_array().cloned().unwrap_or_default();
            let is_worker = |name: &&String| {
                ["orchestrator", "mcp-gateway", "summarizer"]
                    .iter()
                    .any(|kind| name.starts_with(kind))
            };
            let has_reported =
                |name: &&String| services.iter().any(|one| one["instance"] == name.as_str());
            let workers = stack.specs.keys().filter(is_worker);
            let missing: Vec<_> = workers.filter(|name| !has_reported(name)).collect();
            Ok(Seen::value(missing, Vec::is_empty))
        })
        .await
    }

    /// Gives the stack's own client an API token.
    async fn identify(&mut self) -> anyhow::Result<()> {
        let text = secret::new_token().context("no randomness")?;
        let store = Store::connect(&self.database_url(), 1).await?;
        let token = NewApiToken {
            name: "stack".to_owned(),
            hash: secret::hash(&text),
            grant: Grant::Role(Role::Admin),
            created_by: "stack".to_owned(),
            lifetime: Duration::from_hours(1),
        };
        store.insert_api_token(token).await?;
        self.client.http = client(&text)?;
        Ok(())
    }

    /// As an administrator does. The server has the schema from its start.
    async fn create_roles(&self, env: &[(&str, String)]) -> anyhow::Result<()> {
        let output = tokio::process::Command::new(program_path("tarsy")?)
            .args(["migrate", "--roles"])
            .envs(env.iter().map(|(name, value)| (name, value)))
            .output()
            .await?;
        anyhow::ensure!(
            output.status.success(),
            "tarsy migrate: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(())
    }
}

/// The program of a service, and its arguments.
fn command(program: &'static str, programs: Programs) -> (&'static str, Vec<String>) {
    if program == TARSY {
        return (TARSY, vec!["provision".to_owned()]);
    }
    let service = program.strip_prefix("tarsy-").filter(|name| *name != KUBERNETES_WATCHER);
    match service.filter(|_| programs == Programs::Tarsy) {
        Some(service) => (TARSY, vec!["service".to_owned(), service.to_owned()]),
        None => (program, Vec::new()),
    }
}

/// A client that shows a token.
fn client(token: &str) -> anyhow::Result<reqwest::Client> {
    let value = HeaderValue::from_str(&format!("Bearer {token}"))?;
    let headers = HeaderMap::from_iter([(AUTHORIZATION, value)]);
    let client = reqwest::Client::builder().timeout(Duration::from_mins(1));
    Ok(client.default_headers(headers).build()?)
}

/// The variables that give a process another wall clock; its monotonic clock stays right.
fn wrong_clock(offset: &str) -> anyhow::Result<[(String, String); 3]> {
    let library = crate::faketime::library();
    let library = library.context("libfaketime is missing: run `make setup-test`")?;
    Ok([
        ("LD_PRELOAD".to_owned(), library.display().to_string()),
        ("FAKETIME".to_owned(), offset.to_owned()),
        ("FAKETIME_DONT_FAKE_MONOTONIC".to_owned(), "1".to_owned()),
    ])
}

pub(super) fn owned<'a>(
    variables: &'a [(&'static str, String)],
) -> impl Iterator<Item = (String, String)> + 'a {
    variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone()))
}

/// The names of so many gateways.
fn gateways(many: u8) -> impl Iterator<Item = String> {
    (1..=many).map(|number| match number {
        1 => "mcp-gateway".to_owned(),
        more => format!("mcp-gateway-{more}"),
    })
}
