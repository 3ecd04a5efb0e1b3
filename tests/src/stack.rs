//! The product's processes.

mod access;
mod client;
mod config;
mod links;
mod llm;
mod loss;
mod options;
mod program;
mod servers;
mod start;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use futures::FutureExt as _;
use nix::sys::signal::Signal;
use sqlx::{Connection as _, PgConnection};
use tarsy_contracts::permissions::PROVISIONER;
use tarsy_embedded::{Child, Nats, Postgres, Spec};
use tarsy_llm::Endpoint;
use tarsy_store::ROLES;
use tarsy_testkit::{Seen, poll};
use tempfile::TempDir;

use crate::model::Model;
use crate::network::TestNetwork;
use crate::posts::Posts;
use access::Access;
use links::ServiceLinks;
use servers::Servers;

pub use client::Client;
pub use config::VENDOR;
pub use links::Backend;
pub use options::{Backends, INTAKE_SECRET, Links, Llm, Programs, StackOptions};

/// How long anything may take to start, or to stop.
const START: Duration = Duration::from_mins(3);
/// A condition asks the API or the database, which tests should keep from their own work as little as possible.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The running product. Dropping it ends every process.
#[derive(Debug)]
pub struct Stack {
    folder: TempDir,
    servers: Servers,
    /// The users of the services, if each has its own.
    access: Option<Access>,
    /// By service; empty if the stack is not lossy.
    links: BTreeMap<String, ServiceLinks>,
    network: Option<TestNetwork>,
    model: Option<Model>,
    posts: Option<Posts>,
    llm_ports: Vec<u16>,
    /// Tokens per second of the offline analyst.
    offline_pace: u32,
    services: BTreeMap<String, Child>,
    /// The admin ports by service, if services have some.
    admin_ports: BTreeMap<String, u16>,
    /// What each service was started with, to start it again.
    specs: BTreeMap<String, Spec>,
    relay: String,
    client: Client,
    /// The addresses of the API gateways.
    entrances: Vec<String>,
}

impl Deref for Stack {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Stack {
    /// A client of the API that outlives a borrow of the stack.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Waits until the API and the relay serve.
    pub async fn is_ready(&self, timeout: Duration) -> anyhow::Result<()> {
        let relay = self.relay.replacen("ws", "http", 1);
        self.wait_until("the API serves", timeout, async |stack| {
            let ready = stack.readiness().await;
            // Asked without the upgrade it refuses; but it answers.
            let listens = stack.http.get(&relay).send().await;
            anyhow::ensure!(listens.is_ok(), "the relay does not listen");
            Ok(Seen::equal(ready?, 200))
        })
        .await
    }

    /// The addresses of the API gateways, the client's first.
    pub fn entrances(&self) -> &[String] {
        &self.entrances
    }

    /// The admin ports by service, with [`StackOptions::admin_ports`].
    pub fn admin_ports(&self) -> &BTreeMap<String, u16> {
        &self.admin_ports
    }

    /// Adds a process of the caller to the admin ports.
    pub fn observe(&mut self, service: &str, port: u16) {
        self.admin_ports.insert(service.to_owned(), port);
    }

    /// Where the stream-relay itself serves viewers, without the API gateway before it.
    pub fn relay(&self) -> &str {
        &self.relay
    }

    /// A path in the stack's own folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// PostgreSQL, credentials included.
    pub fn database_url(&self) -> String {
        self.servers.postgres.url("postgres")
    }

    /// PostgreSQL as the role of a service, if roles differ.
    pub fn database_url_of(&self, service: &str) -> String {
        let role = ROLES.iter().find(|role| role.service == service);
        match (&self.access, role) {
            (Some(access), Some(role)) => {
                self.servers.postgres.url_of(role.name, access.password(service), "postgres")
            }
            _ => self.database_url(),
        }
    }

    /// An empty database beside the product's, on the same server.
    pub async fn empty_database(&self, name: &'static str) -> anyhow::Result<String> {
        let create = sqlx::AssertSqlSafe(format!("create database {name}"));
        sqlx::raw_sql(create).execute(&mut self.sql().await?).await?;
        Ok(self.servers.postgres.url(name))
    }

    /// NATS, credentials included: of the user who may do the most.
    pub fn nats_url(&self) -> String {
        self.nats_url_of(PROVISIONER.name)
    }

    /// NATS with the credentials of a user, if users differ.
    pub fn nats_url_of(&self, user: &str) -> String {
        let access = self.access.as_ref();
        self.servers.nats_url(access.map(|access| (user, access.password(user))))
    }

    /// The lines in which nats-server or PostgreSQL say that they refused something for want of a permission.
    pub fn refusals(&self) -> Vec<String> {
        let refused =
            |line: &&str| line.contains("Violation") || line.contains("permission denied");
        let refusals =
            |log: String| log.lines().filter(refused).map(str::to_owned).collect::<Vec<_>>();
        self.servers.logs().flat_map(refusals).collect()
    }

    /// Runs the command line with its own user of NATS and role of PostgreSQL.
    pub async fn command(&self, arguments: &[&str]) -> anyhow::Result<std::process::Output> {
        self.command_as("cli", arguments).await
    }

    /// Runs the command line as in the container of a service.
    pub async fn command_as(
        &self,
        service: &str,
        arguments: &[&str],
    ) -> anyhow::Result<std::process::Output> {
        let mut command = tokio::process::Command::new(program::program_path("tarsy")?);
        command.arg("--home").arg(self.path("home")).args(arguments);
        command.env("NATS_URL", self.nats_url_of(service)).kill_on_drop(true);
        command.env("DATABASE_URL", self.database_url_of(service));
        command.env("TARSY_URL", &self.client.url);
        command.envs(self.client.token.map(|token| ("TARSY_LOCAL_TOKEN", token)));
        let llm_service = self.llm_service();
        command.env("LLM_SERVICE_ADDR", llm_service.addresses.join(","));
        command.envs(llm_service.token.map(|token| ("LLM_SERVICE_TOKEN", token)));
        Ok(command.output().await?)
    }

    /// PostgreSQL, to stop and start.
    pub fn postgres(&mut self) -> &mut Postgres {
        &mut self.servers.postgres
    }

    /// Kills PostgreSQL and promotes its replica.
    pub async fn fail_over(&mut self) -> anyhow::Result<()> {
        self.servers.fail_over().await
    }

    /// NATS, to stop and start; of a cluster the first member.
    pub fn nats(&mut self) -> &mut Nats {
        &mut self.servers.nats[0]
    }

    /// The members of a cluster of NATS, to stop and start.
    pub fn nats_members(&mut self) -> &mut [Nats] {
        &mut self.servers.nats
    }

    /// The receivers of notifications.
    pub fn posts(&self) -> anyhow::Result<&Posts> {
        self.posts.as_ref().context("the stack has no receivers of notifications")
    }

    /// The played model that investigates.
    pub fn model(&self) -> anyhow::Result<&Model> {
        self.model.as_ref().context("the stack has no played model")
    }

    /// Writes the configuration anew; services read it when they start.
    pub fn configure(&self, options: &StackOptions) -> anyhow::Result<()> {
        let receivers = config::Receivers {
            model: self.model.as_ref().map(Model::url),
            posts: self.posts.as_ref().map(|posts| posts.url().to_owned()),
            dashboard: self.client.url.clone(),
        };
        config::write(self.path("").as_path(), options, &receivers)
    }

    /// Starts a service again that was killed or stopped.
    pub async fn launch(&mut self, name: &str) -> anyhow::Result<()> {
        self.launch_with(name, &[]).await
    }

    /// The same with further variables, until it is started the next time.
    pub async fn launch_with(
        &mut self,
        name: &str,
        variables: &[(&str, String)],
    ) -> anyhow::Result<()> {
        let mut spec = self.specs.get(name).with_context(|| format!("there is no {name}"))?.clone();
        let more = variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        spec.env.extend(more);
        let child = Child::start(&spec).await?;
        self.services.insert(name.to_owned(), child);
        Ok(())
    }

    /// The services that ended by themselves.
    pub fn ended(&mut self) -> Vec<String> {
        let services = self.services.iter_mut();
        services
            .filter_map(|(name, child)| {
                child.exited().now_or_never().map(|how| format!("{name}: {how}"))
            })
            .collect()
    }

    /// Asks a service to stop, and waits until it has.
    pub async fn stop(&mut self, name: &str) -> anyhow::Result<()> {
        let child = self.services.remove(name).with_context(|| format!("no {name} runs"))?;
        child.stop(START).await;
        Ok(())
    }

    /// Where llm-service listens, with the token of its callers.
    pub fn llm_service(&self) -> Endpoint {
        let addresses = self.llm_ports.iter().map(|port| format!("http://127.0.0.1:{port}"));
        Endpoint {
            addresses: addresses.collect(),
            token: Some(options::LLM_TOKEN.to_owned()),
            ..Endpoint::default()
        }
    }

    /// The process ids of the services, by name.
    pub fn pids(&self) -> Vec<(String, i32)> {
        self.services.iter().map(|(name, child)| (name.clone(), child.pid())).collect()
    }

    /// The worker processes of llm-service.
    pub fn workers(&self) -> Vec<(String, i32)> {
        let supervisors =
            self.pids().into_iter().filter(|(name, _)| name.starts_with("llm-service"));
        let workers = supervisors.flat_map(|(name, pid)| {
            let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
            let children = children.unwrap_or_default();
            let children: Vec<i32> =
                children.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
            (1..).zip(children).map(move |(number, pid)| (format!("{name} worker {number}"), pid))
        });
        workers.collect()
    }

    /// The services and workers, with the servers behind them.
    pub fn all_pids(&self) -> Vec<(String, i32)> {
        self.pids().into_iter().chain(self.workers()).chain(self.servers.pids()).collect()
    }

    /// Kills a service at once.
    pub async fn kill(&mut self, name: &str) -> anyhow::Result<()> {
        let child = self.services.remove(name).with_context(|| format!("no {name} runs"))?;
        child.kill().await;
        Ok(())
    }

    /// Sends a service a signal.
    pub fn signal(&self, name: &str, signal: Signal) -> anyhow::Result<()> {
        self.services.get(name).with_context(|| format!("no {name} runs"))?.signal(signal);
        Ok(())
    }

    /// A connection to the database, to look at the facts.
    pub async fn sql(&self) -> anyhow::Result<PgConnection> {
        Ok(PgConnection::connect(&self.database_url()).await?)
    }

    /// The orchestrator that owns a session now.
    pub async fn owner(&self, session: &str) -> anyhow::Result<Option<String>> {
        let mut sql = self.sql().await?;
        Ok(sqlx::query_scalar("select owner_id from session_control where session_id = $1::uuid")
            .bind(session)
            .fetch_one(&mut sql)
            .await?)
    }

    /// The number of the session's last event.
    pub async fn last_event(&self, session: &str) -> anyhow::Result<i64> {
        let mut sql = self.sql().await?;
        Ok(sqlx::query_scalar("select event_seq from session_control where session_id = $1::uuid")
            .bind(session)
            .fetch_one(&mut sql)
            .await?)
    }

    /// The lines that the ledger server has written.
    pub fn ledger(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("ledger.txt")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Waits until the ledger server has written a line.
    pub async fn wait_for_ledger(&self, line: &str, timeout: Duration) -> anyhow::Result<()> {
        self.wait_until(&format!("the ledger has {line:?}"), timeout, async |stack| {
            Ok(Seen::value(stack.ledger(), |lines| lines.iter().any(|one| one == line)))
        })
        .await
    }

    /// Waits until something is so; the state of a process is nothing that announces itself. The error says what was seen
    /// last, and is caused by the last lines of every log.
    pub async fn wait_until<S: Into<Seen>>(
        &self,
        what: &str,
        timeout: Duration,
        check: impl AsyncFn(&Self) -> anyhow::Result<S>,
    ) -> anyhow::Result<()> {
        let waited = poll(what, timeout, POLL_INTERVAL, async || check(self).await).await;
        waited.map_err(|error| anyhow::anyhow!("the logs end so:\n{}", self.logs()).context(error))
    }

    /// The last lines of every service's log.
    pub fn logs(&self) -> String {
        let mut text = String::new();
        for name in self.services.keys() {
            let log =
                std::fs::read_to_string(self.path(&format!("{name}.log"))).unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            let last = lines.iter().skip(lines.len().saturating_sub(8)).copied();
            text.extend([format!("── {name}\n"), last.collect::<Vec<_>>().join("\n"), "\n".into()]);
        }
        text
    }
}
