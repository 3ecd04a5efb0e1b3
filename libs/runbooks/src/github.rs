//! The runbooks of a folder on GitHub, through its interface for contents.

use std::collections::VecDeque;

use serde::Deserialize;
use url::Url;

use crate::address::Repository;
use crate::error::Error;
use crate::fetch::Fetcher;

/// How many folders are asked for.
const MOST_FOLDERS: usize = 50;
/// How many files are listed.
const MOST_FILES: usize = 500;
/// How long the list of one folder may be; GitHub names at most a thousand entries.
const LONGEST: usize = 4 * 1024 * 1024;
const ACCEPT: &str = "application/vnd.github+json";

#[derive(Debug, Deserialize)]
struct Entry {
    #[serde(rename = "type")]
    kind: String,
    path: String,
    html_url: Option<String>,
}

/// The pages of all Markdown files in the folder and below, in order.
pub(crate) async fn list(
    fetcher: &Fetcher,
    api: &str,
    repository: &Repository,
) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    let mut open = VecDeque::from([repository.path.clone()]);
    for _ in 0..MOST_FOLDERS {
        let Some(folder) = open.pop_front() else { break };
        let url = contents(api, repository, &folder)?;
        let text = fetcher.text(url, ACCEPT, LONGEST).await?;
        let entries: Vec<Entry> = serde_json::from_str(&text).map_err(Error::Listing)?;
        for entry in entries {
            match entry.kind.as_str() {
                "dir" => open.push_back(entry.path),
                "file" if is_markdown(&entry.path) => {
                    found.extend(entry.html_url.filter(|url| url.starts_with("https://")));
                }
                _ => {}
            }
        }
    }
    if !open.is_empty() || found.len() > MOST_FILES {
        tracing::warn!("the repository has more runbooks than are listed");
        found.truncate(MOST_FILES);
    }
    found.sort_unstable();
    Ok(found)
}

fn contents(api: &str, repository: &Repository, folder: &str) -> Result<Url, Error> {
    let mut url = Url::parse(api).map_err(Error::NotAUrl)?;
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(["repos", &repository.owner, &repository.name, "contents"]);
        path.extend(folder.split('/').filter(|part| !part.is_empty()));
    }
    if let Some(reference) = &repository.reference {
        url.query_pairs_mut().append_pair("ref", reference);
    }
    Ok(url)
}

/// Whether a file's name is that of a runbook.
pub(crate) fn is_markdown(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("md"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_folders_and_branches_cannot_change_what_is_asked() {
        let repository = Repository {
            owner: "o".to_owned(),
            name: "r".to_owned(),
            reference: Some("a&b".to_owned()),
            path: String::new(),
        };
        let url = contents("https://api.github.com", &repository, "a b/c?d").unwrap();
        assert_eq!(url.as_str(), "https://api.github.com/repos/o/r/contents/a%20b/c%3Fd?ref=a%26b");
    }
}
