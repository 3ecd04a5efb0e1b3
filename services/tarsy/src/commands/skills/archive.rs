//! The skills in the archive of a repository.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use anyhow::Context as _;
use async_compression::tokio::bufread::GzipDecoder;
use futures::StreamExt as _;
use tokio::io::{AsyncReadExt as _, BufReader};
use tokio_tar::Archive;

/// The most bytes of an archive that is unpacked.
const MAX_UNPACKED: u64 = 512 * 1024 * 1024;
/// The most bytes of a file, as of one in the folder.
const MAX_FILE: u64 = 64 * 1024;
/// The most skills, as of an operator.
const MAX_SKILLS: usize = 64;
const FILE: &str = "skill.md";

/// The files of the skills below a folder of a repository, by the names of their folders.
pub(super) async fn skills(
    archive: &[u8],
    below: &str,
) -> anyhow::Result<BTreeMap<String, String>> {
    let decoder = GzipDecoder::new(BufReader::new(archive)).take(MAX_UNPACKED);
    let mut entries = Archive::new(decoder).entries().context("it is no archive")?;
    let mut found = BTreeMap::new();
    while let Some(entry) = entries.next().await {
        let entry = entry.context("the archive is not whole")?;
        let path = entry.path().context("the archive has a name that cannot be read")?.into_owned();
        let Some(name) = name(&path, below).filter(|_| entry.header().entry_type().is_file())
        else {
            continue;
        };
        let size = entry.header().size().unwrap_or_default();
        anyhow::ensure!(
            size <= MAX_FILE,
            "{} has {size} bytes, more than {MAX_FILE}",
            path.display()
        );
        let mut text = String::new();
        let mut content = entry.take(MAX_FILE);
        let read = content.read_to_string(&mut text).await;
        read.with_context(|| format!("{} is no UTF-8 text", path.display()))?;
        anyhow::ensure!(
            found.insert(name.clone(), text).is_none(),
            "two folders of the repository are called {name}; name one of their parents with --path"
        );
        anyhow::ensure!(found.len() <= MAX_SKILLS, "it has more than {MAX_SKILLS} skills");
    }
    Ok(found)
}

/// The name of the skill whose file this is: that of its folder. The first part is the folder that archives have around all.
fn name(path: &Path, below: &str) -> Option<String> {
    let parts: Option<Vec<&str>> = path
        .components()
        .filter(|part| *part != Component::CurDir)
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    let parts = parts?;
    let (file, folders) = parts.split_last()?;
    let inner = folders.get(1..)?;
    let below: Vec<&str> = below.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let is_skill = file.eq_ignore_ascii_case(FILE) && inner.starts_with(&below);
    let name = inner.last().filter(|name| is_skill && !name.starts_with('.'))?;
    Some((*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_is_called_as_its_folder_is() {
        let of = |path: &str, below: &str| name(Path::new(path), below);
        let pods = Some("pods".to_owned());
        assert_eq!(of("sre-a4d0/skills/pods/SKILL.md", "skills"), pods);
        assert_eq!(of("sre-a4d0/skills/group/pods/skill.md", "skills/"), pods);
        assert_eq!(of("sre-a4d0/pods/SKILL.md", "."), pods);
        for other in [
            "sre-a4d0/skills/pods/README.md",
            "sre-a4d0/docs/pods/SKILL.md",
            "sre-a4d0/skills/../../pods/SKILL.md",
            "/etc/skills/pods/SKILL.md",
            "sre-a4d0/skills/.pods/SKILL.md",
            "SKILL.md",
        ] {
            assert_eq!(of(other, "skills"), None, "{other}");
        }
    }
}
