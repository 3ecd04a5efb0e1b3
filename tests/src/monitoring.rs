//! Prometheus and Alertmanager as Debian ships them, what Prometheus scrapes, and what Alertmanager sends.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use serde_json::{Value, json};
use tarsy_embedded::{Child, Spec, free_port};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::stack::Stack;

/// How long a program may take until it is ready.
const START: Duration = Duration::from_mins(1);

/// Replaces `/usr/share` by the first argument in a mount namespace of its own, and runs the others.
const WITH_FILES: &str = "mount --bind \"$1\" /usr/share && shift && exec \"$@\"";

/// How to run the program of the Debian package of this name: from PATH, or else the one that `setup.sh` unpacked, which
/// is the order in which `setup.sh` looks for it. Debian's Alertmanager reads a template in `/usr/share`, where an
/// unpacked package has nothing.
fn debian_program(name: &str) -> anyhow::Result<Vec<String>> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let installed = std::env::split_paths(&path).map(|folder| folder.join(name));
    if let Some(program) = installed.into_iter().find(|place| place.is_file()) {
        return Ok(vec![program.display().to_string()]);
    }
    let package = tarsy_testkit::workspace().join(".tarsy").join(name);
    let (program, files) = (package.join("usr/bin").join(name), package.join("usr/share"));
    anyhow::ensure!(program.is_file(), "{name} is missing: `make setup-test` installs it");
    let unshare = if nix::unistd::geteuid().is_root() {
        ["unshare", "--mount"].as_slice()
    } else {
        &["unshare", "--map-root-user", "--mount"]
    };
    let shell = ["sh", "-ec", WITH_FILES, "sh"];
    let words = unshare.iter().chain(&shell).map(|&word| word.to_owned());
    let places = [files, program].map(|path| path.display().to_string());
    Ok(words.chain(places).collect())
}

/// What Alertmanager sends of a group of so many alerts. The fingerprints begin with four digits of the group's number.
pub fn alert_group(group: usize, size: usize) -> Value {
    let alerts: Vec<Value> = (0..size)
        .map(|number| {
            json!({
                "status": "firing",
                "labels": {"alertname": "DiskFull", "instance": format!("db-{group}-{number}")},
                "annotations": {"summary": "The disk is full"},
                "startsAt": "2026-11-24T00:00:00Z",
                "endsAt": "0001-01-01T00:00:00Z",
                "fingerprint": format!("{group:04x}{number:04x}"),
            })
        })
        .collect();
    json!({
        "version": "4",
        "groupKey": format!("{{}}:{{cluster=\"{group}\"}}"),
        "status": "firing",
        "receiver": "tarsy",
        "groupLabels": {"cluster": group.to_string()},
        "commonLabels": {"alertname": "DiskFull"},
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.example",
        "truncatedAlerts": 0,
        "alerts": alerts,
    })
}

/// A page of metrics that a test writes.
#[derive(Debug)]
pub struct MetricsPage {
    address: String,
    text: Arc<Mutex<String>>,
    serving: JoinHandle<()>,
}

impl Drop for MetricsPage {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl MetricsPage {
    pub async fn start() -> anyhow::Result<Self> {
        let text = Arc::<Mutex<String>>::default();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?.to_string();
        let read = |State(text): State<Arc<Mutex<String>>>| async move {
            text.lock().unwrap_or_else(PoisonError::into_inner).clone()
        };
        let router = Router::new().route("/metrics", get(read)).with_state(Arc::clone(&text));
        #[expect(clippy::disallowed_methods, reason = "a test's own server, aborted with it")]
        let serving = tokio::spawn(async move {
            // It ends with the task; its callers see an error.
            drop(axum::serve(listener, router).await);
        });
        Ok(Self { address, text, serving })
    }

    /// Replaces the page, in the text format of Prometheus.
    pub fn set(&self, text: impl Into<String>) {
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = text.into();
    }
}

#[derive(Debug)]
pub struct Alertmanager {
    _child: Child,
    port: u16,
}

impl Alertmanager {
    /// Starts it with this `alertmanager.yml`, with its files in a folder.
    pub async fn start(folder: &Path, configuration: &str) -> anyhow::Result<Self> {
        let port = free_port()?;
        let file = folder.join("alertmanager.yml");
        std::fs::write(&file, configuration)?;
        let args = [
            format!("--config.file={}", file.display()),
            format!("--storage.path={}", folder.join("alertmanager").display()),
            format!("--web.listen-address=127.0.0.1:{port}"),
            // No cluster of several.
            "--cluster.listen-address=".to_owned(),
        ];
        let child = launch("prometheus-alertmanager", args.to_vec(), folder, port).await?;
        Ok(Self { _child: child, port })
    }

    /// Gives it alerts, as Prometheus does.
    pub async fn post(&self, alerts: &[Value]) -> anyhow::Result<()> {
        let url = format!("http://127.0.0.1:{}/api/v2/alerts", self.port);
        reqwest::Client::new().post(url).json(alerts).send().await?.error_for_status()?;
        Ok(())
    }

    /// The value of a metric, summed over the series that have all of these labels.
    pub async fn metric(&self, name: &str, labels: &[&str]) -> anyhow::Result<f64> {
        let url = format!("http://127.0.0.1:{}/metrics", self.port);
        let page = reqwest::get(url).await?.error_for_status()?.text().await?;
        let series = page.lines().filter(|line| {
            line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' ']))
                && labels.iter().all(|label| line.contains(label))
        });
        let values = series.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
        Ok(values.sum())
    }
}

#[derive(Debug)]
pub struct Prometheus {
    _child: Child,
    port: u16,
}

impl Prometheus {
    /// Starts it with this `prometheus.yml`, with its files in a folder.
    pub async fn start(folder: &Path, configuration: &str) -> anyhow::Result<Self> {
        let port = free_port()?;
        let file = folder.join("prometheus.yml");
        std::fs::write(&file, configuration)?;
        let args = [
            format!("--config.file={}", file.display()),
            format!("--storage.tsdb.path={}", folder.join("tsdb").display()),
            format!("--web.listen-address=127.0.0.1:{port}"),
        ];
        let child = launch("prometheus", args.to_vec(), folder, port).await?;
        Ok(Self { _child: child, port })
    }

    /// Starts it with these rules over a page of metrics, evaluated every second, whose alerts an Alertmanager gets.
    pub async fn alerting(
        folder: &Path,
        page: &MetricsPage,
        rules: &str,
        alertmanager: &Alertmanager,
    ) -> anyhow::Result<Self> {
        std::fs::write(folder.join("rules.yml"), rules)?;
        let configuration = format!(
            "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\n\
             rule_files: [rules.yml]\n\
             scrape_configs:\n- job_name: node\n  static_configs: [{{targets: [\"{}\"]}}]\n\
             alerting:\n  alertmanagers:\n  - static_configs: [{{targets: [\"127.0.0.1:{}\"]}}]\n",
            page.address, alertmanager.port
        );
        Self::start(folder, &configuration).await
    }

    /// Starts it over the admin ports of a stack, each service a job, with rules that are evaluated every second.
    pub async fn observing(stack: &Stack, rules: &str) -> anyhow::Result<Self> {
        std::fs::write(stack.path("rules.yml"), rules.replace("interval: 30s", "interval: 1s"))?;
        let mut configuration = "global: {scrape_interval: 1s, evaluation_interval: 1s}\n\
             rule_files: [rules.yml]\nscrape_configs:\n"
            .to_owned();
        for (service, port) in stack.admin_ports() {
            let job = service.trim_end_matches(|c: char| c == '-' || c.is_ascii_digit());
            // Writing to a string cannot fail.
            let _ = writeln!(
                configuration,
                "- job_name: {service}\n  static_configs:\n  - targets: ['127.0.0.1:{port}']\n    \
                 labels: {{namespace: tarsy, job: {job}}}"
            );
        }
        Self::start(&stack.path(""), &configuration).await
    }

    /// Asks its API; what stands below `data`.
    pub async fn ask(&self, path: &str, query: &[(&str, &str)]) -> anyhow::Result<Value> {
        let url = format!("http://127.0.0.1:{}/api/v1/{path}", self.port);
        let url = reqwest::Url::parse_with_params(&url, query)?;
        let mut answer: Value = reqwest::get(url).await?.json().await?;
        anyhow::ensure!(answer["status"] == "success", "{query:?}: {answer}");
        Ok(answer["data"].take())
    }

    /// The values of a query now.
    pub async fn values(&self, query: &str) -> anyhow::Result<Vec<f64>> {
        let data = self.ask("query", &[("query", query)]).await?;
        let series = data["result"].as_array().into_iter().flatten();
        let values = series.filter_map(|one| one["value"][1].as_str()?.parse().ok());
        Ok(values.collect())
    }

    pub const fn port(&self) -> u16 {
        self.port
    }
}

/// Starts a program and waits until it says that it is ready: it listens before it can answer.
async fn launch(name: &str, args: Vec<String>, folder: &Path, port: u16) -> anyhow::Result<Child> {
    let log = folder.join(format!("{name}.log"));
    let mut words = debian_program(name)?;
    let program = PathBuf::from(words.remove(0));
    let args = words.into_iter().chain(args).collect();
    let spec = Spec { program, args, env: Vec::new(), log: log.clone(), user: None, remove: None };
    let child = Child::start(&spec).await?;
    let ready = format!("http://127.0.0.1:{port}/-/ready");
    let deadline = Instant::now() + START;
    while !reqwest::get(&ready).await.is_ok_and(|answer| answer.status().is_success()) {
        anyhow::ensure!(
            Instant::now() < deadline,
            "{name} is not ready in {START:?}: {}",
            std::fs::read_to_string(&log).unwrap_or_default()
        );
        sleep(Duration::from_millis(100)).await;
    }
    Ok(child)
}
