//! Single values of metrics that are beyond what they may be.

use crate::facts::{Facts, Sample};
use crate::signal::Signal;
use crate::text::code;
use crate::verdict::Category::{
    Certificate, Clock, Database, Disk, HostService, OutOfMemory, Starvation,
};
use crate::verdict::{Category, Target};

/// Percent of a file system in use from which on it is full.
const FULL: f64 = 92.0;
/// Percent of a limit from which on it is reached.
const ALL: f64 = 97.0;
/// Percent of the memory that is left.
const LITTLE: f64 = 3.0;
/// Messages that a group of consumers has not read.
const LAG: f64 = 100_000.0;
/// Seconds by which a clock is off.
const OFF: f64 = 1.0;

/// What a metric means, by the words of its query and of its name.
struct Meaning {
    words: &'static [&'static str],
    is_alarming: fn(&Sample) -> bool,
    category: Category,
    /// As [`Signal::weight`].
    weight: f64,
    cause: &'static str,
    /// The kind of the object, and the labels that name it.
    object: (&'static str, &'static [&'static str]),
}

const INSTANCE: (&str, &[&str]) = ("", &["instance"]);

const MEANINGS: &[Meaning] = &[
    Meaning {
        words: &["filesystem_", "size_bytes"],
        is_alarming: |one| one.used_percent().is_some_and(|percent| percent >= FULL),
        category: Disk,
        weight: 86.0,
        cause: "the filesystem has almost no space left",
        object: ("filesystem", &["mountpoint"]),
    },
    Meaning {
        words: &["filesystem_files_free"],
        is_alarming: |one| !one.query.contains('/') && one.value < 1.0,
        category: Disk,
        weight: 88.0,
        cause: "the filesystem has no inodes left",
        object: ("filesystem", &["mountpoint"]),
    },
    Meaning {
        words: &["systemd_unit_state"],
        is_alarming: |one| one.label("state") == "failed" && one.value >= 1.0,
        category: HostService,
        weight: 86.0,
        cause: "a unit of the host has failed",
        object: ("unit", &["name"]),
    },
    Meaning {
        words: &["offlinepartitionscount"],
        is_alarming: |one| one.value >= 1.0,
        category: Database,
        weight: 90.0,
        cause: "partitions of the message broker have no leader",
        object: INSTANCE,
    },
    Meaning {
        words: &["consumergroup_lag"],
        is_alarming: |one| !one.query.contains('/') && one.value >= LAG,
        category: Database,
        weight: 82.0,
        cause: "a queue grows because its consumers do not keep up",
        object: ("group", &["consumergroup", "topic"]),
    },
    Meaning {
        words: &["cert_", "expir", "time()"],
        is_alarming: |one| one.value < 0.0,
        category: Certificate,
        weight: 91.0,
        cause: "a certificate has expired",
        object: INSTANCE,
    },
    Meaning {
        words: &["timex_offset_seconds"],
        is_alarming: |one| one.value.abs() >= OFF,
        category: Clock,
        weight: 90.0,
        cause: "the clock of the host is off",
        object: ("host", &["instance"]),
    },
    Meaning {
        words: &["stat_activity_count", "max_connections"],
        is_alarming: |one| one.percent().is_some_and(|percent| percent >= ALL),
        category: Database,
        weight: 89.0,
        cause: "the database has no connection left, its sessions take up the limit",
        object: INSTANCE,
    },
    Meaning {
        words: &["threads_connected", "max_connections"],
        is_alarming: |one| one.percent().is_some_and(|percent| percent >= ALL),
        category: Database,
        weight: 89.0,
        cause: "the database has no connection left, its sessions take up the limit",
        object: INSTANCE,
    },
    Meaning {
        words: &["jvm_memory_used", "jvm_memory_max", "heap"],
        is_alarming: |one| one.percent().is_some_and(|percent| percent >= ALL),
        category: OutOfMemory,
        weight: 80.0,
        cause: "the heap of the process is used up",
        object: INSTANCE,
    },
    Meaning {
        words: &["memory_memavailable", "memory_memtotal"],
        is_alarming: |one| one.percent().is_some_and(|percent| (0.0..LITTLE).contains(&percent)),
        category: Starvation,
        weight: 84.0,
        cause: "the memory of the host is used up",
        object: ("host", &["instance"]),
    },
];

/// Labels of what several machines share.
const SHARED: &[&str] = &["topic", "consumergroup", "queue", "service", "datname", "database"];

/// Alarming samples; of those of one answer, only what the alert names, if it names one of them.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for sample in facts.samples.iter().filter(|one| is_meant(facts, one)) {
        let fits = |meaning: &&Meaning| {
            meaning.words.iter().all(|word| sample.query.contains(word))
                && (meaning.is_alarming)(sample)
        };
        found.extend(MEANINGS.iter().find(fits).map(|meaning| signal(facts, sample, meaning)));
    }
}

fn signal(facts: &Facts, sample: &Sample, meaning: &Meaning) -> Signal {
    let (kind, labels) = meaning.object;
    let label = labels.iter().find(|label| !sample.label(label).is_empty()).copied();
    let name = match label {
        Some("instance") => sample.instance(),
        Some(label) => sample.label(label),
        None => "",
    };
    let cause = format!("{}: {}", meaning.cause, code(&sample.text));
    let quotes = vec![facts.quote(sample.result, sample.line, &sample.text)];
    Signal::of_values(
        (meaning.category, meaning.weight),
        cause,
        Target::new(kind, name, ""),
        quotes,
    )
}

/// Whether a sample may be about what the alert is about: not of another machine, and not beside one that the alert names.
fn is_meant(facts: &Facts, sample: &Sample) -> bool {
    let is_shared = SHARED.iter().any(|key| facts.focus.mentions(sample.label(key)));
    if crate::assertion::is_other_machine(&facts.focus, &sample.machines()) && !is_shared {
        return false;
    }
    let mut beside = facts.samples.iter().filter(|other| other.result == sample.result);
    is_named(facts, sample) || !beside.any(|other| is_named(facts, other))
}

/// Whether the alert mentions a label that distinguishes a sample from the others of its answer.
fn is_named(facts: &Facts, sample: &Sample) -> bool {
    let others = || facts.samples.iter().filter(|other| other.result == sample.result);
    let differs = |key: &str, value: &str| others().any(|other| other.label(key) != value);
    let mentions = |key: &str, value: &str| {
        let bare = if key == "instance" { sample.instance() } else { value };
        facts.focus.mentions(bare) || facts.focus.mentions(value)
    };
    let mut labels = sample.labels.iter().filter(|(key, _)| !key.starts_with("__"));
    labels.any(|(key, value)| differs(key, value) && mentions(key, value))
}
