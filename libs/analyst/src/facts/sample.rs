//! Samples: single values of metrics, as an instant query of Prometheus answers.

use tarsy_evidence::Node;

use super::host::{Mount, Place};
use super::model::{Facts, Source};

/// Samples of one result; a bound on time.
const MOST_SAMPLES: usize = 2_000;

/// A value of a metric.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// The query and the name of the metric, in small letters.
    pub(crate) query: String,
    pub(crate) labels: Vec<(String, String)>,
    pub(crate) value: f64,
    pub(crate) text: String,
    /// The index of the result.
    pub(crate) result: usize,
    pub(crate) line: usize,
}

impl Sample {
    pub(crate) fn label(&self, key: &str) -> &str {
        self.labels.iter().find(|(known, _)| known == key).map_or("", |(_, value)| value.as_str())
    }

    /// The machine or program that the value is from, without its port.
    pub(crate) fn instance(&self) -> &str {
        let instance = self.label("instance");
        instance.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(instance, |pair| pair.0)
    }

    /// The percentage of a quotient that the query computes; none if it computes none.
    pub(crate) fn percent(&self) -> Option<f64> {
        let is_percent = self.query.contains("* 100") || self.query.contains("*100");
        let is_quotient = self.query.contains('/');
        is_quotient.then_some(if is_percent { self.value } else { self.value * 100.0 })
    }

    /// How much of a file system is in use, if the query computes that.
    pub(crate) fn used_percent(&self) -> Option<f64> {
        let has = |word: &str| self.query.contains(word);
        let is_space = has("filesystem_avail_bytes") || has("filesystem_free_bytes");
        let percent = self.percent().filter(|_| is_space && has("filesystem_size_bytes"))?;
        let query = self.query.trim_start_matches('(').trim_start();
        let is_used =
            query.starts_with("100 -") || query.starts_with("100-") || query.starts_with("1 -");
        Some(if is_used { percent } else { 100.0 - percent })
    }
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Adds the samples of a result; `asked` is the query.
pub(super) fn add(facts: &mut Facts, documents: &[Node], source: &Source<'_>, asked: &str) {
    let from = facts.samples.len();
    for node in documents {
        walk(facts, node, (source, asked));
    }
    facts.samples.truncate(from + MOST_SAMPLES);
    let named: Vec<String> = facts.focus.of("host").map(str::to_owned).collect();
    let is_meant = |sample: &&Sample| {
        let same = |name: &String| crate::assertion::same_machine(name, sample.instance());
        named.is_empty() || named.iter().any(same)
    };
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
