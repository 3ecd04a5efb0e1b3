//! `tail_log` and `list_logs`.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use jiff::{Timestamp, Unit};
use serde_json::{Value, json};

use super::lines::{containing, newest};
use crate::args::{ListLogsArgs, TailLogArgs, bounded, text};
use crate::error::{ToolError, ToolResult};
use crate::host::Host;
use crate::logfiles::LogFile;

/// How much of the end of a file is read.
const WINDOW: u64 = 1024 * 1024;
/// How much is read when lines are searched.
const SEARCH_WINDOW: u64 = 16 * 1024 * 1024;
/// How much of a file says whether it is text.
const BEGINNING: u64 = 512;
/// Endings of compressed files.
const COMPRESSED: [&str; 7] = [".gz", ".xz", ".zst", ".bz2", ".lz4", ".zip", ".lzma"];

/// The end of a text file.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) text: String,
    pub(crate) read_bytes: u64,
    pub(crate) file_bytes: u64,
}

/// The newest lines of a log file.
pub(crate) fn tail(host: &Host, args: TailLogArgs) -> ToolResult {
    let lines = bounded("lines", args.lines, 1, 500)?;
    let contains = text("contains", args.contains, 256)?;
    if args.path.len() > 4096 {
        return Err(ToolError::invalid(
            "path is longer than 4096 bytes",
            "use a path as list_logs shows it",
        ));
    }
    let (file, path) = host.logs.open(&args.path)?;
    let end = read_end(file, &args.path, contains.is_some())?;
    let found = newest(&end.text, lines, containing(contains.as_deref()));
    Ok(json!({
        "path": path.to_string_lossy(),
        "file_bytes": end.file_bytes,
        "read_bytes_from_end": end.read_bytes,
        "whole_file_read": end.read_bytes == end.file_bytes,
        "contains": contains,
        "count": found.lines.len(),
        "cut": found.cut,
        "lines": found.lines,
    }))
}

/// Reads the end of a file; what is not text is refused.
pub(crate) fn read_end(mut file: File, path: &str, searching: bool) -> Result<End, ToolError> {
    let refuse = |what: &str| {
        ToolError::refused(
            format!("{path} is {what}"),
            "choose a plain text log; list_logs shows the files",
        )
    };
    if is_named_compressed(path) {
        return Err(refuse("compressed"));
    }
    let failed = |error: std::io::Error| {
        ToolError::unreadable(format!("{path} cannot be read: {error}"), "try again")
    };
    let file_bytes = file.metadata().map_err(failed)?.len();
    let window = if searching { SEARCH_WINDOW } else { WINDOW };
    let start = file_bytes.saturating_sub(window);
    file.seek(SeekFrom::Start(start)).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(window).read_to_end(&mut bytes).map_err(failed)?;
    if start == 0 && is_compressed(&bytes) {
        return Err(refuse("compressed"));
    }
    if is_binary(&bytes) {
        return Err(refuse("binary, not text"));
    }
    let whole = String::from_utf8_lossy(&bytes);
    // The first line of a window is most likely the end of one.
    let text = match whole.split_once('\n') {
        Some((_, rest)) if start > 0 => rest.to_owned(),
        _ => whole.into_owned(),
    };
    Ok(End { text, read_bytes: file_bytes - start, file_bytes })
}

fn is_compressed(bytes: &[u8]) -> bool {
    let magics: [&[u8]; 5] = [b"\x1f\x8b", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"BZh", b"PK\x03\x04"];
    magics.iter().any(|magic| bytes.starts_with(magic))
}

/// More than one byte in twenty that no text has; holes of a cut log are tolerated at the beginning.
fn is_binary(bytes: &[u8]) -> bool {
    let text = bytes.iter().position(|byte| *byte != 0).and_then(|start| bytes.get(start..));
    let Some(text) = text else { return !bytes.is_empty() };
    let strange = text
        .iter()
        .filter(|byte| {
            byte.is_ascii_control() && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x1b | 0x0c)
        })
        .count();
    strange * 20 > text.len()
}

/// Whether a file has something that `tail` would show, by its beginning.
fn has_text(host: &Host, file: &LogFile) -> bool {
    let path = file.path.to_string_lossy();
    let begins = || {
        let (opened, _) = host.logs.open(&path).ok()?;
        let mut bytes = Vec::new();
        opened.take(BEGINNING).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    };
    let is_text = |bytes: Vec<u8>| !is_compressed(&bytes) && !is_binary(&bytes);
    // What cannot be opened is listed: why not is an answer of its own.
    file.size > 0 && !is_named_compressed(&path) && begins().is_none_or(is_text)
}

fn is_named_compressed(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    COMPRESSED.iter().any(|ending| path.ends_with(ending))
}

/// The log files that can be read, the most recently written first.
pub(crate) fn list(host: &Host, args: ListLogsArgs) -> ToolResult {
    let limit = bounded("limit", args.limit, 1, 500)?;
    let contains = text("contains", args.contains, 256)?;
    let (files, cut) = host.logs.files(contains.as_deref());
    let mut left_out = 0_usize;
    let listed: Vec<Value> = files
        .iter()
        .filter(|file| {
            let shown = has_text(host, file);
            left_out += usize::from(!shown);
            shown
        })
        .take(limit)
        .map(|file| {
            let modified = Timestamp::try_from(file.modified)
                .ok()
                .and_then(|time| time.round(Unit::Second).ok());
            json!({
                "path": file.path.to_string_lossy(),
                "size_bytes": file.size,
                "modified": modified.map(|time| time.to_string()),
            })
        })
        .collect();
    Ok(json!({
        "readable": host.logs.describe(),
        "found": files.len(),
        "empty_compressed_or_binary": left_out,
        "search_cut": cut,
        "files": listed,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    fn host_with(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Host) {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), bytes).expect("written");
        }
        let log_paths = vec![format!("{}/**", folder.path().display())];
        let options = Options { log_paths, ..Options::default() };
        let host = Host::new(&options).expect("valid options");
        (folder, host)
    }

    fn tail_of(
        folder: &tempfile::TempDir,
        host: &Host,
        name: &str,
        contains: Option<&str>,
    ) -> ToolResult {
        let path = folder.path().join(name).to_string_lossy().into_owned();
        tail(host, TailLogArgs { path, lines: 3, contains: contains.map(str::to_owned) })
    }

    #[test]
    fn the_end_of_a_log_is_read_and_searched() {
        let (folder, host) = host_with(&[("app.log", b"a ERROR\nb\nc\nd\ne\n")]);
        let answer = tail_of(&folder, &host, "app.log", None).expect("an answer");
        assert_eq!(answer.get("lines"), Some(&json!(["c", "d", "e"])));
        let answer = tail_of(&folder, &host, "app.log", Some("error")).expect("an answer");
        assert_eq!(answer.get("lines"), Some(&json!(["a ERROR"])));
    }

    #[test]
    fn only_the_end_of_a_big_log_is_read() {
        let big = "0123456789abcdef\n".repeat(100_000);
        let (folder, host) = host_with(&[("big.log", big.as_bytes())]);
        let answer = tail_of(&folder, &host, "big.log", None).expect("an answer");
        assert_eq!(answer.get("read_bytes_from_end"), Some(&json!(WINDOW)));
        assert_eq!(answer.get("lines").and_then(Value::as_array).map(Vec::len), Some(3));
    }

    #[test]
    fn compressed_and_binary_files_are_refused() {
        let (folder, host) = host_with(&[
            ("a.log.gz", b"x"),
            ("hidden", b"\x1f\x8b\x08junk"),
            ("wtmp", b"\x01\0\0\0\x02\0\0\0tty"),
        ]);
        for name in ["a.log.gz", "hidden", "wtmp"] {
            let error = tail_of(&folder, &host, name, None).expect_err(name);
            assert!(error.to_json().to_string().contains("refused"), "{name}: {error}");
        }
    }

    #[test]
    fn files_without_text_are_counted_and_not_listed() {
        let (_folder, host) = host_with(&[
            ("app.log", b"a line\n"),
            ("empty.log", b""),
            ("old.log.gz", b"x"),
            ("hidden", b"\x1f\x8b\x08junk"),
            ("wtmp", b"\x01\0\0\0\x02\0\0\0tty"),
        ]);
        let answer = list(&host, ListLogsArgs { contains: None, limit: 10 }).expect("an answer");
        let files = answer.get("files").and_then(Value::as_array).expect("files");
        assert_eq!(files.len(), 1, "{answer}");
        assert_eq!(answer.get("empty_compressed_or_binary"), Some(&json!(4)));
        assert_eq!(answer.get("found"), Some(&json!(5)));
    }

    #[test]
    fn an_empty_log_has_no_lines() {
        let (folder, host) = host_with(&[("empty.log", b"")]);
        let answer = tail_of(&folder, &host, "empty.log", None).expect("an answer");
        assert_eq!(answer.get("count"), Some(&json!(0)));
    }

    #[test]
    fn a_log_whose_beginning_was_cut_to_zeros_is_still_text() {
        let mut bytes = vec![0; 4096];
        bytes.extend_from_slice(b"after rotation\n");
        assert!(!is_binary(&bytes));
    }

    #[test]
    fn the_list_shows_size_and_time_of_the_files() {
        let (folder, host) = host_with(&[("one.log", b"12345"), ("two.txt", b"1")]);
        let args = ListLogsArgs { limit: 10, contains: Some("/ONE.LOG".to_owned()) };
        let answer = list(&host, args).expect("an answer");
        let files = answer.get("files").and_then(Value::as_array).expect("a list");
        assert_eq!(files.len(), 1, "{answer}");
        assert_eq!(files.first().and_then(|file| file.get("size_bytes")), Some(&json!(5)));
        drop(folder);
    }
}
