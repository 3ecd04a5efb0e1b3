//! Messages of messengers as plain text, as people wrote them.

use tarsy_domain::messenger::Messenger;

/// Entities that messengers write.
const ENTITIES: [(&str, &str); 7] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&apos;", "'"),
    ("&nbsp;", " "),
    // The last one: what it uncovers is text.
    ("&amp;", "&"),
];

/// The text of a message without markup, mentions of the app at its begin, smart quotes and fences of code.
pub(in crate::http) fn plain(messenger: Messenger, text: &str, app: Option<&str>) -> String {
    let text = match messenger {
        Messenger::Slack => of_slack(text, app),
        Messenger::Mattermost => text.to_owned(),
        Messenger::Teams => of_teams(text),
    };
    tidied(&text)
}

/// Quotes and spaces that keyboards of phones write, line breaks of other systems, and fences of code.
fn tidied(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|sign| match sign {
            '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{ab}' | '\u{bb}' => '"',
            '\u{2018}' | '\u{2019}' | '\u{201a}' => '\'',
            '\u{a0}' | '\u{202f}' | '\u{2007}' => ' ',
            other => other,
        })
        .filter(|sign| !matches!(sign, '\u{200b}' | '\u{feff}'))
        .collect();
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace("```", "\n");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim().to_owned()
}

/// What stands behind the mention of the app, or before it if nothing does. `<…>` is a mention, a channel or a link.
fn of_slack(text: &str, app: Option<&str>) -> String {
    let (before, after) =
        match app.map(|id| format!("<@{id}")).and_then(|tag| text.split_once(&tag)) {
            Some((before, rest)) => (before, rest.split_once('>').map_or("", |(_, after)| after)),
            None => ("", text),
        };
    let text = if after.trim().is_empty() { before } else { after };
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        plain.push_str(before);
        if let Some((inner, after)) = tag.split_once('>') {
            plain.push_str(&unfolded(inner));
            rest = after;
        } else {
            plain.push('<');
            rest = tag;
        }
    }
    plain.push_str(rest);
    entities(&plain)
}

/// What stands between `<` and `>` in Slack: what the person wrote.
fn unfolded(inner: &str) -> String {
    let (target, label) =
        inner.split_once('|').map_or((inner, None), |(target, label)| (target, Some(label)));
    let label = label.filter(|label| !label.is_empty());
    match target.chars().next() {
        Some('@') => label.map_or_else(|| target.to_owned(), |name| at(name, '@')),
        Some('#') => label.map_or_else(|| target.to_owned(), |name| at(name, '#')),
        Some('!') => label.map_or_else(|| target.replacen('!', "@", 1), str::to_owned),
        _ => linked(target, label),
    }
}

fn at(name: &str, sign: char) -> String {
    if name.starts_with(sign) { name.to_owned() } else { format!("{sign}{name}") }
}

/// A link: its label, and the address unless the label is a part of it, as where Slack made a link of a name.
fn linked(target: &str, label: Option<&str>) -> String {
    match label {
        None => target.to_owned(),
        Some(label) if target.contains(label) => label.to_owned(),
        Some(label) => format!("{label} ({target})"),
    }
}

fn entities(text: &str) -> String {
    ENTITIES.iter().fold(text.to_owned(), |text, (entity, sign)| text.replace(entity, sign))
}

/// HTML without its tags. The first mention is that of the webhook.
fn of_teams(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut mentioned = false;
    while let Some((before, tag)) = rest.split_once('<') {
        plain.push_str(before);
        let Some((inner, after)) = tag.split_once('>') else {
            plain.push('<');
            rest = tag;
            continue;
        };
        rest = after;
        let name = inner.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "at" if !mentioned && !inner.starts_with('/') => {
                mentioned = true;
                rest = after.split_once("</at>").map_or("", |(_, behind)| behind);
            }
            "br" | "p" | "div" | "li" | "tr" | "pre" | "codeblock" => plain.push('\n'),
            _ => {}
        }
    }
    plain.push_str(rest);
    entities(&plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slack(text: &str) -> String {
        plain(Messenger::Slack, text, Some("U0LAN0Z89"))
    }

    #[test]
    fn a_message_of_slack_is_what_the_person_wrote() {
        for (text, expected) in [
            (
                "<@U0LAN0Z89> is it everything a river should be?",
                "is it everything a river should be?",
            ),
            ("hey <@U0LAN0Z89|tarsy> status", "status"),
            ("status <@U0LAN0Z89>", "status"),
            ("<@U0LAN0Z89> see <http://db.example.com|db.example.com>", "see db.example.com"),
            ("<@U0LAN0Z89> <https://g.example/d/1?a=1&amp;b=2>", "https://g.example/d/1?a=1&b=2"),
            ("<@U0LAN0Z89> <https://g.example/d/1|the board>", "the board (https://g.example/d/1)"),
            ("<@U0LAN0Z89> <mailto:a@b.example|a@b.example>", "a@b.example"),
            (
                "<@U0LAN0Z89> ask <@U02|anna> in <#C1|ops> and <#C2> <!here>",
                "ask @anna in #ops and #C2 @here",
            ),
            ("<@U0LAN0Z89> load &gt; 5 &amp;lt; &lt;b&gt;", "load > 5 &lt; <b>"),
            (
                "<@U0LAN0Z89> title=\u{201c}disk full\u{201d} it\u{2019}s",
                "title=\"disk full\" it's",
            ),
            (
                "<@U0LAN0Z89> investigate\n```\nOOMKilled\r\n  web-1\n```",
                "investigate\n\n\nOOMKilled\n  web-1",
            ),
            ("<@U0LAN0Z89> a <b", "a <b"),
        ] {
            assert_eq!(slack(text), expected, "{text}");
        }
    }

    #[test]
    fn a_message_of_teams_has_no_tags() {
        for (text, expected) in [
            ("<at>SimpleOutgoingWebhook</at> Hello", "Hello"),
            ("<at>tarsy</at>&nbsp;ask why?\n", "ask why?"),
            (
                "<p><at>tarsy</at>&nbsp;investigate host: load &gt; 5</p><p>since <b>10:00</b></p>",
                "investigate host: load > 5\n\nsince 10:00",
            ),
            ("<div><div><at id=\"0\">tarsy</at> status<br/>x</div></div>", "status\nx"),
            ("<at>tarsy</at> ask <at>anna</at>", "ask anna"),
            ("a < b", "a < b"),
        ] {
            assert_eq!(plain(Messenger::Teams, text, None), expected, "{text}");
        }
    }

    #[test]
    fn a_message_of_mattermost_stays() {
        let text = "status\u{a0}of <b>";
        assert_eq!(plain(Messenger::Mattermost, text, None), "status of <b>");
    }
}
