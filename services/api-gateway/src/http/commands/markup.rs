//! Answers in the markup of each messenger. What others wrote mentions nobody and links nowhere.

use tarsy_domain::messenger::Messenger;

/// What the markup of Mattermost and Teams gives a meaning to.
const MARKDOWN: &str = "\\`*_~#<>|[]()!";

/// The first so many characters of a text of others, in one line, so that it is shown as it is.
pub(super) fn shown(messenger: Messenger, text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cut: String = line.chars().take(most).collect();
    if cut.len() < line.len() {
        cut.push('…');
    }
    match messenger {
        Messenger::Slack => cut.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
        Messenger::Mattermost => backslashed(&cut.replace('@', "@\u{200b}")),
        Messenger::Teams => {
            let signs = backslashed(&cut.replace('&', "&amp;"));
            signs.replace("\\<", "&lt;")
        }
    }
}

fn backslashed(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        if MARKDOWN.contains(sign) {
            escaped.push('\\');
        }
        escaped.push(sign);
    }
    escaped
}

/// A link of ours.
pub(super) fn link(messenger: Messenger, label: &str, url: &str) -> String {
    match messenger {
        Messenger::Slack => format!("<{url}|{label}>"),
        Messenger::Mattermost | Messenger::Teams => format!("[{label}]({url})"),
    }
}

/// What a person types.
pub(super) fn code(text: &str) -> String {
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_others_mentions_nobody_and_links_nowhere() {
        let text = "<!channel> <https://evil.example|here> @all [x](https://e.example) &";
        assert_eq!(
            shown(Messenger::Slack, text, 100),
            "&lt;!channel&gt; &lt;https://evil.example|here&gt; @all [x](https://e.example) &amp;"
        );
        for messenger in [Messenger::Mattermost, Messenger::Teams] {
            let shown = shown(messenger, text, 100);
            assert!(shown.contains("\\[x\\]\\(https"), "{shown}");
            assert!(!shown.contains("@all") || messenger == Messenger::Teams, "{shown}");
        }
        assert_eq!(shown(Messenger::Slack, "a\n b  c", 3), "a b…");
    }
}
