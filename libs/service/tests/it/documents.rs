//! Documents and deployments name settings that exist: a process refuses to start with any other `TARSY_` variable.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use tarsy_contracts::topology;
use tarsy_service::Settings;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The files below a folder that people read or deploy.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if ["md", "yaml", "example", "conf"].contains(&kind) {
            found.push(path);
        }
    }
    Ok(found)
}

/// The words of a text that look like a setting.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let words = text.split(move |c| !is_part(c));
    words.filter(|word| word.strip_prefix("TARSY_").is_some_and(|rest| !rest.is_empty()))
}

#[test]
fn every_setting_that_documents_and_deployments_name_exists() {
    let root = Path::new(ROOT);
    let mut read = ["docs", "deploy", "compose"]
        .into_iter()
        .flat_map(|folder| files(&root.join(folder)).unwrap())
        .collect::<Vec<_>>();
    read.extend(["README.md", "SECURITY.md", "compose/.env.example"].map(|file| root.join(file)));
    let streams = BTreeSet::from(topology::STREAMS.map(|stream| stream.name));
    let mut unknown = Vec::new();
    for file in read {
        let text = fs::read_to_string(&file).unwrap();
        for name in names(&text).filter(|name| !streams.contains(name)) {
            let environment = BTreeMap::from([(name.to_owned(), String::new())]);
            if Settings::from_map(environment).is_err() {
                unknown.push(format!("{}: {name}", file.display()));
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
}
