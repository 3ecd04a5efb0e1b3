//! The facts as PostgreSQL, NATS and llm-service have them.

use std::path::Path;

use tarsy_bus::Bus;
use tarsy_contracts::topology;
use tarsy_llm::GrpcLlm;
use tarsy_service::Settings;
use tarsy_store::Store;

use super::facts::{Facts, Models};
use crate::connections;

const UNREACHABLE: &str = "it cannot be reached";

pub(super) async fn collect(home: &Path, settings: &Settings) -> Facts {
    let (store, bus, models) =
        tokio::join!(store(settings), Box::pin(bus(home, settings)), models(settings));
    let names = |variable: &str| settings.environment().contains_key(variable);
    let mut facts = Facts {
        source: "PostgreSQL, NATS and llm-service, as the environment names them".to_owned(),
        api_problem: None,
        database: Err(UNREACHABLE.to_owned()),
        expects_standby: has_several_hosts(&settings.database_url),
        queue: Err(UNREACHABLE.to_owned()),
        bus: Err(UNREACHABLE.to_owned()),
        streams: Err(UNREACHABLE.to_owned()),
        replicas: names("NATS_REPLICAS").then_some(settings.nats_replicas),
        instances: Err(UNREACHABLE.to_owned()),
        warnings: Err(UNREACHABLE.to_owned()),
        models,
        newest_backup: None,
    };
    match store {
        Ok(store) => {
            facts.database = text(store.find_database_state().await);
            facts.queue = text(store.find_queue_state().await);
        }
        Err(problem) => facts.database = Err(problem),
    }
    match bus {
        Ok(bus) => {
            facts.bus = text(bus.state().await);
            facts.streams = text(Box::pin(bus.stream_states()).await);
            facts.instances = text(bus.kv(&topology::INSTANCES).entries().await);
            facts.warnings = text(bus.kv(&topology::WARNINGS).entries().await);
        }
        Err(problem) => facts.bus = Err(problem),
    }
    facts
}

async fn store(settings: &Settings) -> Result<Store, String> {
    if settings.database_url.is_empty() {
        return Err("DATABASE_URL is not set".to_owned());
    }
    text(Store::connect(&settings.database_url, 2).await)
}

async fn bus(home: &Path, settings: &Settings) -> Result<Bus, String> {
    if !settings.environment().contains_key("NATS_URL") {
        return Err("NATS_URL is not set".to_owned());
    }
    connections::bus(home).await.map_err(|error| format!("{error:#}"))
}

async fn models(settings: &Settings) -> Result<Models, String> {
    if !settings.environment().contains_key("LLM_SERVICE_ADDR") {
        return Err("LLM_SERVICE_ADDR is not set".to_owned());
    }
    let llm = text(GrpcLlm::new(&settings.llm_service))?;
    let missing = text(llm.list_providers().await)?;
    let usable = missing.into_iter().filter(|(_, variables)| variables.is_empty());
    Ok(Models {
        source: format!("llm-service answers at {}", settings.llm_service.addresses.join(", ")),
        usable: usable.map(|(name, _)| name).collect(),
    })
}

fn has_several_hosts(url: &str) -> bool {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = authority.split(['/', '?']).next().unwrap_or_default();
    authority.rsplit('@').next().is_some_and(|hosts| hosts.contains(','))
}

fn text<T, E: std::error::Error + 'static>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|error| tarsy_telemetry::chain(&error).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_with_a_comma_is_no_second_host() {
        assert!(!has_several_hosts("postgres://u:a,b@one/tarsy?x=a,b"));
        assert!(has_several_hosts("postgres://u:p@one:5432,two/tarsy"));
        assert!(!has_several_hosts(""));
    }
}
