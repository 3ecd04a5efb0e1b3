//! What an alert asserts: about which machine, of which quantity, beyond which share.

use std::sync::LazyLock;

use regex::Regex;

use crate::alert::Focus;
use crate::text::regex;
use crate::verdict::{Category, Target};

/// A quantity or a state that an alert is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Symptom {
    /// A file system has little space or few inodes left.
    Disk,
    Load,
    Processors,
    Memory,
    /// The kernel ended a process for want of memory.
    OutOfMemory,
    MachineDown,
    Clock,
    /// An interface has errors, or drops packets.
    Network,
}

/// What an alert asserts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assertion {
    /// The names of machines, without those that mean the machine itself.
    pub(crate) machines: Vec<String>,
    pub(crate) symptoms: Vec<Symptom>,
    /// In percent of what there is in use.
    pub(crate) threshold: Option<f64>,
    /// Something answers late, or not at all.
    pub(crate) is_slow: bool,
    /// It is about processes, or their ids.
    pub(crate) is_about_processes: bool,
    /// It states that a process uses much of the machine.
    pub(crate) blames_a_process: bool,
}

/// The words of each symptom, and words beside which they mean something else.
static SYMPTOMS: LazyLock<[(Symptom, Regex, Option<Regex>); 8]> = LazyLock::new(|| {
    let pattern = crate::text::compile;
    [
        (
            Symptom::Disk,
            pattern(
                r"\b(?:disks?|file ?systems?|inodes?|space left|mount ?point|free ?storage|storage ?space)\b",
            ),
            Some(pattern(r"\b(?:latency|iops|i/o|io wait|read ?only|smart)\b")),
        ),
        (
            Symptom::Load,
            pattern(r"\bload\b"),
            Some(pattern(r"\b(?:load ?balanc\w*|to load|page load|load test)\b")),
        ),
        (
            Symptom::Processors,
            pattern(r"\b(?:cpus?|processors?)\b"),
            Some(pattern(r"\b(?:throttl\w*|quota|insufficient)\b")),
        ),
        (Symptom::Memory, pattern(r"\b(?:memory|ram)\b"), Some(pattern(r"\binsufficient\b"))),
        (Symptom::OutOfMemory, pattern(r"\b(?:oom\w*|out of memory)\b"), None),
        (
            Symptom::MachineDown,
            pattern(
                r"\b(?:instance|host|node|server|machine|target)\b(?: \S+){0,3} (?:down|unreachable|offline)\b",
            ),
            None,
        ),
        (Symptom::Clock, pattern(r"\b(?:clocks?|ntp|chrony|time ?sync|drift)\b"), None),
        (
            Symptom::Network,
            pattern(r"\b(?:network|packets?|interfaces?|nic)\b"),
            Some(pattern(r"\b(?:network ?polic\w*|network ?chaos)\b")),
        ),
    ]
});

/// Words of something that answers late, or not at all.
static SLOW: LazyLock<Regex> = regex!(
    r"(?i)\b(?:slow\w*|laten\w+|time[ds]? ?outs?|unresponsive|hang(?:s|ing)?|stuck|response times?|performance|saturat\w*|starv\w*|busy|throttl\w*|apdex|p9\d)\b"
);

/// Words of one process that uses much of a machine.
static BLAMED: LazyLock<Regex> = regex!(
    r"(?i)\b(?:an?|one|single|this|that) process\b|\bprocess \S+ (?:uses|takes|holds|consumes|eats)\b|\brunaway\b"
);

/// Words of processes and their ids.
static PROCESSES: LazyLock<Regex> =
    regex!(r"(?i)\b(?:process(?:es)?|pids?|zombies?|defunct|forks?|threads?|tasks?)\b");

impl Assertion {
    pub(crate) fn read(focus: &Focus, alert: &str) -> Self {
        let title = spaced(&focus.title);
        let mut symptoms = symptoms(&title);
        if symptoms.is_empty() {
            symptoms = self::symptoms(&spaced(&statements(focus, alert)));
        }
        let is_slow = SLOW.is_match(&spaced(alert));
        let is_about_processes = PROCESSES.is_match(&spaced(alert));
        let blames_a_process = BLAMED.is_match(&format!("{title}\n{}", summary(alert)));
        let (machines, threshold) = (machines(focus, alert), threshold(alert));
        Self { machines, symptoms, threshold, is_slow, is_about_processes, blames_a_process }
    }

    /// What the alert is about, as far as it names a machine.
    pub(crate) fn object(&self) -> Target {
        let machine = self.machines.first();
        machine.map(|name| Target::new("host", name, "")).unwrap_or_default()
    }

    pub(crate) fn asserts(&self, symptom: Symptom) -> bool {
        self.symptoms.contains(&symptom)
    }

    /// Whether a cause of this kind can show itself in what the alert asserts; anything can, if it asserts nothing known.
    pub(crate) fn can_follow_from(&self, category: Category) -> bool {
        self.symptoms.is_empty() || self.symptoms.iter().any(|one| one.can_follow_from(category))
    }
}

impl Symptom {
    fn can_follow_from(self, category: Category) -> bool {
        use Category::{
            Certificate, Clock, Dns, FeatureFlag, ImagePull, NetworkFault, NetworkPolicy,
            OutOfMemory, Probe, Scheduling, ServiceRouting, Starvation, Volume,
        };
        let never: &[Category] = match self {
            Self::Disk => &[
                Starvation,
                OutOfMemory,
                Dns,
                Clock,
                Certificate,
                NetworkPolicy,
                NetworkFault,
                Probe,
                Scheduling,
                ServiceRouting,
                ImagePull,
                FeatureFlag,
            ],
            Self::Load | Self::Processors => {
                &[Dns, Certificate, Clock, NetworkPolicy, ImagePull, ServiceRouting, Volume]
            }
            Self::Memory | Self::OutOfMemory => &[
                Dns,
                Certificate,
                Clock,
                NetworkPolicy,
                ImagePull,
                ServiceRouting,
                Volume,
                NetworkFault,
            ],
            Self::Clock => &[
                Starvation,
                OutOfMemory,
                ImagePull,
                Probe,
                Scheduling,
                ServiceRouting,
                FeatureFlag,
                Volume,
                Category::Disk,
                Category::Database,
            ],
            Self::MachineDown => &[Starvation, FeatureFlag, ImagePull, Probe, ServiceRouting],
            Self::Network => &[Category::Disk, Volume, ImagePull, Clock],
        };
        !never.contains(&category)
    }
}

fn symptoms(text: &str) -> Vec<Symptom> {
    let fits = |(_, words, others): &&(Symptom, Regex, Option<Regex>)| {
        words.is_match(text) && !others.as_ref().is_some_and(|others| others.is_match(text))
    };
    SYMPTOMS.iter().filter(fits).map(|(symptom, ..)| *symptom).collect()
}

/// What the alert says in its fields for people; all of it if it has none.
fn statements(focus: &Focus, alert: &str) -> String {
    static STATED: LazyLock<Regex> = regex!(
        r#"(?i)"?\b(?:summary|description|message|title)"?\s*[:=]\s*"?(?P<text>[^"\n]{3,400})"#
    );
    let stated: Vec<&str> = STATED
        .captures_iter(alert)
        .filter_map(|found| found.name("text"))
        .map(|text| text.as_str())
        .collect();
    if stated.is_empty() { focus.words().chars().take(400).collect() } else { stated.join("\n") }
}

/// The alert's summary; empty if it has none.
fn summary(alert: &str) -> &str {
    static SUMMARY: LazyLock<Regex> =
        regex!(r#"(?i)"?\bsummary"?\s*[:=]\s*"?(?P<text>[^"\n]{3,400})"#);
    let found = SUMMARY.captures(alert).and_then(|found| found.name("text"));
    found.map_or("", |text| text.as_str())
}

/// What the alert says to people, in small letters, without the names of its fields.
pub(crate) fn wording(focus: &Focus) -> String {
    static KEY: LazyLock<Regex> = regex!(r#"[\w.-]+"?\s*[:=]"#);
    let stated = statements(focus, focus.words());
    let title = focus.title.to_lowercase();
    format!("{} {}", title, KEY.replace_all(&stated, " "))
}

/// Text in small letters, with a space where a word in camel case begins.
pub(crate) fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() + 8);
    let mut was_lower = false;
    for c in text.chars() {
        if c.is_uppercase() && was_lower || matches!(c, '_') {
            spaced.push(' ');
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
        if c != '_' {
            spaced.extend(c.to_lowercase());
        }
    }
    spaced
}

/// `above 90 %`; `less than 10 % left` is 90.
fn threshold(alert: &str) -> Option<f64> {
    static ABOVE: LazyLock<Regex> = regex!(
        r"(?i)(?:above|over|exceed\w*|more than|higher than|greater than|reached|>=?)\s*(?P<percent>\d{1,3}(?:\.\d+)?)\s*(?:%|percent)"
    );
    static LEFT: LazyLock<Regex> = regex!(
        r"(?i)(?:below|under|less than|only|<=?)\s*(?P<percent>\d{1,3}(?:\.\d+)?)\s*(?:%|percent)\s*(?:\w+ ){0,2}(?:left|free|available|remain\w*)"
    );
    let percent =
        |pattern: &Regex| pattern.captures(alert)?.name("percent")?.as_str().parse::<f64>().ok();
    let left = percent(&LEFT).map(|left| 100.0 - left);
    left.or_else(|| percent(&ABOVE)).filter(|percent| (1.0..=100.0).contains(percent))
}

/// The machines that fields name, and those that the text calls one.
fn machines(focus: &Focus, alert: &str) -> Vec<String> {
    static CALLED: LazyLock<Regex> = regex!(
        r"(?i)\b(?:host|server|machine|instance|vm|node|on|of|from)\s+[`\x22']?(?P<name>[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*-?\d{1,3}(?:\.[a-z][a-z0-9-]*)*)\b"
    );
    static STATE: LazyLock<Regex> = regex!(
        r"(?i)\b(?P<name>[a-z][a-z0-9]*(?:-[a-z0-9]+)*-\d{1,3}(?:\.[a-z][a-z0-9-]*)*)\s+(?:is|was|has|does|went|cannot|unreachable|down|offline)\b"
    );
    static DEVICE: LazyLock<Regex> = regex!(
        r"(?i)^(?:eth|ens|enp|wlan|sd|vd|nvme|cpu|core|port|http|ipv|utf|sha|md|p|v|s|k)-?\d+"
    );
    let fields = focus.of("host").chain(focus.of("node")).map(str::to_owned);
    let called = CALLED.captures_iter(alert).chain(STATE.captures_iter(alert));
    let called = called.filter_map(|found| found.name("name")).map(|name| name.as_str());
    let called = called.filter(|name| !DEVICE.is_match(name)).map(str::to_owned);
    let other = |kind: &'static str, name: &str| focus.of(kind).any(|known| known == name);
    let mut found: Vec<String> = fields.chain(called).filter(|name| is_machine(name)).collect();
    found.retain(|name| {
        !["pod", "container", "service", "deployment", "database", "queue", "mount", "device"]
            .iter()
            .any(|kind| other(kind, name))
    });
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|name| seen.insert(name.to_lowercase()));
    found
}

/// Whether a word can be the name of another machine: no address, and no word for the machine itself.
fn is_machine(name: &str) -> bool {
    static NO_MACHINE: LazyLock<Regex> = regex!(
        r"(?i)^(?:localhost.*|[\d.]+|.*[:/@%{}$].*|.*\.(?:svc|local|json|ya?ml|log|conf|service)(?:\..*)?|host|server|machine|instance|node|this)$"
    );
    name.len() >= 2 && name.contains(|c: char| c.is_alphabetic()) && !NO_MACHINE.is_match(name)
}

/// Whether two names mean one machine: `web-1` and `web-1.example.com`.
pub(crate) fn same_machine(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    one == other || (!one.contains('.') || !other.contains('.')) && short(&one) == short(&other)
}

/// Whether what these machines, nodes or instances are labelled with is about others than the alert names; not if one of
/// both is named by its address and the other is not, or if the alert mentions them.
pub(crate) fn is_other_machine(focus: &Focus, machines: &[&str]) -> bool {
    let in_cluster =
        ["pod", "container", "deployment"].iter().any(|kind| focus.of(kind).count() > 0);
    // The instance of an alert about a pod may be the address of what measures it.
    let is_meant = |name: &&str| !(measures_others(name) || in_cluster && is_address(name));
    let of_alert: Vec<&str> = focus.of("host").chain(focus.of("node")).filter(is_meant).collect();
    let is_same = |machine: &str| {
        of_alert.iter().any(|name| same_machine(name, machine)) || focus.mentions(machine)
    };
    let can_differ = |machine: &str| {
        let is_known = !machine.is_empty() && !measures_others(machine);
        is_known && of_alert.iter().any(|name| is_address(name) == is_address(machine))
    };
    !machines.iter().any(|machine| is_same(machine))
        && machines.iter().any(|machine| can_differ(machine))
}

fn is_address(name: &str) -> bool {
    name.parse::<std::net::IpAddr>().is_ok()
}

/// Whether a name says that what it stands for measures others, or stands for the machine itself.
fn measures_others(name: &str) -> bool {
    ["exporter", "kube-state-metrics", "prometheus", "blackbox", "pushgateway", "localhost", "127."]
        .iter()
        .any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(alert: &str) -> Assertion {
        Assertion::read(&Focus::read(alert), alert)
    }

    #[test]
    fn machines_are_named_by_fields_and_in_text() {
        for (alert, machines) in [
            ("alertname: InstanceDown\ninstance: db-2:9100", &["db-2"][..]),
            (
                r#"{"labels": {"alertname": "HighLoad", "host": "web-3.example.com"}}"#,
                &["web-3.example.com"],
            ),
            ("db-2 is down", &["db-2"]),
            ("Host db2 does not answer", &["db2"]),
            ("out of memory on server cache-12", &["cache-12"]),
            ("instance: localhost:9100", &[]),
            ("instance: 10.0.0.7:9100", &[]),
            ("the load of this host is high", &[]),
            ("errors on eth0, port 8080 of http2", &[]),
            ("pod: redis-0\nsummary: redis-0 is restarting", &[]),
        ] {
            assert_eq!(read(alert).machines, machines, "{alert}");
        }
    }

    #[test]
    fn the_title_decides_what_is_asserted_and_the_summary_where_it_does_not() {
        use Symptom::{Clock, Disk, Load, MachineDown, Memory, Network, OutOfMemory, Processors};
        for (alert, expected) in [
            ("alertname: HostHighLoad\nsummary: also the disk", &[Load][..]),
            ("alertname: Problem\nsummary: the disk runs full", &[Disk]),
            ("InstanceDown: db-2", &[MachineDown]),
            ("HostClockSkew", &[Clock]),
            ("HostCpuHigh", &[Processors]),
            ("HostMemoryHigh", &[Memory]),
            ("KernelOOMKill", &[OutOfMemory]),
            ("NetworkErrors: packets are dropped", &[Network]),
            ("the load balancer answers 502", &[]),
            ("CheckoutErrors: no order has been paid", &[]),
        ] {
            assert_eq!(read(alert).symptoms, expected, "{alert}");
        }
    }

    #[test]
    fn a_threshold_is_of_what_is_in_use() {
        assert_eq!(read("disk above 95 %").threshold, Some(95.0));
        assert_eq!(read("less than 10% space left").threshold, Some(90.0));
        assert_eq!(read("memory at 96 %").threshold, None);
    }

    #[test]
    fn a_machine_may_be_named_with_its_domain() {
        assert!(same_machine("web-1", "WEB-1.example.com"));
        assert!(!same_machine("web-1.a.example", "web-1.b.example"));
        assert!(!same_machine("web-1", "web-10"));
    }
}
