//! Masking of what tools answer, beside a plain loop over the same rules as regular expressions.

mod plain;
mod texts;

use std::time::Instant;

use anyhow::Context as _;
use tarsy_masking::Masker;

use crate::output;
use crate::size::Size;
use crate::table::{Measure, Row};

const KIB: usize = 1024;

/// Masks both texts both ways.
pub(crate) fn measure(size: Size) -> anyhow::Result<Vec<Row>> {
    let masker = Masker::builder().group("security").build()?;
    let rules = plain::rules()?;
    let (bytes, length) = size.of((10 * KIB * KIB, "10 MiB"), (256 * KIB, "256 KiB"));
    let texts = [("a Kubernetes dump", texts::kubernetes(bytes)), ("logs", texts::logs(bytes))];
    // The fastest of so many rounds counts, for both sides.
    let rounds = size.of(3, 1);
    let mut rows = Vec::new();
    for (what, text) in texts {
        output::step(&format!(
            "masking {length} of {what}: the masker, {} expressions one by one",
            rules.len()
        ));
        let mut found = 0;
        let product = fastest(text.len(), rounds, || {
            found = masker.mask(&text)?.total();
            Ok(())
        })?;
        let mut seen = 0;
        let raw = fastest(text.len(), rounds, || {
            seen = rules.iter().map(|rule| rule.find_iter(&text).count()).sum();
            Ok(())
        })?;
        rows.push(Row {
            path: format!("masking {length} of {what}, {found} secrets"),
            product: Measure::Throughput(product),
            raw: Some(("each rule's find_iter", Measure::Throughput(raw))),
            why: String::new(),
            why_tail: String::new(),
        });
        anyhow::ensure!(found > 0 && seen > 0, "no secret was found in {what}");
    }
    Ok(rows)
}

/// How many bytes a second the fastest round took in.
#[expect(clippy::cast_precision_loss, reason = "texts are far shorter than 2^52 bytes")]
fn fastest(
    bytes: usize,
    rounds: usize,
    mut work: impl FnMut() -> anyhow::Result<()>,
) -> anyhow::Result<f64> {
    let mut best = None;
    for _ in 0..rounds {
        let start = Instant::now();
        work()?;
        let took = start.elapsed();
        best = best.filter(|best| *best < took).or(Some(took));
    }
    let best = best.context("a round")?;
    Ok(bytes as f64 / best.as_secs_f64().max(f64::EPSILON))
}
