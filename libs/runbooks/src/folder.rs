//! A folder of runbooks that the operator mounted.

use std::path::{Path, PathBuf};

use tokio::fs;
use tokio::io::AsyncReadExt as _;
use url::Url;

use crate::error::Error;
use crate::fetch::text_of;
use crate::github::is_markdown;

/// How many files are listed.
const MOST_FILES: usize = 500;
/// How many entries are looked at for that.
const MOST_ENTRIES: usize = 5_000;
const DEEPEST: usize = 8;

/// The text of a file below the folder, wherever links lead.
pub(crate) async fn read(folder: &Path, file: &Path, limit: usize) -> Result<String, Error> {
    let real = inside(folder, &folder.join(file)).await?;
    let file = fs::File::open(&real).await.map_err(|_| Error::NoSuchFile)?;
    let mut bytes = Vec::new();
    let mut bounded = file.take(limit as u64 + 1);
    bounded.read_to_end(&mut bytes).await.map_err(|_| Error::NoSuchFile)?;
    if bytes.len() > limit {
        return Err(Error::TooLarge { limit });
    }
    text_of(bytes)
}

/// The real path of a plain file that lies in the folder after all links are followed.
async fn inside(folder: &Path, file: &Path) -> Result<PathBuf, Error> {
    let root = fs::canonicalize(folder).await.map_err(|_| Error::NoSuchFile)?;
    let real = fs::canonicalize(file).await.map_err(|_| Error::NoSuchFile)?;
    if !real.starts_with(&root) {
        return Err(Error::Outside);
    }
    let about = fs::metadata(&real).await.map_err(|_| Error::NoSuchFile)?;
    if about.is_file() { Ok(real) } else { Err(Error::NoSuchFile) }
}

/// The addresses of the folder's runbooks, in order.
pub(crate) async fn list(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut seen = 0;
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((here, depth)) = open.pop() {
        let Ok(mut entries) = fs::read_dir(&here).await else { continue };
        while let Ok(Some(entry)) = entries.next_entry().await {
            seen += 1;
            if seen > MOST_ENTRIES || found.len() >= MOST_FILES {
                tracing::warn!("the folder of runbooks has more than is listed");
                open.clear();
                break;
            }
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
            let path = entry.path();
            let real_folder = entry.file_type().await.is_ok_and(|kind| kind.is_dir());
            if real_folder && depth < DEEPEST {
                open.push((path, depth + 1));
            } else if is_markdown(name) && inside(folder, &path).await.is_ok() {
                found.extend(address(folder, &path));
            }
        }
    }
    found.sort_unstable();
    found
}

fn address(folder: &Path, path: &Path) -> Option<String> {
    let relative = path.strip_prefix(folder).ok()?;
    Url::from_file_path(Path::new("/").join(relative)).ok().map(String::from)
}
