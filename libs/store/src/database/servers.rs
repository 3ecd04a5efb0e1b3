//! The servers of a database: one, or several of which one takes writes.

use std::str::FromStr as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::select_ok;
use futures::{FutureExt as _, TryFutureExt as _};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _, Error, Row as _};
use tokio::time::timeout;

/// Which sessions of servers serve, as in the connection strings of libpq.
const ATTRIBUTE: &str = "target_session_attrs";
/// How long the server that took writes last is asked before the others are, too. A server that is gone without a word
/// must leave time for them in the 3 s that a caller waits for a connection.
const PREFERRED_DEADLINE: Duration = Duration::from_secs(1);
/// More servers are a mistake: each of them is dialled at once.
const MAX_SERVERS: usize = 16;

#[derive(Debug)]
pub(crate) struct Servers {
    options: Vec<PgConnectOptions>,
    /// Connections must be able to write.
    read_write: bool,
    /// The server that answered last, by its place.
    preferred: AtomicUsize,
}

impl Servers {
    /// Reads a URL, which may name several servers: `postgres://user:password@a:5432,b:5432/tarsy`. Of several servers the
    /// one is used that takes writes; of one, only if `target_session_attrs` demands it.
    pub(crate) fn parse(url: &str) -> Result<Self, Error> {
        let location = Location::read(url)?;
        let options: Result<Vec<_>, _> = location
            .urls()
            .map(|url| PgConnectOptions::from_str(&url).map(without_brackets))
            .collect();
        // A statement that takes more than a second would be logged with its text, which has up to 4 kB. Spans have its time.
        let options: Vec<_> = options?
            .into_iter()
            .map(|options| options.application_name("tarsy").disable_statement_logging())
            .collect();
        let read_write = match location.attribute {
            None => options.len() > 1,
            Some("read-write" | "primary") => true,
            Some("any") => false,
            Some(_) => {
                return Err(wrong("target_session_attrs must be read-write, primary or any"));
            }
        };
        if options.len() > MAX_SERVERS {
            return Err(wrong("the URL names more than 16 servers"));
        }
        Ok(Self { options, read_write, preferred: AtomicUsize::new(0) })
    }

    /// The same servers, with settings that each connection asks for.
    pub(crate) fn with_settings(&self, settings: &[(&str, &str)]) -> Self {
        let with = |options: &PgConnectOptions| options.clone().options(settings.iter().copied());
        Self {
            options: self.options.iter().map(with).collect(),
            read_write: self.read_write,
            preferred: AtomicUsize::new(self.preferred.load(Ordering::Relaxed)),
        }
    }

    /// Opens a connection; the caller bounds the wait. Of several servers the one that answered last is asked first, then
    /// all at once.
    pub(crate) async fn connect(&self) -> Result<PgConnection, Error> {
        let preferred = self.preferred.load(Ordering::Relaxed);
        if self.options.len() == 1 {
            return self.open(0).await;
        }
        match timeout(PREFERRED_DEADLINE, self.open(preferred)).await {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(error)) => tracing::debug!(server = preferred, %error, "not usable"),
            Err(_) => tracing::debug!(server = preferred, "no answer"),
        }
        let attempt =
            |place| self.open(place).map_ok(move |connection| (place, connection)).boxed();
        let attempts = (0..self.options.len()).map(attempt);
        let ((place, connection), _) = select_ok(attempts).await?;
        if place != preferred {
            tracing::info!(server = place, "another server of the database takes writes now");
        }
        self.preferred.store(place, Ordering::Relaxed);
        Ok(connection)
    }

    /// The options of the server that [`Servers::connect`] uses now.
    pub(crate) async fn find(&self) -> Result<PgConnectOptions, Error> {
        self.connect().await?.close().await?;
        self.options_of(self.preferred.load(Ordering::Relaxed)).cloned()
    }

    fn options_of(&self, place: usize) -> Result<&PgConnectOptions, Error> {
        self.options.get(place).ok_or_else(|| wrong("the URL names no server"))
    }

    async fn open(&self, place: usize) -> Result<PgConnection, Error> {
        let mut connection = PgConnection::connect_with(self.options_of(place)?).await?;
        if self.read_write && is_read_only(&mut connection).await? {
            // Not an error of the caller: a standby becomes the primary, or the primary is found elsewhere.
            connection.close().await?;
            return Err(Error::Io(std::io::Error::other("the server takes no writes")));
        }
        Ok(connection)
    }
}

/// An address of IPv6 stands in brackets in a URL alone; the library would look them up as a part of a name.
fn without_brackets(options: PgConnectOptions) -> PgConnectOptions {
    let host = options.get_host();
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).map(str::to_owned) {
        Some(address) => options.host(&address),
        None => options,
    }
}

async fn is_read_only(connection: &mut PgConnection) -> Result<bool, Error> {
    let row = sqlx::query("select current_setting('transaction_read_only') = 'on' as read_only")
        .fetch_one(connection)
        .await?;
    row.try_get("read_only")
}

/// A URL in parts, of which the hosts may be several.
struct Location<'a> {
    /// What stands before the hosts.
    before: &'a str,
    hosts: Vec<&'a str>,
    /// What stands behind them, without the attribute.
    after: String,
    attribute: Option<&'a str>,
}

impl<'a> Location<'a> {
    fn read(url: &'a str) -> Result<Self, Error> {
        let start = url.find("://").map(|at| at + "://".len());
        let start = start.ok_or_else(|| wrong("write postgres://user:password@host/database"))?;
        let rest = url.get(start..).unwrap_or_default();
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let user = authority.rfind('@').map_or(0, |at| at + 1);
        let (_, hosts) = authority.split_at_checked(user).unwrap_or(("", authority));
        let before = url.get(..start + user).unwrap_or_default();
        let hosts: Vec<&str> = hosts.split(',').collect();
        if hosts.len() > 1 && hosts.iter().any(|host| host.trim().is_empty()) {
            return Err(wrong("the URL has an empty host between commas"));
        }
        let (after, attribute) = without_attribute(after);
        Ok(Self { before, hosts, after, attribute })
    }

    fn urls(&self) -> impl Iterator<Item = String> {
        self.hosts.iter().map(|host| format!("{}{host}{}", self.before, self.after))
    }
}

/// Path and query without the attribute, which sqlx does not know, and its value.
fn without_attribute(after: &str) -> (String, Option<&str>) {
    let Some((path, query)) = after.split_once('?') else { return (after.to_owned(), None) };
    let mut attribute = None;
    let mut others = Vec::new();
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some((ATTRIBUTE, value)) => attribute = Some(value),
            _ => others.push(pair),
        }
    }
    let query = others.join("&");
    let after = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
    (after, attribute)
}

/// Never shows the URL, which may have a password.
fn wrong(message: &'static str) -> Error {
    Error::Configuration(message.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(url: &str) -> Vec<String> {
        Location::read(url).unwrap().urls().collect()
    }

    #[test]
    fn a_url_may_name_several_servers() {
        assert_eq!(
            urls("postgres://u:p%40@a:5432,[::1]:5433,c/tarsy?sslmode=require"),
            [
                "postgres://u:p%40@a:5432/tarsy?sslmode=require",
                "postgres://u:p%40@[::1]:5433/tarsy?sslmode=require",
                "postgres://u:p%40@c/tarsy?sslmode=require",
            ]
        );
        assert_eq!(urls("postgres://a/tarsy"), ["postgres://a/tarsy"]);
        assert_eq!(
            urls("postgres:///tarsy?host=/run/postgresql"),
            ["postgres:///tarsy?host=/run/postgresql"]
        );
    }

    #[test]
    fn an_address_of_ipv6_is_an_address() {
        let servers = Servers::parse("postgres://u@[::1]:5433,[fd00::6]/tarsy").unwrap();
        let hosts: Vec<_> = servers.options.iter().map(PgConnectOptions::get_host).collect();
        assert_eq!(hosts, ["::1", "fd00::6"]);
    }

    #[test]
    fn several_servers_are_asked_for_the_one_that_takes_writes() {
        for (url, read_write) in [
            ("postgres://a/tarsy", false),
            ("postgres://a/tarsy?target_session_attrs=read-write", true),
            ("postgres://a,b/tarsy", true),
            ("postgres://a,b/tarsy?target_session_attrs=primary&sslmode=require", true),
            ("postgres://a,b/tarsy?sslmode=require&target_session_attrs=any", false),
        ] {
            assert_eq!(Servers::parse(url).unwrap().read_write, read_write, "{url}");
        }
    }

    #[test]
    fn what_a_url_must_not_have_is_named_without_the_url() {
        for (url, expected) in [
            ("postgres://u:s3cret@a,b/t?target_session_attrs=standby", "must be read-write"),
            ("postgres://u:s3cret@a,,b/t", "empty host"),
            ("u:s3cret@a", "write postgres://"),
            (&format!("postgres://u:s3cret@{}/t", ["a"; 17].join(",")), "more than 16"),
        ] {
            let text = Servers::parse(url).unwrap_err().to_string();
            assert!(text.contains(expected) && !text.contains("s3cret"), "{text}");
        }
    }
}
