//! A provider's lines in `llm-providers.yaml`.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use tarsy_catalog::{Catalog, Env, PROVIDERS_FILE, Provider, ProviderType, Source, Sources};

const SECTION: &str = "llm_providers:";
/// The fewest tokens of a context window that the configuration takes.
const FEWEST_TOKENS: u64 = 4_000;
const MAX_NAME: usize = 200;

/// What the lines have.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The provider's name.
    pub(super) name: String,
    pub(super) model: String,
    pub(super) base_url: String,
    pub(super) context_window: u32,
    pub(super) api_key_env: Option<String>,
}

impl Entry {
    /// The lines, indented as far as other providers.
    fn text(&self, indent: &str) -> anyhow::Result<String> {
        let mut lines = format!("{indent}{}:\n", self.name);
        let mut add = |key: &str, value: &str| writeln!(lines, "{indent}{indent}{key}: {value}");
        add("type", "openai")?;
        // JSON is YAML: whatever a server calls its model stays one value.
        add("model", &serde_json::to_string(&self.model)?)?;
        add("base_url", &self.base_url)?;
        if let Some(variable) = &self.api_key_env {
            add("api_key_env", variable)?;
        }
        add("context_window_tokens", &self.context_window.to_string())?;
        // A model of one's own reads a long prompt for minutes.
        add("llm_timeouts", "{preset: slow}")?;
        Ok(lines)
    }

    /// The section with this provider alone.
    pub(super) fn section(&self) -> anyhow::Result<String> {
        Ok(format!("{SECTION}\n{}", self.text("  ")?))
    }

    fn is(&self, provider: &Provider) -> bool {
        provider.model == self.model
            && provider.base_url.as_ref() == Some(&self.base_url)
            && provider.provider_type == ProviderType::Openai
    }
}

/// The context window as the configuration takes it; the error names the cure.
pub(super) fn window(tokens: Option<u64>, cure: &str) -> anyhow::Result<u32> {
    let Some(tokens) = tokens else {
        bail!("the server does not state the context window: give it with --context-window");
    };
    ensure!(
        tokens >= FEWEST_TOKENS,
        "the context window has {tokens} tokens, and an investigation needs {FEWEST_TOKENS}: {cure}"
    );
    u32::try_from(tokens)
        .with_context(|| format!("a context window of {tokens} tokens is too large"))
}

/// A name for a provider: the model's own, without its folders and in the letters of keys.
pub(super) fn provider_name(prefix: &str, model: &str) -> String {
    let model = model.rsplit(['/', '\\']).next().unwrap_or(model);
    let model = model.strip_suffix(".gguf").unwrap_or(model).to_ascii_lowercase();
    let words = model.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if words.is_empty() { prefix.to_owned() } else { format!("{prefix}-{}", words.join("-")) }
}

/// What became of the lines.
#[derive(Debug)]
pub(super) enum Written {
    /// They are in this file now, under this name.
    New { file: PathBuf, name: String, is_default: bool },
    /// This provider has them already.
    Known(String),
}

/// Writes the lines into the file of a folder, unless the configuration would not be valid with them, or anything else in it
/// would change.
pub(super) fn write(folder: &Path, mut entry: Entry, env: &Env) -> anyhow::Result<Written> {
    let is_plain = !entry.model.contains("{{") && !entry.model.contains(char::is_control);
    let is_short = entry.model.chars().count() <= MAX_NAME;
    ensure!(is_plain && is_short, "the model's name has characters that no configuration has");
    let sources = Sources::read_dir(folder)?;
    let before = Catalog::load(sources.clone(), env).with_context(|| {
        format!("the configuration in {} has errors already; nothing is written", folder.display())
    })?;
    if let Some(known) = before.providers.values().find(|provider| entry.is(provider)) {
        return Ok(Written::Known(known.name.clone()));
    }
    entry.name = free_name(&entry.name, &before);
    let old = sources.providers.as_ref().map_or("", |source| source.text.as_str());
    let by_hand = format!("add it yourself:\n{}", entry.section()?);
    let Some(text) = inserted(old, &entry)? else {
        bail!("{PROVIDERS_FILE} is written in a form to which no lines are added; {by_hand}");
    };
    let path = folder.join(PROVIDERS_FILE);
    let source = Source { name: path.display().to_string(), text: text.clone() };
    let after = Catalog::load(Sources { providers: Some(source), ..sources }, env)
        .with_context(|| format!("{PROVIDERS_FILE} would not be valid; {by_hand}"))?;
    let is_added = after.providers.get(&entry.name).is_some_and(|provider| entry.is(provider));
    let is_kept = before.providers.iter().all(|(name, one)| after.providers.get(name) == Some(one));
    let is_alone = after.providers.len() == before.providers.len() + 1;
    ensure!(
        is_added && is_kept && is_alone,
        "{PROVIDERS_FILE} would change elsewhere, too; {by_hand}"
    );
    let file = replace(&path, &text)?;
    let is_default = after.llm_info().provider == entry.name;
    Ok(Written::New { file, name: entry.name, is_default })
}

fn free_name(wanted: &str, catalog: &Catalog) -> String {
    let others = (2..).map(|number| format!("{wanted}-{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(others);
    names.find(|name| !catalog.providers.contains_key(name)).unwrap_or_else(|| wanted.to_owned())
}

/// The text with the lines at the end of its section: the providers before stay the ones that are preferred. None if the
/// section is not a block.
fn inserted(text: &str, entry: &Entry) -> anyhow::Result<Option<String>> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = text.lines().collect();
    let is_section = |line: &&str| line.starts_with(SECTION.trim_end_matches(':'));
    let Some(at) = lines.iter().position(is_section) else {
        let before = if text.trim().is_empty() {
            text.to_owned()
        } else {
            format!("{}\n\n", text.trim_end())
        };
        return Ok(Some(
            format!("{before}{}", entry.section()?).replace("\r\n", "\n").replace('\n', newline),
        ));
    };
    let rest = lines.get(at).and_then(|line| line.strip_prefix(SECTION)).map(str::trim);
    if !rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#')) {
        return Ok(None);
    }
    let body = lines.get(at + 1..).unwrap_or_default();
    let is_inside = |line: &&&str| line.is_empty() || line.starts_with([' ', '#']);
    let inside: Vec<&&str> = body.iter().take_while(is_inside).collect();
    let has_text = |line: &&&str| line.starts_with(' ') && !line.trim().is_empty();
    let length = inside.iter().rposition(&has_text).map_or(0, |last| last + 1);
    let first = inside.iter().find(|line| has_text(line) && !line.trim_start().starts_with('#'));
    let indent = first.map_or(2, |line| line.len() - line.trim_start().len());
    let end = at + 1 + length;
    let mut all: Vec<&str> = lines.get(..end).unwrap_or_default().to_vec();
    let new = entry.text(&" ".repeat(indent))?;
    all.extend(new.lines());
    all.extend(lines.get(end..).unwrap_or_default());
    Ok(Some(all.join(newline) + newline))
}

/// Replaces a file at once: whoever reads it sees all of the old text, or all of the new.
fn replace(path: &Path, text: &str) -> anyhow::Result<PathBuf> {
    // A link stays one.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let failed = || format!("{} cannot be written", path.display());
    let folder = path.parent().with_context(failed)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(failed)?;
    file.write_all(text.as_bytes()).with_context(failed)?;
    file.as_file().sync_all().with_context(failed)?;
    if let Ok(metadata) = fs::metadata(&path) {
        fs::set_permissions(file.path(), metadata.permissions()).with_context(failed)?;
    }
    file.persist(&path).with_context(failed)?;
    Ok(path)
}

#[cfg(test)]
mod tests;
