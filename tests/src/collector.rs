//! An OpenTelemetry Collector, and the spans that it received.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::Value;
use tarsy_embedded::{Child, Spec, free_port};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

/// How long the collector may take until it listens.
const START: Duration = Duration::from_mins(1);

/// A running collector, which writes what it receives to a file.
#[derive(Debug)]
pub struct Collector {
    folder: TempDir,
    port: u16,
    _child: Child,
}

/// The kinds of spans, as OTLP numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Internal = 1,
    Server = 2,
    Client = 3,
    Producer = 4,
    Consumer = 5,
}

#[derive(Clone, Debug)]
pub struct Span {
    pub service: String,
    pub name: String,
    pub kind: u64,
    pub trace: String,
    pub id: String,
    /// Empty for the first span of a trace.
    pub parent: String,
    pub attributes: BTreeMap<String, Value>,
}

impl Span {
    /// An attribute; null if it has none of that name.
    pub fn attribute(&self, name: &str) -> &Value {
        self.attributes.get(name).unwrap_or(&Value::Null)
    }
}

impl Collector {
    pub async fn start() -> anyhow::Result<Self> {
        let program = tarsy_testkit::workspace().join(".tarsy/tools/bin/otelcol");
        anyhow::ensure!(program.is_file(), "the collector is missing: `make setup-test` builds it");
        let folder = tempfile::Builder::new().prefix("tarsy-collector-").tempdir_in("/tmp")?;
        let port = free_port()?;
        let file = folder.path().join("collector.yaml");
        let spans = folder.path().join("spans.json");
        std::fs::write(
            &file,
            format!(
                "receivers: {{otlp: {{protocols: {{grpc: {{endpoint: '127.0.0.1:{port}'}}}}}}}}\n\
                 exporters: {{file: {{path: {}, flush_interval: 100ms}}}}\n\
                 service:\n  telemetry: {{metrics: {{level: none}}}}\n  \
                 pipelines: {{traces: {{receivers: [otlp], exporters: [file]}}}}\n",
                spans.display()
            ),
        )?;
        let log = folder.path().join("collector.log");
        let spec = Spec {
            program,
            args: vec!["--config".to_owned(), file.display().to_string()],
            env: Vec::new(),
            log: log.clone(),
            user: None,
            remove: None,
        };
        let child = Child::start(&spec).await?;
        let deadline = Instant::now() + START;
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            anyhow::ensure!(
                Instant::now() < deadline,
                "the collector does not listen in {START:?}: {}",
                std::fs::read_to_string(&log).unwrap_or_default()
            );
            sleep(Duration::from_millis(100)).await;
        }
        Ok(Self { folder, port, _child: child })
    }

    /// The variables of services that send spans here, soon after they have ended.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        vec![
            ("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://127.0.0.1:{}", self.port)),
            ("OTEL_BSP_SCHEDULE_DELAY", "200".to_owned()),
        ]
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("spans.json")
    }

    /// Everything that was received, as OTLP's JSON, a line for each batch.
    pub fn text(&self) -> anyhow::Result<String> {
        Ok(std::fs::read_to_string(self.file())?)
    }

    /// Every span that was received so far.
    pub fn spans(&self) -> anyhow::Result<Vec<Span>> {
        let text = self.text()?;
        // The last line may still be being written.
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let mut found = Vec::new();
        for line in whole.lines() {
            let batch: Value = serde_json::from_str(line)?;
            for resource in array(&batch["resourceSpans"]) {
                let service = attributes(&resource["resource"]["attributes"])
                    .remove("service.name")
                    .and_then(|name| Some(name.as_str()?.to_owned()))
                    .context("a service without a name")?;
                let scopes = array(&resource["scopeSpans"]);
                let spans = scopes.flat_map(|scope| array(&scope["spans"]));
                found.extend(spans.map(|span| read(&service, span)));
            }
        }
        Ok(found)
    }
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn read(service: &str, span: &Value) -> Span {
    let text = |name: &str| span[name].as_str().unwrap_or_default().to_owned();
    Span {
        service: service.to_owned(),
        name: text("name"),
        kind: span["kind"].as_u64().unwrap_or_default(),
        trace: text("traceId"),
        id: text("spanId"),
        parent: text("parentSpanId"),
        attributes: attributes(&span["attributes"]),
    }
}

/// Attributes with their plain values; OTLP writes whole numbers as texts.
fn attributes(pairs: &Value) -> BTreeMap<String, Value> {
    let pair = |pair: &Value| Some((pair["key"].as_str()?.to_owned(), plain(&pair["value"])));
    array(pairs).filter_map(pair).collect()
}

fn plain(value: &Value) -> Value {
    if let Some(number) = value["intValue"].as_str().and_then(|text| text.parse::<i64>().ok()) {
        return number.into();
    }
    if let Some(values) = value["arrayValue"]["values"].as_array() {
        return values.iter().map(plain).collect();
    }
    value.as_object().and_then(|fields| fields.values().next()).cloned().unwrap_or_default()
}
