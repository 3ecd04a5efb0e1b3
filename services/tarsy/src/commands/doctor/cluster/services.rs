//! The services, as their heartbeats report them, and what they warn of.

use std::collections::BTreeSet;

use tarsy_contracts::advice::advice;
use tarsy_contracts::permissions::{NOTIFIER, reporting_services};
use tarsy_contracts::status::{Instance, Warning};
use tarsy_service::VERSION;

use super::super::report::Check;
use super::facts::Models;

const BUCKET: &str = "read the log of nats-server, and keep `tarsy provision` running";

pub(super) fn checks(found: &Result<Vec<Instance>, String>) -> Vec<Check> {
    match found {
        Ok(instances) => {
            let mut all: Vec<Check> =
                reporting_services().map(|name| service(name, instances)).collect();
            all.push(versions(instances, VERSION));
            all
        }
        Err(problem) => vec![Check::failed("services", problem, BUCKET)],
    }
}

fn service(name: &str, instances: &[Instance]) -> Check {
    let own: Vec<&Instance> = instances.iter().filter(|one| one.service == name).collect();
    if own.is_empty() && name == NOTIFIER.name {
        // Without a destination it connects to nothing.
        let text = "not running (fine if no notifications are configured)";
        return Check::warning(name, text, "otherwise start tarsy-notifier");
    }
    if own.is_empty() {
        let advice = format!("start tarsy-{name}; if it runs, read its log");
        return Check::failed(name, "not running", advice);
    }
    let sum = |of: fn(&Instance) -> u32| own.iter().map(|one| u64::from(of(one))).sum::<u64>();
    let (capacity, load) = (sum(|one| one.capacity), sum(|one| one.load));
    let instances = match own.len() {
        1 => "1 instance".to_owned(),
        count => format!("{count} instances"),
    };
    match (name, capacity.saturating_sub(load)) {
        ("mcp-gateway", 0) => Check::warning(
            name,
            format!("{instances}, none of {capacity} leases is free"),
            "start more mcp-gateways, or raise TARSY_MCP_CAPACITY",
        ),
        ("mcp-gateway", free) => {
            Check::ok(name, format!("{instances}, {free} of {capacity} leases are free"))
        }
        ("orchestrator", _) if capacity == 0 => Check::warning(
            name,
            format!("{instances} that take no sessions"),
            "raise queue.worker_count",
        ),
        _ if capacity > 0 => Check::ok(name, format!("{instances}, {load} of {capacity} in use")),
        _ => Check::ok(name, instances),
    }
}

fn versions(instances: &[Instance], own: &str) -> Check {
    const NAME: &str = "versions";
    let found: BTreeSet<&str> = instances.iter().map(|one| one.version.as_str()).collect();
    let of = |version: &&str| {
        let services: BTreeSet<&str> = instances
            .iter()
            .filter(|one| one.version == *version)
            .map(|one| one.service.as_str())
            .collect();
        format!("{version}: {}", services.into_iter().collect::<Vec<_>>().join(", "))
    };
    if found.len() > 1 {
        let text = found.iter().map(of).collect::<Vec<_>>().join("; ");
        return Check::warning(
            NAME,
            text,
            "finish the upgrade, or restart the services that are behind",
        );
    }
    match found.first() {
        Some(version) if *version != own => Check::warning(
            NAME,
            format!("every service is {version}, and this command is {own}"),
            "use the command line of the version of the services",
        ),
        Some(version) => Check::ok(NAME, format!("every service is {version}")),
        None => Check::failed(NAME, "no service reports itself", "start the services"),
    }
}

pub(super) fn models(found: &Result<Models, String>) -> Vec<Check> {
    let models = match found {
        Ok(models) => models,
        Err(problem) => {
            let advice = "start llm-service, or correct LLM_SERVICE_ADDR and LLM_SERVICE_TOKEN";
            return vec![Check::failed("llm-service", problem, advice)];
        }
    };
    let providers = if models.usable.is_empty() {
        let advice = "set the key of a provider for llm-service, and restart it";
        let text = "none can be called; the offline analyst investigates";
        Check::warning("providers", text, advice)
    } else {
        Check::ok("providers", format!("can be called: {}", models.usable.join(", ")))
    };
    vec![Check::ok("llm-service", &models.source), providers]
}

/// One line for each warning that services raise.
pub(super) fn warnings(found: &Result<Vec<Warning>, String>) -> Vec<Check> {
    match found {
        Ok(warnings) if warnings.is_empty() => vec![Check::ok("warnings", "none")],
        Ok(warnings) => {
            let mut all: Vec<Check> = warnings.iter().map(warning).collect();
            all.sort_by(|a, b| a.text.cmp(&b.text));
            all
        }
        Err(problem) => vec![Check::failed("warnings", problem, BUCKET)],
    }
}

fn warning(warning: &Warning) -> Check {
    let text = format!("{}: {} {}", warning.id, warning.message, warning.details);
    let advice = advice(&warning.id).unwrap_or("the dashboard's system page shows more");
    Check::warning("warning", text.trim_end(), advice)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::super::report::State;
    use super::*;

    fn instance(service: &str, capacity: u32, load: u32, version: &str) -> Instance {
        Instance {
            service: service.to_owned(),
            instance: "one".to_owned(),
            version: version.to_owned(),
            config_hash: String::new(),
            capacity,
            load,
            seen_at: Timestamp::UNIX_EPOCH,
            clock_offset_ms: None,
        }
    }

    #[test]
    fn a_service_without_an_instance_or_without_capacity_is_reported() {
        let of = |name: &str, all: &[Instance]| service(name, all).state;
        assert_eq!(of("summarizer", &[]), State::Failed);
        assert_eq!(of("notifier", &[]), State::Warning);
        assert_eq!(of("notifier", &[instance("notifier", 0, 0, "1")]), State::Ok);
        assert_eq!(of("orchestrator", &[instance("orchestrator", 0, 0, "1")]), State::Warning);
        let full = instance("mcp-gateway", 5, 5, "1");
        assert_eq!(of("mcp-gateway", std::slice::from_ref(&full)), State::Warning);
        assert_eq!(of("mcp-gateway", &[full, instance("mcp-gateway", 5, 4, "1")]), State::Ok);
        assert_eq!(
            reporting_services().collect::<Vec<_>>(),
            [
                "api-gateway",
                "orchestrator",
                "mcp-gateway",
                "stream-relay",
                "summarizer",
                "notifier"
            ]
        );
    }

    #[test]
    fn different_versions_are_reported_with_who_has_them() {
        let (old, new) = (instance("notifier", 0, 0, "1"), instance("orchestrator", 1, 0, "2"));
        let both = versions(&[old.clone(), new], "2");
        assert_eq!(
            (both.state, both.text.as_str()),
            (State::Warning, "1: notifier; 2: orchestrator")
        );
        assert_eq!(versions(std::slice::from_ref(&old), "2").state, State::Warning);
        assert_eq!(versions(std::slice::from_ref(&old), "1").state, State::Ok);
        assert_eq!(versions(&[], "1").state, State::Failed);
    }
}
