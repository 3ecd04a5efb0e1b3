//! The token of the start: which server it belongs to, and the address that carries it to a browser.

use std::net::IpAddr;
use std::path::Path;

use tarsy_service::Settings;
use url::{Host, Url};

use crate::home;

/// The token for the server at this address: what the environment names, or that of the all-in-one that runs there. It is
/// sent to no other machine, and to no other port of this one.
pub(crate) fn for_server(home: &Path, server: &str) -> Option<String> {
    let server = Url::parse(server).ok().filter(is_here)?;
    if let Some(token) = Settings::from_env().ok().and_then(|settings| settings.local_token) {
        return Some(token);
    }
    let running = Url::parse(&home::running(home)?.url).ok()?;
    let is_same = running.port_or_known_default() == server.port_or_known_default();
    is_same.then(|| home::local_token(home)).flatten()
}

/// The address of a dashboard with the token. Browsers send what stands after the `#` to nobody: no log has it.
pub(crate) fn address(server: &str, token: Option<&str>) -> String {
    match token {
        Some(token) => format!("{}/#token={token}", server.trim_end_matches('/')),
        None => server.to_owned(),
    }
}

fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => IpAddr::from(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::from(address).is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::home::{Home, Running};

    use super::*;

    #[test]
    fn the_token_goes_to_the_server_that_runs_on_the_folder_and_to_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(folder.path()).unwrap();
        let running = Running { url: "http://localhost:8089".to_owned(), ..Running::default() };
        home.write_running(&running).unwrap();
        home.write_local_token("secret").unwrap();
        for (server, sent) in [
            ("http://localhost:8089", true),
            ("http://127.0.0.1:8089/", true),
            ("http://localhost:8080", false),
            ("http://tarsy.example:8089", false),
            ("http://localhost.evil.example:8089", false),
        ] {
            assert_eq!(for_server(folder.path(), server).is_some(), sent, "{server}");
        }
    }

    #[test]
    fn the_address_carries_the_token_where_no_request_has_it() {
        let address = address("http://localhost:8080/", Some("abc"));
        assert_eq!(address, "http://localhost:8080/#token=abc");
        let url = Url::parse(&address).unwrap();
        assert_eq!((url.path(), url.query(), url.fragment()), ("/", None, Some("token=abc")));
    }
}
