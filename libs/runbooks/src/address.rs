//! Addresses: as people copy them from a browser, and as they are asked for.

use std::path::{Path, PathBuf};

use url::Url;

use crate::error::Error;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// Behind http(s).
    Remote(Url),
    /// In the folder of runbooks; relative to it.
    File(PathBuf),
}

/// A folder of a repository on GitHub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repository {
    pub(crate) owner: String,
    pub(crate) name: String,
    /// A branch, a tag or a commit; none is the repository's own default.
    pub(crate) reference: Option<String>,
    /// The folder, without slashes around it.
    pub(crate) path: String,
}

/// The path that a `file:` address names, relative to the folder. It may also be written with the
/// folder before it.
pub(crate) fn file(url: &Url, folder: Option<&Path>) -> Result<PathBuf, Error> {
    if url.host_str().is_some_and(|host| !host.is_empty()) {
        return Err(Error::Outside);
    }
    let whole = url.to_file_path().map_err(|()| Error::Outside)?;
    let relative = folder
        .and_then(|folder| whole.strip_prefix(folder).ok())
        .or_else(|| whole.strip_prefix("/").ok())
        .ok_or(Error::Outside)?;
    let names = relative.components().map(|part| match part {
        // A slash may hide behind `%2f`; then the path has more parts than it seemed to have.
        std::path::Component::Normal(name) => name.to_str().filter(|name| !name.starts_with('.')),
        _ => None,
    });
    let names = names.collect::<Option<Vec<_>>>().ok_or(Error::Outside)?;
    if names.is_empty() || names.iter().any(|name| name.contains(['\0', '\\'])) {
        return Err(Error::Outside);
    }
    Ok(names.into_iter().collect())
}

/// Where the plain text is, below `github_raw`: a page of GitHub shows it among much else.
pub(crate) fn raw(url: &Url, github_raw: &str) -> Url {
    if !matches!(url.host_str(), Some("github.com" | "www.github.com")) {
        return url.clone();
    }
    let parts: Vec<&str> = url.path_segments().into_iter().flatten().collect();
    let [owner, name, "blob" | "raw", rest @ ..] = parts.as_slice() else { return url.clone() };
    if rest.len() < 2 {
        return url.clone();
    }
    let text = format!("{github_raw}/{owner}/{name}/{}", rest.join("/"));
    Url::parse(&text).unwrap_or_else(|_| url.clone())
}

/// The folder of a repository that an address of GitHub names.
pub(crate) fn repository(url: &Url) -> Option<Repository> {
    if !matches!(url.host_str(), Some("github.com" | "www.github.com")) {
        return None;
    }
    let parts: Vec<&str> = url.path_segments()?.filter(|part| !part.is_empty()).collect();
    let (owner, name, reference, path) = match parts.as_slice() {
        [owner, name] => (owner, name, None, String::new()),
        [owner, name, "tree" | "blob", reference, path @ ..] => {
            (owner, name, Some((*reference).to_owned()), path.join("/"))
        }
        _ => return None,
    };
    let name = name.strip_suffix(".git").unwrap_or(name).to_owned();
    Some(Repository { owner: (*owner).to_owned(), name, reference, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a_page_of_github_becomes_its_plain_text() {
        for (page, text) in [
            ("https://github.com/o/r/blob/main/a/b.md", "/o/r/main/a/b.md"),
            ("https://www.github.com/o/r/raw/v1.2/b.md", "/o/r/v1.2/b.md"),
            ("https://github.com/o/r/blob/main/a%20b.md?plain=1", "/o/r/main/a%20b.md"),
        ] {
            let text = format!("https://raw.example{text}");
            assert_eq!(raw(&url(page), "https://raw.example").as_str(), text);
        }
        for other in ["https://github.com/o/r/blob/main", "https://wiki.example/o/r/blob/main/a"] {
            assert_eq!(raw(&url(other), "https://raw.example"), url(other));
        }
    }

    #[test]
    fn a_repository_is_named_with_or_without_a_folder() {
        let found = repository(&url("https://github.com/o/r/tree/main/docs/runbooks/")).unwrap();
        assert_eq!(found.reference.as_deref(), Some("main"));
        assert_eq!((found.owner.as_str(), found.name.as_str()), ("o", "r"));
        assert_eq!(found.path, "docs/runbooks");
        let found = repository(&url("https://github.com/o/r.git")).unwrap();
        assert_eq!((found.name.as_str(), found.reference, found.path.as_str()), ("r", None, ""));
        assert_eq!(repository(&url("https://wiki.example/o/r")), None);
        assert_eq!(repository(&url("https://github.com/o")), None);
    }

    #[test]
    fn a_file_lies_below_the_folder_for_every_address() {
        let folder = Some(Path::new("/etc/tarsy/runbooks"));
        let read = |text: &str| file(&url(text), folder);
        assert_eq!(read("file:///disk.md").unwrap(), Path::new("disk.md"));
        assert_eq!(read("file:///etc/tarsy/runbooks/db/oom.md").unwrap(), Path::new("db/oom.md"));
        // The parser of addresses takes `..` away; what is left lies below the folder.
        assert_eq!(read("file:///../../etc/passwd").unwrap(), Path::new("etc/passwd"));
        for outside in [
            "file:///",
            "file:///..%2f..%2fetc%2fpasswd",
            "file:///a/%2e%2e%2f%2e%2e%2fpasswd",
            "file:///.git/config",
            "file:///a/.env",
            "file://host/disk.md",
            "file:///a%00.md",
        ] {
            assert!(read(outside).is_err(), "{outside}");
        }
    }
}
