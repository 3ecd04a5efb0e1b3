//! Reads folders of cases in public layouts.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context as _, ensure};
use jiff::Timestamp;
use serde_json::Value;
use tarsy_catalog::{Catalog, Env, ResolvedChain, ResolvedServer, Summarization};
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::recording::{RecordedAlert, RecordedUsage, Recording};
use tarsy_domain::id::SessionId;
use tarsy_evaluation::{File, Layout, ReadCase};

use super::case::Case;
use crate::commands::case::folder::{CaseFolder, no_report};

/// Files and folders that are looked at; a bound for a folder that was named by mistake.
const MOST_ENTRIES: usize = 200_000;
/// Folders inside each other.
const MOST_DEPTH: usize = 8;
/// Cases of one evaluation.
const MOST_CASES: usize = 5_000;
/// The size of one file.
const MOST_BYTES: u64 = 64 << 20;
/// The type of the alerts, and the name of the chain.
const NAME: &str = "recorded";

/// The cases of a folder in a known layout; none if it has no such layout.
pub(super) fn read(folder: &Path, chain: Option<&Value>) -> anyhow::Result<Vec<Case>> {
    let paths = listing(folder)?;
    let names = || paths.iter().map(String::as_str);
    let Some(layout) = Layout::of(names()) else { return Ok(Vec::new()) };
    let folders = layout.folders(names());
    ensure!(folders.len() <= MOST_CASES, "{} has more than {MOST_CASES} cases", folder.display());
    let chain = match chain {
        Some(chain) => chain.clone(),
        None => serde_json::to_value(chain_of_recorded_tools()?)?,
    };
    folders.into_iter().map(|name| case(layout, folder, name, &chain)).collect()
}

fn case(layout: Layout, root: &Path, name: &str, chain: &Value) -> anyhow::Result<Case> {
    let folder = if name.is_empty() { root.to_owned() } else { root.join(name) };
    let (mut files, written) = files_of(&folder, |name| layout.reads(name))?;
    if let Some(base) =
        layout.base(&borrowed(&files)).with_context(|| folder.display().to_string())?
    {
        let beside = folder.parent().unwrap_or(root).join(base);
        let known: BTreeSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
        files.extend(files_of(&beside, |name| layout.inherits(name) && !known.contains(name))?.0);
    }
    files.sort();
    let read = layout.read(&borrowed(&files)).with_context(|| folder.display().to_string())?;
    // A layout without a time was recorded before its files were written, at the latest.
    let written = written.and_then(|time| Timestamp::try_from(time).ok());
    let name = if name.is_empty() {
        root.file_name().unwrap_or_default().to_string_lossy()
    } else {
        name.into()
    };
    let folder = recorded(read, chain, written.unwrap_or(Timestamp::UNIX_EPOCH));
    Ok(Case { name: name.into_owned(), foreign: true, folder })
}

/// Files by their names, and when the newest of them was written.
type Read = (Vec<(String, String)>, Option<SystemTime>);

/// The files of a folder that are wanted.
fn files_of(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> anyhow::Result<Read> {
    let (mut files, mut written) = (Vec::new(), None);
    for entry in
        fs::read_dir(folder).with_context(|| format!("could not read {}", folder.display()))?
    {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_file() && is_wanted(&name) {
            written = written.max(entry.metadata()?.modified().ok());
            files.push((name, text(&entry.path())?));
        }
    }
    Ok((files, written))
}

fn borrowed(files: &[(String, String)]) -> Vec<File<'_>> {
    files.iter().map(|(name, text)| File { name, text }).collect()
}

fn recorded(case: ReadCase, chain: &Value, written: Timestamp) -> CaseFolder {
    let alert = RecordedAlert {
        data: case.alert,
        alert_type: Some(NAME.to_owned()),
        received_at: case.received_at.unwrap_or(written),
        runbook_url: None,
        runbook: None,
        fields: AlertFields::default(),
        changes: Vec::new(),
        dependencies: Vec::new(),
    };
    let recording = Recording {
        session_id: SessionId::new(),
        alert,
        chain: chain.clone(),
        servers: vec![case.server],
        calls: case.calls,
        report: no_report(),
        usage: RecordedUsage::default(),
    };
    CaseFolder { recording, expected: case.expected }
}

/// One agent with the recorded tools, and the built-in settings.
fn chain_of_recorded_tools() -> anyhow::Result<ResolvedChain> {
    let catalog = Catalog::builtin(&Env::empty()).map_err(|report| anyhow::anyhow!("{report}"))?;
    let mut chain = catalog.resolve_chain(Some("kubernetes"), None)?;
    NAME.clone_into(&mut chain.chain_id);
    NAME.clone_into(&mut chain.alert_type);
    chain.description.clear();
    chain.chat = None;
    for agent in chain.stages.iter_mut().flat_map(|stage| &mut stage.agents) {
        agent.custom_instructions.clear();
        agent.servers = vec![ResolvedServer {
            id: NAME.to_owned(),
            instructions: String::new(),
            tools: None,
            summarization: Summarization::default(),
            summarizer: None,
        }];
    }
    Ok(chain)
}

/// The paths of the files in a folder and its folders, with `/`, sorted. Links are not followed.
fn listing(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut paths = Vec::new();
    let mut folders = vec![(root.to_owned(), String::new(), 0)];
    let mut seen = 0;
    while let Some((folder, prefix, depth)) = folders.pop() {
        let entries = fs::read_dir(&folder)
            .with_context(|| format!("could not read {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            seen += 1;
            ensure!(seen <= MOST_ENTRIES, "{} has more than {MOST_ENTRIES} files", root.display());
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type()?;
            if kind.is_file() {
                paths.push(path);
            } else if kind.is_dir() && depth < MOST_DEPTH {
                folders.push((entry.path(), format!("{path}/"), depth + 1));
            }
        }
    }
    paths.sort();
    Ok(paths)
}

fn text(path: &Path) -> anyhow::Result<String> {
    let size =
        fs::metadata(path).with_context(|| format!("could not read {}", path.display()))?.len();
    ensure!(size <= MOST_BYTES, "{} has {size} bytes; at most {MOST_BYTES}", path.display());
    fs::read_to_string(path).with_context(|| format!("could not read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_tool_caches_has_a_case_in_each_of_its_folders() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("runtime/1");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("tool_cache.json"), r#"{"GetAlerts:{}": "web is down"}"#).unwrap();
        let metadata =
            r#"{"query": "Why?", "result": {"root_cause": "oom", "fault_object": "app/web"}}"#;
        fs::write(folder.join("metadata.json"), metadata).unwrap();
        fs::write(root.path().join("README.md"), "cases").unwrap();
        let cases = read(root.path(), None).unwrap();
        assert_eq!(cases.len(), 1);
        assert_eq!(cases[0].name, "runtime/1");
        let recording = &cases[0].folder.recording;
        assert_eq!(recording.chain["stages"][0]["agents"][0]["servers"][0]["id"], NAME);
        assert_eq!(recording.servers[0].server, NAME, "the chain uses the server of the record");
        assert!(recording.alert.received_at > Timestamp::UNIX_EPOCH);
        let one = read(&folder, None).unwrap();
        assert_eq!(one[0].name, "1");
    }

    #[test]
    fn a_scenario_takes_what_it_lacks_from_its_base() {
        let root = tempfile::tempdir().unwrap();
        let write = |folder: &str, name: &str, text: &str| {
            fs::create_dir_all(root.path().join(folder)).unwrap();
            fs::write(root.path().join(folder).join(name), text).unwrap();
        };
        for folder in ["calm", "full"] {
            write(folder, "alert.json", &format!(r#"{{"title": "{folder}"}}"#));
            write(folder, "answer.yml", "root_cause_category: disk\nrequired_keywords: [full]\n");
            write(folder, "pods.json", &format!(r#"{{"of": "{folder}"}}"#));
        }
        write("calm", "nodes.json", r#"{"of": "calm"}"#);
        write("full", "scenario.yml", "base: calm\n");
        let cases = read(root.path(), None).unwrap();
        let calls = |at: usize| {
            let calls = cases[at].folder.recording.calls.iter();
            calls.map(|call| (call.tool.clone(), call.result.clone())).collect::<Vec<_>>()
        };
        let call = |tool: &str, of: &str| (tool.to_owned(), format!(r#"{{"of": "{of}"}}"#));
        assert_eq!(calls(0), [call("get_nodes", "calm"), call("get_pods", "calm")]);
        assert_eq!(calls(1), [call("get_nodes", "calm"), call("get_pods", "full")]);
        assert_eq!(cases[1].folder.recording.alert.data, r#"{"title": "full"}"#);
        fs::remove_dir_all(root.path().join("calm")).unwrap();
        let error = format!("{:#}", read(root.path(), None).unwrap_err());
        assert!(error.starts_with("could not read ") && error.contains("calm"), "{error}");
    }

    #[test]
    fn a_broken_case_is_reported_with_its_folder_file_and_field() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("tool_cache.json"), "{}").unwrap();
        fs::write(root.path().join("metadata.json"), r#"{"query": "Why?", "result": {}}"#).unwrap();
        let error = format!("{:#}", read(root.path(), None).unwrap_err());
        let expected =
            format!("{}: metadata.json: missing field `root_cause`", root.path().display());
        assert!(error.starts_with(&expected), "{error}");
        assert!(read(tempfile::tempdir().unwrap().path(), None).unwrap().is_empty());
    }
}
