//! Words of fields and sentences, reduced to what they speak of.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Words that say nothing about which field is meant.
const STOP: &[&str] = &[
    "a",
    "about",
    "after",
    "all",
    "also",
    "an",
    "and",
    "are",
    "as",
    "at",
    "be",
    "been",
    "before",
    "between",
    "but",
    "by",
    "call",
    "can",
    "did",
    "do",
    "does",
    "each",
    "every",
    "for",
    "from",
    "had",
    "has",
    "have",
    "in",
    "into",
    "is",
    "it",
    "its",
    "more",
    "most",
    "no",
    "not",
    "now",
    "of",
    "off",
    "on",
    "only",
    "or",
    "out",
    "over",
    "per",
    "reading",
    "result",
    "say",
    "says",
    "see",
    "seen",
    "set",
    "show",
    "showed",
    "shows",
    "since",
    "so",
    "still",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "under",
    "until",
    "value",
    "very",
    "was",
    "were",
    "when",
    "where",
    "which",
    "while",
    "who",
    "with",
    "within",
    "would",
    "metadata",
    "spec",
    "data",
    "items",
    "name",
    "namespace",
    "labels",
    "current",
    "item",
    "kind",
    "http",
    "just",
];

/// Words of one meaning; the first stands for all. Two fields of one object never share a group.
const SAME: &[&[&str]] = &[
    &["restart", "restarts", "restarted", "restarting", "nrestarts"],
    &[
        "use",
        "used",
        "uses",
        "usage",
        "using",
        "utilization",
        "utilisation",
        "utilized",
        "consumed",
        "consumes",
    ],
    &["available", "avail", "availability"],
    &["memory", "mem", "ram"],
    &["size", "total", "capacity"],
    &["limit", "limits", "max", "maximum"],
    &["error", "errors", "err", "errs", "errored"],
    &["fail", "failed", "fails", "failing", "failure", "failures"],
    &["latency", "duration", "elapsed", "took", "takes", "lasted"],
    &["connection", "connections", "conns", "conn", "connected"],
    &["establish", "established", "estab"],
    &["timewait", "timewaits"],
    &["bandwidth", "bw"],
    &["replica", "replicas"],
    &["pid", "process", "processes"],
    &["start", "started", "starts", "starting", "startup"],
    &["finish", "finished", "ended", "end", "exited", "exit", "terminated", "terminating"],
    &["send", "sent", "sends", "sending", "tx", "transmitted"],
    &["receive", "received", "recv", "rx", "receives"],
    &["drop", "dropped", "drops", "dropping", "lost", "loss"],
    &["read", "reads"],
    &["write", "writes", "written", "wrote", "writing"],
    &["request", "requests", "requested", "req", "reqs"],
    &["count", "counts", "number"],
    &["second", "seconds", "sec", "secs"],
    &["age", "ago", "old", "older"],
    &["queue", "queued", "queues", "backlog"],
    &["wait", "waiting", "waits", "await", "iowait", "wa"],
    &["block", "blocked", "blocks", "blocking"],
    &["lock", "locks", "locked"],
    &["expire", "expired", "expires", "expiry", "notafter", "expiration"],
    &["ready", "readiness"],
    &["live", "liveness"],
    &["desire", "desired"],
    &["update", "updated", "updates"],
    &["user", "us", "usr"],
    &["idle", "id"],
    &["free", "ifree"],
    &["issued", "notbefore", "valid"],
    &["inode", "inodes", "iuse", "iused"],
    &["open", "opened", "opens"],
    &["retry", "retries", "retried", "retrying", "attempt", "attempts"],
    &["miss", "missed", "misses", "missing"],
];

/// Groups that people use for each other; two fields of one object may share one.
const NEAR: &[&[&str]] = &[
    &["restart", "crash", "kill", "retry", "loop", "oom", "die", "reboot"],
    &["error", "fail", "exception", "refuse", "reject", "abort", "reset", "5xx", "unsuccessful"],
    &[
        "use",
        "full",
        "occupy",
        "fill",
        "consume",
        "active",
        "percent",
        "reach",
        "exhaust",
        "hold",
        "percentage",
    ],
    &["pod", "replica", "instance", "container", "backend", "endpoint", "worker"],
    &["age", "uptime", "up", "run", "running", "create", "start", "happen", "occur"],
    &["connection", "client", "session", "socket", "backend", "pool"],
    &[
        "latency", "time", "slow", "delay", "respond", "response", "rtt", "rt", "ms", "query",
        "p99", "p95", "quantile",
    ],
    &["memory", "rss", "heap", "resident", "working", "vm", "anon", "swap", "byte"],
    &["size", "limit", "allocat", "quota", "of", "hard", "most", "cap", "request"],
    &["available", "free", "remain", "left", "ready", "space", "healthy"],
    &["queue", "lag", "pending", "depth", "behind", "wait", "message"],
    &["load", "average", "loadavg", "load1", "load5", "load15"],
    &["cpu", "core", "processor", "millicore", "throttle"],
    &[
        "disk",
        "volume",
        "filesystem",
        "storage",
        "mount",
        "partition",
        "device",
        "space",
        "capacity",
    ],
    &["expire", "valid", "certificate", "cert", "validity", "after"],
    &["code", "status", "exit", "signal", "answer", "finish", "respond", "response"],
    &["port", "listen", "target", "bind", "listener", "address"],
    &["count", "times", "occurrence", "repeat", "total", "x", "occur", "event", "happen", "fire"],
    &["pid", "task", "thread", "main", "proc"],
    &["drop", "packet", "retransmit", "retran"],
    &["wait", "io", "await", "iowait", "util"],
    &["row", "tuple", "record", "entry", "dead"],
    &["period", "interval", "timeout", "delay", "wait", "every", "threshold", "back"],
];

/// Spellings of iostat and ss, and what people say.
const SHORT: &[(&str, &str)] = &[
    ("r_await", "read await"),
    ("w_await", "write await"),
    ("rMB/s", "read MB"),
    ("wMB/s", "write MB"),
    ("rkB/s", "read kB"),
    ("wkB/s", "write kB"),
    ("time-wait", "timewait"),
    ("TIME_WAIT", "timewait"),
    ("TIME-WAIT", "timewait"),
];

/// The words of a text in their common form: lower case, without endings, without words that say nothing.
pub(crate) fn stems(text: &str) -> Vec<String> {
    let mut stems = Vec::new();
    // Both words alone say nothing.
    let mut text = text
        .replace("Not After", "notafter")
        .replace("Not Before", "notbefore")
        .replace("valid until", "expires");
    for (short, long) in SHORT {
        if text.contains(short) {
            text = text.replace(short, long);
        }
    }
    for word in parts(&text) {
        let lower = word.to_lowercase();
        if !STOP.contains(&lower.as_str()) || word.chars().all(char::is_uppercase) && word.len() > 2
        {
            stems.push(stem(&lower));
        }
    }
    stems.dedup();
    stems
}

/// Splits at everything but letters and digits, and where `camelCase` does.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let mut from = 0;
        let mut previous = ' ';
        for (at, c) in word.char_indices() {
            if c.is_uppercase() && previous.is_lowercase() {
                parts.extend(word.get(from..at));
                from = at;
            }
            previous = c;
        }
        parts.extend(word.get(from..));
    }
    parts.retain(|part| part.len() > 1 && !part.bytes().all(|byte| byte.is_ascii_digit()));
    parts
}

fn stem(word: &str) -> String {
    if let Some(first) = FIRST.get(word) {
        return (*first).to_owned();
    }
    let shorter = ["ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "s", "e"]
        .into_iter()
        .find_map(|end| {
            word.strip_suffix(end).filter(|rest| rest.len() >= 3 && !rest.ends_with('s'))
        });
    let shorter = shorter.unwrap_or(word);
    let mut chars = shorter.chars().rev();
    let doubled = chars.next() == chars.next() && shorter.len() > 4 && !shorter.ends_with('l');
    let end = shorter.len() - usize::from(doubled && shorter.is_ascii());
    shorter.get(..end).unwrap_or(shorter).to_owned()
}

/// The groups of [`NEAR`] that a stem is in.
static GROUPS: LazyLock<HashMap<String, Vec<usize>>> = LazyLock::new(|| {
    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, group) in NEAR.iter().enumerate() {
        for word in group.iter().flat_map(|word| [(*word).to_owned(), stem(word)]) {
            groups.entry(word).or_default().push(index);
        }
    }
    groups
});

/// The word that stands for each of [`SAME`].
static FIRST: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let pairs = SAME.iter().filter_map(|group| Some((group, *group.first()?)));
    pairs.flat_map(|(group, first)| group.iter().map(move |word| (*word, first))).collect()
});

/// Whether two stems are near in meaning.
fn is_near(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let (Some(own), Some(others)) = (GROUPS.get(one), GROUPS.get(other)) else { return false };
    own.iter().any(|group| others.contains(group))
}

/// Whether any stem of one list is in the other.
pub(crate) fn share(one: &[String], other: &[String]) -> bool {
    one.iter().any(|stem| other.contains(stem))
}

/// Whether any stem of one list is near one of the other.
pub(crate) fn overlap(one: &[String], other: &[String]) -> bool {
    one.iter().any(|own| other.iter().any(|stem| is_near(own, stem)))
}
