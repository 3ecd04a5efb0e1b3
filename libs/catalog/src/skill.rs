//! Skills: texts with the knowledge of one subject, which an agent has in its prompt or loads when it needs them. A skill is
//! a folder with the file `SKILL.md`, which begins with its name and description.

mod folder;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub(crate) use self::folder::read_folder;
use crate::report::Problem;
use crate::source::Source;
use crate::yaml::{self, Entry, Kind};

/// The most skills of an operator.
pub(crate) const MOST_SKILLS: usize = 64;
/// The most bytes of one body: a session keeps it, and a model reads it whole.
const MOST_BODY_BYTES: usize = 16 * 1024;
/// The most bytes of an operator's bodies together: each session keeps all that its agents may load.
const MOST_BYTES: usize = 128 * 1024;
/// The most characters of a name.
const LONGEST_NAME: usize = 64;
/// The most characters of a description: every prompt has it.
const LONGEST_DESCRIPTION: usize = 300;
/// Between the front matter and what stands around it.
const FENCE: &str = "---";
/// Keys of the front matter that other programs read.
const OTHERS: [&str; 4] = ["license", "compatibility", "metadata", "allowed-tools"];

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
    /// The name of its folder.
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
        let Some((front, body)) = parts(&text) else {
            let advice = "begin the file with a line `---`, the lines `name: …` and `description: …`, and a line `---`";
            self.problems.push(problem(&source.name, "", "has no front matter", advice));
            return 0;
        };
        // The line before stands for the first fence, so that lines have their numbers.
        let (front, wrong) = yaml::parse(&source.name, &format!("\n{front}"), None);
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
            self.skills.insert(name, skill);
        }
        body.len()
    }
}

/// The front matter of a file, and its text.
fn parts(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix(FENCE)?.trim_start_matches([' ', '\t']).strip_prefix('\n')?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == FENCE {
            return Some((rest.get(..at)?, rest.get(at + line.len()..)?));
        }
        at += line.len();
    }
    None
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
        let name = self.text("name", &format!("add `name: {folder}`"))?;
        if !is_name(&name) {
            let message = format!("\"{name}\" is not the name of a skill");
            let advice = "use small letters, digits and `-`, at most 64 of them";
            return self.wrong("name", &message, advice);
        }
        if name != folder {
            let message = format!("\"{name}\" is not the name of its folder, \"{folder}\"");
            return self.wrong("name", &message, "give both the same name");
        }
        Some(name)
    }

    fn description(&mut self) -> Option<String> {
        let text = self.text("description", "add `description:` with when the skill is of use")?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let length = text.chars().count();
        if length > LONGEST_DESCRIPTION {
            let message = format!("has {length} characters, more than {LONGEST_DESCRIPTION}");
            return self.wrong("description", &message, "say in one sentence when it is of use");
        }
        Some(text)
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

/// Whether a text can be the name of a skill.
fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.len() <= LONGEST_NAME && text.bytes().all(fits)
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
