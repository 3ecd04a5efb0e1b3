//! Which addresses may be named.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use tarsy_catalog::System;
use tarsy_hosts::Network;
use url::{Host, Url};

use crate::address::{self, Address};
use crate::error::Error;

/// How long one runbook, or one listing, may take.
const DEADLINE: Duration = Duration::from_secs(10);
/// Where GitHub lists the contents of repositories.
const GITHUB_API: &str = "https://api.github.com";
/// Where GitHub keeps what its pages show.
const GITHUB_RAW: &str = "https://raw.githubusercontent.com";
const GITHUB_RAW_HOST: &str = "raw.githubusercontent.com";
/// Where GitHub's pages are.
const GITHUB: &str = "https://github.com";

/// Which addresses may be named, and how long is waited for what is behind them.
#[derive(Clone)]
pub struct Rules {
    /// The hosts that are allowed; empty is any host at a public address.
    pub allowed_domains: Vec<String>,
    /// Hosts that may be at private addresses, beside the allowed ones.
    pub private_domains: Vec<String>,
    /// The folder whose files may be named.
    pub folder: Option<PathBuf>,
    /// The folder of a repository that is listed.
    pub repo_url: Option<Url>,
    /// How long a text is reused.
    pub cache_ttl: Duration,
    /// How long one fetch may take.
    pub deadline: Duration,
    /// Where GitHub lists the contents of repositories, without a slash at the end.
    pub github_api: String,
    /// Where GitHub keeps the texts that its pages show, without a slash at the end.
    pub github_raw: String,
    /// The repositories that the token is sent for: `owner/` or `owner/repository`.
    pub token_repositories: Vec<String>,
    /// GitHub's token; goes to GitHub alone.
    pub token: Option<SecretString>,
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("allowed_domains", &self.allowed_domains)
            .field("private_domains", &self.private_domains)
            .field("folder", &self.folder)
            .field("token", &self.token.is_some())
            .finish_non_exhaustive()
    }
}

impl Rules {
    /// What the operator wrote, and GitHub's token.
    pub fn new(system: &System, token: Option<String>) -> Self {
        let runbooks = &system.runbooks;
        Self {
            allowed_domains: runbooks.allowed_domains.clone(),
            private_domains: runbooks.private_domains.clone(),
            folder: runbooks.folder.clone(),
            repo_url: runbooks.repo_url.clone(),
            cache_ttl: runbooks.cache_ttl,
            deadline: DEADLINE,
            github_api: GITHUB_API.to_owned(),
            github_raw: GITHUB_RAW.to_owned(),
            token_repositories: token_repositories(runbooks),
            token: token
                .map(|token| token.trim().to_owned())
                .filter(|token| !token.is_empty())
                .map(SecretString::from),
        }
    }

    /// An address in its usual spelling, or why it is refused; asks nobody.
    pub fn check(&self, text: &str) -> Result<String, Error> {
        self.address(text)?;
        Url::parse(text).map(String::from).map_err(Error::NotAUrl)
    }

    /// Reads an address, or says why it is refused. Names are not resolved here.
    pub(crate) fn address(&self, text: &str) -> Result<Address, Error> {
        let url = Url::parse(text).map_err(Error::NotAUrl)?;
        if url.scheme() == "file" && self.folder.is_some() {
            return address::file(&url, self.folder.as_deref()).map(Address::File);
        }
        self.remote(&url)?;
        Ok(Address::Remote(url))
    }

    /// Whether a remote address may be asked: as it was named, and as a redirect names it.
    pub(crate) fn remote(&self, url: &Url) -> Result<(), Error> {
        if !matches!(url.scheme(), "http" | "https") {
            let scheme = url.scheme().chars().take(40).collect();
            return Err(Error::Scheme { scheme, folder: self.folder.is_some() });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::UserInfo);
        }
        let host = host_of(url);
        let named = self.allowed_domains.is_empty()
            || is_among(&host, &self.allowed_domains)
            || self.may_be_private(&host)
            || (host == GITHUB_RAW_HOST && is_among("github.com", &self.allowed_domains));
        if !named {
            let allowed = self.allowed_domains.iter().chain(&self.private_domains);
            let allowed = allowed.cloned().collect();
            return Err(Error::Host { host: host.chars().take(100).collect(), allowed });
        }
        // A name is looked at again when it is resolved; a number is what it is.
        let address = match url.host() {
            Some(Host::Ipv4(address)) => Some(address.into()),
            Some(Host::Ipv6(address)) => Some(address.into()),
            Some(Host::Domain(_)) | None => None,
        };
        match address {
            Some(address) if !Network::of(address).may_be_named(self.may_be_private(&host)) => {
                Err(Error::Private { host })
            }
            _ => Ok(()),
        }
    }

    /// Whether the operator named the host of an address, and not only whoever wrote an alert.
    pub(crate) fn is_listed(&self, url: &Url) -> bool {
        let host = host_of(url);
        let is_of_github = || {
            [GITHUB_RAW_HOST, "api.github.com"].contains(&host.as_str())
                && is_among("github.com", &self.allowed_domains)
        };
        is_among(&host, &self.allowed_domains) || self.may_be_private(&host) || is_of_github()
    }

    /// Whether this host may be at a private address.
    pub(crate) fn may_be_private(&self, host: &str) -> bool {
        is_among(host, &self.private_domains)
    }

    /// GitHub's token, if this address is one of GitHub's for a repository that it is sent for.
    pub(crate) fn token_for(&self, url: &Url) -> Option<&str> {
        let token = self.token.as_ref()?;
        let (owner, name) = self.repository(url)?;
        let is_listed = |listed: &String| {
            listed.split_once('/').is_some_and(|(listed_owner, listed_name)| {
                listed_owner.eq_ignore_ascii_case(owner)
                    && (listed_name.is_empty() || listed_name.eq_ignore_ascii_case(name))
            })
        };
        self.token_repositories.iter().any(is_listed).then(|| token.expose_secret())
    }

    /// The owner and the name of the repository that an address of GitHub belongs to.
    fn repository<'a>(&self, url: &'a Url) -> Option<(&'a str, &'a str)> {
        let is_at = |base: &str| Url::parse(base).is_ok_and(|base| base.origin() == url.origin());
        let parts: Vec<&str> = url.path_segments()?.collect();
        match parts.as_slice() {
            ["repos", owner, name, ..] if is_at(&self.github_api) => Some((owner, name)),
            [owner, name, ..] if is_at(&self.github_raw) || is_at(GITHUB) => {
                Some((owner, name.strip_suffix(".git").unwrap_or(name)))
            }
            _ => None,
        }
    }

    /// Whether the listed repository is at GitHub, and there is no token for it.
    pub(crate) fn lacks_token(&self) -> bool {
        let at_github = |url: &Url| address::repository(url).is_some();
        self.token.is_none() && self.repo_url.as_ref().is_some_and(at_github)
    }
}

/// The repositories that GitHub's token is sent for: the listed ones, and the one whose runbooks are listed.
fn token_repositories(runbooks: &tarsy_catalog::Runbooks) -> Vec<String> {
    let own = runbooks.repo_url.as_ref().and_then(address::repository);
    let own = own.map(|repository| format!("{}/{}", repository.owner, repository.name));
    runbooks.token_repositories.iter().cloned().chain(own).collect()
}

/// The host, in one spelling.
pub(crate) fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase()
}

fn is_among(host: &str, domains: &[String]) -> bool {
    let bare = host.strip_prefix("www.").unwrap_or(host);
    domains
        .iter()
        .map(|domain| domain.trim_end_matches('.'))
        .any(|domain| domain.eq_ignore_ascii_case(host) || domain.eq_ignore_ascii_case(bare))
}

#[cfg(test)]
mod tests {
    use tarsy_catalog::{Catalog, Env};

    use super::*;

    fn rules() -> Rules {
        let catalog = Catalog::builtin(&Env::empty()).unwrap();
        Rules::new(&catalog.system, Some(" ghp_secret\n".to_owned()))
    }

    #[test]
    fn hosts_that_the_operator_lists_are_asked_through_a_proxy_and_those_of_an_alert_are_not() {
        let is_listed = |rules: &Rules, url: &str| rules.is_listed(&Url::parse(url).unwrap());
        let usual = rules();
        for listed in [
            "https://github.com/o/r/blob/main/a.md",
            "https://raw.githubusercontent.com/o/r/main/a.md",
            "https://api.github.com/repos/o/r/contents/a",
        ] {
            assert!(is_listed(&usual, listed), "{listed}");
        }
        let any = Rules { allowed_domains: Vec::new(), ..rules() };
        any.remote(&Url::parse("https://chosen.example/a.md").unwrap()).unwrap();
        assert!(!is_listed(&any, "https://chosen.example/a.md"));
        assert!(!is_listed(&usual, "https://github.com.chosen.example/a.md"));
    }

    #[test]
    fn the_token_goes_to_github_over_https_for_listed_repositories_and_nowhere_else() {
        let token_repositories = ["o/r", "all/"].map(str::to_owned).into();
        let rules = Rules { token_repositories, ..rules() };
        let to = |url: &str| rules.token_for(&Url::parse(url).unwrap());
        for listed in [
            "https://raw.githubusercontent.com/o/r/main/a.md",
            "https://api.github.com/repos/o/r",
            "https://api.github.com/repos/All/anything/contents/a",
            "https://github.com/O/R/blob/main/a.md",
            "https://github.com/o/r.git",
        ] {
            assert_eq!(to(listed), Some("ghp_secret"), "{listed}");
        }
        for elsewhere in [
            "http://github.com/o/r",
            "https://github.com:8443/o/r",
            "https://github.com.evil.example/o/r",
            "https://gist.github.com/o/r",
            "https://evil.example/github.com",
            "https://raw.githubusercontent.com/o/private/main/a.md",
            "https://raw.githubusercontent.com/o/r/../private/main/a.md",
            "https://raw.githubusercontent.com/o/r/%2e%2e/private/main/a.md",
            "https://raw.githubusercontent.com/o%2Fr/main/a.md",
            "https://raw.githubusercontent.com//o/r/main/a.md",
            "https://raw.githubusercontent.com/allother/r/main/a.md",
            "https://raw.githubusercontent.com/o/rest/main/a.md",
            "https://api.github.com/repositories/1",
            "https://api.github.com/o/r",
            "https://api.github.com/user",
            "https://github.com/repos/o/r",
        ] {
            assert_eq!(to(elsewhere), None, "{elsewhere}");
        }
        assert!(!format!("{rules:?}").contains("ghp_secret"));
    }

    #[test]
    fn the_repository_whose_runbooks_are_listed_gets_the_token() {
        let mut catalog = Catalog::builtin(&Env::empty()).unwrap();
        catalog.system.runbooks.repo_url =
            Url::parse("https://github.com/org/repo/tree/main/runbooks").ok();
        let rules = Rules::new(&catalog.system, Some("ghp_secret".to_owned()));
        assert_eq!(rules.token_repositories, ["org/repo"]);
    }

    #[test]
    fn a_host_is_allowed_by_its_whole_name() {
        let rules = rules();
        for good in ["https://github.com/a", "https://WWW.GitHub.com/a", "https://github.com./a"] {
            assert!(rules.address(good).is_ok(), "{good}");
        }
        for bad in [
            "https://github.com.evil.example/a",
            "https://evil-github.com/a",
            "https://user:pw@github.com/a",
            "https://github.com@evil.example/a",
            "file:///etc/passwd",
            "github.com/a",
        ] {
            assert!(rules.address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_empty_list_allows_any_public_host() {
        let rules = Rules { allowed_domains: Vec::new(), ..rules() };
        assert!(rules.address("https://wiki.example/a").is_ok());
        assert!(rules.address("https://10.0.0.1/a").is_err());
    }
}
