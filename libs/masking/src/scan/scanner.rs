//! One pass over a text: the text, the patterns that are on, and what was found.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

use super::class::KeyClass;
use super::memory::{Followed, Next, Quoted, Rejected, Run};
use super::names::Names;

use memchr::{memchr3, memrchr3};

use crate::patterns::Pattern;
use crate::spans::{Finder, Spans};

/// Which patterns are on.
#[derive(Clone, Debug, Default)]
pub(super) struct Enabled(u32);

impl Enabled {
    pub(super) fn new(patterns: impl IntoIterator<Item = Pattern>) -> Self {
        Self(patterns.into_iter().fold(0, |bits, pattern| bits | 1 << pattern as u32))
    }

    pub(super) fn has(&self, pattern: Pattern) -> bool {
        self.0 & 1 << pattern as u32 != 0
    }

    pub(super) fn any(&self, patterns: &[Pattern]) -> bool {
        patterns.iter().any(|pattern| self.has(*pattern))
    }

    /// The first of some patterns that is on.
    pub(super) fn first(&self, patterns: &[Pattern]) -> Option<Pattern> {
        patterns.iter().copied().find(|pattern| self.has(*pattern))
    }
}

/// How far each kind of look has come: nothing is looked at twice, which keeps the time linear.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) key: usize,
    pub(super) value: usize,
    pub(super) rejected: Rejected,
    pub(super) token: usize,
    pub(super) url: usize,
    pub(super) email: usize,
    pub(super) pem: usize,
    pub(super) command: usize,
    /// How many words of the last command its programs may still look at.
    pub(super) word_budget: usize,
    /// The words of that command.
    pub(super) words: Vec<Range<usize>>,
    /// The line of the last command, as far as its end is known, and that end.
    pub(super) line: Range<usize>,
    pub(super) line_end: usize,
    /// The last key whose line was looked for, and where that begins as far as it was looked at.
    pub(super) line_start: Cell<(usize, usize)>,
    /// Where the last statement of an ACL ended.
    pub(super) acl: usize,
    /// Where the last list of users of cloud-init ended.
    pub(super) users: usize,
    /// The last value of a header for cookies.
    pub(super) cookie: Range<usize>,
    pub(super) login: usize,
    /// How far the string of a key of `ipsec.secrets` was followed without an end.
    pub(super) unclosed: usize,
    /// Where the last `user:password` of an option ended.
    pub(super) option: usize,
    /// How far the lines were searched for clients of Redis, and where the last one was.
    pub(super) client: usize,
    pub(super) client_at: Option<usize>,
    /// How far the lines were searched for `echo` in vain.
    pub(super) no_echo: usize,
    /// Where the last user of SNMP ended.
    pub(super) snmp: usize,
    pub(super) dsn: usize,
    pub(super) table: usize,
    pub(super) no_table: usize,
    /// The lines with codes of quotes; neighbours are one part.
    pub(super) codes: Vec<Range<usize>>,
    pub(super) jwk: usize,
    pub(super) jwt: usize,
    pub(super) sql: usize,
    /// The next end of a PEM block, the next quote in one, and what may be part of a block in several strings.
    pub(super) pem_end: Next,
    pub(super) pem_quote: Next,
    pub(super) pem_fragments: Run,
    pub(super) ssh2_end: Next,
    pub(super) cdata_end: Next,
    /// Where the last module of a JAAS file ended.
    pub(super) module: usize,
    pub(super) known: Known,
    /// The last place where a string was looked for, how far, and the string.
    pub(super) quoted: Cell<Option<Quoted>>,
    /// The last run behind the driver of an Oracle address.
    pub(super) oracle: Run,
    /// What is known around the last literals of the rules for marked tokens, by the number of the rule.
    pub(super) followed: Vec<Followed>,
}

/// What is known of names, which is the same in every view of a text.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) classes: Verdicts<Option<KeyClass>>,
    /// Which names are those of identifiers.
    pub(super) identifiers: Verdicts<bool>,
}

/// How many names are remembered at most; one text has few.
const MAX_NAMES: usize = 4096;

/// What the names of a text were found to be.
#[derive(Debug, Default)]
pub(super) struct Verdicts<T> {
    known: HashMap<String, T>,
    /// The last one: the same name often comes again.
    last: Option<(String, T)>,
}

impl<T: Copy> Verdicts<T> {
    pub(super) fn get(&mut self, name: &str) -> Option<T> {
        match &mut self.last {
            Some((last, verdict)) if last == name => Some(*verdict),
            Some((last, verdict)) => {
                *verdict = *self.known.get(name)?;
                name.clone_into(last);
                Some(*verdict)
            }
            None => self.known.get(name).copied(),
        }
    }

    pub(super) fn keep(&mut self, name: &str, verdict: T) {
        if self.known.len() < MAX_NAMES {
            self.known.insert(name.to_owned(), verdict);
        }
        self.last = Some((name.to_owned(), verdict));
    }
}

/// One pass over a text.
pub(super) struct Scanner<'a, 's> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) enabled: &'a Enabled,
    pub(super) names: &'a Names,
    pub(super) spans: &'s mut Spans,
    pub(super) masks: Vec<Range<usize>>,
    pub(super) seen: Seen,
}

impl<'a> Scanner<'a, '_> {
    pub(super) fn add(&mut self, range: Range<usize>, pattern: Pattern) {
        self.spans.add(self.text, range, Finder::Pattern(pattern));
    }

    /// Adds a token of a vendor; `id` is that of the vendor's rule.
    pub(super) fn add_vendor(&mut self, range: Range<usize>, pattern: Pattern, id: &'static str) {
        self.spans.add(self.text, range, Finder::Vendor(pattern, id));
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// The byte before a place.
    pub(super) fn before(&self, at: usize) -> Option<u8> {
        self.byte(at.checked_sub(1)?)
    }

    /// The end of the run of bytes that belong to a class, at most `limit` of them.
    pub(super) fn run_end(&self, from: usize, limit: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().take(limit).take_while(|byte| belongs(**byte)).count()
    }

    /// Where the first of three bytes stands behind a place, at most `limit` bytes behind it: the same as `run_end` for the
    /// other bytes, where there may be many of them.
    pub(super) fn next_of(&self, [a, b, c]: [u8; 3], from: usize, limit: usize) -> usize {
        let until = self.bytes.len().min(from.saturating_add(limit));
        let near = self.bytes.get(from..until).unwrap_or_default();
        from + memchr3(a, b, c, near).unwrap_or(near.len())
    }

    /// Behind the last of three bytes before a place, at most `limit` bytes before it.
    pub(super) fn behind_last_of(&self, [a, b, c]: [u8; 3], until: usize, limit: usize) -> usize {
        let from = until.saturating_sub(limit);
        let near = self.bytes.get(from..until).unwrap_or_default();
        memrchr3(a, b, c, near).map_or(from, |found| from + found + 1)
    }

    /// The start of the run of bytes before a place that belong to a class, at most `limit` of them.
    pub(super) fn run_start(
        &self,
        until: usize,
        limit: usize,
        belongs: impl Fn(u8) -> bool,
    ) -> usize {
        let rest = self.bytes.get(..until).unwrap_or_default();
        until - rest.iter().rev().take(limit).take_while(|byte| belongs(**byte)).count()
    }

    /// Notes the line of a code such as `\u0022`.
    pub(super) fn note_code(&mut self, at: usize) {
        if self.seen.codes.last().is_some_and(|last| last.end > at) {
            return;
        }
        let line = self.line_start(at, usize::MAX)..self.line_end(at, usize::MAX - at) + 1;
        let line = line.start..line.end.min(self.bytes.len());
        match self.seen.codes.last_mut() {
            Some(last) if last.end >= line.start => last.end = line.end,
            _ => self.seen.codes.push(line),
        }
    }

    pub(super) fn is_word_start(&self, at: usize) -> bool {
        is_word_start(self.bytes, at)
    }

    /// Where the line of a place begins, or so many bytes before it.
    pub(super) fn line_start(&self, at: usize, limit: usize) -> usize {
        let from = at.saturating_sub(limit);
        let before = self.bytes.get(from..at).unwrap_or_default();
        memrchr3(b'\n', b'\r', 0, before).map_or(from, |found| from + found + 1)
    }

    /// Where the line of a place ends, or so many bytes behind it; the entries of `/proc/PID/environ` end with NUL.
    pub(super) fn line_end(&self, at: usize, limit: usize) -> usize {
        let rest = self.bytes.get(at..self.bytes.len().min(at + limit)).unwrap_or_default();
        at + memchr3(b'\n', b'\r', 0, rest).unwrap_or(rest.len())
    }

    /// Whether a text stands at a place.
    #[inline]
    pub(super) fn stands_at(&self, at: usize, text: &str) -> bool {
        let text = text.as_bytes();
        // Most places are refused by their first byte.
        self.bytes.get(at) == text.first() && self.bytes.get(at..at + text.len()) == Some(text)
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }
}

/// Whether a word can begin here: no letter or digit stands before (but the end of an escape such as `\n` may).
pub(super) fn is_word_start(bytes: &[u8], at: usize) -> bool {
    let before = |distance: usize| at.checked_sub(distance).and_then(|at| bytes.get(at)).copied();
    match before(1) {
        Some(byte) if byte.is_ascii_alphanumeric() => {
            matches!(byte, b'n' | b'r' | b't') && before(2) == Some(b'\\')
        }
        _ => true,
    }
}
