//! The markup of Slack's messages, `mrkdwn`.

use crate::dialect::{Dialect, defuse};

/// Between words these mean nothing; two of them around something format it.
const FORMATTING: [char; 3] = ['*', '_', '~'];

pub(super) struct Mrkdwn;

impl Dialect for Mrkdwn {
    fn escape(&self, text: &str) -> String {
        text.split('\n').map(|line| escaped(&unformatted(line))).collect::<Vec<_>>().join("\n")
    }

    fn bold(&self, escaped: &str) -> String {
        format!("*{escaped}*")
    }

    fn italic(&self, escaped: &str) -> String {
        format!("_{escaped}_")
    }

    fn struck(&self, escaped: &str) -> String {
        format!("~{escaped}~")
    }

    fn code(&self, text: &str) -> String {
        let text = text.replace(['`', '\n'], "'");
        if text.trim().is_empty() { text } else { format!("`{}`", escaped(&text)) }
    }

    fn code_block(&self, text: &str) -> String {
        format!("```\n{}\n```", escaped(&text.replace('`', "'")))
    }

    fn link(&self, label: &str, url: &str) -> String {
        format!("<{url}|{}>", escaped(label).replace('|', "¦"))
    }

    /// Slack knows no quotation in another one.
    fn quote(&self, escaped: &str, depth: usize) -> String {
        let mark = format!(">{}", " ›".repeat(depth.saturating_sub(1)));
        let lines = escaped.split('\n').map(|line| format!("{mark} {line}"));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Slack counts characters.
    fn length(&self, text: &str) -> usize {
        text.chars().count()
    }
}

/// Escapes mentions and links.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A line whose signs format nothing: there are no escapes, so that a sign that might begin or end something is followed
/// by a character without width. Inside of words and numbers they stay as they are, also for whoever copies them.
fn unformatted(line: &str) -> String {
    let line = line.replace('`', "\u{2cb}");
    let mut out = String::with_capacity(line.len());
    let mut before = None;
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        let is_word = |one: Option<char>| one.is_some_and(char::is_alphanumeric);
        let is_inside = is_word(before) && is_word(signs.peek().copied());
        if FORMATTING.contains(&sign) && !is_inside && line.matches(sign).nth(1).is_some() {
            out.push_str(&defuse(sign.encode_utf8(&mut [0; 4]), &FORMATTING));
        } else {
            out.push(sign);
        }
        before = Some(sign);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dialect::fit;
    use crate::dialect::tests::markdown;

    #[test]
    fn tables_code_quotations_and_signs_are_readable() {
        let shown = |text: &str| fit(text, &Mrkdwn, 2_900);
        assert_eq!(
            shown("|Pod|Restarts|\n|---|---|\n|web_1|<12>|"),
            "```\nPod    Restarts\n-----  --------\nweb_1  &lt;12&gt;\n```"
        );
        assert_eq!(shown("```go\na := `x`\n"), "```\na := 'x'\n```");
        assert_eq!(shown("> one\n> > two"), "> one\n\n> › two");
        assert_eq!(shown("* one\n  1. two"), "• one\n  1. two");
        for same in ["2*3*4 = 24", "snake_case_names", "a * b"] {
            assert_eq!(shown(same), same);
        }
        assert_eq!(
            shown("## The **pod** _x_\n\n~~gone~~ [docs](https://a.example)\n\n---"),
            "*The pod x*\n\n~gone~ docs (https://a.example)"
        );
        let globs = shown("*.log \\*and\\*");
        assert_eq!(globs.replace('\u{200b}', ""), "*.log *and*");
        assert!(globs.contains("*\u{200b}and*\u{200b}"), "{globs}");
    }

    #[test]
    fn a_block_of_code_that_is_cut_is_closed() {
        let long = format!("```\n{}", "line of a log\n".repeat(3_000));
        let text = fit(&long, &Mrkdwn, 2_900);
        assert!(text.chars().count() <= 2_900 && text.chars().count() > 2_300);
        assert!(text.ends_with("\n```\n\n… (more in the session)"), "{text}");
        let wide = fit(&"磁盘已满".repeat(2_000), &Mrkdwn, 2_900);
        assert!(wide.chars().count() > 2_300, "a limit of characters, not of bytes");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

        #[test]
        fn any_markdown_is_valid_mrkdwn(text in markdown(), max in 60_usize..2_900) {
            let shown = fit(&text, &Mrkdwn, max);
            prop_assert!(shown.chars().count() <= max, "{shown}");
            prop_assert_eq!(shown.matches("```").count() % 2, 0, "{}", shown);
            prop_assert!(!shown.contains('<'), "a mention or a link: {shown}");
            prop_assert!(!shown.contains(char::from(27)), "a colour: {shown}");
            let whole = |rest: &str| ["amp;", "lt;", "gt;"].iter().any(|one| rest.starts_with(one));
            prop_assert!(shown.split('&').skip(1).all(whole), "half an escape: {shown}");
        }
    }
}
