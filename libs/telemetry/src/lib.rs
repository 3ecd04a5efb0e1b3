//! Logs, traces and metrics, and the context that crosses HTTP, gRPC and NATS with a request.
//!
//! The adapter to OpenTelemetry, and the only crate that names it. It knows nothing of what is measured.

mod chain;
mod context;
mod counters;

pub use chain::chain;
pub use context::{set_attribute, set_failed, set_parent, traceparent};
pub use counters::{register_counter, register_counters};

use std::io::IsTerminal as _;
use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::WithExportConfig as _;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

/// How log lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// One JSON object a line.
    #[default]
    Json,
    /// For people.
    Pretty,
}

/// What telemetry needs to know.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The service's name.
    pub service: String,
    /// Which lines are written, in the syntax of `RUST_LOG`.
    pub filter: String,
    /// How they look.
    pub format: LogFormat,
    /// Where spans are sent by OTLP over gRPC; none keeps them here.
    pub otlp_endpoint: Option<String>,
}

/// Why telemetry could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The filter does not parse.
    #[error("the log filter {filter:?} is not valid; use for example `info,tarsy=debug`")]
    Filter {
        /// What was given.
        filter: String,
        #[source]
        source: tracing_subscriber::filter::ParseError,
    },
    /// The exporter could not be built.
    #[error("the OTLP exporter could not be built")]
    Exporter(#[source] opentelemetry_otlp::ExporterBuildError),
    /// Telemetry was set up before.
    #[error("telemetry is already set up")]
    Twice,
}

/// Keeps telemetry alive; flushes it when dropped, so drop it last.
#[derive(Debug)]
pub struct Guard {
    provider: Option<SdkTracerProvider>,
    metrics: PrometheusHandle,
}

impl Guard {
    /// The metrics in Prometheus' text format.
    pub fn metrics(&self) -> PrometheusHandle {
        self.metrics.clone()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(provider) = &self.provider
            && let Err(error) = provider.shutdown_with_timeout(Duration::from_secs(3))
        {
            tracing::debug!(%error, "spans could not be flushed");
        }
    }
}

const SECONDS: [f64; 14] =
    [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0];

/// Sets up logs, spans and metrics for this process, once.
pub fn init(options: &Options) -> Result<Guard, Error> {
    let filter = EnvFilter::try_new(&options.filter)
        .map_err(|source| Error::Filter { filter: options.filter.clone(), source })?;
    let provider = options.otlp_endpoint.as_deref().map(|at| exporter(at, &options.service));
    let provider = provider.transpose()?;
    let spans = provider.as_ref().map(|provider| {
        let layer = tracing_opentelemetry::layer().with_threads(false);
        layer.with_tracer(provider.tracer("tarsy")).with_filter(exported_spans())
    });
    let lines = match options.format {
        LogFormat::Json => {
            tracing_subscriber::fmt::layer().json().with_writer(std::io::stderr).boxed()
        }
        LogFormat::Pretty => {
            let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
            // In a file, codes of colors hide what one searches for.
            let is_file = !std::io::stderr().is_terminal();
            if is_file { layer.with_ansi(false).boxed() } else { layer.boxed() }
        }
    };
    tracing_subscriber::registry()
        .with(lines.with_filter(filter))
        .with(spans)
        .try_init()
        .map_err(|_| Error::Twice)?;
    opentelemetry::global::set_text_map_propagator(TraceContextPropagator::new());
    let metrics = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)
        .and_then(PrometheusBuilder::install_recorder)
        .map_err(|_| Error::Twice)?;
    Ok(Guard { provider, metrics })
}

/// The spans of our own crates, whatever is logged: a trace has no gaps when the log is quiet. Those of libraries may
/// have texts in their fields.
fn exported_spans() -> Targets {
    Targets::new().with_target("tarsy", LevelFilter::INFO)
}

fn exporter(endpoint: &str, service: &str) -> Result<SdkTracerProvider, Error> {
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_tonic()
        .with_endpoint(endpoint)
        .build()
        .map_err(Error::Exporter)?;
    let resource = Resource::builder().with_service_name(service.to_owned()).build();
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build())
}
