//! `/proc/PID/stat`, `/proc/PID/cmdline` and `/etc/passwd`.

/// The fields of `/proc/PID/stat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) pid: u32,
    pub(crate) name: String,
    pub(crate) state: char,
    pub(crate) parent: u32,
    pub(crate) cpu_ticks: u64,
    pub(crate) threads: u64,
    pub(crate) started_ticks: u64,
    pub(crate) resident_pages: u64,
}

/// Reads a stat line; the name may hold blanks and brackets.
pub(crate) fn stat(text: &str) -> Option<Stat> {
    let (open, close) = (text.find('(')?, text.rfind(')')?);
    let pid = text.get(..open)?.trim().parse().ok()?;
    let name = text.get(open + 1..close)?.to_owned();
    let fields: Vec<&str> = text.get(close + 1..)?.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Stat {
        pid,
        name,
        state: fields.first()?.chars().next()?,
        parent: fields.get(1)?.parse().ok()?,
        cpu_ticks: number(11)?.saturating_add(number(12)?),
        threads: number(17)?,
        started_ticks: number(19)?,
        resident_pages: number(21)?,
    })
}

/// The command line with blanks between its words, at most `limit` characters.
pub(crate) fn command_line(bytes: &[u8], limit: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut line: String = text
        .trim_end_matches('\0')
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(limit)
        .collect();
    if text.chars().count() > limit + 1 {
        line.push('…');
    }
    line
}

/// The name of a user in the text of `/etc/passwd`.
pub(crate) fn user_name(passwd: &str, uid: u32) -> Option<&str> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, id) = (fields.next()?, fields.nth(1)?);
        (id.parse() == Ok(uid)).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LINE: &str = "812 (tmux: server (1)) S 1 812 812 0 -1 4194560 3286 199 0 1556 60 198 36703 7042 20 0 13 0 22 45379584 3629 18446744073709551615 1 1 0";

    #[test]
    fn a_name_may_hold_blanks_and_brackets() {
        let stat = stat(LINE).expect("readable");
        assert_eq!(
            (stat.pid, stat.name.as_str(), stat.state, stat.parent),
            (812, "tmux: server (1)", 'S', 1)
        );
        assert_eq!((stat.cpu_ticks, stat.threads), (258, 13));
        assert_eq!((stat.started_ticks, stat.resident_pages), (22, 3629));
    }

    #[test]
    fn a_command_line_is_cut_and_has_no_control_characters() {
        assert_eq!(command_line(b"nginx:\0-g\0daemon off;\0", 200), "nginx: -g daemon off;");
        assert_eq!(command_line(b"abcdef", 3), "abc…");
        assert_eq!(command_line(b"", 3), "");
    }

    #[test]
    fn a_user_is_found_by_number() {
        let passwd = "root:x:0:0:root:/root:/bin/bash\npostgres:x:999:999::/var/lib:/bin/sh\n";
        assert_eq!(user_name(passwd, 999), Some("postgres"));
        assert_eq!(user_name(passwd, 5), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_readers_panic(text in ".{0,200}") {
            let _ = stat(&text);
            let _ = command_line(text.as_bytes(), 10);
            let _ = user_name(&text, 0);
        }
    }
}
