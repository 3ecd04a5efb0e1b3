//! The files of the folder `skills`.

use std::fs;
use std::path::Path as FilePath;

use super::{MOST_SKILLS, problem};
use crate::report::Problem;
use crate::source::Source;

/// The name of the file of a skill.
const FILE: &str = "SKILL.md";
/// The most bytes of a file that is read at all.
const MOST_FILE_BYTES: u64 = 64 * 1024;

/// The files of all skills of a configuration, in the order of their names; none without the folder. What begins with a dot,
/// and what is no folder, is left alone.
pub(crate) fn read_folder(configuration: &FilePath) -> Result<Vec<Source>, Vec<Problem>> {
    let folder = configuration.join("skills");
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let names = match names(&folder) {
        Ok(names) => names,
        Err(error) => {
            let message = format!("the folder cannot be read: {error}");
            let advice = "make it readable, or remove it";
            return Err(vec![problem(&shown(&folder), "", &message, advice)]);
        }
    };
    if names.len() > MOST_SKILLS {
        let message = format!("has {} skills, more than {MOST_SKILLS}", names.len());
        return Err(vec![problem(&shown(&folder), "", &message, "remove some")]);
    }
    let (mut sources, mut problems) = (Vec::new(), Vec::new());
    for name in names {
        match read_file(&folder.join(name)) {
            Ok(source) => sources.push(source),
            Err(wrong) => problems.push(wrong),
        }
    }
    if problems.is_empty() { Ok(sources) } else { Err(problems) }
}

fn names(folder: &FilePath) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && entry.path().is_dir() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn read_file(folder: &FilePath) -> Result<Source, Problem> {
    let path = folder.join(FILE);
    let name = shown(&path);
    let Ok(metadata) = fs::metadata(&path) else {
        let advice = format!("add {FILE} to it, or remove the folder");
        return Err(problem(&shown(folder), "", &format!("has no {FILE}"), &advice));
    };
    let size = metadata.len();
    if size > MOST_FILE_BYTES {
        let message = format!("the file has {size} bytes, more than {MOST_FILE_BYTES}");
        return Err(problem(&name, "", &message, "make it shorter"));
    }
    match fs::read_to_string(&path) {
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
