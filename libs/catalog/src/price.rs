//! What the tokens of a model cost.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tarsy_domain::price::PriceSource;

use crate::rule::{As, Dollars};

/// Tokens that a price is for.
const TOKENS: i64 = 1_000_000;

/// Prices in US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// A million tokens read
    #[serde(with = "As::<Dollars>")]
    pub input: u64,
    /// Read from the provider's cache
    #[serde(default, with = "As::<Dollars>")]
    #[schemars(extend("x-default" = "as `input`"))]
    pub cached_input: Option<u64>,
    /// A million tokens written
    #[serde(with = "As::<Dollars>")]
    pub output: u64,
    /// Of reasoning, where priced apart
    #[serde(default, with = "As::<Dollars>")]
    #[schemars(extend("x-default" = "as `output`"))]
    pub thinking: Option<u64>,
}

/// Prices of a model in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelRates {
    /// A million tokens read
    #[serde(with = "As::<Dollars>")]
    pub input_per_million: u64,
    /// A million tokens written
    #[serde(with = "As::<Dollars>")]
    pub output_per_million: u64,
    /// Read from the provider's cache
    #[serde(default, with = "As::<Dollars>")]
    #[schemars(extend("x-default" = "as `input_per_million`"))]
    pub cached_input_per_million: Option<u64>,
    /// Of reasoning
    #[serde(default, with = "As::<Dollars>")]
    #[schemars(extend("x-default" = "as `output_per_million`"))]
    pub thinking_per_million: Option<u64>,
}

/// Prices as a session uses them, in millionths of a US dollar for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedPrice {
    pub input: u64,
    pub cached_input: u64,
    pub output: u64,
    /// Of reasoning; none for that of `output`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<u64>,
    /// The day of the price list that they are of; none for what the operator wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<Date>,
}

/// What a call used.
#[derive(Clone, Copy, Debug)]
pub struct Tokens {
    /// Those from the cache included.
    pub input: i32,
    pub cached_input: i32,
    /// Reasoning included.
    pub output: i32,
    pub thinking: i32,
}

impl Price {
    pub(crate) fn resolve(self) -> ResolvedPrice {
        let cached_input = self.cached_input.unwrap_or(self.input);
        let Self { input, output, thinking, .. } = self;
        ResolvedPrice { input, cached_input, output, thinking, listed: None }
    }
}

impl ModelRates {
    pub(crate) fn resolve(self) -> ResolvedPrice {
        let price = Price {
            input: self.input_per_million,
            cached_input: self.cached_input_per_million,
            output: self.output_per_million,
            thinking: self.thinking_per_million,
        };
        price.resolve()
    }
}

impl ResolvedPrice {
    pub const fn source(&self) -> PriceSource {
        if self.listed.is_some() { PriceSource::PriceList } else { PriceSource::Configured }
    }

    /// What a call cost, in millionths of a US dollar, rounded up.
    pub fn micro_usd(&self, used: Tokens) -> i64 {
        let cached = used.cached_input.clamp(0, used.input.max(0));
        let thinking = used.thinking.clamp(0, used.output.max(0));
        let parts = [
            (used.input.max(0) - cached, self.input),
            (cached, self.cached_input),
            (used.output.max(0) - thinking, self.output),
            (thinking, self.thinking.unwrap_or(self.output)),
        ];
        let price = |price: u64| i64::try_from(price).unwrap_or(i64::MAX);
        let cost = parts.iter().fold(0_i64, |sum, (tokens, each)| {
            sum.saturating_add(price(*each).saturating_mul(i64::from(*tokens)))
        });
        cost.saturating_add(TOKENS - 1) / TOKENS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price =
        Price { input: 3_000_000, cached_input: None, output: 15_000_000, thinking: None };

    #[test]
    fn cached_tokens_and_reasoning_have_prices_of_their_own() {
        let used = Tokens { input: 10_000, cached_input: 4_000, output: 500, thinking: 200 };
        let price = Price { cached_input: Some(300_000), thinking: Some(5_000_000), ..PRICE };
        assert_eq!(price.resolve().micro_usd(used), 18_000 + 1_200 + 4_500 + 1_000);
        assert_eq!(PRICE.resolve().micro_usd(used), 30_000 + 7_500);
    }

    #[test]
    fn a_part_of_a_millionth_is_rounded_up_and_nothing_overflows() {
        let price = Price { input: 75_000, output: 10_000_000_000, ..PRICE }.resolve();
        let price = ResolvedPrice { cached_input: 0, ..price };
        let none = Tokens { input: 0, cached_input: 0, output: 0, thinking: 0 };
        assert_eq!(price.micro_usd(Tokens { input: 1, ..none }), 1);
        let most = Tokens { input: i32::MAX, output: i32::MAX, ..none };
        assert!(price.micro_usd(most) > 0);
        let wrong = Tokens { input: -1, cached_input: 5, output: -1, thinking: 3 };
        assert_eq!(price.micro_usd(wrong), 0);
    }
}
