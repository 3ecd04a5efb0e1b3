//! Configuration: variables, keys and secrets that are missing or wrong.

use super::container::Container;
use super::pattern::{Pattern, both, log};
use crate::facts::Facts;
use crate::signal::Signal;
use crate::verdict::Category::Configuration;

pub(super) const PATTERNS: &[Pattern] = &[
    log(
        Configuration,
        64.0,
        "a file or message is not valid JSON",
        r"jsondecodeerror|json\.decode|jsonparseexception|unexpected token .{0,40}json|invalid json|illegal trailing comma",
    ),
    both(
        Configuration,
        93.0,
        "the key `${key}` that it needs is missing in ${place}",
        r"couldn't find key (?P<key>[\w.-]+) in (?P<place>(?:secret|configmap) [\w./-]+)",
    ),
    both(
        Configuration,
        92.0,
        "the ${kind} `${name}` that it needs does not exist",
        r#"(?:error: )?(?P<kind>secret|configmap) "(?P<name>[\w.-]+)" not found"#,
    ),
    log(
        Configuration,
        88.0,
        "the environment variable `${name}` is not set",
        r#"(?:env(?:ironment)?(?: variable)?s?:? ["'`]?(?P<name>(?-i:[A-Z][A-Z0-9_]{2,}))["'`]? (?:is |was )?(?:not set|missing|required|undefined|must be set|not found|not defined|unset))"#,
    ),
    log(
        Configuration,
        88.0,
        "the environment variable `${name}` is not set",
        r#"keyerror: ['"](?P<name>(?-i:[A-Z][A-Z0-9]*_[A-Z0-9_]+))['"]"#,
    ),
    log(
        Configuration,
        88.0,
        "the environment variable `${name}` is not set",
        r#"["'`]?(?P<name>(?-i:[A-Z][A-Z0-9_]{2,}))["'`]? env(?:ironment)?(?: variable)? (?:is |was )?(?:not set|missing|required|undefined|must be set|not found|not defined|unset)"#,
    ),
    both(
        Configuration,
        90.0,
        "the port that it listens on is in use",
        r"(?:listen|bind).{0,60}address already in use|eaddrinuse|port \d+ (?:is |was )?already in use",
    ),
    log(
        Configuration,
        87.0,
        "the setting `${name}` is missing",
        r#"(?:missing|required|undefined|unset|empty)(?: required)?:? (?:env(?:ironment)? (?:variable)?s?|config(?:uration)?(?: value| key)?|setting|property|parameter|option):? ["'`]?(?P<name>[\w.-]{3,})"#,
    ),
    log(
        Configuration,
        84.0,
        "a setting is missing or invalid",
        r"environment variable .{0,60}(?:not set|missing|required|must)|must be set\b|attribute is not specified|is required but|not configured|invalid config(?:uration)?|config(?:uration)? (?:error|invalid|is invalid)|(?:failed|unable|error|cannot|could not).{0,15} (?:to )?(?:load|parse|read|parsing|loading|reading) .{0,30}(?:config|settings|\.properties|properties file|ya?ml|toml)|unknown (?:configuration|config|directive|field|key)|could not resolve placeholder|error in .{0,40}\.(?:conf|ya?ml|toml|ini)|yaml: |invalid (?:value|port|url|dsn)\b|missing (?:api[ _-]?key|credentials)|config .{0,40}(?:not found|no such file)",
    )
    .beside(&["start", "crash", "restart", "fail", "down", "config", "setting"]),
    both(
        Configuration,
        82.0,
        "a container cannot be made from its configuration",
        r"createcontainerconfigerror",
    ),
    log(
        Configuration,
        80.0,
        "a rule of the proxy is invalid",
        r"host not found in upstream|\[emerg\]|unknown directive",
    ),
    both(
        Configuration,
        94.0,
        "a table of jobs by time has a line that cron cannot read, and is ignored",
        r"error: bad (?:minute|hour|day-of-\w+|month|command|username)|this crontab file will be ignored|\borphan \(no passwd entry\)",
    ),
];

/// Containers that wait for their configuration.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for pod in facts.of_kind("pod") {
        let waiting = Container::states(pod).into_iter().filter_map(|one| one.waiting());
        let states = pod.field("STATUS").into_iter().chain(waiting);
        for field in states.filter(|field| field.value.ends_with("CreateContainerConfigError")) {
            let cause =
                "a container cannot be made: a secret, config map or key that it needs is missing";
            found.push(Signal::of_record((Configuration, 84.0), cause, facts, pod, field));
        }
    }
}
