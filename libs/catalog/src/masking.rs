//! The names of masking patterns and groups that files may use. What each catches is masking's own affair.

/// The built-in patterns, and the code masker `kubernetes_secret`.
pub const PATTERNS: &[&str] = &[
    "api_key",
    "password",
    "certificate",
    "certificate_authority_data",
    "token",
    "email",
    "ssh_key",
    "base64_secret",
    "base64_short",
    "private_key",
    "secret_key",
    "aws_access_key",
    "aws_secret_key",
    "github_token",
    "slack_token",
    "authorization_header",
    "jwt",
    "url_password",
    "gitlab_token",
    "google_api_key",
    "env_secret",
    "high_entropy",
    "kubernetes_secret",
];

/// The groups of built-in patterns.
pub const GROUPS: &[&str] = &["basic", "secrets", "security", "kubernetes", "cloud", "all"];

/// The group that holds where none is named.
pub(crate) const DEFAULT_GROUP: &str = "security";
