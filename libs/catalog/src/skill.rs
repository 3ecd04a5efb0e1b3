//! Skills: texts with the knowledge of one subject, which an agent has in its prompt or loads when it needs them. A skill is
//! a folder with the file `SKILL.md`, which begins with its name and description.

mod folder;
mod front;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub(crate) use self::folder::read_folder;
use crate::report::Problem;
use crate::source::Source;
use crate::yaml::{self, Entry, Kind, Node};

/// The most skills of an operator.
pub(crate) const MOST_SKILLS: usize = 64;
/// The most bytes of one body: a session keeps it, and a model reads it whole.
const MOST_BODY_BYTES: usize = 32 * 1024;
/// The most bytes of an operator's bodies together: each session keeps all that its agents may load.
const MOST_BYTES: usize = 128 * 1024;
/// The most characters of a name.
const LONGEST_NAME: usize = 64;
/// The most characters of a description that are kept, as many as the format allows.
const LONGEST_DESCRIPTION: usize = 1024;
/// What to do with a folder that has no skill.
const EMPTY: &str = "write it, or remove the folder";
/// Keys of the front matter that other programs read.
const OTHERS: [&str; 8] = [
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
    "version",
    "author",
    "tags",
    "argument-hint",
];

macro_rules! builtin {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("builtin/skills/", $name, "/SKILL.md")))),*]
    };
}

/// The skills that come with TARSy, by the names of their folders.
const BUILTIN: [(&str, &str); 8] =
    builtin!["disk", "dns", "memory", "nodes", "pods", "postgresql", "storage", "tls"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skill {
    pub name: String,
    /// When it is of use, on one line.
    pub description: String,
    /// Markdown.
    pub body: String,
    /// The SHA-256 of its file, in hexadecimal digits.
    pub hash: String,
    /// Whether it comes with TARSy rather than from a folder.
    pub builtin: bool,
}

/// A skill as a session keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedSkill {
    pub name: String,
    /// When it is of use.
    pub description: String,
    /// The SHA-256 of its file, in hexadecimal digits.
    pub hash: String,
    /// Markdown.
    pub body: String,
}

impl Skill {
    pub(crate) fn resolve(&self) -> ResolvedSkill {
        ResolvedSkill {
            name: self.name.clone(),
            description: self.description.clone(),
            hash: self.hash.clone(),
            body: self.body.clone(),
        }
    }
}

/// What reading skills found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) skills: BTreeMap<String, Skill>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) warnings: Vec<Problem>,
}

/// The built-in skills, and the operator's, which replace them by name.
pub(crate) fn read_all(operators: &[Source]) -> Found {
    let mut found = Found::default();
    for (name, text) in BUILTIN {
        let name = format!("<built-in>/skills/{name}/SKILL.md");
        found.read(&Source { name, text: text.to_owned() }, true);
    }
    let mut bytes = 0;
    for source in operators {
        bytes += found.read(source, false);
    }
    if bytes > MOST_BYTES {
        let message = format!("all skills together have {bytes} bytes, more than {MOST_BYTES}");
        let file = operators.first().map_or("skills", |source| source.name.as_str());
        found.problems.push(problem(file, "", &message, "make them shorter, or remove some"));
    }
    found
}

impl Found {
    /// Adds a skill; returns the bytes of its body.
    fn read(&mut self, source: &Source, builtin: bool) -> usize {
        let text = source.text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        if text.trim().is_empty() {
            let warning = problem(&source.name, "", "is empty, or does not exist", EMPTY);
            self.warnings.push(warning);
            return 0;
        }
        let Some((front, body)) = front::parts(&text) else {
            let advice = "begin the file with a line `---`, the lines `name: …` and `description: …`, and a line `---`";
            self.problems.push(problem(&source.name, "", "has no front matter", advice));
            return 0;
        };
        let (front, wrong) = self.front_matter(&source.name, &front);
        let is_read = wrong.is_empty();
        self.problems.extend(wrong);
        let mut reading = Reading { file: &source.name, front: front.entries(), found: self };
        let (name, description) = (reading.name(), reading.description());
        reading.other_keys();
        let body = body.trim();
        let message = match body.len() {
            0 => Some("has no text behind its front matter".to_owned()),
            bytes if bytes > MOST_BODY_BYTES => {
                Some(format!("its text has {bytes} bytes, more than {MOST_BODY_BYTES}"))
            }
            _ => None,
        };
        if let Some(message) = message {
            let advice = "write what an investigator has to know, in at most a few pages";
            self.problems.push(problem(&source.name, "", &message, advice));
        }
        if let (true, Some(name), Some(description)) = (is_read, name, description) {
            let (body, hash) = (body.to_owned(), sha256(&source.text));
            let skill = Skill { name: name.clone(), description, body, hash, builtin };
            let before = self.skills.insert(name.clone(), skill);
            if before.is_some_and(|before| !before.builtin) {
                let message = format!("another skill has the name \"{name}\"");
                let twice = problem(&source.name, "name", &message, "give each a name of its own");
                self.problems.push(twice);
            }
        }
        body.len()
    }

    /// Reads front matter. Many authors write colons without quotes, which YAML does not allow.
    fn front_matter(&mut self, file: &str, front: &str) -> (Node, Vec<Problem>) {
        let (read, wrong) = yaml::parse(file, front, None);
        if wrong.is_empty() {
            return (read, wrong);
        }
        let (mended, left) = yaml::parse(file, &front::quoted(front), None);
        if !left.is_empty() {
            return (read, wrong);
        }
        let message = "the front matter is not valid YAML, and its values are read as texts";
        self.warnings.push(problem(file, "", message, "write values with colons in quotes"));
        (mended, left)
    }
}

/// The front matter of one file.
struct Reading<'a, 'f> {
    file: &'a str,
    front: &'a [Entry],
    found: &'f mut Found,
}

impl Reading<'_, '_> {
    fn name(&mut self) -> Option<String> {
        let folder = self.file.rsplit(['/', '\\']).nth(1).unwrap_or_default().to_owned();
        let written = self.front.iter().find(|entry| entry.key == "name");
        let Some(written) = written.filter(|entry| !is_blank(&entry.value)) else {
            return Some(folder);
        };
        let place = written.place;
        let name = self.text("name", "write it as text")?;
        if !is_name(&name) {
            let message = format!("\"{name}\" is not the name of a skill");
            let advice =
                "write at most 64 characters on one line, such as small letters, digits and `-`";
            return self.wrong("name", &message, advice);
        }
        if name != folder {
            let message = format!("\"{name}\" is not the name of its folder, \"{folder}\"");
            let advice = "write this name where an agent has the skill, or give both the same one";
            let warning = problem(self.file, "name", &message, advice);
            let warning = Problem { line: place.line, column: place.column, ..warning };
            self.found.warnings.push(warning);
        }
        Some(name)
    }

    fn description(&mut self) -> Option<String> {
        let text = self.text("description", "add `description:` with when the skill is of use")?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let length = text.chars().count();
        if length > LONGEST_DESCRIPTION {
            let message = format!("has {length} characters, and is cut to {LONGEST_DESCRIPTION}");
            let advice = "say in one sentence when it is of use";
            self.found.warnings.push(problem(self.file, "description", &message, advice));
        }
        Some(text.chars().take(LONGEST_DESCRIPTION).collect())
    }

    fn text(&mut self, key: &str, advice: &str) -> Option<String> {
        let Some(entry) = self.front.iter().find(|entry| entry.key == key) else {
            return self.wrong(key, "is missing", advice);
        };
        match &entry.value.kind {
            Kind::Scalar { written, .. }
                if !entry.value.is_null() && !written.trim().is_empty() =>
            {
                Some(written.trim().to_owned())
            }
            Kind::Scalar { .. } => self.wrong(key, "is empty", advice),
            Kind::List(_) | Kind::Map(_) => self.wrong(key, "must be text", advice),
        }
    }

    fn other_keys(&mut self) {
        for entry in self.front {
            let known = ["name", "description"].contains(&entry.key.as_str());
            if !known && !OTHERS.contains(&entry.key.as_str()) {
                let warning = problem(self.file, &entry.key, "has no effect", "remove it");
                self.found.warnings.push(Problem { line: entry.place.line, column: 1, ..warning });
            }
        }
    }

    fn wrong<T>(&mut self, key: &str, message: &str, advice: &str) -> Option<T> {
        let place = self.front.iter().find(|entry| entry.key == key).map(|entry| entry.place);
        let found = problem(self.file, key, message, advice);
        let place = place.unwrap_or(yaml::Place { line: 1, column: 1 });
        self.found.problems.push(Problem { line: place.line, column: place.column, ..found });
        None
    }
}

/// Whether a text can be the name of a skill: a model writes it, and lists of the configuration have it.
fn is_name(text: &str) -> bool {
    text.chars().count() <= LONGEST_NAME && !text.chars().any(char::is_control)
}

fn is_blank(value: &Node) -> bool {
    value.is_null()
        || matches!(&value.kind, Kind::Scalar { written, .. } if written.trim().is_empty())
}

fn problem(file: &str, key: &str, message: &str, suggestion: &str) -> Problem {
    Problem {
        file: file.to_owned(),
        line: 0,
        column: 0,
        key: key.to_owned(),
        message: message.to_owned(),
        suggestion: Some(suggestion.to_owned()),
    }
}

fn sha256(text: &str) -> String {
    let mut digits = String::new();
    for byte in Sha256::digest(text) {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}
