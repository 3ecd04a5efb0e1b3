//! The folder `skills`, and what of it came from a repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tarsy_store::secret::hexadecimal;

/// What came from where; readers of skills leave files that begin with a dot alone.
const RECORD: &str = ".repositories.json";
const FILE: &str = "SKILL.md";

/// What became of each skill.
pub(super) type Outcomes = BTreeMap<String, Outcome>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    New,
    Updated,
    Unchanged,
    /// The repository has it no more.
    Removed,
    /// It is the operator's, or was edited.
    Kept,
}

impl Outcome {
    pub(super) const fn describe(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Removed => "removed",
            Self::Kept => {
                "kept as it is here: yours, or edited; remove it to take that of the repository"
            }
        }
    }
}

/// What came from one folder of a repository.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Taken {
    commit: String,
    /// The SHA-256 of each file.
    skills: BTreeMap<String, String>,
}

#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// By the addresses of repositories with their folders.
    record: BTreeMap<String, Taken>,
}

impl Folder {
    /// The skills of a folder of the configuration.
    pub(super) fn open(configuration: &Path) -> anyhow::Result<Self> {
        let shown = configuration.display();
        anyhow::ensure!(
            configuration.is_dir(),
            "{shown} is no folder; name the one of tarsy.yaml with --dir"
        );
        let path = configuration.join("skills");
        fs::create_dir_all(&path).with_context(|| format!("{} cannot be made", path.display()))?;
        let file = path.join(RECORD);
        let record = match fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text)
                .with_context(|| format!("{} is not what was written there", file.display()))?,
            Err(_) => BTreeMap::new(),
        };
        Ok(Self { path, record })
    }

    /// Writes the skills of a source, and removes those that it has no more.
    pub(super) fn take(
        mut self,
        source: &str,
        commit: &str,
        skills: &BTreeMap<String, String>,
    ) -> anyhow::Result<Outcomes> {
        let before = self.record.remove(source).unwrap_or_default().skills;
        let mut taken = Taken { commit: commit.to_owned(), skills: BTreeMap::new() };
        let mut done = Outcomes::new();
        for (name, text) in skills {
            let outcome = self.write(name, text, before.get(name))?;
            if outcome != Outcome::Kept {
                taken.skills.insert(name.clone(), digest(text));
            }
            done.insert(name.clone(), outcome);
        }
        for (name, hash) in before.iter().filter(|(name, _)| !skills.contains_key(*name)) {
            done.insert(name.clone(), self.remove(name, hash)?);
        }
        self.record.insert(source.to_owned(), taken);
        let text = serde_json::to_string_pretty(&self.record)?;
        replace(&self.path.join(RECORD), &format!("{text}\n"))?;
        Ok(done)
    }

    fn write(&self, name: &str, text: &str, before: Option<&String>) -> anyhow::Result<Outcome> {
        let folder = self.path.join(name);
        let file = folder.join(FILE);
        let outcome = match fs::read_to_string(&file) {
            Ok(here) if here == text => return Ok(Outcome::Unchanged),
            Ok(here) if before != Some(&digest(&here)) => return Ok(Outcome::Kept),
            Ok(_) => Outcome::Updated,
            Err(_) => Outcome::New,
        };
        fs::create_dir_all(&folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
        replace(&file, text)?;
        Ok(outcome)
    }

    fn remove(&self, name: &str, hash: &str) -> anyhow::Result<Outcome> {
        let folder = self.path.join(name);
        let file = folder.join(FILE);
        match fs::read_to_string(&file) {
            Ok(here) if digest(&here) != hash => return Ok(Outcome::Kept),
            Ok(_) => fs::remove_file(&file).with_context(|| format!("{} stays", file.display()))?,
            Err(_) => {}
        }
        // What else lies in it is the operator's.
        let _ = fs::remove_dir(&folder);
        Ok(Outcome::Removed)
    }
}

/// Writes a file so that a reader sees all of it or what was there.
fn replace(file: &Path, text: &str) -> anyhow::Result<()> {
    let new = file.with_extension("new");
    fs::write(&new, text).with_context(|| format!("{} cannot be written", new.display()))?;
    fs::rename(&new, file).with_context(|| format!("{} cannot be replaced", file.display()))
}

fn digest(text: &str) -> String {
    hexadecimal(&Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skills(texts: &[(&str, &str)]) -> BTreeMap<String, String> {
        texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    fn take(at: &Path, commit: &str, texts: &[(&str, &str)]) -> Vec<(String, Outcome)> {
        let done = Folder::open(at).unwrap().take(
            "https://git.example/sre/skills",
            commit,
            &skills(texts),
        );
        done.unwrap().into_iter().collect()
    }

    fn outcomes(list: &[(&str, Outcome)]) -> Vec<(String, Outcome)> {
        list.iter().map(|(name, outcome)| ((*name).to_owned(), *outcome)).collect()
    }

    #[test]
    fn what_a_repository_has_is_written_changed_and_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let own = at.join("skills/own");
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join(FILE), "mine").unwrap();
        let first = take(at, "1", &[("dns", "a"), ("pods", "a"), ("own", "theirs")]);
        let expected = [("dns", Outcome::New), ("own", Outcome::Kept), ("pods", Outcome::New)];
        assert_eq!(first, outcomes(&expected));
        assert_eq!(fs::read_to_string(own.join(FILE)).unwrap(), "mine");
        let second = take(at, "2", &[("dns", "b"), ("pods", "a")]);
        assert_eq!(second, outcomes(&[("dns", Outcome::Updated), ("pods", Outcome::Unchanged)]));
        fs::write(at.join("skills/dns/SKILL.md"), "edited").unwrap();
        let third = take(at, "3", &[("dns", "c")]);
        assert_eq!(third, outcomes(&[("dns", Outcome::Kept), ("pods", Outcome::Removed)]));
        assert!(!at.join("skills/pods").exists());
        let record = fs::read_to_string(at.join("skills").join(RECORD)).unwrap();
        assert!(record.contains("\"commit\": \"3\"") && !record.contains("pods"), "{record}");
    }

    #[test]
    fn without_a_configuration_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let error = Folder::open(&folder.path().join("none")).unwrap_err().to_string();
        assert!(error.contains("name the one of tarsy.yaml with --dir"), "{error}");
    }
}
