//! Feature flags that make an application fail.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::{Pattern, log};
use crate::facts::{Facts, Field, Record};
use crate::signal::Signal;
use crate::text::regex;
use crate::verdict::Category::FeatureFlag;

pub(super) const PATTERNS: &[Pattern] = &[
    log(
        FeatureFlag,
        88.0,
        "the feature flag `${flag}` makes the application fail",
        r#"feature ?flag ["'`:]?\s?(?P<flag>\w*(?:fail|unreachable|highcpu|manualgc|leak|problem|slow|flood|error|chaos|fault|latency|delay)\w*)["'`]? (?:is )?(?:enabled|on|true|activ\w+)|flag (?P<flag2>\w+(?:failure|unreachable|highcpu)\w*) (?:is )?(?:enabled|on|true)"#,
    ),
    log(
        FeatureFlag,
        86.0,
        "an enabled feature flag makes the application fail",
        r"fail(?:ure)? feature ?flag enabled|feature ?flag.{0,60}(?:fail|error)|(?:fail\w*|error|problem\w*)\b.{0,60}(?:flag|pattern) enabled|failure (?:is )?enabled",
    ),
    log(
        FeatureFlag,
        66.0,
        "the feature flag `${flag}` is evaluated when it fails",
        r"(?P<flag>\b(?:ad|cart|payment|productcatalog|product_catalog|recommendation|email|image|kafka|loadgenerator|llm)(?:service)?(?:failure|unreachable|highcpu|manualgc|cachefailure|memoryleak|queueproblems|slowload|floodhomepage)\b)",
    ),
    log(
        FeatureFlag,
        70.0,
        "an application fails for a part of its requests, as a failure that is switched on does",
        r"payment request failed\. invalid token|can't access cart storage|simulated failure|injected (?:error|failure|fault)|intentional",
    ),
];

/// Flags of flagd whose default makes something fail.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    static ON: LazyLock<Regex> = regex!(
        r#"(?s)"(?P<flag>\w+)":\s*\{[^{}]*?(?:\{[^{}]*\}[^{}]*?)?"defaultVariant":\s*"(?P<variant>[^"]+)""#
    );
    static FAILING: LazyLock<Regex> =
        regex!(r"(?i)fail|unreachable|highcpu|manualgc|leak|problem|slow|flood|error|cache");
    for record in facts.of_kind("configmap") {
        let lines = facts.results.get(record.result).map_or(&[][..], |one| one.lines.as_slice());
        for (text, first) in texts(record, lines) {
            for captures in ON.captures_iter(&text) {
                let part = |name| captures.name(name).map_or("", |found| found.as_str());
                let (flag, variant) = (part("flag"), part("variant"));
                if matches!(variant, "off" | "0" | "false" | "0%") || !FAILING.is_match(flag) {
                    continue;
                }
                let line =
                    lines.iter().position(|line| line.contains(flag)).map_or(first, |at| at + 1);
                let cause =
                    format!("the feature flag `{flag}` is on: it makes the application fail");
                let shown = Field { path: String::new(), value: flag.to_owned(), line };
                found.push(Signal::of_record((FeatureFlag, 93.0), cause, facts, record, &shown));
            }
        }
    }
}

/// The texts of a config map that hold flags, with their lines; a description has them in its own lines.
fn texts(record: &Record, lines: &[String]) -> Vec<(String, usize)> {
    let is_set = |field: &&Field| field.value.contains("defaultVariant");
    let fields = record.fields.iter().filter(is_set);
    let whole = fields.map(|field| (field.value.clone(), field.line));
    let own = lines.iter().skip(record.line).take_while(|line| !line.starts_with("Name:"));
    let own: Vec<&str> = own.map(String::as_str).collect();
    whole.chain([(own.join("\n"), record.line)]).collect()
}
