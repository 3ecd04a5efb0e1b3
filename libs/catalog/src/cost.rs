//! The section `system.cost_estimation` of `tarsy.yaml`: what tokens cost, by model.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use smart_default::SmartDefault;

use crate::check::Check;
use crate::path::Path;
use crate::price::{ModelRates, Price, ResolvedPrice};
use crate::price_list;
use crate::promotion::{Promotion, check_promotions};
use crate::provider::Provider;

/// What calls of models are estimated to cost.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct CostEstimation {
    /// Whether costs are computed and shown
    #[default = true]
    pub enabled: bool,
    /// What tokens of a model cost, by the name of the model, for providers without a `price`
    pub model_rates: BTreeMap<String, ModelRates>,
    /// Whether models without a price have that of TARSy's list, see *Prices*
    #[default = true]
    pub price_list: bool,
    /// Prices that hold between two times, before `model_rates` and the list
    pub promotions: Vec<Promotion>,
}

impl CostEstimation {
    pub(crate) fn check(&self, at: &Path, check: &mut Check<'_>) {
        check_promotions(&self.promotions, &at.key("promotions"), check);
    }

    /// What a provider's tokens cost: by its own price, else by its model's name, else by that without what stands before
    /// a `/`, else by the list; none if costs are not computed.
    pub(crate) fn price(&self, provider: &Provider) -> Option<ResolvedPrice> {
        if !self.enabled {
            return None;
        }
        let by_model = || {
            let rates = self.model_rates.get(&provider.model);
            let rates = rates.or_else(|| self.model_rates.get(provider.bare_model()));
            rates.copied().map(ModelRates::resolve)
        };
        let listed = || if self.price_list { price_list::find(provider) } else { None };
        provider.price.map(Price::resolve).or_else(by_model).or_else(listed)
    }

    /// What they cost by a promotion of this time; none where the provider has a price of its own.
    pub(crate) fn promoted(&self, provider: &Provider, at: Timestamp) -> Option<ResolvedPrice> {
        if !self.enabled || provider.price.is_some() {
            return None;
        }
        let is_of =
            |one: &&Promotion| [&*provider.model, provider.bare_model()].contains(&&*one.model);
        let mut of_model = self.promotions.iter().filter(is_of);
        of_model.find(|one| one.is_in_force(at))?.rates().map(ModelRates::resolve)
    }
}
