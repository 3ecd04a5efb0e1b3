//! Single variables as values.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use ipnet::IpNet;
use tarsy_bus::BusSecurity;
use tarsy_telemetry::LogFormat;

use crate::installation;

/// The least characters of a secret that services share.
const MIN_SECRET: usize = 32;

/// Reads variables, and collects what is wrong with them.
pub(super) struct Reader<'a> {
    pub(super) environment: &'a BTreeMap<String, String>,
    pub(super) problems: Vec<String>,
}

impl Reader<'_> {
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.environment.get(name).map(|value| value.trim().to_owned()).filter(|v| !v.is_empty())
    }

    pub(super) fn parse<T: FromStr>(&mut self, name: &str, wanted: &str) -> Option<T> {
        let text = self.text(name)?;
        let parsed = text.parse().ok();
        if parsed.is_none() {
            self.problem(format!("{name} is {text:?}; write {wanted}"));
        }
        parsed
    }

    pub(super) fn nats_replicas(&mut self) -> usize {
        const WANTED: &str = "1, 3 or 5: an even number of servers survives no more failures";
        let replicas = self.parse("NATS_REPLICAS", WANTED).unwrap_or(1);
        if !matches!(replicas, 1 | 3 | 5) {
            self.problem(format!("NATS_REPLICAS is {replicas}; write {WANTED}"));
        }
        replicas
    }

    /// A secret that services share, from this variable or from the file that `…_FILE` names; a problem never contains it.
    pub(super) fn shared_secret(&mut self, variable: &str) -> Option<String> {
        let file = format!("{variable}_FILE");
        let secret = match (self.text(variable), self.text(&file)) {
            (Some(_), Some(_)) => {
                self.problem(format!("{variable} and {file} are both set; keep one of them"));
                return None;
            }
            (None, Some(path)) => match std::fs::read_to_string(&path) {
                Ok(secret) => secret.trim().to_owned(),
                Err(error) => {
                    self.problem(format!("{file} is {path:?}, which cannot be read: {error}"));
                    return None;
                }
            },
            (secret, None) => secret?,
        };
        if secret.len() < MIN_SECRET || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            self.problem(format!(
                "{variable} is no secret of {MIN_SECRET} or more printable characters; write the output of \
                 `openssl rand -hex 32` into it, or into the file of {file}"
            ));
            return None;
        }
        Some(secret)
    }

    pub(super) fn networks(&mut self, name: &str) -> Vec<IpNet> {
        let text = self.text(name).unwrap_or_default();
        let mut networks = Vec::new();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word
                .parse::<IpNet>()
                .or_else(|_| word.parse::<std::net::IpAddr>().map(IpNet::from))
            {
                Ok(network) => networks.push(network),
                Err(_) => self.problem(format!(
                    "{name} has {word:?}; write networks such as 10.0.0.0/8,127.0.0.1"
                )),
            }
        }
        networks
    }

    /// Keys of 32 bytes; a problem never contains the key.
    pub(super) fn keys(&mut self, name: &str) -> Vec<[u8; 32]> {
        let text = self.text(name).unwrap_or_default();
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
        let keys: Option<Vec<[u8; 32]>> = words.map(key).collect();
        if keys.is_none() {
            self.problem(format!(
                "{name} has something that is no key; write 64 hexadecimal digits for each, as \
                 `openssl rand -hex 32` makes them, comma-separated"
            ));
        }
        keys.unwrap_or_default()
    }

    pub(super) fn nats_security(&mut self) -> BusSecurity {
        let path = |name: &str| self.text(name).map(PathBuf::from);
        let (certificate, key) = (path("NATS_CERT"), path("NATS_KEY"));
        let security = BusSecurity {
            credentials: path("NATS_CREDS"),
            nkey: path("NATS_NKEY"),
            authorities: path("NATS_CA"),
            certificate: certificate.clone().zip(key.clone()),
        };
        if certificate.is_some() != key.is_some() {
            self.problem("NATS_CERT and NATS_KEY belong together; set both or none".to_owned());
        }
        if security.credentials.is_some() && security.nkey.is_some() {
            self.problem("NATS_CREDS and NATS_NKEY exclude each other; set one".to_owned());
        }
        security
    }

    pub(super) fn log_format(&mut self, name: &str) -> LogFormat {
        match self.text(name).as_deref() {
            Some("pretty") => LogFormat::Pretty,
            None | Some("json") => LogFormat::Json,
            Some(other) => {
                self.problem(format!("{name} is {other:?}; use json or pretty"));
                LogFormat::Json
            }
        }
    }

    /// True or false; false without it.
    pub(super) fn switch(&mut self, name: &str) -> bool {
        self.parse(name, "true or false").unwrap_or(false)
    }

    pub(super) fn config_dir(&self) -> Option<PathBuf> {
        self.folder("TARSY_CONFIG_DIR", installation::config(), "deploy/config")
    }

    pub(super) fn dashboard_dir(&self) -> Option<PathBuf> {
        self.folder("TARSY_DASHBOARD_DIR", installation::dashboard(), "dashboard/dist")
    }

    /// The folder that the variable names, else that of the package or of the checkout if it is there.
    fn folder(
        &self,
        name: &str,
        of_package: Option<PathBuf>,
        of_checkout: &str,
    ) -> Option<PathBuf> {
        self.text(name).map(PathBuf::from).or_else(|| {
            let default = of_package.unwrap_or_else(|| of_checkout.into());
            default.is_dir().then_some(default)
        })
    }

    /// Absolute paths with colons between.
    pub(super) fn paths(&mut self, name: &str) -> Vec<PathBuf> {
        let text = self.text(name).unwrap_or_default();
        let paths: Vec<PathBuf> =
            text.split(':').filter(|path| !path.is_empty()).map(PathBuf::from).collect();
        for path in paths.iter().filter(|path| !path.is_absolute()) {
            let path = path.display();
            self.problem(format!("{name} has {path}; write absolute paths with colons between"));
        }
        paths
    }

    /// Every `TARSY_…` must be one of these.
    pub(super) fn refuse_unknown(&mut self, known: &[&str]) {
        let unknown: Vec<String> = self
            .environment
            .keys()
            .filter(|name| name.starts_with("TARSY_") && !name.starts_with("TARSY_TEST_"))
            .filter(|name| !known.contains(&name.as_str()))
            .cloned()
            .collect();
        for name in unknown {
            self.problem(format!(
                "{name} is not a setting, and TARSY_ is the prefix of settings: give a variable of your own another \
                 name; the settings are {}",
                known.join(", ")
            ));
        }
    }

    pub(super) fn problem(&mut self, problem: String) {
        self.problems.push(problem);
    }
}

fn key(word: &str) -> Option<[u8; 32]> {
    let digits = word.as_bytes();
    let mut key = [0; 32];
    if digits.len() != 2 * key.len() {
        return None;
    }
    for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
        let pair = std::str::from_utf8(pair).ok()?;
        *byte = pair
            .bytes()
            .all(|digit| digit.is_ascii_hexdigit())
            .then_some(())
            .and_then(|()| u8::from_str_radix(pair, 16).ok())?;
    }
    Some(key)
}
