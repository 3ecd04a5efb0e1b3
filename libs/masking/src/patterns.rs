//! The built-in patterns and groups by the names that configuration files use: the only list of them.

/// A built-in pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Pattern {
    ApiKey,
    Password,
    Certificate,
    CertificateAuthorityData,
    Token,
    Email,
    SshKey,
    Base64Secret,
    Base64Short,
    PrivateKey,
    SecretKey,
    AwsAccessKey,
    AwsSecretKey,
    GithubToken,
    SlackToken,
    AuthorizationHeader,
    Cookie,
    Signature,
    Jwt,
    UrlPassword,
    GitlabToken,
    GoogleApiKey,
    EnvSecret,
    HighEntropy,
    KubernetesSecret,
}

/// A named set of patterns; `all` holds every pattern and is no row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Basic,
    Secrets,
    Security,
    Kubernetes,
    Cloud,
}

use Group::{Basic, Cloud, Kubernetes, Secrets, Security};
use Pattern::{
    ApiKey, AuthorizationHeader, AwsAccessKey, AwsSecretKey, Base64Secret, Base64Short,
    Certificate, CertificateAuthorityData, Cookie, Email, EnvSecret, GithubToken, GitlabToken,
    GoogleApiKey, HighEntropy, Jwt, KubernetesSecret, Password, PrivateKey, SecretKey, Signature,
    SlackToken, SshKey, Token, UrlPassword,
};

/// A row of the table of patterns.
struct Entry {
    pattern: Pattern,
    name: &'static str,
    /// Replaces a value.
    mask: &'static str,
    /// The groups beside `all`.
    groups: &'static [Group],
}

const fn entry(
    pattern: Pattern,
    name: &'static str,
    mask: &'static str,
    groups: &'static [Group],
) -> Entry {
    Entry { pattern, name, mask, groups }
}

/// Every pattern. A new one is a row here and whatever finds it.
#[rustfmt::skip]
const PATTERNS: &[Entry] = &[
    entry(ApiKey, "api_key", "[MASKED_API_KEY]", &[Basic, Secrets, Security, Kubernetes, Cloud]),
    entry(Password, "password", "[MASKED_PASSWORD]", &[Basic, Secrets, Security, Kubernetes]),
    entry(Certificate, "certificate", "[MASKED_CERTIFICATE]", &[Security]),
    entry(CertificateAuthorityData, "certificate_authority_data", "[MASKED_CERTIFICATE_AUTHORITY_DATA]", &[Security, Kubernetes]),
    entry(Token, "token", "[MASKED_TOKEN]", &[Secrets, Security, Kubernetes, Cloud]),
    entry(Email, "email", "[MASKED_EMAIL]", &[Security]),
    entry(SshKey, "ssh_key", "[MASKED_SSH_KEY]", &[Security]),
    entry(Base64Secret, "base64_secret", "[MASKED_BASE64_SECRET]", &[]),
    entry(Base64Short, "base64_short", "[MASKED_BASE64_SHORT]", &[]),
    entry(PrivateKey, "private_key", "[MASKED_PRIVATE_KEY]", &[Secrets, Security]),
    entry(SecretKey, "secret_key", "[MASKED_SECRET_KEY]", &[Secrets, Security]),
    entry(AwsAccessKey, "aws_access_key", "[MASKED_AWS_ACCESS_KEY]", &[Security, Cloud]),
    entry(AwsSecretKey, "aws_secret_key", "[MASKED_AWS_SECRET_KEY]", &[Security, Cloud]),
    entry(GithubToken, "github_token", "[MASKED_GITHUB_TOKEN]", &[Security]),
    entry(SlackToken, "slack_token", "[MASKED_SLACK_TOKEN]", &[Security]),
    entry(AuthorizationHeader, "authorization_header", "[MASKED_AUTHORIZATION]", &[Security, Kubernetes]),
    entry(Cookie, "cookie", "[MASKED_COOKIE]", &[Security]),
    entry(Signature, "signature", "[MASKED_SIGNATURE]", &[Security, Cloud]),
    entry(Jwt, "jwt", "[MASKED_JWT]", &[Security, Kubernetes]),
    entry(UrlPassword, "url_password", "[MASKED_URL_PASSWORD]", &[Security, Kubernetes]),
    entry(GitlabToken, "gitlab_token", "[MASKED_GITLAB_TOKEN]", &[Security]),
    entry(GoogleApiKey, "google_api_key", "[MASKED_GOOGLE_API_KEY]", &[Security, Cloud]),
    entry(EnvSecret, "env_secret", "[MASKED_ENV_SECRET]", &[Security]),
    entry(HighEntropy, "high_entropy", "[MASKED_HIGH_ENTROPY]", &[]),
    entry(KubernetesSecret, "kubernetes_secret", "[MASKED_KUBERNETES_SECRET]", &[Security, Kubernetes]),
];

/// The groups by name, but for [`ALL`].
const GROUPS: [(&str, Group); 5] = [
    ("basic", Basic),
    ("secrets", Secrets),
    ("security", Security),
    ("kubernetes", Kubernetes),
    ("cloud", Cloud),
];
/// The group of every pattern.
const ALL: &str = "all";

impl Pattern {
    /// The name in configuration files.
    pub(crate) fn name(self) -> &'static str {
        self.entry().map_or("unknown", |entry| entry.name)
    }

    /// The text that replaces a value.
    pub(crate) fn replacement(self) -> &'static str {
        self.entry().map_or("[MASKED_SECRET]", |entry| entry.mask)
    }

    fn entry(self) -> Option<&'static Entry> {
        // The rows have the order of the patterns: a test compares them.
        PATTERNS.get(self as usize)
    }

    /// Finds a pattern by its name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        PATTERNS.iter().find(|entry| entry.name == name).map(|entry| entry.pattern)
    }
}

fn members(name: &str) -> Option<impl Iterator<Item = &'static Entry>> {
    let group = GROUPS.iter().find(|(known, _)| *known == name).map(|(_, group)| *group);
    let is_known = group.is_some() || name == ALL;
    is_known.then(|| {
        PATTERNS.iter().filter(move |entry| group.is_none_or(|group| entry.groups.contains(&group)))
    })
}

/// The members of a group.
pub(crate) fn group(name: &str) -> Option<impl Iterator<Item = Pattern>> {
    members(name).map(|entries| entries.map(|entry| entry.pattern))
}

/// The names of all built-in patterns.
pub fn known_patterns() -> impl Iterator<Item = &'static str> {
    PATTERNS.iter().map(|entry| entry.name)
}

/// The names of all pattern groups.
pub fn known_groups() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().map(|(name, _)| *name).chain([ALL])
}

/// The names of the patterns in a group; none if there is no such group.
pub fn group_members(name: &str) -> Option<impl Iterator<Item = &'static str>> {
    members(name).map(|entries| entries.map(|entry| entry.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_has_a_name_and_is_in_the_group_of_all() {
        let all: Vec<Pattern> = group("all").expect("the group").collect();
        assert_eq!(all.len(), KubernetesSecret as usize + 1, "each pattern has one row");
        for Entry { pattern, name, mask, .. } in PATTERNS {
            assert!(all.contains(pattern), "{name}");
            assert_eq!(Pattern::named(name), Some(*pattern));
            assert_eq!(pattern.name(), *name, "the rows have the order of the patterns");
            assert!(mask.starts_with("[MASKED_") && mask.ends_with(']'), "{mask}");
        }
    }

    #[test]
    fn the_vendor_tokens_are_in_the_security_group() {
        let security: Vec<Pattern> = group("security").expect("the group").collect();
        for pattern in
            [AwsAccessKey, AwsSecretKey, GithubToken, SlackToken, GitlabToken, GoogleApiKey]
        {
            assert!(security.contains(&pattern), "{}", pattern.name());
        }
    }
}
