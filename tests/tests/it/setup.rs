//! `deploy/scripts/setup.sh` finds a program where it is, and notices where it is not.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::Context as _;

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/scripts/setup.sh")
}

/// Runs the script with nothing but `path` as its `PATH`.
fn setup(argument: &str, path: &Path) -> anyhow::Result<Output> {
    Command::new("/bin/bash")
        .arg(script())
        .arg(argument)
        .env_clear()
        .env("PATH", path)
        .output()
        .context("bash could not be started")
}

/// The lines of `setup.sh lookups` as program and path.
fn lookups(path: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let output = setup("lookups", path)?;
    anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout)?;
    lines
        .lines()
        .map(|line| {
            let (program, found) = line.split_once(": ").context("a line without a path")?;
            Ok((program.to_owned(), found.to_owned()))
        })
        .collect()
}

#[test]
fn every_program_is_missing_when_the_path_is_empty() -> anyhow::Result<()> {
    let empty = tempfile::tempdir()?;
    let found = lookups(empty.path())?;
    assert!(found.iter().any(|(program, _)| program == "chromium"), "{found:?}");
    for (program, path) in found {
        assert_eq!(path, "missing", "{program} is found although nothing is on PATH");
    }
    Ok(())
}

#[test]
fn a_program_on_the_path_is_found_there() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let chromium = folder.path().join("chromium");
    fs::write(&chromium, "#!/bin/sh\n")?;
    fs::set_permissions(&chromium, fs::Permissions::from_mode(0o755))?;
    let found = lookups(folder.path())?;
    let path = found.iter().find(|(program, _)| program == "chromium").map(|(_, path)| path);
    assert_eq!(path, Some(&chromium.display().to_string()));
    Ok(())
}

#[test]
fn every_program_that_the_script_requires_or_looks_up_is_in_the_list() -> anyhow::Result<()> {
    let text = fs::read_to_string(script())?;
    let listed = lookups(tempfile::tempdir()?.path())?;
    let mut named = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        for pair in words.windows(2) {
            if let [verb, program] = pair
                && ["require", "find_program", "apt_install"].contains(verb)
                && program.starts_with(|first: char| first.is_ascii_lowercase())
            {
                named.push(program.trim_end_matches(';').to_owned());
            }
        }
    }
    assert!(named.contains(&"chromium".to_owned()), "{named:?}");
    for program in named {
        assert!(listed.iter().any(|(name, _)| *name == program), "{program} is not in `programs`");
    }
    Ok(())
}

#[test]
fn a_missing_toolchain_is_named_with_the_way_to_get_it() -> anyhow::Result<()> {
    let empty = tempfile::tempdir()?;
    let output = setup("test", empty.path())?;
    assert!(!output.status.success());
    let error = String::from_utf8(output.stderr)?;
    for program in ["cargo", "python3", "cc", "node", "npm"] {
        assert!(error.contains(&format!("setup: {program} is missing: ")), "{program}: {error}");
    }
    assert!(error.contains("or newer, https://rustup.rs"), "{error}");
    Ok(())
}

/// Puts programs into a folder that print these versions.
fn programs(folder: &Path, versions: &[(&str, &str)]) -> anyhow::Result<()> {
    for (program, version) in versions {
        let path = folder.join(program);
        fs::write(&path, format!("#!/bin/bash\necho '{version}'\n"))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

#[test]
fn what_is_too_old_is_named_before_anything_is_downloaded() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let good = [
        ("cargo", "cargo 1.120.0 (abc 2027-01-01)"),
        ("python3", "Python 3.11.2"),
        ("node", "v20.19.0"),
        ("cc", ""),
        ("npm", ""),
    ];
    programs(folder.path(), &good)?;
    let output = setup("toolchains", folder.path())?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let old = [("cargo", "cargo 1.9.0"), ("python3", "Python 3.9.2"), ("node", "v18.20.4")];
    programs(folder.path(), &old)?;
    let output = setup("run", folder.path())?;
    assert!(!output.status.success());
    let error = String::from_utf8(output.stderr)?;
    for (program, version) in old {
        let expected = format!("{program} is too old ({version}): ");
        assert!(error.contains(&expected), "{program}: {error}");
    }
    assert_eq!(error.lines().count(), old.len(), "{error}");
    Ok(())
}

/// Lock files name every package, so pip has nothing to resolve. Its resolver before 23.3 takes the newest release of a package
/// that another one requires with an extra, whatever version the lock file names.
#[test]
fn pip_installs_what_lock_files_name_and_nothing_else() -> anyhow::Result<()> {
    let text = fs::read_to_string(script())?;
    let installs: Vec<_> = text.lines().filter(|line| line.contains("requirements")).collect();
    let from_lock_files: Vec<_> = installs.iter().filter(|line| line.contains(" -r ")).collect();
    assert!(from_lock_files.len() >= 6, "{installs:#?}");
    for line in from_lock_files {
        assert!(line.contains("--no-deps --require-hashes -r"), "{line}");
    }
    Ok(())
}
