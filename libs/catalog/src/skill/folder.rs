//! The files of the folder `skills`.

use std::fs;
use std::path::{Path as FilePath, PathBuf};

use super::{MOST_SKILLS, problem};
use crate::report::Problem;
use crate::source::Source;

/// The name of the file of a skill, and how it is misspelt.
const FILE: &str = "SKILL.md";
const SPELLINGS: [&str; 3] = [FILE, "skill.md", "Skill.md"];
/// Folders in folders that are looked into: authors group skills.
const MOST_DEPTH: usize = 3;
/// The most bytes of a file that is read at all.
const MOST_FILE_BYTES: u64 = 64 * 1024;

/// The files of all skills of a configuration, in the order of their names; none without the folder. What begins with a dot,
/// and what is no folder, is left alone. A folder without a skill has an empty text.
pub(crate) fn read_folder(configuration: &FilePath) -> Result<Vec<Source>, Vec<Problem>> {
    let folder = configuration.join("skills");
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for inner in folders(&folder).map_err(|wrong| vec![wrong])? {
        find(&inner, 1, &mut files).map_err(|wrong| vec![wrong])?;
    }
    if files.len() > MOST_SKILLS {
        let message = format!("has more than {MOST_SKILLS} skills");
        return Err(vec![problem(&shown(&folder), "", &message, "remove some")]);
    }
    let (mut sources, mut problems) = (Vec::new(), Vec::new());
    for file in files {
        match read_file(&file) {
            Ok(source) => sources.push(source),
            Err(wrong) => problems.push(wrong),
        }
    }
    if problems.is_empty() { Ok(sources) } else { Err(problems) }
}

/// Adds the files of the skills in a folder: its own, else those of the folders in it, else one that does not exist.
fn find(folder: &FilePath, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Problem> {
    if files.len() > MOST_SKILLS {
        return Ok(());
    }
    let own = SPELLINGS.iter().map(|name| folder.join(name)).find(|file| file.is_file());
    if let Some(own) = own {
        files.push(own);
        return Ok(());
    }
    let inner = if depth < MOST_DEPTH { folders(folder)? } else { Vec::new() };
    let before = files.len();
    for one in inner {
        find(&one, depth + 1, files)?;
    }
    if depth == 1 && files.len() == before {
        files.push(folder.join(FILE));
    }
    Ok(())
}

fn folders(folder: &FilePath) -> Result<Vec<PathBuf>, Problem> {
    let unreadable = |error: std::io::Error| {
        let message = format!("the folder cannot be read: {error}");
        problem(&shown(folder), "", &message, "make it readable, or remove it")
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if !is_hidden && entry.path().is_dir() {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

fn read_file(path: &FilePath) -> Result<Source, Problem> {
    let name = shown(path);
    let Ok(metadata) = fs::metadata(path) else {
        return Ok(Source { name, text: String::new() });
    };
    let size = metadata.len();
    if size > MOST_FILE_BYTES {
        let message = format!("the file has {size} bytes, more than {MOST_FILE_BYTES}");
        return Err(problem(&name, "", &message, "make it shorter"));
    }
    match fs::read_to_string(path) {
        Ok(text) => Ok(Source { name, text }),
        Err(error) => {
            let message = format!("the file cannot be read: {error}");
            Err(problem(&name, "", &message, "make it readable UTF-8 text, or remove it"))
        }
    }
}

fn shown(path: &FilePath) -> String {
    path.display().to_string()
}
