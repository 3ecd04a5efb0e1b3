//! `service_log` and `failed_services`: what systemd knows, or plain files where it is not there.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::kernel::explain;
use super::lines::{containing, newest};
use super::logs::read_end;
use crate::args::{ServiceLogArgs, bounded, text};
use crate::error::{ToolError, ToolResult};
use crate::exec::{Outcome, Program, run};
use crate::host::{Host, blocking};

/// The files in which services write without systemd.
const FILES: [&str; 3] = ["/var/log/syslog", "/var/log/messages", "/var/log/daemon.log"];
/// How many failed units are listed.
const MAX_UNITS: usize = 100;

/// The newest lines of a unit, or of the whole system.
pub(crate) async fn service_log(host: Arc<Host>, args: ServiceLogArgs) -> ToolResult {
    let lines = bounded("lines", args.lines, 1, 500)?;
    let unit = text("unit", args.unit, 128)?.map(|name| unit_name(&name)).transpose()?;
    let count = format!("--lines={lines}");
    let only = unit.as_ref().map(|unit| format!("--unit={unit}"));
    let mut options = vec!["--no-pager", "--quiet", "--output=short-iso", count.as_str()];
    options.extend(only.as_deref());
    let why = match run(Program::Journalctl, &options).await {
        Outcome::Done(text) if !text.trim().is_empty() => {
            let found = newest(&text, lines, |_| true);
            return Ok(json!({
                "available": true, "source": "journalctl", "unit": unit, "cut": found.cut, "lines": found.lines,
            }));
        }
        outcome => explain(Program::Journalctl, outcome),
    };
    blocking(move || Ok(from_files(&host, unit.as_deref(), lines, &why))).await
}

fn from_files(host: &Host, unit: Option<&str>, lines: usize, why: &str) -> Value {
    let (mut tried, mut missing) = (vec![why.to_owned()], 0);
    let name = unit.map(|unit| unit.strip_suffix(".service").unwrap_or(unit));
    for path in FILES {
        let found = host
            .logs
            .open(path)
            .and_then(|(file, _)| read_end(file, path, name.is_some()))
            .map(|end| newest(&end.text, lines, containing(name)));
        match found {
            Ok(found) if !found.lines.is_empty() => {
                return json!({
                    "available": true, "source": path, "unit": unit, "cut": found.cut, "lines": found.lines,
                    "note": "no systemd journal here; these are the lines of the file that name the unit",
                });
            }
            Ok(_) => tried.push(format!("{path}: no line of it")),
            Err(_) if !Path::new(path).exists() => missing += 1,
            Err(error) => tried.push(error.to_string()),
        }
    }
    // A file that is named here is read next.
    if missing == FILES.len() {
        tried.push("this machine has no system log file".to_owned());
    }
    json!({
        "available": false,
        "unit": unit,
        "reason": "no log of it can be found: no systemd journal with such entries, and no system log file",
        "tried": tried,
        "next": "list_logs shows the log files of this machine, tail_log reads one",
    })
}

/// Accepts the characters of unit names alone: it becomes an argument of a program.
fn unit_name(name: &str) -> Result<String, ToolError> {
    let name = name.trim();
    let allowed =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '@' | ':' | '.' | '_' | '-' | '\\');
    if name.is_empty() || name.starts_with('-') || name.len() > 128 || !name.chars().all(allowed) {
        return Err(ToolError::invalid(
            format!("{name:?} is not the name of a unit"),
            "use letters, digits and @ : . _ - only, such as nginx.service",
        ));
    }
    Ok(name.to_owned())
}

pub(crate) async fn failed_services() -> ToolResult {
    if !Path::new("/run/systemd/system").exists() {
        return Ok(json!({
            "available": false,
            "reason": "this machine was not started with systemd (a container, or another init); there are no units",
            "next": "top_processes shows what runs, service_log and list_logs show logs",
        }));
    }
    let args =
        ["list-units", "--failed", "--all", "--no-legend", "--plain", "--no-pager", "--full"];
    match run(Program::Systemctl, &args).await {
        Outcome::Done(text) => {
            let units: Vec<Value> = text.lines().filter_map(unit).take(MAX_UNITS).collect();
            Ok(json!({ "available": true, "failed_count": units.len(), "failed": units }))
        }
        outcome => {
            Ok(json!({ "available": false, "reason": explain(Program::Systemctl, outcome) }))
        }
    }
}

fn unit(line: &str) -> Option<Value> {
    let mut words = line.split_ascii_whitespace().skip_while(|word| *word == "●");
    let (name, load, active, sub) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let description = words.collect::<Vec<_>>().join(" ");
    Some(
        json!({ "unit": name, "load": load, "active": active, "sub": sub, "description": description }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_units_pass() {
        for name in ["nginx", "nginx.service", "getty@tty1.service", "dev-disk-by\\x2duuid.device"]
        {
            assert_eq!(unit_name(name).as_deref(), Ok(name));
        }
        for name in ["", "--root=/", "a b", "a;b", "$(x)", "a/b", "ü"] {
            let error = unit_name(name).expect_err(name);
            assert!(error.to_json().to_string().contains("nginx.service"));
        }
    }

    #[test]
    fn a_failed_unit_is_read_from_its_line() {
        let line = "● nginx.service loaded failed failed A high performance web server";
        let unit = unit(line).expect("readable");
        assert_eq!(unit.get("unit"), Some(&json!("nginx.service")));
        assert_eq!(unit.get("description"), Some(&json!("A high performance web server")));
    }
}
