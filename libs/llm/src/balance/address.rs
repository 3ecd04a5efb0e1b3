//! What is configured, and what it stands for: names, and the addresses of replicas behind them.

use std::net::SocketAddr;
use std::path::PathBuf;

use tonic::transport::Uri;

use crate::error::Error;

/// One configured address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// A host, whose addresses are looked up again and again.
    Host {
        uri: Uri,
        host: String,
        port: u16,
    },
    Socket(PathBuf),
}

/// Where one replica, or one worker of it, listens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Address {
    Ip(SocketAddr),
    Socket(PathBuf),
}

impl Name {
    /// Fails if it is no address of llm-service.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let invalid = || {
            Error::Transport(format!(
                "{text:?} is no address of llm-service: write http://HOST:PORT, https://HOST:PORT or unix:PATH"
            ))
        };
        if let Some(path) = text.strip_prefix("unix:") {
            return Ok(Self::Socket(path.trim_start_matches("//").into()));
        }
        let uri: Uri = text.parse().map_err(|_| invalid())?;
        let default = match uri.scheme_str() {
            Some("https") => 443,
            Some("http") => 80,
            _ => return Err(invalid()),
        };
        let host = uri.host().ok_or_else(invalid)?.trim_matches(['[', ']']).to_owned();
        let port = uri.port_u16().unwrap_or(default);
        Ok(Self::Host { uri, host, port })
    }
}

impl Address {
    /// As it stands in metrics and logs.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Ip(address) => address.to_string(),
            Self::Socket(path) => path.display().to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_sockets_are_read_and_anything_else_is_refused() {
        let Ok(Name::Host { host, port, .. }) = Name::parse("https://llm.tarsy.svc:50051") else {
            panic!("a host");
        };
        assert_eq!((host.as_str(), port), ("llm.tarsy.svc", 50051));
        let Ok(Name::Host { host, port, .. }) = Name::parse("http://[::1]") else {
            panic!("a host");
        };
        assert_eq!((host.as_str(), port), ("::1", 80));
        assert_eq!(Name::parse("unix:/run/l.sock").unwrap(), Name::Socket("/run/l.sock".into()));
        for text in ["llm:50051", "ftp://llm", "", "http://"] {
            assert!(Name::parse(text).is_err(), "{text}");
        }
    }
}
