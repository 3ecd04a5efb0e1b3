//! The system itself: what it is set up with, and how its parts are.

use axum::extract::State;
use jiff::Timestamp;
use serde::Serialize;
use tarsy_catalog::{Catalog, LlmInfo, ProviderState};
use tarsy_contracts::advice::advice;
use tarsy_contracts::permissions::{NOTIFIER, reporting_services};
use tarsy_contracts::status::{Instance, Warning};
use tarsy_contracts::topology;
use tarsy_domain::clock::Clock;
use tarsy_web::Json;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(info)).routes(routes!(warnings)).routes(routes!(services))
}

#[derive(Debug, Serialize, ToSchema)]
struct Info {
    version: &'static str,
    llm: ModelInUse,
    /// The providers that chains may name; none while llm-service has not reported yet which are usable.
    providers: Vec<ProviderView>,
    /// The destinations of notifications, to which a finding may be sent.
    destinations: Vec<String>,
}

/// A provider of language models. How it is reached is not shown.
#[derive(Debug, Serialize, ToSchema)]
struct ProviderView {
    /// Its name in the configuration.
    name: String,
    /// Whose interface it has.
    #[serde(rename = "type")]
    provider_type: &'static str,
    /// The model's name at the provider.
    model: String,
    /// Whether it can be called.
    usable: bool,
    /// Why not, in words for people.
    reason: Option<String>,
    /// The names of the variables that it needs and that are not set.
    missing_variables: Vec<String>,
}

impl From<ProviderState> for ProviderView {
    fn from(state: ProviderState) -> Self {
        Self {
            name: state.name,
            provider_type: state.provider_type.as_str(),
            model: state.model,
            usable: state.unusable.is_none(),
            reason: state.unusable.as_ref().map(ToString::to_string),
            missing_variables: state
                .unusable
                .map(|reason| reason.variables().to_vec())
                .unwrap_or_default(),
        }
    }
}

/// The model that answers where a chain names none.
#[derive(Debug, Serialize, ToSchema)]
struct ModelInUse {
    /// The provider's name.
    provider: String,
    model: String,
    /// What calls it.
    backend: &'static str,
    /// Whether it is the offline analyst, which is rules and not a model.
    offline: bool,
    /// What runs, and when offline what to set, in words for people.
    message: String,
}

impl From<LlmInfo> for ModelInUse {
    fn from(info: LlmInfo) -> Self {
        Self {
            provider: info.provider,
            model: info.model,
            backend: info.backend.as_str(),
            offline: info.offline,
            message: info.message,
        }
    }
}

/// The version, the model that answers, and which providers are usable.
#[utoipa::path(
    get, path = "/system/info", tag = "system", operation_id = "system_info",
    responses((status = 200, description = "What runs", body = Info))
)]
async fn info(State(app): State<AppState>) -> Json<Info> {
    let providers = app.configuration.providers().unwrap_or_default();
    Json(Info {
        version: tarsy_service::VERSION,
        llm: model_in_use(&app),
        providers: providers.into_iter().map(ProviderView::from).collect(),
        destinations: app.catalog().destinations.iter().map(|one| one.name.clone()).collect(),
    })
}

fn model_in_use(app: &AppState) -> ModelInUse {
    match app.configuration.for_alerts() {
        Ok(catalog) => catalog.llm_info().into(),
        Err(_) => ModelInUse {
            provider: String::new(),
            model: String::new(),
            backend: "",
            offline: false,
            message: "llm-service has not reported yet which providers are usable.".to_owned(),
        },
    }
}

/// What an operator should know.
#[derive(Debug, Serialize, ToSchema)]
struct Warnings {
    /// One entry for each.
    warnings: Vec<WarningView>,
}

/// Something an operator should know.
#[derive(Debug, Serialize, ToSchema)]
struct WarningView {
    id: String,
    category: String,
    message: String,
    /// More.
    details: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_id: Option<String>,
    /// Since when.
    created_at: Timestamp,
}

impl From<Warning> for WarningView {
    fn from(warning: Warning) -> Self {
        Self {
            advice: advice(&warning.id),
            id: warning.id,
            category: warning.category,
            message: warning.message,
            details: warning.details,
            server_id: warning.server_id,
            created_at: warning.created_at,
        }
    }
}

fn bus_is_away(clock: &dyn Clock) -> WarningView {
    WarningView {
        id: "bus.unavailable".to_owned(),
        advice: advice("bus.unavailable"),
        category: "bus".to_owned(),
        message: "The message bus (NATS) cannot be reached".to_owned(),
        details: "Alerts are still taken in. Live views are late, and what was known of tool \
                  servers cannot be shown, until it is back."
            .to_owned(),
        server_id: None,
        created_at: clock.now(),
    }
}

fn jetstream_is_away(clock: &dyn Clock) -> WarningView {
    WarningView {
        id: "nats.jetstream".to_owned(),
        advice: advice("nats.jetstream"),
        category: "nats".to_owned(),
        message: "NATS answers, but not JetStream.".to_owned(),
        details: "Alerts are still accepted and investigated; live views and the states of tool servers are \
                  late. If nats-server's log says that JetStream was disabled, free space on the disk of its \
                  store and restart it."
            .to_owned(),
        server_id: None,
        created_at: clock.now(),
    }
}

/// What an operator should know right now.
#[utoipa::path(
    get, path = "/system/warnings", tag = "system", operation_id = "system_warnings",
    responses((status = 200, description = "Warnings", body = Warnings))
)]
async fn warnings(State(app): State<AppState>) -> Json<Warnings> {
    let known = entries::<Warning>(&app, &topology::WARNINGS).await;
    let mut warnings: Vec<WarningView> = match known {
        Some(known) => known.into_iter().map(Into::into).collect(),
        None if app.bus.is_connected() => vec![jetstream_is_away(&*app.clock)],
        None => vec![bus_is_away(&*app.clock)],
    };
    warnings.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    Json(Warnings { warnings })
}

#[derive(Debug, Serialize, ToSchema)]
struct Services {
    /// One entry for each process.
    services: Vec<ServiceView>,
    /// The services that should run and have no heartbeat; null if NATS cannot be asked.
    missing: Option<Vec<&'static str>>,
}

/// A process that runs.
#[derive(Debug, Serialize, ToSchema)]
struct ServiceView {
    service: String,
    /// Its name among its kind.
    instance: String,
    version: String,
    /// The fingerprint of the configuration that it loaded; empty if it reads none.
    config_hash: String,
    /// How much it can take; zero if that does not apply.
    capacity: u32,
    /// How much it has taken.
    load: u32,
    /// When it said so.
    seen_at: Timestamp,
}

/// The running processes, as they report themselves; llm-service does not.
#[utoipa::path(
    get, path = "/system/services", tag = "system", operation_id = "services",
    responses((status = 200, description = "Services", body = Services))
)]
async fn services(State(app): State<AppState>) -> Json<Services> {
    let known = entries::<Instance>(&app, &topology::INSTANCES).await;
    let missing = known.as_deref().map(|known| missing(&app.catalog(), known));
    let mut services: Vec<ServiceView> = known
        .unwrap_or_default()
        .into_iter()
        .map(|one| ServiceView {
            service: one.service,
            instance: one.instance,
            version: one.version,
            config_hash: one.config_hash,
            capacity: one.capacity,
            load: one.load,
            seen_at: one.seen_at,
        })
        .collect();
    services.sort_by(|a, b| (&a.service, &a.instance).cmp(&(&b.service, &b.instance)));
    Json(Services { services, missing })
}

/// Without a destination notifier connects to nothing, and has no heartbeat.
fn missing(catalog: &Catalog, known: &[Instance]) -> Vec<&'static str> {
    let notifies = !catalog.destinations.is_empty();
    reporting_services()
        .filter(|name| *name != NOTIFIER.name || notifies)
        .filter(|name| known.iter().all(|one| one.service != *name))
        .collect()
}

/// Everything in a bucket; nothing when the bus cannot tell.
pub(super) async fn entries<T: serde::de::DeserializeOwned>(
    app: &AppState,
    bucket: &topology::Bucket,
) -> Option<Vec<T>> {
    if !app.bus.is_connected() {
        return None;
    }
    match app.bus.kv(bucket).entries().await {
        Ok(entries) => Some(entries),
        Err(error) => {
            let error = tarsy_telemetry::chain(&error).to_string();
            tracing::warn!(bucket = bucket.name, error, "a bucket could not be read");
            None
        }
    }
}
