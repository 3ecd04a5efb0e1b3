//! From the text of the files to a [`Catalog`], or to everything that is wrong with them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path as FilePath;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::catalog::Catalog;
use crate::check::{self, Doc};
use crate::convert;
use crate::env::Env;
use crate::file::{ProvidersFile, TarsyFile};
use crate::report::{Problem, Report};
use crate::{hash, schema, tree};

/// The name of the file with agents, chains, servers and settings.
pub const TARSY_FILE: &str = "tarsy.yaml";
/// The name of the file with providers.
pub const PROVIDERS_FILE: &str = "llm-providers.yaml";

/// The most bytes that a file may have.
const MOST_BYTES: u64 = 4 * 1024 * 1024;
const BUILTIN_TARSY: &str = include_str!("builtin/tarsy.yaml");
const BUILTIN_PROVIDERS: &str = include_str!("builtin/llm-providers.yaml");

/// The text of a file, and how problems name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name that problems show.
    pub name: String,
    /// The text.
    pub text: String,
}

/// The texts of the two files; what is absent is not missed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// `tarsy.yaml`.
    pub tarsy: Option<Source>,
    /// `llm-providers.yaml`.
    pub providers: Option<Source>,
}

impl Sources {
    /// The files of a folder.
    ///
    /// It is a problem if the folder does not exist or a file in it cannot be read; a file that does not
    /// exist is none, unless one with a nearly right name does.
    pub fn read_dir(dir: &FilePath) -> Result<Self, Report> {
        if !dir.is_dir() {
            let message = "the configuration folder does not exist";
            let advice =
                "create it, or leave TARSY_CONFIG_DIR unset to run with the built-ins alone";
            return Err(Report::new(vec![whole_file(&dir.display().to_string(), message, advice)]));
        }
        let mut problems = Vec::new();
        let mut read = |name: &str, wrong: &[&str]| match read_file(dir, name, wrong) {
            Ok(source) => source,
            Err(problem) => {
                problems.push(problem);
                None
            }
        };
        let sources = Self {
            tarsy: read(TARSY_FILE, &["tarsy.yml", "tarsy.YAML"]),
            providers: read(
                PROVIDERS_FILE,
                &[
                    "llm-providers.yml",
                    "llm_providers.yaml",
                    "llm_providers.yml",
                    "llm-provider.yaml",
                ],
            ),
        };
        if problems.is_empty() { Ok(sources) } else { Err(Report::new(problems)) }
    }
}

impl Catalog {
    /// What TARSy brings along, alone.
    pub fn builtin(env: &Env) -> Result<Self, Report> {
        Self::load(Sources::default(), env)
    }

    /// The files of a folder joined with the built-ins; without a folder, the built-ins alone.
    pub fn load_dir(dir: Option<&FilePath>, env: &Env) -> Result<Self, Report> {
        let sources = dir.map(Sources::read_dir).transpose()?.unwrap_or_default();
        Self::load(sources, env)
    }

    /// These texts joined with the built-ins.
    #[expect(clippy::needless_pass_by_value, reason = "the texts are of no use afterwards")]
    pub fn load(sources: Sources, env: &Env) -> Result<Self, Report> {
        let mut problems = Vec::new();
        let builtin = Sources {
            tarsy: builtin_source(TARSY_FILE, BUILTIN_TARSY),
            providers: builtin_source(PROVIDERS_FILE, BUILTIN_PROVIDERS),
        };
        let layers = Layers {
            builtin: Layer::read(&builtin, &Env::empty(), &mut problems),
            user: Layer::read(&sources, env, &mut problems),
        };
        check::files(&layers, env, &mut problems);
        let catalog = convert::catalog(&layers, env, hash::of(&layers));
        check::strategies(&layers, &catalog, &mut problems);
        let doc = &layers.user.tarsy_doc;
        let open = doc.open_variables(env);
        problems.retain(|problem| {
            problem.file != doc.file || !open.contains(&(problem.line, problem.column))
        });
        if problems.is_empty() { Ok(catalog) } else { Err(Report::new(problems)) }
    }
}

/// What TARSy brings along, and what the operator wrote.
pub(crate) struct Layers {
    pub(crate) builtin: Layer,
    pub(crate) user: Layer,
}

/// Two files, read, and where everything in them stands.
pub(crate) struct Layer {
    pub(crate) tarsy: TarsyFile,
    pub(crate) tarsy_doc: Doc,
    pub(crate) providers: ProvidersFile,
    pub(crate) providers_doc: Doc,
}

impl Layer {
    fn read(sources: &Sources, env: &Env, problems: &mut Vec<Problem>) -> Self {
        let (tarsy, tarsy_doc) =
            read_text(sources.tarsy.as_ref(), TARSY_FILE, &schema::tarsy_schema(), env, problems);
        let (providers, providers_doc) = read_text(
            sources.providers.as_ref(),
            PROVIDERS_FILE,
            &schema::providers_schema(),
            env,
            problems,
        );
        Self { tarsy, tarsy_doc, providers, providers_doc }
    }
}

impl Layers {
    /// The operator's entries, then the built-in ones that they do not replace, with their origin.
    pub(crate) fn merged<'a, T>(
        &'a self,
        of: impl Fn(&'a Layer) -> Option<&'a BTreeMap<String, T>>,
    ) -> Vec<(&'a str, &'a T, bool)> {
        let user = of(&self.user);
        let mut all: Vec<(&str, &T, bool)> =
            user.into_iter().flatten().map(|(name, value)| (name.as_str(), value, false)).collect();
        for (name, value) in of(&self.builtin).into_iter().flatten() {
            if !user.is_some_and(|user| user.contains_key(name)) {
                all.push((name, value, true));
            }
        }
        all
    }
}

fn read_text<T: DeserializeOwned + Default>(
    source: Option<&Source>,
    name: &str,
    schema: &Value,
    env: &Env,
    problems: &mut Vec<Problem>,
) -> (T, Doc) {
    let (file, text) =
        source.map_or((name, ""), |source| (source.name.as_str(), source.text.as_str()));
    let (node, mut found) = tree::parse(file, text, env);
    let (value, wrong) = schema::check(file, &node, schema);
    found.extend(wrong);
    let shape = serde_json::from_value(value).unwrap_or_else(|error| {
        if found.is_empty() {
            found.push(whole_file(file, &format!("cannot be read: {error}"), "correct that value"));
        }
        T::default()
    });
    problems.extend(found);
    (shape, Doc { file: file.to_owned(), root: node })
}

fn read_file(dir: &FilePath, name: &str, wrong: &[&str]) -> Result<Option<Source>, Problem> {
    let path = dir.join(name);
    let shown = path.display().to_string();
    if !path.exists() {
        let other = wrong.iter().find(|wrong| dir.join(wrong).exists());
        return match other {
            None => Ok(None),
            Some(other) => Err(whole_file(
                &dir.join(other).display().to_string(),
                "a file of this name is not read",
                &format!("rename it to {name}"),
            )),
        };
    }
    let size = fs::metadata(&path).map(|metadata| metadata.len()).unwrap_or_default();
    if size > MOST_BYTES {
        let message = format!("the file has {size} bytes, more than {MOST_BYTES}");
        return Err(whole_file(&shown, &message, "make it smaller"));
    }
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(Source { name: shown, text })),
        Err(error) => Err(whole_file(
            &shown,
            &format!("the file cannot be read: {error}"),
            "make it readable UTF-8 text, or remove it",
        )),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the field is optional for the operator's files")]
fn builtin_source(name: &str, text: &str) -> Option<Source> {
    Some(Source { name: format!("<built-in>/{name}"), text: text.to_owned() })
}

fn whole_file(file: &str, message: &str, suggestion: &str) -> Problem {
    Problem {
        file: file.to_owned(),
        line: 0,
        column: 0,
        key: String::new(),
        message: message.to_owned(),
        suggestion: Some(suggestion.to_owned()),
    }
}
