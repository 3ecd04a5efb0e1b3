//! Reads the samples of a result.

use tarsy_evidence::Node;

use super::host::{Mount, Place};
use super::model::{Facts, Source};
use super::sample::Sample;

/// Samples of one result; a bound on time.
const MOST_SAMPLES: usize = 2_000;

/// Adds the samples of a result; `asked` is the query.
pub(super) fn add(facts: &mut Facts, documents: &[Node], source: &Source<'_>, asked: &str) {
    let from = facts.samples.len();
    for node in documents {
        walk(facts, node, (source, asked));
    }
    facts.samples.truncate(from + MOST_SAMPLES);
    let is_meant =
        |sample: &&Sample| !crate::assertion::is_other_machine(&facts.focus, &sample.machines());
    let added: Vec<Sample> =
        facts.samples.get(from..).unwrap_or_default().iter().filter(is_meant).cloned().collect();
    for sample in added {
        let place = Place { result: sample.result, line: sample.line };
        let path = sample.label("mountpoint").to_owned();
        if let Some(used_percent) = sample.used_percent().filter(|_| !path.is_empty()) {
            let used_percent = (used_percent * 10.0).round() / 10.0;
            facts.host.mounts.push(Mount { path, used_percent, inodes_used_percent: 0.0, place });
        }
        if sample.query.contains("timex_offset_seconds") {
            facts.host.clocks.push((sample.value.abs(), place));
        }
    }
}

fn walk(facts: &mut Facts, node: &Node, around: (&Source<'_>, &str)) {
    if let (Some(metric), Some(value)) = (node.get("metric"), node.get("value")) {
        facts.samples.extend(sample(metric, value, around));
        return;
    }
    node.items().iter().for_each(|item| walk(facts, item, around));
    node.entries().iter().for_each(|entry| walk(facts, &entry.value, around));
}

fn sample(metric: &Node, value: &Node, (source, asked): (&Source<'_>, &str)) -> Option<Sample> {
    let [_, number] = value.items() else { return None };
    let text = number.text()?;
    let labels = metric
        .entries()
        .iter()
        .filter_map(|entry| Some((entry.key.clone(), entry.value.text()?.to_owned())));
    let labels: Vec<(String, String)> = labels.collect();
    let name =
        labels.iter().find(|(key, _)| key == "__name__").map_or("", |(_, name)| name.as_str());
    Some(Sample {
        query: format!("{asked} {name}").trim().to_lowercase(),
        value: text.parse().ok()?,
        text: text.to_owned(),
        labels,
        result: source.result,
        line: number.line,
    })
}
