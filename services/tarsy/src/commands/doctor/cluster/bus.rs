//! NATS.

use tarsy_contracts::system::{BusState, ConsumerState, StreamState};
use tarsy_contracts::topology;

use super::super::report::Check;
use super::facts::Facts;
use crate::archive::size;
use crate::output;

/// From here on somebody should look, in percent.
const NEARLY_FULL: u64 = 80;
/// From here on messages are about to be refused, in percent.
const FULL: u64 = 95;
/// Messages that wait for their consumer; every service takes hundreds a second.
const MAX_LAG: u64 = 1_000;
const PROVISION: &str = "keep `tarsy provision` running, or run `tarsy migrate` with NATS_URL set";

pub(super) fn checks(facts: &Facts) -> Vec<Check> {
    let state = match &facts.bus {
        Ok(state) => state,
        Err(problem) => {
            let advice = "start nats-server with JetStream, or correct NATS_URL; nothing that was accepted is lost";
            return vec![Check::failed("NATS", problem, advice)];
        }
    };
    let mut all = vec![Check::ok("NATS", format!("version {}, JetStream answers", state.version))];
    match &facts.streams {
        Ok(streams) => all.extend([
            existing(streams),
            replicas(streams, facts.replicas),
            storage(state, streams),
            consumers(streams),
        ]),
        Err(problem) => {
            let advice =
                "read the log of nats-server; a stream whose servers are gone is back with them";
            all.push(Check::failed("streams", problem, advice));
        }
    }
    all
}

fn existing(streams: &[StreamState]) -> Check {
    let exists = |name: &str| streams.iter().any(|stream| stream.name == name);
    let is_read =
        |name: &str| streams.iter().flat_map(|one| &one.consumers).any(|one| one.name == name);
    let names = topology::stream_names();
    let consumers = topology::CONSUMERS.iter().filter(|consumer| !is_read(consumer.name));
    let missing: Vec<String> = names
        .iter()
        .filter(|name| !exists(name))
        .map(|name| format!("stream {name}"))
        .chain(consumers.map(|consumer| format!("consumer {}", consumer.name)))
        .collect();
    if missing.is_empty() {
        return Check::ok("streams", format!("all {} exist, with their consumers", names.len()));
    }
    Check::failed("streams", format!("missing: {}", missing.join(", ")), PROVISION)
}

/// Without `expected`, all streams are to have as many as the one that has most.
fn replicas(streams: &[StreamState], expected: Option<usize>) -> Check {
    const NAME: &str = "replicas";
    let most = streams.iter().map(|stream| stream.replicas).max().unwrap_or_default();
    let expected = expected.unwrap_or(most);
    let names = |chosen: &dyn Fn(&&StreamState) -> bool| {
        let of = |stream: &StreamState| format!("{} {}", stream.name, stream.current_replicas);
        streams.iter().filter(chosen).map(of).collect::<Vec<_>>().join(", ")
    };
    let lost =
        names(&|stream| stream.current_replicas * 2 <= stream.replicas && stream.replicas > 1);
    let servers = "start the servers of NATS that are missing, and read their log";
    if !lost.is_empty() {
        return Check::failed(NAME, format!("no majority is in sync: {lost} of {most}"), servers);
    }
    let behind = names(&|stream| stream.current_replicas < stream.replicas);
    if !behind.is_empty() {
        return Check::warning(NAME, format!("servers in sync: {behind} of {most}"), servers);
    }
    let few = names(&|stream| stream.replicas < expected);
    if !few.is_empty() {
        let advice = "set NATS_REPLICAS for `tarsy provision` and restart it";
        return Check::warning(
            NAME,
            format!("fewer than {expected} servers keep them: {few}"),
            advice,
        );
    }
    Check::ok(NAME, format!("{expected} of each stream, all in sync"))
}

fn storage(state: &BusState, streams: &[StreamState]) -> Check {
    const NAME: &str = "storage";
    const ADVICE: &str = "raise max_file and max_mem of the account in the configuration of nats-server, and give its \
                          volume the space";
    let parts = [
        ("on disk", state.storage_bytes, state.max_storage_bytes),
        ("in memory", state.memory_bytes, state.max_memory_bytes),
    ];
    let text = parts.map(|(kind, used, most)| {
        let most = most.and_then(|most| u64::try_from(most).ok());
        let most = most.map_or_else(|| "no limit".to_owned(), size);
        format!("{} of {most} {kind}", size(used))
    });
    let text = text.join(", ");
    let fullest = parts.iter().filter_map(|(_, used, most)| percent(*used, (*most)?)).max();
    match fullest {
        Some(FULL..) => return Check::failed(NAME, text, ADVICE),
        Some(NEARLY_FULL..) => return Check::warning(NAME, text, ADVICE),
        _ => {}
    }
    let full: Vec<&str> = streams
        .iter()
        .filter(|one| {
            one.refuses_when_full && percent(one.bytes, one.max_bytes) >= Some(NEARLY_FULL)
        })
        .map(|stream| stream.name.as_str())
        .collect();
    if full.is_empty() {
        return Check::ok(NAME, text);
    }
    let advice = "start the services that read these streams";
    Check::warning(
        NAME,
        format!("nearly full, and refuse messages then: {}", full.join(", ")),
        advice,
    )
}

/// None without a limit.
fn percent(used: u64, most: i64) -> Option<u64> {
    let most = u64::try_from(most).ok().filter(|most| *most > 0)?;
    Some(used.saturating_mul(100) / most)
}

fn consumers(streams: &[StreamState]) -> Check {
    const NAME: &str = "consumers";
    let all = || streams.iter().flat_map(|stream| &stream.consumers);
    let waiting = |one: &ConsumerState| one.pending + one.unacknowledged;
    let queued = all().find(|one| one.name == topology::INTAKE_ALERTS.name).map_or(0, waiting);
    if queued > 0 {
        let text = format!("{} in NATS, waiting for PostgreSQL", output::counted(queued, "alert"));
        return Check::warning(
            NAME,
            text,
            "bring PostgreSQL back, and keep an api-gateway running",
        );
    }
    let slow: Vec<String> = all()
        .filter(|one| waiting(one) > MAX_LAG)
        .map(|one| format!("{} is {} messages behind", one.name, waiting(one)))
        .collect();
    if slow.is_empty() {
        return Check::ok(NAME, "no lag");
    }
    Check::warning(NAME, slow.join(", "), "start more instances of the service, and read its log")
}

#[cfg(test)]
mod tests {
    use super::super::super::report::State;
    use super::*;

    fn streams() -> Vec<StreamState> {
        let of = |name: String| StreamState {
            consumers: topology::CONSUMERS
                .iter()
                .filter(|one| one.stream == name)
                .map(|one| ConsumerState {
                    name: one.name.to_owned(),
                    pending: 0,
                    unacknowledged: 0,
                })
                .collect(),
            name,
            messages: 0,
            bytes: 0,
            max_bytes: 100,
            refuses_when_full: true,
            replicas: 3,
            current_replicas: 3,
        };
        topology::stream_names().into_iter().map(of).collect()
    }

    #[test]
    fn a_stream_with_too_few_servers_is_reported() {
        let with = |replicas: usize, current: usize| {
            let mut all = streams();
            all[0].replicas = replicas;
            all[0].current_replicas = current;
            all
        };
        assert_eq!(replicas(&with(3, 3), None).state, State::Ok);
        assert_eq!(replicas(&with(3, 2), None).state, State::Warning);
        assert_eq!(replicas(&with(3, 1), None).state, State::Failed);
        assert_eq!(replicas(&with(1, 1), None).state, State::Warning);
        assert_eq!(replicas(&streams(), Some(5)).state, State::Warning);
    }

    #[test]
    fn storage_is_reported_before_it_is_full() {
        let of = |used: u64| BusState {
            storage_bytes: used,
            max_storage_bytes: Some(100),
            ..BusState::default()
        };
        assert_eq!(storage(&of(79), &streams()).state, State::Ok);
        assert_eq!(storage(&of(80), &streams()).state, State::Warning);
        assert_eq!(storage(&of(95), &streams()).state, State::Failed);
        let mut nearly = streams();
        nearly[0].bytes = 80;
        assert_eq!(storage(&BusState::default(), &nearly).state, State::Warning);
        nearly[0].max_bytes = -1;
        assert_eq!(storage(&BusState::default(), &nearly).state, State::Ok);
    }

    #[test]
    fn alerts_that_wait_for_the_database_are_reported_at_once_and_other_lag_when_it_is_long() {
        let with = |name: &str, pending: u64| {
            let mut all = streams();
            let found =
                all.iter_mut().flat_map(|one| &mut one.consumers).find(|one| one.name == name);
            found.unwrap().pending = pending;
            all
        };
        assert_eq!(consumers(&streams()).state, State::Ok);
        assert_eq!(consumers(&with("api-gateway-intake", 1)).state, State::Warning);
        assert_eq!(consumers(&with("notifier", MAX_LAG)).state, State::Ok);
        assert_eq!(consumers(&with("notifier", MAX_LAG + 1)).state, State::Warning);
    }
}
