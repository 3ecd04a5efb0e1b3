//! The provider and the model that make vectors of memories.

use crate::catalog::Catalog;
use crate::check::Check;
use crate::layers::Layers;
use crate::memory::Embedding;
use crate::path::Path;
use crate::provider::{Provider, ProviderType};

/// What turns memories into vectors: a model, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedEmbedding {
    /// A name of the providers.
    pub provider: String,
    pub model: String,
    /// None leaves it to the model: most can make vectors of one length only, and refuse to be asked for another.
    pub dimensions: Option<u32>,
    /// In percent of the cosine.
    pub min_similarity: u32,
}

const DIMENSIONS: u32 = 768;
const MIN_SIMILARITY: u32 = 55;

/// The usual model of a type; an error if providers of it make no vectors, none if it has no usual one.
fn usual_model(provider: ProviderType) -> Result<Option<&'static str>, ()> {
    match provider {
        ProviderType::Google => Ok(Some("gemini-embedding-2-preview")),
        ProviderType::Openai => Ok(Some("text-embedding-3-small")),
        ProviderType::Xai => Ok(None),
        ProviderType::Anthropic | ProviderType::Vertexai | ProviderType::Offline => Err(()),
    }
}

/// Models that shorten their vectors.
fn usual_dimensions(provider: ProviderType, model: &str) -> Option<u32> {
    let shortens = provider == ProviderType::Google || model.starts_with("text-embedding-3");
    shortens.then_some(DIMENSIONS)
}

impl Embedding {
    fn wanted(&self) -> &str {
        self.provider.as_deref().unwrap_or("google")
    }

    /// The provider of this name; else of those of this type the one with this key and address, else the first.
    fn find<'a>(&self, providers: &[(&'a str, &'a Provider)]) -> Option<(&'a str, &'a Provider)> {
        let wanted = self.wanted();
        let named = providers.iter().find(|(name, _)| *name == wanted);
        let mut of_type = providers.iter().filter(|(_, one)| one.provider_type.as_str() == wanted);
        let same = of_type.clone().find(|(_, one)| self.has_key(one) && self.has_address(one));
        named.or(same).or_else(|| of_type.next()).copied()
    }

    fn has_key(&self, provider: &Provider) -> bool {
        self.api_key_env.is_none() || self.api_key_env == provider.api_key_env
    }

    fn has_address(&self, provider: &Provider) -> bool {
        self.base_url.is_none() || self.base_url == provider.base_url
    }
}

impl Catalog {
    /// What turns memories into vectors; none if nothing does.
    pub fn embedding(&self) -> Option<ResolvedEmbedding> {
        let memory = self.defaults.memory.as_ref().filter(|memory| memory.enabled)?;
        let embedding = memory.embedding.as_ref()?;
        let named = |name: &String| self.providers.get_key_value(name);
        let ordered = self.provider_order.iter().filter_map(named);
        let providers: Vec<_> = ordered.map(|(name, one)| (name.as_str(), one)).collect();
        let (name, provider) = embedding.find(&providers)?;
        let usual = usual_model(provider.provider_type).ok()?;
        let model = embedding.model.clone().or(usual.map(str::to_owned))?;
        let of_model = || usual_dimensions(provider.provider_type, &model);
        Some(ResolvedEmbedding {
            provider: name.to_owned(),
            dimensions: embedding.dimensions.or_else(of_model),
            model,
            min_similarity: embedding.min_similarity.unwrap_or(MIN_SIMILARITY),
        })
    }
}

/// Checks that a provider makes the vectors, and warns of what it does not heed.
pub(crate) fn check_embedding(layers: &Layers, check: &mut Check<'_>) {
    let memory = layers.user.tarsy.value.defaults.memory.as_ref();
    let Some(embedding) = memory.and_then(|memory| memory.embedding.as_ref()) else { return };
    let at = Path::of(["defaults", "memory", "embedding"]);
    let merged = layers.merged(|layer| &layer.providers.value.llm_providers);
    let providers: Vec<_> = merged.iter().map(|one| (one.name, one.value)).collect();
    let wanted = embedding.wanted();
    let Some((name, provider)) = embedding.find(&providers) else {
        let message = format!("no provider has the name or the type \"{wanted}\"");
        let advice = "write a name of llm_providers, or google, openai or xai";
        return check.problem(&at.key("provider"), message, advice);
    };
    match usual_model(provider.provider_type) {
        Err(()) => {
            let of = provider.provider_type.as_str();
            let message =
                format!("the provider \"{name}\" is of type {of}, which makes no vectors");
            check.problem(&at.key("provider"), message, "name one of type google, openai or xai");
        }
        Ok(None) if embedding.model.is_none() => {
            let message = format!("the provider \"{name}\" has no usual model for vectors");
            check.problem(&at, message, "add `model:`");
        }
        Ok(_) => {}
    }
    let advice = "write them in an entry of llm_providers, and name it as `provider`";
    if !embedding.has_key(provider) {
        let message = format!("has no effect: the provider \"{name}\" has another key");
        check.warning(&at.key("api_key_env"), &message, advice);
    }
    if !embedding.has_address(provider) {
        let message = format!("has no effect: the provider \"{name}\" has another address");
        check.warning(&at.key("base_url"), &message, advice);
    }
}
