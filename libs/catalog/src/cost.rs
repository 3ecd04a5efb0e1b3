//! The section `system.cost_estimation` of `tarsy.yaml`: what tokens cost, by model.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use smart_default::SmartDefault;

use crate::price::ResolvedPrice;
use crate::price_list;
use crate::provider::Provider;
use crate::rule::{As, Day, Dollars, NotBlank};

/// What calls of models are estimated to cost.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct CostEstimation {
    /// Whether costs are computed and shown
    #[default = true]
    pub enabled: bool,
    /// What tokens of a model cost, by the name of the model, for providers without a `price`
    pub model_rates: BTreeMap<String, ModelRates>,
    /// Whether models without a price of yours have that of the list that comes with TARSy, see *Prices*
    #[default = true]
    pub price_list: bool,
    /// Without effect yet: prices of some days
    pub promotions: Vec<Promotion>,
}

/// Prices of a model in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelRates {
    /// For a million tokens that it reads
    #[serde(with = "As::<Dollars>")]
    pub input_per_million: u64,
    /// For a million tokens that it writes
    #[serde(with = "As::<Dollars>")]
    pub output_per_million: u64,
}

/// Prices of a model in some days.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Promotion {
    /// Its name
    #[serde(default, with = "As::<NotBlank>")]
    pub id: Option<String>,
    /// The model
    #[serde(with = "As::<NotBlank>")]
    pub model: String,
    /// When it begins: a day such as `2026-08-01`, or a time of RFC 3339
    #[serde(default, with = "As::<Day>")]
    pub start: Option<String>,
    /// When it ends
    #[serde(with = "As::<Day>")]
    pub end: String,
    /// Its prices, here or beside
    pub rates: Option<ModelRates>,
    /// For a million tokens that the model reads
    #[serde(default, with = "As::<Dollars>")]
    pub input_per_million: Option<u64>,
    /// For a million tokens that it writes
    #[serde(default, with = "As::<Dollars>")]
    pub output_per_million: Option<u64>,
}

impl CostEstimation {
    /// What a provider's tokens cost: by its own price, else by its model's name, else by that without what stands before
    /// a `/`, else by the list; none if costs are not computed.
    pub(crate) fn price(&self, provider: &Provider) -> Option<ResolvedPrice> {
        if !self.enabled {
            return None;
        }
        let by_model = || {
            let rates = self.model_rates.get(&provider.model);
            rates
                .or_else(|| self.model_rates.get(provider.bare_model()))
                .copied()
                .map(ModelRates::resolve)
        };
        let listed = || if self.price_list { price_list::find(provider) } else { None };
        provider.price.map(crate::price::Price::resolve).or_else(by_model).or_else(listed)
    }
}

impl ModelRates {
    const fn resolve(self) -> ResolvedPrice {
        let (input, output) = (self.input_per_million, self.output_per_million);
        ResolvedPrice { input, cached_input: input, output, listed: None }
    }
}
