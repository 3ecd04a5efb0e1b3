//! The users in files of JAAS, as Kafka reads them.

use memchr::{memchr, memmem};

use crate::scan::lexical::quoted;
use crate::scan::scanner::Scanner;
use crate::scan::statement::add;

/// How long a module is at most.
const MAX_MODULE: usize = 2048;

/// The strings of `user_NAME="…"`, up to the end of the module.
pub(super) fn users(scanner: &mut Scanner<'_, '_>, from: usize) {
    let until = scanner.text.floor_char_boundary(from + MAX_MODULE);
    let module = scanner.bytes.get(from..until).unwrap_or_default();
    let until = from + memchr(b';', module).unwrap_or(module.len());
    // The users of a module around this one are known.
    let from = from.max(scanner.seen.module.min(until));
    scanner.seen.module = until;
    let module = scanner.bytes.get(from..until).unwrap_or_default();
    let places: Vec<usize> = memmem::find_iter(module, b"user_").map(|at| from + at).collect();
    for place in places {
        let name = scanner.run_end(place, 64, |byte| byte.is_ascii_graphic() && byte != b'=');
        if scanner.stands_at(name, "=\"")
            && let Some(range) = quoted(scanner, name + 1)
        {
            add(scanner, range);
        }
    }
}
