//! Where the archive of a commit is.

use std::time::Duration;

use anyhow::Context as _;
use tarsy_outbound::Proxies;
use url::Url;

const TIMEOUT: Duration = Duration::from_mins(2);
/// The most bytes of an archive.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Servers refuse requests that do not say what sends them.
const AGENT: &str = concat!("tarsy/", env!("CARGO_PKG_VERSION"));
const DIGITS: usize = 40;

#[derive(Debug)]
pub(super) struct Repository {
    archive: Url,
}

impl Repository {
    /// A repository at a commit, or what is wrong with either.
    pub(super) fn new(address: &Url, commit: &str) -> anyhow::Result<Self> {
        let is_commit =
            commit.len() == DIGITS && commit.bytes().all(|digit| digit.is_ascii_hexdigit());
        anyhow::ensure!(is_commit, "{commit:?} is no commit; write all {DIGITS} digits of one");
        anyhow::ensure!(
            address.scheme() == "https" || is_loopback(address),
            "{address} is not encrypted; write its https address"
        );
        let path = address.path().trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path).to_owned();
        anyhow::ensure!(
            !path.is_empty(),
            "{address} is no repository; write one such as https://github.com/acme/sre"
        );
        let host = address.host_str().unwrap_or_default();
        let mut archive = address.clone();
        if host == "github.com" {
            archive.set_host(Some("api.github.com"))?;
            archive.set_path(&format!("repos/{path}/tarball/{commit}"));
        } else if host.starts_with("gitlab.") {
            archive.set_path("api/v4/projects");
            let mut parts = archive.path_segments_mut().ok().context("it is no address")?;
            // A slash within one segment is written as %2F.
            parts.push(&path).push("repository").push("archive.tar.gz");
            drop(parts);
            archive.set_query(Some(&format!("sha={commit}")));
        } else {
            archive.set_path(&format!("{path}/archive/{commit}.tar.gz"));
        }
        Ok(Self { archive })
    }

    /// Its archive, as tar and gzip.
    pub(super) async fn fetch(&self, token: Option<&str>) -> anyhow::Result<Vec<u8>> {
        let url = &self.archive;
        let http = Proxies::of_environment().apply(reqwest::Client::builder());
        let http = http.timeout(TIMEOUT).user_agent(AGENT).build()?;
        let mut request = http.get(url.clone());
        if let Some(token) = token.filter(|token| !token.is_empty()) {
            request = request.bearer_auth(token);
        }
        let answer = request.send().await.with_context(|| format!("{url} cannot be reached"))?;
        let status = answer.status();
        anyhow::ensure!(
            status.is_success(),
            "{url} answers {status}: look at the address and the commit, and set TARSY_SKILLS_TOKEN if not everybody may read it"
        );
        let mut answer = answer;
        let mut archive = Vec::new();
        while let Some(part) = answer.chunk().await.with_context(|| format!("{url} breaks off"))? {
            anyhow::ensure!(
                archive.len() + part.len() <= MAX_BYTES,
                "{url} has more than {MAX_BYTES} bytes"
            );
            archive.extend_from_slice(&part);
        }
        Ok(archive)
    }
}

fn is_loopback(address: &Url) -> bool {
    matches!(address.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "a4d0e9cc61d23f0c1cb4d5a1ef6a2f4e0a7e3b21";

    fn archive(address: &str) -> String {
        Repository::new(&address.parse().unwrap(), COMMIT).unwrap().archive.to_string()
    }

    fn wrong(address: &str, commit: &str) -> String {
        Repository::new(&address.parse().unwrap(), commit).unwrap_err().to_string()
    }

    #[test]
    fn each_kind_of_server_has_its_address_of_archives() {
        let github = format!("https://api.github.com/repos/acme/sre/tarball/{COMMIT}");
        assert_eq!(archive("https://github.com/acme/sre"), github);
        assert_eq!(archive("https://github.com/acme/sre.git/"), github);
        assert_eq!(
            archive("https://gitlab.example/ops/team/sre"),
            format!(
                "https://gitlab.example/api/v4/projects/ops%2Fteam%2Fsre/repository/archive.tar.gz?sha={COMMIT}"
            )
        );
        let other = format!("https://git.example/acme/sre/archive/{COMMIT}.tar.gz");
        assert_eq!(archive("https://git.example/acme/sre"), other);
    }

    #[test]
    fn what_is_no_commit_or_not_encrypted_is_refused() {
        assert!(wrong("https://github.com/acme/sre", "main").contains("write all 40 digits"));
        assert!(wrong("https://github.com/acme/sre", &"g".repeat(40)).contains("is no commit"));
        assert!(wrong("http://git.example/acme/sre", COMMIT).contains("not encrypted"));
        assert!(wrong("https://github.com", COMMIT).contains("is no repository"));
    }
}
