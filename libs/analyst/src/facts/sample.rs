//! Samples: single values of metrics, as an instant query of Prometheus answers.

/// Labels that name a machine, or a program on one.
const MACHINES: &[&str] =
    &["instance", "node", "host", "hostname", "nodename", "kubernetes_node", "server", "machine"];

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

    /// The machines, nodes and programs that its labels name.
    pub(crate) fn machines(&self) -> Vec<&str> {
        let labels = MACHINES.iter().filter(|key| **key != "instance").map(|key| self.label(key));
        labels.chain([self.instance()]).filter(|name| !name.is_empty()).collect()
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
