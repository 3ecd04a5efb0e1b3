//! PostgreSQL.

use tarsy_contracts::system::{DatabaseState, StandbyState};

use super::super::report::Check;
use crate::archive::size;

/// Free connections below which nobody else gets in: an upgrade starts new instances beside the old ones.
const FEW_CONNECTIONS: i64 = 3;
/// A standby that lacks more than this takes noticeable time to take over.
const MAX_LAG_BYTES: i64 = 64 * 1024 * 1024;

pub(super) fn checks(found: &Result<DatabaseState, String>, expects_standby: bool) -> Vec<Check> {
    let state = match found {
        Ok(state) => state,
        Err(problem) => {
            let advice = "start PostgreSQL, or correct DATABASE_URL";
            return vec![Check::failed("PostgreSQL", problem, advice)];
        }
    };
    let used = u64::try_from(state.size_bytes).unwrap_or_default();
    let about = format!("version {}, the database takes {}", state.version, size(used));
    vec![
        Check::ok("PostgreSQL", about),
        primary(state),
        schema(state),
        connections(state),
        standbys(state, expects_standby),
    ]
}

fn primary(state: &DatabaseState) -> Check {
    if state.read_only {
        let advice = "name the primary in DATABASE_URL, or all servers, comma-separated; on a primary, look for \
                      default_transaction_read_only";
        return Check::failed("primary", "the server refuses writes", advice);
    }
    Check::ok("primary", "takes writes")
}

fn schema(state: &DatabaseState) -> Check {
    match &state.schema.problem {
        Some(problem) => {
            let advice = "run `tarsy migrate` of the version that the services have";
            Check::failed("schema", problem, advice)
        }
        None => Check::ok("schema", format!("has migration {}", state.schema.expected)),
    }
}

fn connections(state: &DatabaseState) -> Check {
    const ADVICE: &str =
        "raise max_connections, or lower TARSY_DATABASE_CONNECTIONS or the number of instances";
    let most = state.max_connections - state.reserved_connections;
    let free = (most - state.server_connections).max(0);
    let text = format!(
        "{} of {most} are open, {} of them to this database",
        state.server_connections, state.connections
    );
    if free < FEW_CONNECTIONS {
        Check::failed("connections", text, ADVICE)
    } else if free * 5 < most {
        Check::warning("connections", text, ADVICE)
    } else {
        Check::ok("connections", text)
    }
}

fn standbys(state: &DatabaseState, expects_standby: bool) -> Check {
    const NAME: &str = "standbys";
    let count = state.standbys.len();
    if count == 0 {
        let advice = "start the standby, and look at its log";
        return if state.synchronous {
            Check::failed(NAME, "commits wait for a standby and none is connected", advice)
        } else if expects_standby {
            Check::warning(
                NAME,
                "DATABASE_URL names several servers and no standby is connected",
                advice,
            )
        } else {
            Check::ok(NAME, "none")
        };
    }
    if state.standbys.iter().any(|standby| standby.state.is_none()) {
        return Check::warning(
            NAME,
            format!("{count} connected; {} may not see how they are", state.role),
            format!("as an administrator: grant pg_read_all_stats to {}", state.role),
        );
    }
    let behind: Vec<String> = state.standbys.iter().filter_map(behind).collect();
    if !behind.is_empty() {
        let advice = "look at the log of the standby and at the network between the servers";
        return Check::warning(NAME, behind.join(", "), advice);
    }
    let synchronous = state.standbys.iter().filter(|one| one.is_synchronous == Some(true)).count();
    if state.synchronous && synchronous == 0 {
        let advice = "compare synchronous_standby_names with the names of the standbys";
        return Check::failed(NAME, "commits wait for a standby that is not connected", advice);
    }
    Check::ok(NAME, format!("{count} follow, {synchronous} of them synchronously"))
}

/// How a standby lags, if it does.
fn behind(standby: &StandbyState) -> Option<String> {
    let StandbyState { name, state, lag_bytes, .. } = standby;
    let state = state.as_deref().unwrap_or_default();
    if state != "streaming" {
        return Some(format!("{name} does not follow yet: {state}"));
    }
    let lag = lag_bytes.filter(|lag| *lag > MAX_LAG_BYTES)?;
    Some(format!("{name} is {} behind", size(u64::try_from(lag).unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use tarsy_contracts::system::SchemaState;

    use super::super::super::report::State;
    use super::*;

    fn healthy() -> DatabaseState {
        DatabaseState {
            version: "17.2".to_owned(),
            size_bytes: 1_000_000,
            connections: 10,
            max_connections: 103,
            reserved_connections: 3,
            server_connections: 20,
            read_only: false,
            role: "tarsy_cli".to_owned(),
            schema: SchemaState { expected: 92, problem: None },
            synchronous: false,
            standbys: Vec::new(),
        }
    }

    fn standby(state: Option<&str>, lag: i64) -> StandbyState {
        StandbyState {
            name: "two".to_owned(),
            state: state.map(str::to_owned),
            is_synchronous: state.map(|_| false),
            lag_bytes: state.map(|_| lag),
        }
    }

    #[test]
    fn connections_are_counted_without_those_of_administrators() {
        let of = |open: i64| connections(&DatabaseState { server_connections: open, ..healthy() });
        assert_eq!(of(80).state, State::Ok);
        assert_eq!(of(81).state, State::Warning);
        assert_eq!(of(97).state, State::Warning);
        assert_eq!(of(98).state, State::Failed);
    }

    #[test]
    fn a_standby_that_is_missing_hidden_or_behind_is_reported() {
        let of = |synchronous: bool, standbys: Vec<StandbyState>, expected: bool| {
            let state = DatabaseState { synchronous, standbys, ..healthy() };
            super::standbys(&state, expected).state
        };
        assert_eq!(of(false, Vec::new(), false), State::Ok);
        assert_eq!(of(false, Vec::new(), true), State::Warning);
        assert_eq!(of(true, Vec::new(), false), State::Failed);
        assert_eq!(of(false, vec![standby(Some("streaming"), 1)], true), State::Ok);
        assert_eq!(of(true, vec![standby(Some("streaming"), 1)], true), State::Failed);
        assert_eq!(of(false, vec![standby(None, 0)], true), State::Warning);
        assert_eq!(of(false, vec![standby(Some("catchup"), 1)], true), State::Warning);
        let far = standby(Some("streaming"), MAX_LAG_BYTES + 1);
        assert_eq!(of(false, vec![far], true), State::Warning);
    }
}
