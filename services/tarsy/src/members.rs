//! Lines of results that are objects of JSON, as people read them.

use serde_json::{Map, Value};

/// How many members that are cut off are given up.
const MOST_CUT: usize = 20;

/// `pid 14725, name rustc, cpu_percent 92.7` of an object, or of a part of one from the beginning of a member on; none of
/// another text.
pub(crate) fn of_line(line: &str) -> Option<String> {
    let text = line.trim().trim_end_matches(',');
    let open = match text.as_bytes().first()? {
        b'{' => text.to_owned(),
        b'"' => format!("{{{text}"),
        _ => return None,
    };
    if let Some(map) = [open.clone(), format!("{open}}}")].iter().find_map(|text| object(text)) {
        return Some(members(&map));
    }
    let mut end = open.len();
    for _ in 0..MOST_CUT {
        end = open.get(..end)?.rfind(',')?;
        if let Some(map) = object(&format!("{}}}", open.get(..end)?)) {
            return Some(format!("{} …", members(&map)));
        }
    }
    None
}

fn object(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok().filter(|map: &Map<_, _>| !map.is_empty())
}

fn members(map: &Map<String, Value>) -> String {
    let shown = map.iter().map(|(name, value)| match value {
        Value::String(text) => format!("{name} {text}"),
        Value::Object(inner) => format!("{name} ({})", members(inner)),
        other => format!("{name} {other}"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_and_their_beginnings_are_shown_by_member() {
        let of = |line: &str| of_line(line).unwrap();
        assert_eq!(of(r#"{"pid": 7, "name": "rustc", "up": true},"#), "pid 7, name rustc, up true");
        assert_eq!(
            of(r#""machine_cpu": {"busy":98.8,"user":96.3},"#),
            "machine_cpu (busy 98.8, user 96.3)"
        );
        assert_eq!(of(r#"{"pid":7,"name":"rustc","command":"/usr/bin/ru"#), "pid 7, name rustc …");
        assert_eq!(of(r#""name": "a, b", "command": "x, "#), "name a, b …");
    }

    #[test]
    fn other_texts_are_shown_as_they_are() {
        for line in ["/var 100%", r#"msg="it failed""#, "\"quoted\" words", "{}", r#"{"cut"#, ""] {
            assert_eq!(of_line(line), None, "{line}");
        }
    }
}
