//! Prices that hold between two times.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::check::Check;
use crate::path::Path;
use crate::price::ModelRates;
use crate::rule::{As, Day, Dollars, NotBlank};

/// Prices of a model between two times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Promotion {
    /// Its name
    #[serde(default, with = "As::<NotBlank>")]
    pub id: Option<String>,
    /// The model
    #[serde(with = "As::<NotBlank>")]
    pub model: String,
    /// Begin: a day (UTC) such as `2026-08-01`, or a time of RFC 3339
    #[serde(default, with = "As::<Day>")]
    pub start: Option<String>,
    /// End; a day is included
    #[serde(with = "As::<Day>")]
    pub end: String,
    /// Its prices; these keys may also stand beside `id`
    pub rates: Option<ModelRates>,
    /// A million tokens read
    #[serde(default, with = "As::<Dollars>")]
    #[schemars(extend("x-folded" = true))]
    pub input_per_million: Option<u64>,
    /// A million tokens written
    #[serde(default, with = "As::<Dollars>")]
    #[schemars(extend("x-folded" = true))]
    pub output_per_million: Option<u64>,
    /// Read from the provider's cache
    #[serde(default, with = "As::<Dollars>")]
    #[schemars(extend("x-default" = "as `input_per_million`", "x-folded" = true))]
    pub cached_input_per_million: Option<u64>,
    /// Of reasoning
    #[serde(default, with = "As::<Dollars>")]
    #[schemars(extend("x-default" = "as `output_per_million`", "x-folded" = true))]
    pub thinking_per_million: Option<u64>,
}

impl Promotion {
    /// From its first moment to before its end.
    fn times(&self) -> Option<(Timestamp, Timestamp)> {
        let start = match &self.start {
            Some(text) => moment(text, Side::Begin)?,
            None => Timestamp::MIN,
        };
        Some((start, moment(&self.end, Side::End)?))
    }

    pub(crate) fn is_in_force(&self, at: Timestamp) -> bool {
        self.times().is_some_and(|(start, end)| start <= at && at < end)
    }

    /// None if they are incomplete.
    pub(crate) fn rates(&self) -> Option<ModelRates> {
        let beside = || {
            Some(ModelRates {
                input_per_million: self.input_per_million?,
                output_per_million: self.output_per_million?,
                cached_input_per_million: self.cached_input_per_million,
                thinking_per_million: self.thinking_per_million,
            })
        };
        self.rates.or_else(beside)
    }

    const fn has_rates_beside(&self) -> bool {
        self.input_per_million.is_some()
            || self.output_per_million.is_some()
            || self.cached_input_per_million.is_some()
            || self.thinking_per_million.is_some()
    }
}

/// Checks that each has prices and some time, that no name stands twice, and that a model has one price at a time.
pub(crate) fn check_promotions(promotions: &[Promotion], at: &Path, check: &mut Check<'_>) {
    let mut names = BTreeSet::new();
    for (index, one) in promotions.iter().enumerate() {
        let at = at.index(index);
        let name = one.id.as_deref().filter(|name| !names.insert(*name));
        if let Some(name) = name {
            let message = format!("there is another promotion \"{name}\"");
            check.problem(&at.key("id"), message, "give each a name of its own, or none");
        }
        if one.rates.is_some() == one.has_rates_beside() {
            check.problem(&at, "needs its prices once", "write `rates`, or the prices beside it");
        } else if one.rates().is_none() {
            let advice = "write input_per_million and output_per_million";
            check.problem(&at, "needs the price of input and of output", advice);
        }
        let Some((start, end)) = one.times() else { continue };
        if end <= start {
            check.problem(&at.key("end"), "is not after `start`", "write a later day or time");
            continue;
        }
        let overlaps = |other: &&Promotion| {
            let times = other.times().filter(|_| other.model == one.model);
            times.is_some_and(|(from, to)| from < end && start < to)
        };
        if promotions.iter().take(index).any(|other| overlaps(&other)) {
            let message = format!("overlaps with an earlier promotion of \"{}\"", one.model);
            check.problem(&at, message, "let one end before the other begins");
        }
    }
}

#[derive(Clone, Copy)]
enum Side {
    Begin,
    End,
}

fn moment(text: &str, side: Side) -> Option<Timestamp> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    let day: Date = text.parse().ok()?;
    let day = match side {
        Side::Begin => day,
        Side::End => day.tomorrow().ok()?,
    };
    day.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp())
}
