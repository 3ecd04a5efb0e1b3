//! The folder of a case: `alert.json`, `chain.json`, `tools.json`, `calls.jsonl`, `expected.json`, `report.json`.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tarsy_contracts::recording::{RecordedCall, RecordedReport, RecordedUsage, Recording};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_evaluation::Expected;

const ALERT: &str = "alert.json";
const CHAIN: &str = "chain.json";
const TOOLS: &str = "tools.json";
const CALLS: &str = "calls.jsonl";
const REPORT: &str = "report.json";
const EXPECTED: &str = "expected.json";

/// A case in memory.
#[derive(Clone, Debug)]
pub(crate) struct CaseFolder {
    pub(crate) recording: Recording,
    pub(crate) expected: Expected,
}

impl CaseFolder {
    /// Writes a case; an existing `expected.json` is kept.
    pub(crate) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        fs::create_dir_all(folder)
            .with_context(|| format!("could not create {}", folder.display()))?;
        let Recording { alert, chain, servers, calls, report, .. } = &self.recording;
        write(folder, ALERT, alert)?;
        write(folder, CHAIN, chain)?;
        write(folder, TOOLS, servers)?;
        write(folder, REPORT, report)?;
        let lines: Vec<String> =
            calls.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        put(folder, CALLS, &(lines.join("\n") + "\n"))?;
        if folder.join(EXPECTED).exists() {
            return Ok(());
        }
        write(folder, EXPECTED, &self.expected)
    }

    /// Reads a case; one without accepted answers is an error.
    pub(crate) fn read(folder: &Path) -> anyhow::Result<Self> {
        let expected: Expected = read(folder, EXPECTED)?;
        expected.check().with_context(|| folder.join(EXPECTED).display().to_string())?;
        let report = if folder.join(REPORT).exists() { read(folder, REPORT)? } else { no_report() };
        let recording = Recording {
            session_id: SessionId::new(),
            alert: read(folder, ALERT)?,
            chain: read(folder, CHAIN)?,
            servers: read(folder, TOOLS)?,
            calls: calls(folder)?,
            report,
            usage: RecordedUsage::default(),
        };
        Ok(Self { recording, expected })
    }

    /// Whether a folder has a case of this format.
    pub(crate) fn is_one(folder: &Path) -> bool {
        folder.join(CALLS).is_file() && folder.join(ALERT).is_file()
    }
}

pub(crate) const fn no_report() -> RecordedReport {
    RecordedReport {
        status: SessionStatus::Completed,
        final_analysis: None,
        executive_summary: None,
        error_message: None,
    }
}

fn calls(folder: &Path) -> anyhow::Result<Vec<RecordedCall>> {
    let text = text(folder, CALLS)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).with_context(|| {
                format!("{}, line {}: no recorded call", folder.join(CALLS).display(), at + 1)
            })
        })
        .collect()
}

fn read<T: DeserializeOwned>(folder: &Path, name: &str) -> anyhow::Result<T> {
    let path = folder.join(name);
    serde_json::from_str(&text(folder, name)?)
        .with_context(|| format!("{} cannot be read", path.display()))
}

fn text(folder: &Path, name: &str) -> anyhow::Result<String> {
    let path = folder.join(name);
    fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))
}

fn write<T: Serialize>(folder: &Path, name: &str, value: &T) -> anyhow::Result<()> {
    put(folder, name, &(serde_json::to_string_pretty(value)? + "\n"))
}

fn put(folder: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    let path = folder.join(name);
    fs::write(&path, text).with_context(|| format!("could not write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_contracts::alert::AlertFields;
    use tarsy_contracts::recording::{RecordedAlert, RecordedServer};
    use tarsy_domain::event::CallStatus;

    use super::*;

    fn case() -> CaseFolder {
        let call = RecordedCall {
            number: 1,
            server: "host".to_owned(),
            tool: "disk_usage".to_owned(),
            arguments: json!({}),
            status: CallStatus::Completed,
            refused_by_policy: false,
            result: "two\nlines".to_owned(),
        };
        let recording = Recording {
            session_id: SessionId::new(),
            alert: RecordedAlert {
                data: "disk".to_owned(),
                alert_type: Some("host".to_owned()),
                received_at: "2026-01-02T03:04:05Z".parse().unwrap(),
                runbook_url: None,
                runbook: None,
                fields: AlertFields::default(),
                changes: Vec::new(),
                dependencies: Vec::new(),
            },
            chain: json!({"chain_id": "host"}),
            servers: vec![RecordedServer {
                server: "host".to_owned(),
                ..RecordedServer::default()
            }],
            calls: vec![call],
            report: no_report(),
            usage: RecordedUsage::default(),
        };
        let names = |name: &str| vec![name.to_owned()];
        let expected = Expected {
            cause: names("full"),
            object: names("/var"),
            category: names("disk"),
            ..Expected::default()
        };
        CaseFolder { recording, expected }
    }

    #[test]
    fn a_case_is_read_as_it_was_written_and_keeps_its_expected_answer() {
        let folder = tempfile::tempdir().unwrap();
        case().write(folder.path()).unwrap();
        let changed = CaseFolder { expected: Expected::default(), ..case() };
        changed.write(folder.path()).unwrap();
        let read = CaseFolder::read(folder.path()).unwrap();
        assert!(CaseFolder::is_one(folder.path()));
        assert_eq!(read.expected, case().expected);
        assert_eq!(read.recording.calls, case().recording.calls);
        assert_eq!(read.recording.alert, case().recording.alert);
    }

    #[test]
    fn a_broken_line_and_a_missing_answer_are_reported_with_their_file() {
        let folder = tempfile::tempdir().unwrap();
        case().write(folder.path()).unwrap();
        fs::write(folder.path().join(CALLS), "{}\n").unwrap();
        let error = CaseFolder::read(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("calls.jsonl, line 1: no recorded call"), "{error}");
        fs::write(folder.path().join(EXPECTED), r#"{"cause":[],"object":[],"category":[]}"#)
            .unwrap();
        let error = format!("{:#}", CaseFolder::read(folder.path()).unwrap_err());
        assert!(error.contains("expected.json") && error.contains("expected.cause"), "{error}");
    }
}
