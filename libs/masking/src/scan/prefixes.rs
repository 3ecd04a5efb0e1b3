//! Tokens that their makers mark with a prefix, and JSON web tokens.

use super::Scanner;
use crate::catalog::Pattern;

/// A marked token.
pub(super) struct Prefix {
    /// How it begins.
    pub(super) literal: &'static str,
    /// The patterns it belongs to; the first that is on names it.
    pub(super) patterns: &'static [Pattern],
    /// How many characters follow at least.
    min: usize,
    /// How many follow at most; one more means that it is something else.
    max: usize,
    /// What may follow.
    class: Class,
    /// Whether the prefix is part of what is masked.
    whole: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Alphanumeric,
    Upper,
    Hex,
    /// Letters, digits, `-`, `_` and `.`.
    Word,
    /// Letters, digits, `-`, `_` and `.`, and among them a digit.
    WordWithDigit,
    /// Letters, digits and `/`.
    Path,
}

const LONG: usize = 4096;

const fn prefix(
    literal: &'static str,
    patterns: &'static [Pattern],
    min: usize,
    class: Class,
) -> Prefix {
    Prefix { literal, patterns, min, max: LONG, class, whole: true }
}

const GITHUB: &[Pattern] = &[Pattern::GithubToken];
const GITLAB: &[Pattern] = &[Pattern::GitlabToken];
const SLACK: &[Pattern] = &[Pattern::SlackToken];
const GOOGLE: &[Pattern] = &[Pattern::GoogleApiKey];
const AWS: &[Pattern] = &[Pattern::AwsAccessKey];
const OTHER: &[Pattern] = &[Pattern::ApiKey];

const fn aws(literal: &'static str) -> Prefix {
    Prefix { literal, patterns: AWS, min: 16, max: 16, class: Class::Upper, whole: true }
}

/// The marked tokens we know, from what their makers publish.
pub(super) const PREFIXES: &[Prefix] = &[
    prefix("ghp_", GITHUB, 16, Class::Alphanumeric),
    prefix("gho_", GITHUB, 16, Class::Alphanumeric),
    prefix("ghs_", GITHUB, 16, Class::Word),
    prefix("ghu_", GITHUB, 16, Class::Alphanumeric),
    prefix("ghr_", GITHUB, 16, Class::Alphanumeric),
    prefix("github_pat_", GITHUB, 16, Class::Word),
    prefix("glpat-", GITLAB, 16, Class::Word),
    prefix("gldt-", GITLAB, 16, Class::Word),
    prefix("glrt-", GITLAB, 16, Class::Word),
    prefix("glcbt-", GITLAB, 16, Class::Word),
    prefix("glptt-", GITLAB, 16, Class::Word),
    prefix("glft-", GITLAB, 16, Class::Word),
    prefix("glimt-", GITLAB, 16, Class::Word),
    prefix("glagent-", GITLAB, 16, Class::Word),
    prefix("glsoat-", GITLAB, 16, Class::Word),
    prefix("xoxa-", SLACK, 8, Class::Word),
    prefix("xoxb-", SLACK, 8, Class::Word),
    prefix("xoxc-", SLACK, 8, Class::Word),
    prefix("xoxd-", SLACK, 8, Class::Word),
    prefix("xoxe-", SLACK, 8, Class::Word),
    prefix("xoxe.", SLACK, 8, Class::Word),
    prefix("xoxo-", SLACK, 8, Class::Word),
    prefix("xoxp-", SLACK, 8, Class::Word),
    prefix("xoxr-", SLACK, 8, Class::Word),
    prefix("xoxs-", SLACK, 8, Class::Word),
    prefix("xapp-", SLACK, 8, Class::Word),
    Prefix {
        literal: "hooks.slack.com/services/",
        patterns: SLACK,
        min: 8,
        max: LONG,
        class: Class::Path,
        whole: false,
    },
    prefix("AIza", GOOGLE, 30, Class::Word),
    prefix("ya29.", GOOGLE, 20, Class::Word),
    prefix("GOCSPX-", GOOGLE, 20, Class::Word),
    aws("AKIA"),
    aws("ASIA"),
    aws("AROA"),
    aws("AIDA"),
    aws("AGPA"),
    aws("ANPA"),
    aws("ABIA"),
    aws("ACCA"),
    prefix("sk-", OTHER, 20, Class::WordWithDigit),
    prefix("sk_live_", OTHER, 16, Class::Alphanumeric),
    prefix("sk_test_", OTHER, 16, Class::Alphanumeric),
    prefix("rk_live_", OTHER, 16, Class::Alphanumeric),
    prefix("whsec_", OTHER, 16, Class::Alphanumeric),
    prefix("SG.", OTHER, 40, Class::WordWithDigit),
    prefix("npm_", OTHER, 30, Class::Alphanumeric),
    prefix("hf_", OTHER, 30, Class::Alphanumeric),
    prefix("gsk_", OTHER, 30, Class::Alphanumeric),
    prefix("xai-", OTHER, 30, Class::WordWithDigit),
    prefix("dop_v1_", OTHER, 32, Class::Hex),
    prefix("dapi", OTHER, 32, Class::Hex),
    prefix("hvs.", OTHER, 20, Class::Word),
    prefix("hvb.", OTHER, 20, Class::Word),
    prefix("glsa_", OTHER, 20, Class::Word),
    prefix("pypi-AgEI", OTHER, 30, Class::Word),
    prefix("NRAK-", OTHER, 20, Class::Upper),
    prefix("shpat_", OTHER, 32, Class::Hex),
    prefix("PMAK-", OTHER, 30, Class::Word),
    prefix("AGE-SECRET-KEY-1", OTHER, 30, Class::Upper),
];

impl Class {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Word | Self::WordWithDigit => is_word(byte),
            Self::Path => byte.is_ascii_alphanumeric() || byte == b'/',
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// Looks at a token that begins with the prefix of this number.
pub(super) fn look(scanner: &mut Scanner<'_, '_>, index: usize, start: usize, end: usize) {
    let Some(prefix) = PREFIXES.get(index) else { return };
    let here = scanner.slice(start..end) == prefix.literal;
    let begins = !prefix.whole || scanner.is_word_start(start);
    let Some(pattern) = scanner.enabled.first(prefix.patterns) else { return };
    if !here || !begins || start < scanner.seen.token {
        return;
    }
    let mut stop = scanner.run_end(end, LONG, |byte| prefix.class.has(byte));
    // A full stop or dash at the end belongs to the sentence.
    while stop > end && scanner.before(stop).is_some_and(|byte| matches!(byte, b'.' | b'-')) {
        stop -= 1;
    }
    let length = stop - end;
    let value = scanner.slice(end..stop);
    let digit_missing =
        prefix.class == Class::WordWithDigit && !value.bytes().any(|byte| byte.is_ascii_digit());
    let goes_on = prefix.class == Class::Upper
        && scanner.byte(stop).is_some_and(|byte| byte.is_ascii_alphanumeric());
    if length < prefix.min || length > prefix.max || digit_missing || goes_on {
        return;
    }
    scanner.seen.token = stop;
    scanner.add(if prefix.whole { start..stop } else { end..stop }, pattern);
    if pattern == Pattern::AwsAccessKey {
        look_behind_key_id(scanner, stop);
    }
}

/// How many characters an AWS secret key has.
const AWS_SECRET_LENGTH: usize = 40;

/// The secret key often stands right behind the key id, without a name.
fn look_behind_key_id(scanner: &mut Scanner<'_, '_>, from: usize) {
    if !scanner.enabled.has(Pattern::AwsSecretKey) {
        return;
    }
    let start = scanner.run_end(from, 16, |byte| {
        matches!(byte, b' ' | b'\t' | b':' | b',' | b'"' | b'\'' | b'/' | b'\n')
    });
    let stop = scanner.run_end(start, AWS_SECRET_LENGTH + 1, crate::base64::is_symbol);
    let mixed = scanner.slice(start..stop).bytes().any(|byte| byte.is_ascii_lowercase());
    if start > from && stop - start == AWS_SECRET_LENGTH && mixed {
        scanner.add(start..stop, Pattern::AwsSecretKey);
    }
}

/// Looks at a JSON web token: two or more parts of base64 with full stops between them.
pub(super) fn look_at_jwt(scanner: &mut Scanner<'_, '_>, start: usize) {
    if start < scanner.seen.token
        || scanner.slice(start..start + 3) != "eyJ"
        || !scanner.is_word_start(start)
    {
        return;
    }
    let part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'=');
    let (mut stop, mut parts) = (start, 0);
    loop {
        let end = scanner.run_end(stop, usize::MAX, part);
        let enough = if parts < 2 { end - stop >= 4 } else { end > stop };
        if !enough {
            break;
        }
        (stop, parts) = (end, parts + 1);
        if scanner.byte(stop) != Some(b'.') || parts == 5 {
            break;
        }
        stop += 1;
    }
    if scanner.before(stop) == Some(b'.') && parts >= 2 {
        stop -= 1;
    }
    scanner.seen.token = scanner.seen.token.max(stop);
    if parts >= 2 {
        scanner.add(start..stop, Pattern::Jwt);
    }
}
