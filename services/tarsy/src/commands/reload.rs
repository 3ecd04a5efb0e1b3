//! `tarsy config reload`: running services read the configuration again.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use tarsy_contracts::permissions::API_GATEWAY;
use tarsy_contracts::status::Instance;
use tokio::time::{Instant as Moment, sleep};

use crate::client::{Client, Reloading};
use crate::output::{self, Format, field};

/// How long the services may take until they run with the configuration.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Between two looks at the services.
const INTERVAL: Duration = Duration::from_millis(200);

pub(crate) async fn run(client: &Client, format: Format) -> anyhow::Result<ExitCode> {
    let before = client.services().await?;
    let wanted = client.reload().await?;
    if format == Format::Text {
        for warning in &wanted.warnings {
            output::remark(&format!("warning: {warning}"));
        }
    }
    let late = wait(client, &before, &wanted.config_hash).await?;
    match format {
        Format::Json => output::document(&json!({
            "config_hash": wanted.config_hash,
            "warnings": wanted.warnings,
            "late": late.iter().map(name_of).collect::<Vec<_>>(),
        }))?,
        Format::Text => print(&wanted, &late),
    }
    Ok(if late.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(wanted: &Reloading, late: &[Instance]) {
    if late.is_empty() {
        output::line(&format!(
            "every service runs with configuration {}",
            field(&wanted.config_hash)
        ));
        return;
    }
    for one in late {
        let service = format!("{} ({})", field(&one.service), field(&one.instance));
        output::problem(&format!("{service} does not run with it after {} s", TIMEOUT.as_secs()));
    }
    output::remark(
        "their logs say why; a service that cannot start with the configuration goes on with the one of before",
    );
}

/// Waits until each service has a successor that runs with the files. Returns those that have none in time.
async fn wait(client: &Client, before: &[Instance], hash: &str) -> anyhow::Result<Vec<Instance>> {
    let deadline = Moment::now() + TIMEOUT;
    loop {
        let late = late(before, &client.services().await?, hash);
        if late.is_empty() || Moment::now() >= deadline {
            return Ok(late);
        }
        sleep(INTERVAL).await;
    }
}

/// The services that were there before and have no successor with the files. They may still be there with one: their work
/// may take longer. One of api-gateway is late until it is gone, because it would answer with the files of before.
fn late(before: &[Instance], now: &[Instance], hash: &str) -> Vec<Instance> {
    let is_successor = |one: &&Instance| {
        let is_new = before.iter().all(|other| name_of(other) != name_of(one));
        is_new && (one.config_hash.is_empty() || one.config_hash == hash)
    };
    let mut successors = BTreeMap::<&str, usize>::new();
    for one in now.iter().filter(is_successor) {
        *successors.entry(&one.service).or_default() += 1;
    }
    let is_there = |one: &Instance| now.iter().any(|other| name_of(other) == name_of(one));
    let is_late = |one: &&Instance| {
        let may_answer = one.service == API_GATEWAY.name && is_there(one);
        match successors.get_mut(one.service.as_str()) {
            Some(left) if *left > 0 && !may_answer => {
                *left -= 1;
                false
            }
            _ => true,
        }
    };
    before.iter().filter(is_late).cloned().collect()
}

fn name_of(one: &Instance) -> (&str, &str) {
    (&one.service, &one.instance)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn one(service: &str, instance: &str, hash: &str) -> Instance {
        Instance {
            service: service.to_owned(),
            instance: instance.to_owned(),
            version: String::new(),
            config_hash: hash.to_owned(),
            capacity: 0,
            load: 0,
            seen_at: Timestamp::UNIX_EPOCH,
            clock_offset_ms: None,
        }
    }

    #[test]
    fn services_are_late_until_each_has_a_successor_with_the_files() {
        let before = [one("orchestrator", "a", "1"), one("orchestrator", "b", "1")];
        let late = |now: &[Instance]| late(&before, now, "2");
        assert_eq!(late(&before), before);
        assert_eq!(late(&[]), before);
        let first = one("orchestrator", "a-r1", "2");
        assert_eq!(late(&[before[0].clone(), first.clone()]).len(), 1);
        // It still has the files of before.
        let with_others = one("orchestrator", "b-r1", "1");
        assert_eq!(late(&[first.clone(), with_others]).len(), 1);
        // What was there before ends its work.
        let second = one("orchestrator", "b-r1", "2");
        assert_eq!(late(&[before[1].clone(), first, second]), []);
    }

    #[test]
    fn nobody_is_answered_with_the_files_of_before_once_the_command_has_ended() {
        let before = [one("api-gateway", "a", "1")];
        let successor = one("api-gateway", "a-r1", "2");
        assert_eq!(late(&before, &[before[0].clone(), successor.clone()], "2"), before);
        assert_eq!(late(&before, &[successor], "2"), []);
    }

    #[test]
    fn the_same_files_count_only_once_a_service_has_started_again() {
        let before = [one("stream-relay", "a", "1")];
        assert_eq!(late(&before, &before, "1"), before);
        assert_eq!(late(&before, &[one("stream-relay", "a-r1", "1")], "1"), []);
    }
}
