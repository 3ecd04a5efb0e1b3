//! The checks of whole files: references, relations between values, credentials, strategies.

mod money;
mod remediation;
mod scoring;
mod sub_agents;

use crate::agent::check_agents;
use crate::catalog::Catalog;
use crate::chain::{Chain, check_chains};
use crate::check::{Check, Names};
use crate::doc::Doc;
use crate::embedding::check_embedding;
use crate::env::Env;
use crate::files::TarsyFile;
use crate::layers::{Layer, Layers};
use crate::path::Path;
use crate::provider::{ProviderType, check_providers};
use crate::report::Problem;
use crate::resolved::ResolvedAgent;
use crate::resolver::Resolver;
use crate::rule::ProviderName;
use crate::schedule::check_schedules;
use crate::selection::Requested;
use crate::server::check_servers;

pub(crate) use crate::verify::money::check_money;
pub(crate) use crate::verify::scoring::check_scoring;
pub(crate) use crate::verify::sub_agents::{check_sub_agents, warn_of_undescribed};

/// What the checks found.
#[derive(Default)]
pub(crate) struct Verdict {
    pub(crate) problems: Vec<Problem>,
    pub(crate) warnings: Vec<Problem>,
}

/// Checks both layers.
pub(crate) fn files(layers: &Layers, env: &Env) -> Verdict {
    let names = layers.names();
    let mut verdict = Verdict::default();
    for layer in [&layers.builtin, &layers.user] {
        layer_files(layer, &names, env, &mut verdict);
    }
    let mut check = Check::new(&layers.user.tarsy.doc, &names, env);
    layers.user.tarsy.value.defaults.check_alert_type(&mut check);
    if env.checks_llm_credentials() {
        credentials(layers, &mut check);
    }
    check_embedding(layers, &mut check);
    check.warnings.extend(layers.user.tarsy.warnings.iter().cloned());
    remediation::warn(layers, &mut check);
    scoring::warn(layers, &mut check);
    verdict.problems.append(&mut check.problems);
    verdict.warnings.append(&mut check.warnings);
    verdict
}

fn layer_files(layer: &Layer, names: &Names, env: &Env, verdict: &mut Verdict) {
    let mut check = Check::new(&layer.tarsy.doc, names, env);
    check.references(&layer.tarsy.marks);
    tarsy_file(&layer.tarsy.value, &mut check);
    let mut providers = Check::new(&layer.providers.doc, names, env);
    let limits = layer.tarsy.value.defaults.llm_timeouts;
    check_providers(&layer.providers.value.llm_providers, limits, &mut providers);
    for found in [check, providers] {
        verdict.problems.extend(found.problems);
        verdict.warnings.extend(found.warnings);
    }
}

fn tarsy_file(file: &TarsyFile, check: &mut Check<'_>) {
    file.queue.check(check);
    file.system.check(check);
    file.defaults.check(check);
    file.notifications.check(&file.system, check);
    file.intake.check(check);
    check_servers(&file.mcp_servers, check);
    check_agents(&file.agents, check);
    check_chains(&file.agent_chains, check);
    check_schedules(&file.schedules, check);
    file.topology.check(check);
}

/// Checks that every provider which the operator's `tarsy.yaml` names has what it needs. Providers that nothing names
/// are not checked.
fn credentials(layers: &Layers, check: &mut Check<'_>) {
    let providers = layers.merged(|layer| &layer.providers.value.llm_providers);
    let marks = &layers.user.tarsy.marks;
    for mark in marks.iter().filter(|mark| mark.name == ProviderName::KIND) {
        let name = &mark.text;
        let Some(provider) = providers.iter().find(|provider| provider.name == name) else {
            continue;
        };
        for variable in provider.value.missing_variables(check.env) {
            if variable == "api_key_env" {
                let message = format!("the provider \"{name}\" has no key");
                let suggestion = format!(
                    "add `api_key_env:` to llm_providers.{name}, or a `base_url:` that needs no key"
                );
                check.problem(&mark.path, message, suggestion);
            } else {
                let message = format!(
                    "the provider \"{name}\" needs the variable {variable}, which is not set"
                );
                let suggestion = format!("set {variable}, or name a provider whose key is set");
                check.problem(&mark.path, message, suggestion);
            }
        }
    }
}

/// Checks that every agent whose strategy needs Gemini's own interface has a provider with that interface, and those below it,
/// and that these are not too many.
pub(crate) fn strategies(layers: &Layers, catalog: &Catalog) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (layer, builtin) in [(&layers.user, false), (&layers.builtin, true)] {
        for id in layer.tarsy.value.agent_chains.keys() {
            let chain = catalog.chains.get(id).filter(|chain| chain.builtin == builtin);
            for (at, agent) in chain.map(|chain| agents(catalog, chain)).unwrap_or_default() {
                let all = agent.with_sub_agents();
                problems.extend(all.filter_map(|one| strategy(&layer.tarsy.doc, &at, one)));
                problems.extend(sub_agents::too_many(&layer.tarsy.doc, &at, &agent));
            }
        }
    }
    problems
}

/// Checks each provider with a backend of its own against the interface that it has: those that take over, those of
/// summaries and scores.
pub(crate) fn backends(layers: &Layers, catalog: &Catalog) -> Vec<Problem> {
    let file = &layers.user.tarsy;
    let mut problems = Vec::new();
    for mark in file.marks.iter().filter(|mark| mark.name == ProviderName::KIND) {
        let has_llm_backend =
            mark.path.keys().any(|key| key == "summarization" || key == "scoring");
        let backend = match mark.path.parent() {
            Some(parent) if has_llm_backend => parent.key("llm_backend"),
            // The mark of a name alone is at the entry itself.
            Some(parent) => parent.key("backend"),
            None => continue,
        };
        let is_native = file.doc.text(&backend).is_some_and(|text| text == "google-native");
        let provider = catalog.providers.get(&mark.text).filter(|_| is_native);
        let advice = "write langchain, or remove it";
        problems.extend(provider.and_then(|one| {
            let provider = (one.name.as_str(), one.provider_type);
            without_gemini(&file.doc, &backend, "google-native", provider, advice)
        }));
    }
    problems
}

/// What is wrong where the interface of Gemini is named for a provider without it.
fn without_gemini(
    doc: &Doc,
    at: &Path,
    what: &str,
    (provider, kind): (&str, ProviderType),
    suggestion: &str,
) -> Option<Problem> {
    if kind.has_gemini_api() {
        return None;
    }
    let place = doc.place(at);
    let kind = kind.as_str();
    Some(Problem {
        file: doc.file.clone(),
        line: place.line,
        column: place.column,
        key: at.to_string(),
        message: format!(
            "{what} needs a provider of type google or vertexai, but \"{provider}\" is of type {kind}"
        ),
        suggestion: Some(suggestion.to_owned()),
    })
}

/// Every agent that a chain runs, with its place in the file.
fn agents(catalog: &Catalog, chain: &Chain) -> Vec<(Path, ResolvedAgent)> {
    let resolver = Resolver { catalog, chain, requested: Requested::default() };
    let at = Path::of(["agent_chains", &chain.id]);
    let mut agents = Vec::new();
    for (index, stage) in chain.stages.iter().enumerate() {
        let at = at.key("stages").index(index);
        for (index, agent) in stage.agents.iter().enumerate() {
            agents.push((at.key("agents").index(index), resolver.stage_agent(stage, agent)));
        }
        if stage.agents.len() > 1 || stage.replicas > 1 {
            agents.push((at.key("synthesis"), resolver.synthesis(stage.synthesis.as_ref())));
        }
    }
    if let Some(chat) = chain.chat.as_ref().filter(|chat| chat.enabled) {
        agents.push((at.key("chat"), resolver.chat(chat)));
    }
    agents
}

fn strategy(doc: &Doc, at: &Path, agent: &ResolvedAgent) -> Option<Problem> {
    if !agent.strategy.is_native() {
        return None;
    }
    let provider = (agent.provider.name.as_str(), agent.provider.provider_type);
    let advice = "set llm_provider to one of those, or iteration_strategy to langchain";
    without_gemini(doc, at, &format!("the strategy {}", agent.strategy), provider, advice)
}
