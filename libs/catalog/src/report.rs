//! What is wrong with the files, all of it at once.

use std::fmt;

use serde::Serialize;
use tarsy_domain::code::{Code, Coded};
use tarsy_domain::suggest::nearest;

/// One thing that is wrong: where, which key, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file, as it was named to the loader.
    pub file: String,
    /// The line, from 1; 0 when the problem is not at a place in the text.
    pub line: usize,
    /// The column, from 1; 0 like `line`.
    pub column: usize,
    /// The path of the key, such as `agent_chains.foo.stages[0].name`; empty for the whole file.
    pub key: String,
    /// What is wrong, in one clause.
    pub message: String,
    /// What to do about it, in one clause.
    pub suggestion: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.remedy())
    }
}

impl Problem {
    /// The file, the place in it, and the key.
    pub fn place(&self) -> String {
        let line = match self.line {
            0 => String::new(),
            line => format!(":{line}:{}", self.column),
        };
        format!("{}{line} {}", self.file, self.key).trim_end().to_owned()
    }

    /// What is wrong, and what to do about it.
    pub fn remedy(&self) -> String {
        match &self.suggestion {
            Some(suggestion) => format!("{}; {suggestion}", self.message),
            None => self.message.clone(),
        }
    }
}

/// Everything that is wrong with a configuration; it prints one problem a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The problems, in the order of the files and their lines.
    pub problems: Vec<Problem>,
}

impl Report {
    pub(crate) fn new(mut problems: Vec<Problem>) -> Self {
        problems.sort_by(|a, b| {
            (&a.file, a.line, a.column, &a.key).cmp(&(&b.file, b.line, b.column, &b.key))
        });
        problems.dedup();
        Self { problems }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Report {}

impl Coded for Report {
    fn code(&self) -> Code {
        Code::Invalid
    }
}

/// The advice for an unknown name: the nearest one, or all of them.
pub(crate) fn advice<'a>(
    written: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<String> {
    if let Some(name) = nearest(written, known.clone()) {
        return Some(format!("did you mean \"{name}\"?"));
    }
    let names: Vec<&str> = known.into_iter().take(40).collect();
    (!names.is_empty()).then(|| format!("known: {}", names.join(", ")))
}
