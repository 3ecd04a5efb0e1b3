//! The facts as api-gateway sees them.

use serde::Deserialize;
use tarsy_contracts::status::Warning;
use tarsy_contracts::system::SystemState;

use super::facts::{Facts, Models};
use crate::client::Client;

const UNREADABLE: &str = "api-gateway cannot read it; its log has the reason";

#[derive(Deserialize)]
struct Warnings {
    warnings: Vec<Warning>,
}

#[derive(Deserialize)]
struct Info {
    llm: ModelInUse,
    providers: Vec<Provider>,
}

#[derive(Deserialize)]
struct ModelInUse {
    message: String,
}

#[derive(Deserialize)]
struct Provider {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    usable: bool,
}

pub(super) async fn collect(api: &Client) -> Facts {
    let state = text(api.system::<SystemState>("state").await);
    let api_problem = state.as_ref().err().cloned();
    let (instances, warnings, info) = tokio::join!(
        api.services(),
        api.system::<Warnings>("warnings"),
        api.system::<Info>("info"),
    );
    let unreadable = || UNREADABLE.to_owned();
    let state = state.unwrap_or_default();
    Facts {
        source: format!("the API at {}", api.base()),
        api_problem,
        database: state.database.ok_or_else(unreadable),
        expects_standby: false,
        queue: state.queue.ok_or_else(unreadable),
        bus: state.bus.ok_or_else(unreadable),
        streams: state.streams.ok_or_else(unreadable),
        replicas: None,
        instances: text(instances),
        warnings: text(warnings).map(|found| found.warnings),
        models: text(info).and_then(models),
        newest_backup: None,
    }
}

fn models(info: Info) -> Result<Models, String> {
    if info.providers.is_empty() {
        return Err(info.llm.message);
    }
    let usable = info.providers.into_iter().filter(|one| one.usable && one.kind != "offline");
    Ok(Models { source: info.llm.message, usable: usable.map(|one| one.name).collect() })
}

fn text<T>(result: anyhow::Result<T>) -> Result<T, String> {
    result.map_err(|error| format!("{error:#}"))
}
