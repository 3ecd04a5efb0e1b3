//! A TARSy that a package installed, as opposed to a checkout: where its files are, and where its user's are.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The folder below which a package installed this program and what belongs to it, such as that of a Python environment;
/// `None` in a checkout and in an image.
pub fn prefix() -> Option<PathBuf> {
    prefix_of(&std::env::current_exe().ok()?)
}

fn prefix_of(program: &Path) -> Option<PathBuf> {
    let bin = program.parent().filter(|folder| folder.file_name() == Some(OsStr::new("bin")))?;
    let prefix = bin.parent()?;
    shared(prefix).is_dir().then(|| prefix.to_owned())
}

/// The files that the package brings beside the program.
fn shared(prefix: &Path) -> PathBuf {
    prefix.join("share/tarsy")
}

/// The built dashboard of the package.
pub(crate) fn dashboard() -> Option<PathBuf> {
    prefix().map(|prefix| shared(&prefix).join("dashboard"))
}

/// Where the user of a package keeps the configuration: `$XDG_CONFIG_HOME/tarsy`, default `~/.config/tarsy`.
pub(crate) fn config() -> Option<PathBuf> {
    prefix()?;
    user_folder("XDG_CONFIG_HOME", ".config")
}

/// Where the data of a package's user is: `$XDG_DATA_HOME/tarsy`, default `~/.local/share/tarsy`.
pub fn data() -> Option<PathBuf> {
    prefix()?;
    user_folder("XDG_DATA_HOME", ".local/share")
}

fn user_folder(variable: &str, default: &str) -> Option<PathBuf> {
    // The specification ignores relative paths.
    let named = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = named.or_else(|| std::env::home_dir().map(|home| home.join(default)))?;
    Some(folder.join("tarsy"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_of_a_package_if_its_files_are_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("bin/tarsy");
        assert_eq!(prefix_of(&program), None);
        std::fs::create_dir_all(folder.path().join("share/tarsy")).unwrap();
        assert_eq!(prefix_of(&program).as_deref(), Some(folder.path()));
        assert_eq!(prefix_of(&folder.path().join("target/debug/tarsy")), None);
    }
}
