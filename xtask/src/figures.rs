//! `cargo xtask figures`: how much there is of the project, so that a change of it is a number. Files are those that git has.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};

/// Where the code of the product is.
const PRODUCT: [&str; 4] = ["services/", "libs/", "llm-service/src/", "dashboard/src/"];
/// Folders of other code below these.
const OTHERS: [&str; 5] = ["tests", "test", "testkit", "examples", "scripts"];
/// Folders that no person writes.
const GENERATED: [&str; 2] = ["generated", "gen"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Product,
    /// Tests, and what builds and measures the product.
    Beside,
}

/// Lines of a language.
struct Code {
    name: &'static str,
    endings: &'static [&'static str],
    product: usize,
    beside: usize,
}

/// Every figure, one a line.
pub(crate) fn text(root: &Path) -> anyhow::Result<String> {
    let files = files(root)?;
    let read = |file: &str| {
        std::fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}"))
    };
    let [mut at_root, mut docs, mut decisions] = [0; 3];
    let mut code = [
        Code { name: "Rust", endings: &["rs"], product: 0, beside: 0 },
        Code { name: "Python", endings: &["py"], product: 0, beside: 0 },
        Code { name: "TypeScript", endings: &["ts", "tsx"], product: 0, beside: 0 },
    ];
    for file in &files {
        if let Some(words) = words_of(file, &mut at_root, &mut docs, &mut decisions) {
            *words += read(file)?.split_whitespace().count();
        }
        let of_language = |one: &&mut Code| one.endings.contains(&ending(file));
        if let (Some(code), Some(part)) = (code.iter_mut().find(of_language), part(file)) {
            let lines = lines(&read(file)?, part);
            code.product += lines.0;
            code.beside += lines.1;
        }
    }
    let migrations = files.iter().filter(|file| is_migration(file)).count();
    let keys = configuration_keys(&read("docs/configuration.md")?);
    let variables = variables(&read("docs/operating.md")?);
    let mut rows = vec![
        ("words at the root".to_owned(), at_root),
        ("words in docs, without decisions".to_owned(), docs),
        ("words in decisions".to_owned(), decisions),
        ("files".to_owned(), files.len()),
    ];
    for one in &code {
        rows.push((format!("lines of {}, product", one.name), one.product));
        rows.push((format!("lines of {}, tests and tools", one.name), one.beside));
    }
    rows.push(("migrations".to_owned(), migrations));
    rows.push(("configuration keys".to_owned(), keys));
    rows.push(("environment variables".to_owned(), variables));
    rows.iter().try_fold(String::new(), |mut text, (name, number)| {
        writeln!(text, "{name:<36} {number:>8}")?;
        Ok(text)
    })
}

fn files(root: &Path) -> anyhow::Result<Vec<String>> {
    let listed = Command::new("git").current_dir(root).args(["ls-files", "-z"]).output()?;
    ensure!(listed.status.success(), "git ls-files failed");
    let listed = String::from_utf8(listed.stdout)?;
    let is_there = |file: &&str| root.join(file).is_file();
    Ok(listed.split_terminator('\0').filter(is_there).map(str::to_owned).collect())
}

/// The sum that the words of a file belong to.
fn words_of<'s>(
    file: &str,
    at_root: &'s mut usize,
    docs: &'s mut usize,
    decisions: &'s mut usize,
) -> Option<&'s mut usize> {
    if ending(file) != "md" {
        None
    } else if !file.contains('/') {
        Some(at_root)
    } else if file.starts_with("docs/adr/") {
        Some(decisions)
    } else {
        file.starts_with("docs/").then_some(docs)
    }
}

/// Whose code a file is; nothing for what is generated.
fn part(file: &str) -> Option<Part> {
    let has = |names: &[&str]| file.split('/').any(|folder| names.contains(&folder));
    if has(&GENERATED) {
        return None;
    }
    let name = file.rsplit('/').next().unwrap_or(file);
    let is_test = name == "tests.rs" || name.starts_with("test_") || name.contains(".test.");
    let is_product = PRODUCT.iter().any(|folder| file.starts_with(folder));
    Some(if is_product && !is_test && !has(&OTHERS) { Part::Product } else { Part::Beside })
}

/// The lines of a file that belong to the product, and the others. Tests stand at the end of a Rust file.
fn lines(text: &str, part: Part) -> (usize, usize) {
    let all = text.lines().count();
    let tests = || text.lines().position(|line| line == "#[cfg(test)]");
    let product = match part {
        Part::Product => tests().unwrap_or(all),
        Part::Beside => 0,
    };
    (product, all - product)
}

/// What follows the last dot of a name.
fn ending(file: &str) -> &str {
    file.rsplit_once('.').map_or("", |(_, ending)| ending)
}

fn is_migration(file: &str) -> bool {
    file.starts_with("migrations/") && ending(file) == "sql"
}

/// Generated tables whose rows are no keys, or stand in another one.
const OTHER_TABLES: [&str; 2] = [" essentials ", " masking "];

/// The rows of the generated tables of keys.
fn configuration_keys(page: &str) -> usize {
    let tables = page.split("<!-- generated:").skip(1);
    tables
        .filter(|table| !OTHER_TABLES.iter().any(|other| table.starts_with(other)))
        .filter_map(|table| table.split("<!-- end -->").next())
        .map(|table| rows(table).count())
        .sum()
}

/// The variables of the table of settings; a row may have several.
fn variables(page: &str) -> usize {
    let section = page.split("\n## Settings of a process").nth(1).unwrap_or_default();
    let table = section.split("\n## ").next().unwrap_or_default();
    let cells = rows(table).filter_map(|row| row.split('|').nth(1));
    let is_variable = |word: &&str| {
        word.starts_with(|letter: char| letter.is_ascii_uppercase())
            && word.chars().all(|letter| matches!(letter, 'A'..='Z' | '0'..='9' | '_'))
    };
    cells.map(|cell| cell.split('`').filter(is_variable).count()).sum()
}

fn rows(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| line.starts_with("| `"))
}

#[cfg(test)]
mod tests;
