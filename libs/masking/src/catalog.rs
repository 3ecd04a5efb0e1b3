//! The names of the built-in patterns and groups, as configuration files use them.

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

use Pattern::{
    ApiKey, AuthorizationHeader, AwsAccessKey, AwsSecretKey, Base64Secret, Base64Short,
    Certificate, CertificateAuthorityData, Cookie, Email, EnvSecret, GithubToken, GitlabToken,
    GoogleApiKey, HighEntropy, Jwt, KubernetesSecret, Password, PrivateKey, SecretKey, Signature,
    SlackToken, SshKey, Token, UrlPassword,
};

/// Every pattern with its name and what stands in the place of a value.
const PATTERNS: &[(Pattern, &str, &str)] = &[
    (ApiKey, "api_key", "[MASKED_API_KEY]"),
    (Password, "password", "[MASKED_PASSWORD]"),
    (Certificate, "certificate", "[MASKED_CERTIFICATE]"),
    (CertificateAuthorityData, "certificate_authority_data", "[MASKED_CERTIFICATE_AUTHORITY_DATA]"),
    (Token, "token", "[MASKED_TOKEN]"),
    (Email, "email", "[MASKED_EMAIL]"),
    (SshKey, "ssh_key", "[MASKED_SSH_KEY]"),
    (Base64Secret, "base64_secret", "[MASKED_BASE64_SECRET]"),
    (Base64Short, "base64_short", "[MASKED_BASE64_SHORT]"),
    (PrivateKey, "private_key", "[MASKED_PRIVATE_KEY]"),
    (SecretKey, "secret_key", "[MASKED_SECRET_KEY]"),
    (AwsAccessKey, "aws_access_key", "[MASKED_AWS_ACCESS_KEY]"),
    (AwsSecretKey, "aws_secret_key", "[MASKED_AWS_SECRET_KEY]"),
    (GithubToken, "github_token", "[MASKED_GITHUB_TOKEN]"),
    (SlackToken, "slack_token", "[MASKED_SLACK_TOKEN]"),
    (AuthorizationHeader, "authorization_header", "[MASKED_AUTHORIZATION]"),
    (Cookie, "cookie", "[MASKED_COOKIE]"),
    (Signature, "signature", "[MASKED_SIGNATURE]"),
    (Jwt, "jwt", "[MASKED_JWT]"),
    (UrlPassword, "url_password", "[MASKED_URL_PASSWORD]"),
    (GitlabToken, "gitlab_token", "[MASKED_GITLAB_TOKEN]"),
    (GoogleApiKey, "google_api_key", "[MASKED_GOOGLE_API_KEY]"),
    (EnvSecret, "env_secret", "[MASKED_ENV_SECRET]"),
    (HighEntropy, "high_entropy", "[MASKED_HIGH_ENTROPY]"),
    (KubernetesSecret, "kubernetes_secret", "[MASKED_KUBERNETES_SECRET]"),
];

/// Every group with its members.
const GROUPS: &[(&str, &[Pattern])] = &[
    ("basic", &[ApiKey, Password]),
    ("secrets", &[ApiKey, Password, Token, PrivateKey, SecretKey]),
    (
        "security",
        &[
            ApiKey,
            Password,
            Token,
            Certificate,
            CertificateAuthorityData,
            Email,
            SshKey,
            PrivateKey,
            SecretKey,
            AuthorizationHeader,
            Cookie,
            Signature,
            Jwt,
            UrlPassword,
            EnvSecret,
            AwsAccessKey,
            AwsSecretKey,
            GithubToken,
            SlackToken,
            GitlabToken,
            GoogleApiKey,
            KubernetesSecret,
        ],
    ),
    (
        "kubernetes",
        &[
            KubernetesSecret,
            ApiKey,
            Password,
            CertificateAuthorityData,
            Token,
            AuthorizationHeader,
            Jwt,
            UrlPassword,
        ],
    ),
    ("cloud", &[AwsAccessKey, AwsSecretKey, GoogleApiKey, ApiKey, Token, Signature]),
    (
        "all",
        &[
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
        ],
    ),
];

impl Pattern {
    /// The name in configuration files.
    pub(crate) fn name(self) -> &'static str {
        self.entry().0
    }

    /// What stands in the place of a value.
    pub(crate) fn replacement(self) -> &'static str {
        self.entry().1
    }

    fn entry(self) -> (&'static str, &'static str) {
        // Every pattern is in the table: a test counts them.
        PATTERNS
            .iter()
            .find(|(pattern, _, _)| *pattern == self)
            .map_or(("unknown", "[MASKED_SECRET]"), |(_, name, replacement)| (name, replacement))
    }

    /// Finds a pattern by its name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        PATTERNS.iter().find(|(_, known, _)| *known == name).map(|(pattern, _, _)| *pattern)
    }
}

/// The members of a group.
pub(crate) fn group(name: &str) -> Option<&'static [Pattern]> {
    GROUPS.iter().find(|(known, _)| *known == name).map(|(_, members)| *members)
}

/// The names of all built-in patterns.
pub fn known_patterns() -> impl Iterator<Item = &'static str> {
    PATTERNS.iter().map(|(_, name, _)| *name)
}

/// The names of all pattern groups.
pub fn known_groups() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().map(|(name, _)| *name)
}

/// The names of the patterns in a group; none if there is no such group.
pub fn group_members(name: &str) -> Option<impl Iterator<Item = &'static str>> {
    group(name).map(|members| members.iter().map(|pattern| pattern.name()))
}

/// The known name that is most like another, if any is alike at all.
pub(crate) fn nearest(
    name: &str,
    known: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    known
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.6)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_has_a_name_and_is_in_the_group_of_all() {
        let all = group("all").expect("the group");
        assert_eq!(all.len(), PATTERNS.len());
        for (pattern, name, replacement) in PATTERNS {
            assert!(all.contains(pattern), "{name}");
            assert_eq!(Pattern::named(name), Some(*pattern));
            assert!(
                replacement.starts_with("[MASKED_") && replacement.ends_with(']'),
                "{replacement}"
            );
        }
    }

    #[test]
    fn the_vendor_tokens_are_in_the_security_group() {
        let security = group("security").expect("the group");
        for pattern in
            [AwsAccessKey, AwsSecretKey, GithubToken, SlackToken, GitlabToken, GoogleApiKey]
        {
            assert!(security.contains(&pattern), "{}", pattern.name());
        }
    }

    #[test]
    fn the_nearest_name_is_suggested_when_it_is_alike() {
        assert_eq!(nearest("pasword", known_patterns()), Some("password"));
        assert_eq!(nearest("kubernets", known_groups()), Some("kubernetes"));
        assert_eq!(nearest("zzz", known_groups()), None);
    }
}
