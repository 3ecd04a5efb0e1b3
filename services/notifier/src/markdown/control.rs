//! Control characters, which no channel shows.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

const ESCAPE: char = '\u{1b}';
/// Ends a title.
const ALERT: char = '\u{7}';

/// A text without the sequences of terminals, and without control characters other than tabs and line breaks.
pub(super) fn removed(text: &str) -> Cow<'_, str> {
    if !text.contains(|one: char| one.is_control() && one != '\n' && one != '\t') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            ESCAPE => skip_sequence(&mut signs),
            // The same, as one character.
            '\u{9b}' => skip_until_final(&mut signs),
            '\n' | '\t' => out.push(sign),
            other if other.is_control() => {}
            other => out.push(other),
        }
    }
    Cow::Owned(out)
}

fn skip_sequence(signs: &mut Peekable<Chars<'_>>) {
    match signs.peek() {
        Some('[') => {
            signs.next();
            skip_until_final(signs);
        }
        Some(']') => skip_title(signs),
        _ => {}
    }
}

/// Parameters, which end with a letter or a sign behind them.
fn skip_until_final(signs: &mut Peekable<Chars<'_>>) {
    while signs.next_if(|sign| ('\u{20}'..='\u{3f}').contains(sign)).is_some() {}
    signs.next_if(|sign| ('\u{40}'..='\u{7e}').contains(sign));
}

/// A title or a link of a terminal, which a bell or an escape ends; without an end it is text.
fn skip_title(signs: &mut Peekable<Chars<'_>>) {
    let mut ahead = signs.clone();
    while let Some(sign) = ahead.next_if(|sign| *sign != '\n') {
        if sign == ALERT {
            *signs = ahead;
            return;
        }
        if sign == ESCAPE {
            ahead.next_if_eq(&'\\');
            *signs = ahead;
            return;
        }
    }
}
