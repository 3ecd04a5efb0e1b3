//! What keeps a request from its server: read from the chain of an error, and put into words that say what to do.
//!
//! The words carry neither address nor data of the server, beyond the names and times of its certificate.

use std::error::Error;
use std::io;

use jiff::Timestamp;
use tokio_rustls::rustls::pki_types::{ServerName, UnixTime};
use tokio_rustls::rustls::{AlertDescription, CertificateError, Error as Tls, InvalidMessage};

use crate::resolver::{NoAddress, NotPermitted};

/// The variable by which every process is given authorities of its own.
pub const AUTHORITIES: &str = "SSL_CERT_FILE";
/// The most names of a certificate that are shown.
const MAX_NAMES: usize = 5;
/// The longest chain of causes that is read.
const MAX_CAUSES: usize = 32;
/// How the standard library begins the error of a name that is not found; it has no kind of its own.
const NOT_FOUND: &str = "failed to lookup address information";

/// What keeps a request from its server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// An authority that this process does not know signed the certificate.
    UnknownAuthority,
    /// The certificate is not valid any more; since when, where it is known.
    Expired(Option<Timestamp>),
    /// The certificate is not valid yet; from when, where it is known.
    NotYetValid(Option<Timestamp>),
    /// The certificate is for other names than the one that was asked.
    WrongName { asked: Option<String>, names: Vec<String> },
    /// Its authority took the certificate back.
    Revoked,
    /// The certificate is refused for another reason.
    Certificate(String),
    /// The server wants a certificate of the caller, or another one.
    ClientCertificate,
    /// The other side does not speak TLS.
    NoTls,
    /// The sides agree on no version or cipher, or break off.
    Handshake(String),
    /// Nothing listens at the address.
    Refused,
    /// No way leads to the address.
    NoRoute,
    /// The name has no address.
    Unresolved,
    /// The name leads to addresses that may not be asked, and to no other.
    NotPermitted,
    /// The connection was closed or reset.
    Closed,
    /// The address did not answer in time.
    TimedOut,
}

/// What an error says that kept a request from its server; none if it is nothing of the connection.
pub fn obstacle(error: &(dyn Error + 'static)) -> Option<Obstacle> {
    let mut found = None;
    let mut cause = Some(error);
    for _ in 0..MAX_CAUSES {
        let Some(one) = cause else { break };
        // The innermost is the most exact, but a certificate is not followed by what its failure leads to.
        found = of_one(one).or(found);
        if found.as_ref().is_some_and(Obstacle::is_of_certificate) {
            break;
        }
        cause = next(one);
    }
    found
}

/// Why a request has no answer: the obstacle, else the causes as they are written, without the address that reqwest
/// puts first.
pub fn describe(error: &(dyn Error + 'static), authorities: &str) -> String {
    if let Some(found) = obstacle(error) {
        return found.explain(authorities);
    }
    let mut texts = Vec::new();
    let mut cause = if error.is::<reqwest::Error>() { error.source() } else { Some(error) };
    while let Some(one) = cause.filter(|_| texts.len() < MAX_CAUSES) {
        texts.push(one.to_string());
        cause = one.source();
    }
    if texts.is_empty() { "the request failed".to_owned() } else { texts.join(": ") }
}

/// What is behind an error; an error of input and output hides what it was made of from `source`.
fn next<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

fn of_one(error: &(dyn Error + 'static)) -> Option<Obstacle> {
    if error.is::<NoAddress>() {
        return Some(Obstacle::Unresolved);
    }
    if error.is::<NotPermitted>() {
        return Some(Obstacle::NotPermitted);
    }
    if let Some(error) = error.downcast_ref::<Tls>() {
        return Some(of_tls(error));
    }
    if let Some(error) = error.downcast_ref::<reqwest::Error>() {
        return error.is_timeout().then_some(Obstacle::TimedOut);
    }
    if let Some(error) = error.downcast_ref::<hyper::Error>() {
        return error.is_incomplete_message().then_some(Obstacle::Closed);
    }
    of_io(error.downcast_ref::<io::Error>()?)
}

fn of_io(error: &io::Error) -> Option<Obstacle> {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Some(Obstacle::Refused),
        io::ErrorKind::HostUnreachable
        | io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::NetworkDown
        | io::ErrorKind::AddrNotAvailable => Some(Obstacle::NoRoute),
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::UnexpectedEof => Some(Obstacle::Closed),
        io::ErrorKind::TimedOut => Some(Obstacle::TimedOut),
        _ => error.to_string().starts_with(NOT_FOUND).then_some(Obstacle::Unresolved),
    }
}

fn of_tls(error: &Tls) -> Obstacle {
    match error {
        Tls::InvalidCertificate(fault) => of_certificate(fault),
        Tls::InvalidMessage(InvalidMessage::InvalidContentType) => Obstacle::NoTls,
        Tls::AlertReceived(
            AlertDescription::CertificateRequired
            | AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::AccessDenied,
        ) => Obstacle::ClientCertificate,
        other => Obstacle::Handshake(other.to_string()),
    }
}

fn of_certificate(fault: &CertificateError) -> Obstacle {
    match fault {
        // The second is of an authority with the name of a known one and another key, such as one that was made anew.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            Obstacle::UnknownAuthority
        }
        CertificateError::Expired => Obstacle::Expired(None),
        CertificateError::ExpiredContext { not_after, .. } => Obstacle::Expired(moment(*not_after)),
        CertificateError::NotValidYet => Obstacle::NotYetValid(None),
        CertificateError::NotValidYetContext { not_before, .. } => {
            Obstacle::NotYetValid(moment(*not_before))
        }
        CertificateError::NotValidForName => Obstacle::WrongName { asked: None, names: Vec::new() },
        CertificateError::NotValidForNameContext { expected, presented } => Obstacle::WrongName {
            asked: Some(name(expected)),
            names: presented.iter().take(MAX_NAMES).map(|one| plain(one)).collect(),
        },
        CertificateError::Revoked => Obstacle::Revoked,
        // A certificate that signs itself without being an authority is named by its own reader.
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            Obstacle::UnknownAuthority
        }
        other => Obstacle::Certificate(other.to_string()),
    }
}

fn moment(time: UnixTime) -> Option<Timestamp> {
    Timestamp::from_second(i64::try_from(time.as_secs()).ok()?).ok()
}

fn name(name: &ServerName<'_>) -> String {
    match name {
        ServerName::IpAddress(address) => std::net::IpAddr::from(*address).to_string(),
        other => other.to_str().into_owned(),
    }
}

/// A name of a certificate: the library writes `DnsName("a.example")`, and the certificate may have any character in it.
fn plain(presented: &str) -> String {
    let inner = presented.split_once('(').map_or(presented, |(_, rest)| rest.trim_end_matches(')'));
    let shown = inner.trim_matches('"').chars().filter(|one| !one.is_control());
    shown.take(100).collect()
}

impl Obstacle {
    /// Whether the certificate of the server is refused.
    pub const fn is_of_certificate(&self) -> bool {
        matches!(
            self,
            Self::UnknownAuthority
                | Self::Expired(_)
                | Self::NotYetValid(_)
                | Self::WrongName { .. }
                | Self::Revoked
                | Self::Certificate(_)
        )
    }

    /// What it is and what to do; `authorities` is how the operator names further authorities, such as [`AUTHORITIES`].
    pub fn explain(&self, authorities: &str) -> String {
        match self {
            Self::UnknownAuthority => format!(
                "its certificate is refused: its authority is not known here; name a PEM file with that authority in \
                 {authorities}"
            ),
            Self::Expired(since) => format!(
                "its certificate is refused: it expired{}; renew it, or set the clock of this machine if it is wrong",
                since.map(|at| format!(" at {at}")).unwrap_or_default()
            ),
            Self::NotYetValid(from) => format!(
                "its certificate is refused: it is not valid yet{}; set the clock of this machine if it is wrong",
                from.map(|at| format!(", but from {at}")).unwrap_or_default()
            ),
            Self::WrongName { asked, names } => wrong_name(asked.as_deref(), names),
            Self::Revoked => "its certificate is refused: it is revoked; renew it".to_owned(),
            Self::Certificate(why) => format!("its certificate is refused: {why}"),
            Self::ClientCertificate => "it refuses the certificate of this process, or wants one \
                                        and got none; configure the client's certificate"
                .to_owned(),
            Self::NoTls => {
                "it does not speak TLS at this port; write http:// or another port".to_owned()
            }
            Self::Handshake(why) => format!("no encrypted connection could be made: {why}"),
            Self::Refused => {
                "the connection is refused: nothing listens at its address and port".to_owned()
            }
            Self::NoRoute => {
                "no route leads to its address; look at the network, and at IPv4 and IPv6"
                    .to_owned()
            }
            Self::Unresolved => {
                "its host has no address; look at the name and at the DNS of this machine"
                    .to_owned()
            }
            Self::NotPermitted => "its host leads to no address that may be asked".to_owned(),
            Self::Closed => "the connection was closed before an answer".to_owned(),
            Self::TimedOut => "no answer in time".to_owned(),
        }
    }
}

fn wrong_name(asked: Option<&str>, names: &[String]) -> String {
    let others = match names {
        [] => String::new(),
        names => format!(", but for {}", names.join(", ")),
    };
    let asked = asked.unwrap_or("the name that was asked");
    format!(
        "its certificate is refused: it is not for {asked}{others}; ask by a name of the \
         certificate, or renew it with this one"
    )
}

#[cfg(test)]
mod tests;
