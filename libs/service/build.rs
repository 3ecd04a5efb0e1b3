//! Passes the commit of this build to the compiler as `TARSY_COMMIT`.

#![expect(clippy::disallowed_methods, reason = "cargo passes its settings in the environment")]

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=TARSY_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
    // What is deployed is built in release mode. A debug build would compile every service again after each
    // commit, so that it may name an older one.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        for name in ["HEAD", "logs/HEAD"] {
            if let Some(path) = git(&["rev-parse", "--git-path", name]) {
                println!("cargo::rerun-if-changed={path}");
            }
        }
    }
    let given = std::env::var("TARSY_COMMIT").ok().filter(|commit| !commit.trim().is_empty());
    let commit = given.or_else(|| git(&["rev-parse", "--short=10", "HEAD"]));
    let commit = commit.unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=TARSY_COMMIT={}", commit.trim());
}

/// The output of git; none without git, or outside of a checkout.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
