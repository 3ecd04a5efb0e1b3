//! How a running installation is, read from PostgreSQL, NATS and llm-service, or where only the API can be reached, from
//! the API.

mod bus;
mod database;
mod facts;
mod queue;
mod services;
mod through_api;
mod through_servers;

use std::path::Path;

use jiff::Timestamp;
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_service::Settings;

use self::facts::Facts;
use super::report::Check;
use crate::client::Client;
use crate::commands::backup;
use crate::output;

/// A backup is taken every night: one that is older than this was not.
const MAX_BACKUP_HOURS: i64 = 26;

/// The API of an installation.
pub(crate) struct Api {
    pub(crate) client: Client,
    /// `--url` or `TARSY_URL` names it; otherwise it is that of the all-in-one.
    pub(crate) is_named: bool,
}

/// Reads everything; what cannot be read is in the facts, too.
pub(super) async fn collect(
    home: &Path,
    api: &Api,
    backups: Option<&Path>,
) -> anyhow::Result<Facts> {
    let settings = Settings::from_env()?;
    let environment = settings.environment();
    let names_servers =
        ["DATABASE_URL", "NATS_URL"].iter().any(|name| environment.contains_key(*name));
    let mut facts = if names_servers && !api.is_named {
        Box::pin(through_servers::collect(home, &settings)).await
    } else {
        Box::pin(through_api::collect(&api.client)).await
    };
    facts.newest_backup = backups.map(|folder| {
        backup::newest(folder)
            .map_err(|error| format!("{} cannot be read: {error}", folder.display()))
    });
    Ok(facts)
}

/// What follows from the facts.
pub(super) fn checks(facts: &Facts) -> Vec<Check> {
    let now = SystemClock.now();
    let mut all = vec![Check::ok("source", &facts.source)];
    if let Some(problem) = &facts.api_problem {
        all.push(Check::failed(
            "api-gateway",
            problem,
            "start tarsy-api-gateway, name its address with --url, or set DATABASE_URL and NATS_URL to check without it",
        ));
        return all;
    }
    all.extend(database::checks(&facts.database, facts.expects_standby));
    if facts.database.is_ok() {
        all.extend(queue::checks(&facts.queue, now));
    }
    all.extend(bus::checks(facts));
    if facts.bus.is_ok() {
        all.extend(services::checks(&facts.instances));
    }
    all.extend(services::models(&facts.models));
    if facts.bus.is_ok() {
        all.extend(services::warnings(&facts.warnings));
    }
    all.extend(facts.newest_backup.as_ref().map(|newest| backup_check(newest, now)));
    all
}

fn backup_check(newest: &Result<Option<Timestamp>, String>, now: Timestamp) -> Check {
    const ADVICE: &str = "look at the job that runs `tarsy backup`";
    match newest {
        Ok(Some(at)) => {
            let hours = now.duration_since(*at).as_hours();
            let age = output::counted(hours, "hour");
            let text = format!("the newest was taken at {at}, {age} ago");
            if hours > MAX_BACKUP_HOURS {
                Check::warning("backup", text, ADVICE)
            } else {
                Check::ok("backup", text)
            }
        }
        Ok(None) => Check::failed("backup", "the folder has none", ADVICE),
        Err(problem) => Check::failed("backup", problem, "correct --backups"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::State;
    use super::*;

    #[test]
    fn a_backup_is_expected_every_day() {
        let at = Timestamp::UNIX_EPOCH;
        let after = |hours: i64| at + jiff::SignedDuration::from_hours(hours);
        for (newest, now, state) in [
            (Ok(Some(at)), after(26), State::Ok),
            (Ok(Some(at)), after(27), State::Warning),
            (Ok(None), at, State::Failed),
            (Err("no folder".to_owned()), at, State::Failed),
        ] {
            assert_eq!(backup_check(&newest, now).state, state, "{newest:?}");
        }
    }
}
