//! Sessions by a part of their id: the command line takes its beginning or its end, as the dashboard shows it.

use std::fmt;

use serde_json::Value;

use crate::client::{Client, SessionFilter};

/// How many of the newest sessions are looked through: as many as one request lists.
const NEWEST: u8 = 100;
/// The word for the newest session.
const LATEST: &str = "latest";
/// The fewest characters that stand for an id.
const LEAST: usize = 4;
/// The characters of an id.
const WHOLE: usize = 36;

/// Why a text stands for no session.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Unresolved {
    TooShort,
    /// No session, or none of the newest.
    None(String),
    Several(Vec<String>),
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort => write!(
                f,
                "a session is named by its ID, by at least {LEAST} characters of its beginning or end, or by `{LATEST}`"
            ),
            Self::None(text) => write!(
                f,
                "none of the newest sessions has an ID that begins or ends with `{text}`; `tarsy sessions` lists them, and older \
                 ones need their whole ID"
            ),
            Self::Several(ids) => {
                write!(f, "several sessions fit: {}; write more of the ID", ids.join(", "))
            }
        }
    }
}

impl std::error::Error for Unresolved {}

/// The id of the session that a text stands for; a whole id is not looked up.
pub(crate) async fn of_session(client: &Client, text: &str) -> anyhow::Result<String> {
    if text.len() == WHOLE {
        return Ok(text.to_owned());
    }
    let newest = client.sessions(NEWEST, &SessionFilter::default()).await?;
    let id = |session: &Value| Some(session.get("id")?.as_str()?.to_owned());
    let ids: Vec<String> = newest.iter().filter_map(id).collect();
    Ok(resolve(text, &ids)?)
}

/// The id that a text stands for, among those of the newest sessions, the newest first.
fn resolve(text: &str, newest: &[String]) -> Result<String, Unresolved> {
    let none = || Unresolved::None(text.to_owned());
    if text == LATEST {
        return newest.first().cloned().ok_or_else(none);
    }
    let part = text.trim_start_matches('…').to_ascii_lowercase();
    if part.len() < LEAST {
        return Err(Unresolved::TooShort);
    }
    let fits = |id: &&String| id.starts_with(&part) || id.ends_with(&part);
    let mut found: Vec<String> = newest.iter().filter(fits).cloned().collect();
    match found.len() {
        0 => Err(none()),
        1 => Ok(found.remove(0)),
        _ => Err(Unresolved::Several(found)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newest() -> Vec<String> {
        [
            "0193a5c4-9d1e-7f30-9b52-64e78c40a1d2",
            "0193a5c4-7d1e-7f30-9b52-64e78c4011d2",
            "0192b6d5-8e2f-7041-8c63-75f89d51b2e3",
        ]
        .map(str::to_owned)
        .to_vec()
    }

    #[test]
    fn a_session_is_found_by_either_end_of_its_id() {
        let known = newest();
        for (text, index) in
            [("latest", 0), ("0193a5c4-9", 0), ("a1d2", 0), ("…8C4011D2", 1), ("0192", 2)]
        {
            assert_eq!(resolve(text, &known).as_ref(), Ok(&known[index]), "{text}");
        }
    }

    #[test]
    fn what_fits_none_or_several_is_refused_with_what_to_write() {
        let known = newest();
        assert_eq!(resolve("1d2", &known), Err(Unresolved::TooShort));
        assert_eq!(resolve("beef", &known), Err(Unresolved::None("beef".to_owned())));
        assert_eq!(resolve("latest", &[]), Err(Unresolved::None("latest".to_owned())));
        assert_eq!(resolve("0193", &known), Err(Unresolved::Several(known[..2].to_vec())));
    }
}
