//! The configuration as it was resolved, and where each value is from.

use std::collections::BTreeMap;

use axum::extract::State;
use serde::Serialize;
use tarsy_catalog::{ConfigValue, ValueSource};
use tarsy_service::ProcessSetting;
use tarsy_web::Json;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(config))
}

/// The configuration of api-gateway. Other services read the same files; whether theirs differ is in `/system/services`.
#[derive(Debug, Serialize, ToSchema)]
struct ResolvedConfig {
    /// The fingerprint of the files.
    config_hash: String,
    /// Settings of the process, from its environment.
    process: Vec<ConfigEntry>,
    /// What the files set, and the defaults of what they do not, in the order of the files.
    values: Vec<ConfigEntry>,
}

/// A value, and where it is from.
#[derive(Debug, Serialize, ToSchema)]
struct ConfigEntry {
    /// The path of its key, such as `queue.worker_count`, or the name of its variable.
    path: String,
    /// The value; none if it is a secret, or nothing.
    value: Option<String>,
    /// Whether there is a value that is not shown, because it may be a secret.
    hidden: bool,
    source: ConfigSource,
    /// The file that it stands in; `<built-in>` comes with TARSy.
    file: Option<String>,
    /// The line in the file, from 1.
    line: Option<usize>,
    /// The environment variables that it names, or that it is from.
    variables: Vec<ConfigVariable>,
}

/// An environment variable of api-gateway.
#[derive(Debug, Serialize, ToSchema)]
struct ConfigVariable {
    name: String,
    /// Whether it is set in this process. Secrets of tool servers are set for mcp-gateway only.
    is_set: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ConfigSource {
    /// A file of the operator.
    File,
    /// A file that comes with TARSy.
    BuiltIn,
    /// The environment of the process.
    Environment,
    /// Nobody set it.
    Default,
}

/// Every setting and entry of the configuration with its value and source. Secrets are not shown.
#[utoipa::path(
    get, path = "/system/config", tag = "system", operation_id = "system_config",
    responses((status = 200, description = "The configuration", body = ResolvedConfig))
)]
#[tracing::instrument(name = "http.system.config", skip_all)]
async fn config(State(app): State<AppState>) -> Json<ResolvedConfig> {
    let catalog = app.configuration.get();
    Json(ResolvedConfig {
        config_hash: catalog.config_hash(),
        process: app.process.iter().map(of_process).collect(),
        values: catalog
            .values()
            .iter()
            .map(|value| of_file(value, app.settings.environment()))
            .collect(),
    })
}

fn of_process(setting: &ProcessSetting) -> ConfigEntry {
    let name = setting.variable.to_owned();
    let source = if setting.is_set { ConfigSource::Environment } else { ConfigSource::Default };
    ConfigEntry {
        path: name.clone(),
        value: setting.value.clone(),
        hidden: setting.is_set && setting.value.is_none(),
        source,
        file: None,
        line: None,
        variables: vec![ConfigVariable { name, is_set: setting.is_set }],
    }
}

fn of_file(value: &ConfigValue, environment: &BTreeMap<String, String>) -> ConfigEntry {
    let (source, place) = match &value.source {
        ValueSource::File { file, line } => (ConfigSource::File, Some((file, *line))),
        ValueSource::Builtin { file, line } => (ConfigSource::BuiltIn, Some((file, *line))),
        ValueSource::Default => (ConfigSource::Default, None),
    };
    let is_set =
        |name: &String| environment.get(name).is_some_and(|value| !value.trim().is_empty());
    let variables = value
        .variables
        .iter()
        .map(|name| ConfigVariable { name: name.clone(), is_set: is_set(name) })
        .collect();
    ConfigEntry {
        path: value.path.clone(),
        value: value.value.clone(),
        hidden: value.value.is_none(),
        source,
        file: place.map(|(file, _)| file.clone()),
        line: place.map(|(_, line)| line),
        variables,
    }
}
