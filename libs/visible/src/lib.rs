//! Texts of others, shown so that a person sees every character.
//!
//! Pure: text in, text out. [`readable`] is for what is read, [`line`] for a field of one line, [`json`] for a document, [`exact`] and
//! [`arguments`] for what a person consents to. A character that shows nothing, or moves what is beside it, becomes its
//! code point: `[U+200B]`. `dashboard/src/lib/text/visible.ts` does the same for the dashboard, and both are tested with
//! `tests/cases.json`.
//!
//! ```
//! use tarsy_visible::{arguments, exact, line, readable};
//!
//! assert_eq!(readable("rm \u{202e}gpj.exe\n"), "rm [U+202E]gpj.exe\n");
//! assert_eq!(line("one\ntwo"), "one[U+000A]two");
//! assert_eq!(exact(&format!("a{}b", " ".repeat(2500))), "a·[×2500]b");
//! assert_eq!(arguments(r#"{"sql":"select 1;drop table a"}"#), "{\n  \"sql\": \"select 1;\n      drop table a\"\n}");
//! ```

mod characters;
mod layout;

pub use characters::{exact, json, line, readable};
pub use layout::arguments;
