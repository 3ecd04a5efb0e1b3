//! The built-in patterns but for Kubernetes objects: one search for literals, then a close look at each hit.

mod authorization;
mod begins;
mod calls;
mod class;
mod classify;
mod commands;
mod consoles;
mod cookie;
mod email;
mod entropy;
mod environment;
mod harmless;
mod hits;
mod joint;
mod jwk;
mod key;
mod lexical;
mod literals;
mod logins;
mod memory;
mod names;
mod nothing;
mod pem;
mod phrase;
mod query;
mod records;
mod scanner;
mod sentence;
mod shape;
mod signs;
mod statement;
mod table;
mod tables;
mod template;
mod url;
mod value;
mod vendors;

use std::collections::BTreeSet;
use std::ops::Range;

use self::hits::Hit;
use self::literals::{Trigger, announced};
use self::scanner::{Enabled, Known, Scanner, Seen};
use self::tables::Tables;
use crate::error::Error;
use crate::patterns::{Pattern, group};
use crate::spans::{Spans, masks};
use crate::views::{ENCODINGS, View, encoded_parts};

/// The patterns that are on, ready to search.
#[derive(Debug)]
pub(crate) struct Search {
    enabled: Enabled,
    tables: &'static Tables,
    /// Which literals these patterns need; none if they need none.
    needed: Option<Vec<bool>>,
}

/// How deep a text inside a text inside a text is read.
const MAX_DEPTH: usize = 2;

/// Every rule for the tokens of a vendor, by its name, as a regular expression: for those who compare, and for tests.
pub fn vendor_expressions() -> Result<Vec<(&'static str, String)>, Error> {
    let rules = vendors::rules()?;
    Ok(rules.iter().map(|rule| (rule.id, rule.expression())).collect())
}

/// The literals of every pattern, for those who measure: each costs a close look wherever it stands.
pub fn literals() -> Result<Vec<String>, Error> {
    let enabled = Enabled::new(group("all").into_iter().flatten());
    let literals = announced(&enabled, &vendors::rules()?, &commands::programs()?);
    Ok(literals.into_iter().map(|(literal, _)| literal).collect())
}

impl Search {
    /// Prepares the search for the patterns that are on.
    pub(crate) fn new(patterns: &BTreeSet<Pattern>) -> Result<Self, Error> {
        let enabled = Enabled::new(patterns.iter().copied());
        let tables = Tables::shared()?;
        let needed = tables.needed(&enabled);
        Ok(Self { enabled, tables, needed })
    }

    pub(crate) fn has(&self, pattern: Pattern) -> bool {
        self.enabled.has(pattern)
    }

    /// Finds the secrets of a text.
    pub(crate) fn run(&self, text: &str, spans: &mut Spans) {
        self.run_at_depth(text, 0, &mut Known::default(), spans);
    }

    /// Finds the secrets of a text, and of what is written in it in another way; `depth` views are around it.
    fn run_at_depth(&self, text: &str, depth: usize, known: &mut Known, spans: &mut Spans) {
        let mut scanner = Scanner {
            text,
            bytes: text.as_bytes(),
            enabled: &self.enabled,
            names: &self.tables.names,
            spans,
            masks: masks(text),
            seen: Seen { known: std::mem::take(known), ..Seen::default() },
        };
        if let Some(needed) = &self.needed {
            self.look_at_hits(needed, &mut scanner);
        }
        if self.enabled.any(&[Pattern::Base64Secret, Pattern::Base64Short, Pattern::HighEntropy]) {
            entropy::scan(&mut scanner);
        }
        if self.enabled.has(Pattern::UrlPassword) {
            url::scan_lines(&mut scanner);
        }
        let nested = records::scan(&mut scanner);
        let codes = std::mem::take(&mut scanner.seen.codes);
        *known = scanner.seen.known;
        if depth < MAX_DEPTH {
            self.run_in_strings(text, nested, depth + 1, known, spans);
        }
        for part in codes.into_iter().filter(|_| depth == 0) {
            let view = View::without_codes(text.get(part.clone()).unwrap_or_default());
            self.run_in(&view, part.start, depth + 1, known, spans);
        }
        let encoded = if depth == 0 { encoded_parts(text) } else { Default::default() };
        for (encoding, parts) in ENCODINGS.iter().zip(encoded) {
            for part in parts {
                let view = (encoding.undo)(text.get(part.clone()).unwrap_or_default());
                self.run_in(&view, part.start, depth + 1, known, spans);
            }
        }
    }

    /// Finds the secrets of strings with escapes. Neighbours are often equal, as those of records: what was found in the
    /// first is in the others, too.
    fn run_in_strings(
        &self,
        text: &str,
        strings: Vec<Range<usize>>,
        depth: usize,
        known: &mut Known,
        spans: &mut Spans,
    ) {
        let (mut last, mut start, mut found) = ("", 0, 0..0);
        for range in strings {
            let raw = text.get(range.clone()).unwrap_or_default();
            if raw == last {
                spans.repeat(found.clone(), range.start - start);
                continue;
            }
            let before = spans.len();
            self.run_in(&View::unescaped(raw), range.start, depth, known, spans);
            (last, start, found) = (raw, range.start, before..spans.len());
        }
    }

    /// Finds the secrets of a view of a text that begins at a place.
    fn run_in(
        &self,
        view: &View,
        start: usize,
        depth: usize,
        known: &mut Known,
        spans: &mut Spans,
    ) {
        let mut found = Spans::default();
        self.run_at_depth(&view.text, depth, known, &mut found);
        spans.add_all(found, |range| {
            let source = view.origin(&range);
            start + source.start..start + source.end
        });
    }

    /// Goes over the bytes once, and looks at every literal where it ends.
    fn look_at_hits(&self, needed: &[bool], scanner: &mut Scanner<'_, '_>) {
        let (bytes, masks) = (scanner.bytes, std::mem::take(&mut scanner.masks));
        let literal = |hit: &Hit| self.tables.literals.get(hit.number);
        let may_be = |hit: &Hit| {
            needed.get(hit.number) == Some(&true)
                && literal(hit).is_some_and(|literal| literal.may_stand(bytes, hit.start, hit.end))
        };
        self.tables.automaton.find(bytes, &masks, may_be, |hit| {
            let Some(trigger) = literal(&hit).map(|literal| literal.trigger) else { return };
            // Most keys have several parts that announce them; one look is enough.
            if trigger != Trigger::Key || hit.end > scanner.seen.key {
                self.look(scanner, trigger, hit.start, hit.end);
            }
        });
        scanner.masks = masks;
    }

    fn look(&self, scanner: &mut Scanner<'_, '_>, trigger: Trigger, start: usize, end: usize) {
        match trigger {
            Trigger::Key => key::look(scanner, start, end),
            Trigger::Rows => table::sql::look(scanner, end),
            Trigger::Scheme => authorization::look_at_scheme(scanner, start, end),
            Trigger::Vendor(number) => {
                if let Some(rule) = self.tables.vendors.get(number) {
                    vendors::look(scanner, number, rule, start..end);
                }
            }
            Trigger::Jwt => vendors::look_at_jwt(scanner, start),
            Trigger::Url => url::look(scanner, start, end),
            Trigger::Email => email::look(scanner, start),
            Trigger::Pem => pem::look(scanner, end),
            Trigger::PemEnd => pem::look_back(scanner, start, end),
            Trigger::Ssh2 => pem::look_at_ssh2(scanner, end),
            Trigger::Der => pem::look_at_der(scanner, start),
            Trigger::PemInBase64 => pem::look_in_base64(scanner, start),
            Trigger::Putty => pem::look_at_putty(scanner, end),
            Trigger::Jwk => jwk::look(scanner, start),
            Trigger::Code => scanner.note_code(start),
            Trigger::Signature => query::look(scanner, end),
            Trigger::Oracle => url::look_at_oracle(scanner, end),
            Trigger::Dsn => url::look_at_dsn(scanner, start),
            Trigger::Call(index) => calls::look(scanner, end, index),
            Trigger::Console(what) => consoles::look(scanner, what, start, end),
            Trigger::Login(what) => logins::look(scanner, what, start, end),
            Trigger::SshKey => pem::look_at_ssh(scanner, end),
            Trigger::Command(index) => {
                if let Some(program) = self.tables.programs.get(index) {
                    commands::look(scanner, program, start, end);
                }
            }
        }
    }
}
