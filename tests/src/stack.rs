//! The product's processes.

mod config;
mod options;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};
use tarsy_embedded::{Child, Nats, NatsOptions, Postgres, PostgresOptions, Spec, free_port};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use crate::model::Model;
use crate::viewer::Viewer;

pub use options::{Llm, StackOptions};

/// How long anything may take to start, or to stop.
const START: Duration = Duration::from_mins(3);

/// The running product. Dropping it ends every process.
#[derive(Debug)]
pub struct Stack {
    folder: TempDir,
    postgres: Postgres,
    nats: Nats,
    model: Option<Model>,
    llm_port: u16,
    services: BTreeMap<String, Child>,
    /// What each service was started with, to start it again.
    specs: BTreeMap<String, Spec>,
    url: String,
    relay: String,
    http: reqwest::Client,
}

impl Stack {
    /// Starts everything and waits until it serves.
    pub async fn start(options: StackOptions) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("tarsy-e2e-").tempdir_in("/tmp")?;
        std::fs::set_permissions(
            folder.path(),
            std::os::unix::fs::PermissionsExt::from_mode(0o755),
        )?;
        let programs = tarsy_testkit::programs()?;
        let postgres = Postgres::start(PostgresOptions {
            bin: programs.postgres_bin,
            folder: folder.path().join("postgres"),
            port: None,
            durable: options.durable,
            temporary: false,
        })
        .await?;
        let nats = Nats::start(NatsOptions {
            program: programs.nats_server,
            folder: folder.path().join("nats"),
            port: None,
            durable: options.durable,
            temporary: false,
        })
        .await?;
        let model = match &options.llm {
            Llm::Offline(_) => None,
            Llm::Scripted(script) => Some(Model::start(script.clone()).await?),
        };
        config::write(folder.path(), &options, model.as_ref().map(Model::url).as_deref())?;
        let llm_port = free_port()?;
        let llm = llm_service(folder.path(), &options, llm_port)?;
        let mut stack = Self {
            folder,
            postgres,
            nats,
            model,
            llm_port,
            services: BTreeMap::new(),
            specs: BTreeMap::from([("llm-service".to_owned(), llm)]),
            url: String::new(),
            relay: String::new(),
            http: reqwest::Client::builder().timeout(Duration::from_mins(1)).build()?,
        };
        stack.launch("llm-service").await?;
        stack
            .wait_until("llm-service listens", START, async |stack| {
                Ok(TcpStream::connect(("127.0.0.1", stack.llm_port)).await.is_ok())
            })
            .await?;
        stack.start_services(&options).await?;
        Ok(stack)
    }

    async fn start_services(&mut self, options: &StackOptions) -> anyhow::Result<()> {
        let (http, relay) = (free_port()?, free_port()?);
        self.url = format!("http://127.0.0.1:{http}");
        self.relay = format!("ws://127.0.0.1:{relay}/api/v1/ws");
        let mut env = vec![
            ("DATABASE_URL", self.database_url()),
            ("NATS_URL", self.nats.url()),
            ("LLM_SERVICE_ADDR", format!("127.0.0.1:{}", self.llm_port)),
            ("TARSY_CONFIG_DIR", self.path("config").display().to_string()),
            ("TARSY_RELAY_URL", format!("http://127.0.0.1:{relay}")),
            ("TARSY_GRACE_SECONDS", "3".to_owned()),
            ("PLAYED_KEY", "sk-played".to_owned()),
            ("RUST_LOG", "info,rmcp=warn,sqlx=warn,async_nats=warn".to_owned()),
            ("RUST_BACKTRACE", "0".to_owned()),
        ];
        let dashboard = tarsy_testkit::workspace().join("dashboard/dist");
        env.push(("TARSY_DASHBOARD_DIR", dashboard.display().to_string()));
        self.migrate(options, &env).await?;
        let mut plan = vec![
            ("stream-relay".to_owned(), "tarsy-stream-relay", Some(relay)),
            ("summarizer".to_owned(), "tarsy-summarizer", None),
            ("api-gateway".to_owned(), "tarsy-api-gateway", Some(http)),
            ("notifier".to_owned(), "tarsy-notifier", None),
        ];
        for name in gateways(options.gateways) {
            plan.push((name, "tarsy-mcp-gateway", None));
        }
        for number in 1..=options.orchestrators {
            plan.push((format!("orchestrator-{number}"), "tarsy-orchestrator", None));
        }
        for (name, program, port) in plan {
            let mut env: Vec<(String, String)> =
                env.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            env.push(("TARSY_INSTANCE".to_owned(), name.clone()));
            if let Some(port) = port {
                env.push(("TARSY_HTTP_ADDR".to_owned(), format!("127.0.0.1:{port}")));
            }
            let spec = Spec {
                program: program_path(program, options.release)?,
                args: Vec::new(),
                env,
                log: self.path(&format!("{name}.log")),
                user: None,
                remove: None,
            };
            self.specs.insert(name.clone(), spec);
            self.launch(&name).await?;
        }
        self.is_ready(START).await?;
        // Tools are there once the gateway has told so.
        self.wait_until("the tools are there", START, async |stack| {
            let servers = stack.get("/api/v1/system/mcp-servers").await?;
            let healthy = servers["servers"]
                .as_array()
                .is_some_and(|all| all.iter().any(|one| one["healthy"] == true));
            Ok(healthy)
        })
        .await?;
        self.workers_are_there().await
    }

    /// Waits until all that share the work have told of themselves.
    async fn workers_are_there(&self) -> anyhow::Result<()> {
        self.wait_until("every worker has told of itself", START, async |stack| {
            let services = stack.get("/api/v1/system/services").await?;
            let services = services["services"].as_array().cloned().unwrap_or_default();
            let is_worker = |name: &&String| {
                ["orchestrator", "mcp-gateway", "summarizer"]
                    .iter()
                    .any(|kind| name.starts_with(kind))
            };
            let mut workers = stack.specs.keys().filter(is_worker);
            Ok(workers.all(|name| services.iter().any(|one| one["instance"] == name.as_str())))
        })
        .await
    }

    /// Waits until the API and the relay serve.
    pub async fn is_ready(&self, timeout: Duration) -> anyhow::Result<()> {
        let relay = self.relay.replacen("ws", "http", 1);
        self.wait_until("the API serves", timeout, async |stack| {
            let ready = stack.http.get(format!("{}/readyz", stack.url)).send().await;
            // Asked without the upgrade it refuses; but it answers.
            let listens = stack.http.get(&relay).send().await;
            Ok(ready.is_ok_and(|answer| answer.status().is_success()) && listens.is_ok())
        })
        .await
    }

    async fn migrate(&self, options: &StackOptions, env: &[(&str, String)]) -> anyhow::Result<()> {
        let output = tokio::process::Command::new(program_path("tarsy", options.release)?)
            .arg("migrate")
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

    /// The dashboard and the API.
    pub fn url(&self) -> &str {
        &self.url
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
        self.postgres.url("postgres")
    }

    /// An empty database beside the product's, on the same server.
    pub async fn empty_database(&self, name: &'static str) -> anyhow::Result<String> {
        let create = sqlx::AssertSqlSafe(format!("create database {name}"));
        sqlx::raw_sql(create).execute(&mut self.sql().await?).await?;
        Ok(self.postgres.url(name))
    }

    /// NATS, credentials included.
    pub fn nats_url(&self) -> String {
        self.nats.url()
    }

    /// PostgreSQL, to stop and start.
    pub fn postgres(&mut self) -> &mut Postgres {
        &mut self.postgres
    }

    /// NATS, to stop and start.
    pub fn nats(&mut self) -> &mut Nats {
        &mut self.nats
    }

    /// The played model that investigates.
    pub fn model(&self) -> anyhow::Result<&Model> {
        self.model.as_ref().context("the stack has no played model")
    }

    /// Writes the configuration anew; services read it when they start.
    pub fn configure(&self, options: &StackOptions) -> anyhow::Result<()> {
        config::write(
            self.path("").as_path(),
            options,
            self.model.as_ref().map(Model::url).as_deref(),
        )
    }

    /// Starts a service again that was killed or stopped.
    pub async fn launch(&mut self, name: &str) -> anyhow::Result<()> {
        let spec = self.specs.get(name).with_context(|| format!("there is no {name}"))?;
        let child = Child::start(spec).await?;
        self.services.insert(name.to_owned(), child);
        Ok(())
    }

    /// Asks a service to stop, and waits until it has.
    pub async fn stop(&mut self, name: &str) -> anyhow::Result<()> {
        let child = self.services.remove(name).with_context(|| format!("no {name} runs"))?;
        child.stop(START).await;
        Ok(())
    }

    /// Where llm-service listens.
    pub fn llm_service(&self) -> String {
        format!("http://127.0.0.1:{}", self.llm_port)
    }

    /// The process ids of the services, by name.
    pub fn pids(&self) -> Vec<(String, i32)> {
        self.services.iter().map(|(name, child)| (name.clone(), child.pid())).collect()
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

    /// Asks the API.
    pub async fn get(&self, path: &str) -> anyhow::Result<Value> {
        let answer = self.http.get(format!("{}{path}", self.url)).send().await?;
        Ok(answer.error_for_status()?.json().await?)
    }

    /// Hands in an alert and tells the session's id.
    pub async fn submit(&self, alert_type: &str, data: &str) -> anyhow::Result<String> {
        self.submit_whole(&json!({ "alert_type": alert_type, "data": data })).await
    }

    /// Hands in an alert with all that it says, and tells the session's id.
    pub async fn submit_whole(&self, alert: &Value) -> anyhow::Result<String> {
        let (status, body) = self.post("/api/v1/alerts", alert).await?;
        let id = body["session_id"].as_str();
        Ok(id.with_context(|| format!("the alert was not taken: {status} {body}"))?.to_owned())
    }

    /// Asks a question about a session, and tells the stage that answers it.
    pub async fn ask(&self, session: &str, question: &str) -> anyhow::Result<String> {
        let path = format!("/api/v1/sessions/{session}/chat/messages");
        let (status, body) = self.post(&path, &json!({ "content": question })).await?;
        let stage = body["stage_id"].as_str();
        Ok(stage.with_context(|| format!("not taken: {status} {body}"))?.to_owned())
    }

    /// Sends something to the API; tells the status and the body of its answer.
    pub async fn post(&self, path: &str, body: &Value) -> anyhow::Result<(u16, Value)> {
        let answer = self.http.post(format!("{}{path}", self.url)).json(body).send().await?;
        Ok((answer.status().as_u16(), answer.json().await?))
    }

    /// Watches a session; like a browser it connects again if it is refused on a busy machine.
    pub async fn watch(&self, session: &str) -> anyhow::Result<Viewer> {
        let socket = format!("{}/api/v1/ws", self.url.replacen("http", "ws", 1));
        let deadline = Instant::now() + START;
        loop {
            match Viewer::connect(&socket, &format!("session:{session}")).await {
                Err(error) if Instant::now() > deadline => return Err(error),
                Err(_) => sleep(Duration::from_millis(200)).await,
                Ok(viewer) => return Ok(viewer),
            }
        }
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
            Ok(stack.ledger().iter().any(|one| one == line))
        })
        .await
    }

    /// Waits until something is so; the state of a process is nothing that announces itself.
    pub async fn wait_until(
        &self,
        what: &str,
        timeout: Duration,
        is_so: impl AsyncFn(&Self) -> anyhow::Result<bool>,
    ) -> anyhow::Result<()> {
        let deadline = Instant::now() + timeout;
        loop {
            let state = is_so(self).await;
            if matches!(state, Ok(true)) {
                return Ok(());
            }
            if Instant::now() > deadline {
                let logs = self.logs();
                return Err(state.err().unwrap_or_else(|| anyhow::anyhow!("it is not so")))
                    .with_context(|| format!("waited {timeout:?} until {what}\n{logs}"));
            }
            sleep(Duration::from_millis(50)).await;
        }
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

/// What llm-service is started with.
fn llm_service(folder: &Path, options: &StackOptions, port: u16) -> anyhow::Result<Spec> {
    let workspace = tarsy_testkit::workspace();
    let python = workspace.join(".tarsy/venv-llm/bin/python");
    anyhow::ensure!(python.exists(), "run `make setup` first: llm-service is not set up");
    let pace = match options.llm {
        Llm::Offline(pace) => pace,
        Llm::Scripted(_) => 0,
    };
    let env = [
        ("PYTHONPATH", workspace.join("llm-service/src").display().to_string()),
        ("LLM_SERVICE_ADDR", format!("127.0.0.1:{port}")),
        ("OFFLINE_TOKENS_PER_SECOND", pace.to_string()),
        ("PLAYED_KEY", "sk-played".to_owned()),
    ];
    Ok(Spec {
        program: python,
        args: vec!["-m".to_owned(), "llm_service.main".to_owned()],
        env: env.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        log: folder.join("llm-service.log"),
        user: None,
        remove: None,
    })
}

/// The names of so many gateways.
fn gateways(many: u8) -> impl Iterator<Item = String> {
    (1..=many).map(|number| match number {
        1 => "mcp-gateway".to_owned(),
        more => format!("mcp-gateway-{more}"),
    })
}

/// The programs lie where this test's own program lies, or beside it in the release build.
fn program_path(name: &str, release: bool) -> anyhow::Result<PathBuf> {
    let here = std::env::current_exe()?;
    let mut folder = here.parent().context("no folder")?.to_owned();
    if folder.ends_with("deps") {
        folder.pop();
    }
    if release && !folder.ends_with("release") {
        folder = folder.parent().context("no target folder")?.join("release");
    }
    let program = folder.join(name);
    anyhow::ensure!(program.exists(), "{} is missing: build the workspace", program.display());
    Ok(program)
}
