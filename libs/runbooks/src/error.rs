//! Why there is no runbook. The words are for people, and carry neither paths nor tokens.

use tarsy_domain::code::{Code, Coded};
use tarsy_outbound::{AUTHORITIES, describe};

/// Why a runbook's address is refused, or its text could not be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is no address.
    #[error(
        "is not a URL ({0}); write for example https://github.com/org/repo/blob/main/runbook.md"
    )]
    NotAUrl(#[source] url::ParseError),
    /// It is neither http(s) nor, where there is a folder, file.
    #[error("has the scheme {scheme}; use https{}", if *folder { " or file" } else { "" })]
    Scheme {
        /// What was written.
        scheme: String,
        /// Whether files may be named.
        folder: bool,
    },
    /// It says who asks.
    #[error("carries a user name or password; take them out")]
    UserInfo,
    /// Its host is not among those that the operator named.
    #[error("is on {host}, which is not allowed; use one of {}", allowed.join(", "))]
    Host {
        host: String,
        /// Those that are.
        allowed: Vec<String>,
    },
    /// The host is, or resolves to, an address inside.
    #[error("is at an address that is not public ({host}); see system.runbooks.private_domains")]
    Private { host: String },
    /// The host's name has no address.
    #[error("its host {host} could not be resolved")]
    Unresolved { host: String },
    /// The host does not answer as HTTP asks for.
    #[error("its host {host} could not be reached: {}", describe(source, AUTHORITIES))]
    Unreachable {
        host: String,
        #[source]
        source: reqwest::Error,
    },
    /// The answer is not the runbook.
    #[error("its host answered {status}")]
    Status {
        /// The answer's status.
        status: u16,
    },
    /// One redirect after the other.
    #[error("its host redirects too often")]
    Redirects,
    /// A redirect without a target that can be followed.
    #[error("its host redirects to nowhere")]
    RedirectTarget,
    /// A redirect to what the operator would not have allowed.
    #[error("its host redirects to an address that {0}")]
    RedirectRefused(#[source] Box<Error>),
    /// The body is packed, and might unpack to anything.
    #[error("its host sends it packed as {encoding} although plain text was asked for")]
    Packed {
        /// How it is packed.
        encoding: String,
    },
    /// The body is larger than a runbook.
    #[error("is larger than {limit} bytes")]
    TooLarge {
        /// The most that is read.
        limit: usize,
    },
    /// The whole took too long.
    #[error("did not arrive within {seconds} s")]
    Timeout {
        /// The most that is waited.
        seconds: u64,
    },
    /// The bytes are no text.
    #[error("is not text")]
    NotText,
    /// The file's path leads out of the folder, or is hidden.
    #[error("names a file outside the folder of runbooks; write file:///NAME.md")]
    Outside,
    /// The folder has no such file.
    #[error("names a file that the folder of runbooks does not have")]
    NoSuchFile,
    /// The listing is not what it should be.
    #[error("the listing could not be read")]
    Listing(#[source] serde_json::Error),
    /// The address of the listing names no folder of a repository.
    #[error("system.runbooks.repo_url names no folder of a repository on github.com")]
    NoRepository,
    /// The client could not be made.
    #[error("could not prepare the HTTP client")]
    Client(#[source] reqwest::Error),
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Self::NotAUrl(_)
            | Self::Scheme { .. }
            | Self::UserInfo
            | Self::Host { .. }
            | Self::Private { .. }
            | Self::RedirectRefused(_)
            | Self::Outside
            | Self::NoRepository => Code::Invalid,
            Self::NoSuchFile => Code::NotFound,
            Self::Timeout { .. } => Code::Timeout,
            Self::Unresolved { .. } | Self::Unreachable { .. } | Self::Status { .. } => {
                Code::Unavailable
            }
            Self::Redirects
            | Self::RedirectTarget
            | Self::Packed { .. }
            | Self::TooLarge { .. }
            | Self::NotText
            | Self::Listing(_)
            | Self::Client(_) => Code::Internal,
        }
    }
}
