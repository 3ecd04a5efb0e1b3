//! The price list that comes with TARSy: what vendors ask for ordinary requests at their own addresses.

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::civil::Date;

use crate::price::ResolvedPrice;
use crate::provider::{Provider, ProviderType};
use crate::rule::dollars;

/// Written by `deploy/scripts/price_list.py`: the day of the list, then vendor, model, input, cached input, output.
const WRITTEN: &str = include_str!("../data/prices.csv");

static PRICES: LazyLock<HashMap<(&'static str, &'static str), ResolvedPrice>> =
    LazyLock::new(|| WRITTEN.lines().filter_map(read).collect());

/// The day of the list.
static DAY: LazyLock<Option<Date>> =
    LazyLock::new(|| WRITTEN.lines().find_map(|line| line.strip_prefix("day,")?.parse().ok()));

/// The price of a provider's model, by its name or by that without what stands before a `/`; none for a model that is not listed,
/// and behind an address of the operator's, where another price may be asked.
pub(crate) fn find(provider: &Provider) -> Option<ResolvedPrice> {
    if provider.base_url.is_some() || provider.provider_type == ProviderType::Offline {
        return None;
    }
    let vendor = provider.provider_type.as_str();
    let price = |model: &str| PRICES.get(&(vendor, model)).copied();
    price(&provider.model).or_else(|| price(provider.bare_model()))
}

fn read(line: &'static str) -> Option<((&'static str, &'static str), ResolvedPrice)> {
    let mut cells = line.split(',');
    let key = (cells.next()?, cells.next()?);
    let mut next = || dollars(cells.next()?);
    let (input, cached_input, output) = (next()?, next()?, next()?);
    Some((key, ResolvedPrice { input, cached_input, output, thinking: None, listed: *DAY }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_read_and_has_a_vendor_that_is_called() {
        let is_price = |line: &&str| !line.starts_with('#') && !line.starts_with("day,");
        let lines: Vec<_> = WRITTEN.lines().filter(is_price).collect();
        assert!(DAY.is_some(), "the list has no day");
        assert_eq!(PRICES.len(), lines.len(), "a line is not read, or stands twice");
        assert!(lines.len() > 100, "{}", lines.len());
        let vendors = [
            ProviderType::Google,
            ProviderType::Openai,
            ProviderType::Anthropic,
            ProviderType::Xai,
            ProviderType::Vertexai,
        ];
        for ((vendor, model), price) in PRICES.iter() {
            assert!(vendors.iter().any(|known| known.as_str() == *vendor), "{vendor} {model}");
            assert!(price.cached_input <= price.input && price.output > 0, "{vendor} {model}");
        }
        for vendor in vendors {
            assert!(PRICES.keys().any(|(listed, _)| *listed == vendor.as_str()), "{vendor:?}");
        }
    }
}
