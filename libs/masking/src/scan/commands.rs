//! Passwords on command lines without a key: `curl -u user:password`, `mysql -ppassword`.

use memchr::memchr_iter;

use super::cookie;
use super::harmless::is_placeholder;
use super::lexical::follows_string;
use super::scanner::Scanner;
use crate::patterns::Pattern;

/// How far a command line is followed.
const MAX_LINE: usize = 2048;

/// A program that takes a password by a short option.
pub(super) struct Command {
    /// The program, with the blank behind it.
    pub(super) literal: &'static str,
    options: &'static [&'static str],
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `-u user:password`
    Pair,
    /// `-p password`
    Next,
    /// `-ppassword`
    Joined,
    /// `-U user%password`
    Percent,
    /// `-b name=value`
    Cookies,
}

const fn command(literal: &'static str, options: &'static [&'static str], form: Form) -> Command {
    Command { literal, options, form }
}

/// The programs we know.
pub(super) const COMMANDS: [Command; 22] = [
    command("curl ", &["-u", "--user", "-U", "--proxy-user"], Form::Pair),
    command("curl ", &["-b", "--cookie"], Form::Cookies),
    command("http ", &["-a", "--auth"], Form::Pair),
    command("https ", &["-a", "--auth"], Form::Pair),
    command("mongosh ", &["-p"], Form::Next),
    command("mongo ", &["-p"], Form::Next),
    command("ldapsearch ", &["-w"], Form::Next),
    command("ldapmodify ", &["-w"], Form::Next),
    command("keytool ", &["-storepass", "-keypass", "-srcstorepass", "-deststorepass"], Form::Next),
    command("7z ", &["-p"], Form::Joined),
    command("unzip ", &["-P"], Form::Next),
    command("zip ", &["-P"], Form::Next),
    command("snmpwalk ", &["-A", "-X"], Form::Next),
    command("smbclient ", &["-U"], Form::Percent),
    command("az login ", &["-p"], Form::Next),
    command("cli admin ", &["reset-admin-password"], Form::Next),
    command("sshpass ", &["-p"], Form::Next),
    command("redis-cli ", &["-a"], Form::Next),
    command("docker login ", &["-p"], Form::Next),
    command("mysql ", &["-p"], Form::Joined),
    command("mysqldump ", &["-p"], Form::Joined),
    command("mysqladmin ", &["-p"], Form::Joined),
];

/// Looks at the rest of the line behind a program's name.
pub(super) fn look(scanner: &mut Scanner<'_, '_>, index: usize, start: usize, from: usize) {
    let Some(command) = COMMANDS.get(index) else { return };
    if (from < scanner.seen.command && from != scanner.seen.same_command)
        || !scanner.is_word_start(start)
    {
        return;
    }
    let end = scanner.run_end(from, MAX_LINE, |byte| !matches!(byte, b'\n' | b'\r'));
    // The string ends that the command is in.
    let ends =
        |at: &usize| scanner.before(*at) != Some(b'\\') && follows_string(scanner.bytes, at + 1);
    let line = scanner.bytes.get(from..end).unwrap_or_default();
    let end = memchr_iter(b'"', line).map(|at| from + at).find(ends).unwrap_or(end);
    scanner.seen.command = end;
    scanner.seen.same_command = from;
    let mut expects_value = false;
    let mut at = from;
    while at < end {
        let word_end = scanner.run_end(at, end - at, |byte| !matches!(byte, b' ' | b'\t'));
        let word = scanner.slice(at..word_end);
        let (option, joined) = match word.split_once('=') {
            Some((option, value)) if command.form == Form::Pair && option.starts_with("--") => {
                (option, Some(value))
            }
            _ => (word, None),
        };
        let known = command.options.contains(&option);
        let glued = command.options.iter().find_map(|option| {
            word.strip_prefix(*option).filter(|value| !value.is_empty() && option.len() == 2)
        });
        let more = command.form == Form::Cookies && word.ends_with(';');
        if expects_value && !known {
            take(scanner, at..word_end, command.form);
        } else if let Some(value) = joined.filter(|_| known) {
            take(scanner, word_end - value.len()..word_end, command.form);
        } else if let Some(value) = glued.filter(|_| command.form == Form::Joined) {
            take(scanner, word_end - value.len()..word_end, command.form);
        }
        expects_value =
            (known && joined.is_none() && command.form != Form::Joined) || (expects_value && more);
        at = scanner.run_end(word_end, MAX_LINE, |byte| matches!(byte, b' ' | b'\t'));
    }
}

fn take(scanner: &mut Scanner<'_, '_>, word: std::ops::Range<usize>, form: Form) {
    let quote = |c: char| matches!(c, '"' | '\'' | '\\' | '`' | ')' | ';' | ',');
    let text = scanner.slice(word.clone());
    let start = word.start + text.len() - text.trim_start_matches(quote).len();
    let text = scanner.slice(start..word.end);
    let end =
        start + text.find(['"', '\'', '\\', '`']).unwrap_or(text.trim_end_matches(quote).len());
    let value = scanner.slice(start..end);
    if form == Form::Cookies {
        return cookie::pairs(scanner, start..end, false);
    }
    let sign = if form == Form::Percent { '%' } else { ':' };
    let range = match (form, value.split_once(sign)) {
        (Form::Pair | Form::Percent, Some((user, _))) => start + user.len() + 1..end,
        (Form::Pair | Form::Percent, None) => return,
        _ => start..end,
    };
    if !value.starts_with('-') && !is_placeholder(scanner.slice(range.clone())) {
        scanner.add(range, Pattern::Password);
    }
}
