//! From the text of the files to a [`Catalog`], or to everything that is wrong with them.

use std::fs;
use std::path::Path as FilePath;

use serde::de::DeserializeOwned;

use crate::catalog::{Catalog, Templates};
use crate::doc::Doc;
use crate::env::Env;
use crate::layers::{File, Layer, Layers};
use crate::read::{self, Variants};
use crate::report::{Problem, Report};
use crate::source::Source;
use crate::{build, empty, hash, later, preset, removed, schema, skill, values, verify, yaml};

/// The name of the file with agents, chains, servers and settings.
pub const TARSY_FILE: &str = "tarsy.yaml";
/// The name of the file with providers.
pub const PROVIDERS_FILE: &str = "llm-providers.yaml";

/// The most bytes that a file may have.
const MOST_BYTES: u64 = 4 * 1024 * 1024;
/// The enumerations that a tag chooses from, by their schemas.
const VARIANTS: Variants =
    Variants { with_key: schema::variant_with, description: schema::variant_description };
const BUILTIN_TARSY: &str = include_str!("builtin/tarsy.yaml");
const BUILTIN_PROVIDERS: &str = include_str!("builtin/llm-providers.yaml");

/// The texts of the two files; what is absent is not missed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// `tarsy.yaml`.
    pub tarsy: Option<Source>,
    /// `llm-providers.yaml`.
    pub providers: Option<Source>,
    /// The files of skills, each named `…/NAME/SKILL.md`.
    pub skills: Vec<Source>,
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
            skills: Vec::new(),
        };
        let skills = skill::read_folder(dir).unwrap_or_else(|found| {
            problems.extend(found);
            Vec::new()
        });
        let sources = Self { skills, ..sources };
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
            skills: Vec::new(),
        };
        let skills = skill::read_all(&sources.skills);
        problems.extend(skills.problems);
        let layers = Layers {
            builtin: read_layer(&builtin, &Env::empty(), &mut problems),
            user: read_layer(&sources, env, &mut problems),
            skills: skills.skills,
        };
        let mut verdict = verify::files(&layers, env);
        problems.extend(verdict.problems);
        verdict.warnings.extend(skills.warnings);
        verdict.warnings.extend(layers.user.providers.warnings.iter().cloned());
        let mut catalog = build::catalog(&layers, env, hash::of(&layers), verdict.warnings);
        let names = |source: &Option<Source>| {
            source.as_ref().map(|source| yaml::template_names(&source.text)).unwrap_or_default()
        };
        catalog.templates =
            Templates { tarsy: names(&sources.tarsy), providers: names(&sources.providers) };
        let has_chain = |name: &str| catalog.chains.contains_key(name);
        catalog.values = values::values(&layers, has_chain).into();
        problems.extend(verify::strategies(&layers, &catalog));
        problems.extend(verify::backends(&layers, &catalog));
        problems.extend(verify::check_sub_agents(&layers, &catalog));
        let undescribed = verify::warn_of_undescribed(&layers, &catalog);
        catalog.warnings.extend(undescribed);
        problems.extend(verify::check_scoring(&layers, &catalog));
        problems.extend(verify::check_money(&layers, &catalog));
        let doc = &layers.user.tarsy.doc;
        let open = doc.open_variables(env);
        problems.retain(|problem| {
            problem.file != doc.file || !open.contains(&(problem.line, problem.column))
        });
        if problems.is_empty() { Ok(catalog) } else { Err(Report::new(problems)) }
    }
}

fn read_layer(sources: &Sources, env: &Env, problems: &mut Vec<Problem>) -> Layer {
    Layer {
        tarsy: read_text(sources.tarsy.as_ref(), TARSY_FILE, env, problems),
        providers: read_text(sources.providers.as_ref(), PROVIDERS_FILE, env, problems),
    }
}

fn read_text<T: DeserializeOwned + Default>(
    source: Option<&Source>,
    name: &str,
    env: &Env,
    problems: &mut Vec<Problem>,
) -> File<T> {
    let (file, text) =
        source.map_or((name, ""), |source| (source.name.as_str(), source.text.as_str()));
    let (mut root, found) = yaml::parse(file, text, Some(env));
    problems.extend(found);
    let mut warnings = removed::take(file, &mut root);
    warnings.extend(empty::take(file, &mut root));
    preset::expand(&mut root);
    let read = read::read(&root, VARIANTS);
    let doc = Doc { file: file.to_owned(), root };
    for wrong in read.wrong {
        let place = if wrong.at_key { doc.key_place(&wrong.path) } else { doc.place(&wrong.path) };
        let problem = Problem {
            file: file.to_owned(),
            line: place.line,
            column: place.column,
            key: wrong.path.to_string(),
            message: wrong.message,
            suggestion: wrong.suggestion,
        };
        let newer = later::newer(&wrong.path).filter(|_| wrong.at_key);
        let of_another = later::of_another_transport(&wrong.path).filter(|_| wrong.of_another);
        match newer.or(of_another) {
            Some((message, way_on)) => warnings.push(Problem {
                message: message.to_owned(),
                suggestion: Some(way_on.to_owned()),
                ..problem
            }),
            None => problems.push(problem),
        }
    }
    File { value: read.value, doc, marks: read.marks, warnings }
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
