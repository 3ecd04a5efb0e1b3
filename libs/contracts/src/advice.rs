//! What an operator does about a warning.

/// The advice of each warning, by the beginning of its id.
const ADVICE: &[(&str, &str)] = &[
    (
        "mcp_health.",
        "Check its address in tarsy.yaml, or start the server. TARSy retries automatically.",
    ),
    ("mcp_tools.", "Report the tools to the author of the server. Its other tools can be used."),
    (
        "nats.storage",
        "Free space on the disk of nats-server's store. TARSy then creates the streams again.",
    ),
    (
        "nats.jetstream",
        "Read the log of nats-server. If the disk was full, free space and restart it.",
    ),
    (
        "bus.unavailable",
        "Start nats-server, or correct NATS_URL. Nothing that was accepted is lost.",
    ),
    (
        "config.mismatch",
        "Restart the services with the older configuration. The list of services shows which these are.",
    ),
    ("clock.offset", "Synchronize the clock of the machine, for example with chrony."),
    ("notifications.", "Read what the destination answered, and correct it in tarsy.yaml."),
    (
        "dead_letters.waiting",
        "List them with `tarsy dead list`. When the cause is gone, send them again with `tarsy dead retry ID`.",
    ),
    ("llm.providers", "Set the variables that are missing for llm-service, and restart it."),
    ("llm.service", "Start llm-service, or correct LLM_SERVICE_ADDR."),
    (
        "access.issuer",
        "Check the OpenID Connect issuer. Who is signed in, and API tokens, are not affected.",
    ),
    (
        "budget.tokens",
        "Raise the limit in tarsy.yaml, or wait until midnight (UTC), when it begins anew.",
    ),
    (
        "sessions.pending",
        "Start more orchestrators, raise the limit of sessions at a time, or cancel what is not needed.",
    ),
    (
        "slack.socket",
        "Check the app-level token (connections:write) and Socket Mode of the app. TARSy connects again automatically.",
    ),
    (
        "runbooks.token",
        "Create a new token for the runbook repository, and set it for api-gateway.",
    ),
];

/// What to do; none for a warning of a service that is newer than this one.
pub fn advice(id: &str) -> Option<&'static str> {
    ADVICE.iter().find(|(begin, _)| id.starts_with(begin)).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permissions::API_GATEWAY;
    use crate::status::STORAGE_WARNING;
    use crate::topology;

    #[test]
    fn every_warning_of_the_api_gateway_has_advice() {
        let own =
            API_GATEWAY.writes.iter().filter(|(bucket, _)| bucket.name == topology::WARNINGS.name);
        for id in own.map(|(_, id)| *id).chain([STORAGE_WARNING]) {
            assert!(advice(id).is_some(), "{id}");
        }
        assert_eq!(advice("of.the.future"), None);
    }
}
