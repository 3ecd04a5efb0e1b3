//! The modules of llm-service: none imports another one in a circle, and none is long. ruff has the lengths of functions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::sizes::FILE_LIMIT;

const ROOT: &str = "llm-service/src/";
const PACKAGE: &str = "llm_service";
/// What the compiler of `proto/` writes.
const GENERATED: &str = "llm-service/src/llm_service/gen/";

/// How many modules there are, and what is wrong with them.
pub(crate) fn problems(root: &Path) -> anyhow::Result<(usize, Vec<String>)> {
    let listed = Command::new("git")
        .current_dir(root)
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", ROOT])
        .output()?;
    ensure!(listed.status.success(), "git ls-files failed");
    let listed = String::from_utf8(listed.stdout)?;
    let mut modules = BTreeMap::new();
    let is_module = |file: &&str| Path::new(file).extension().is_some_and(|end| end == "py");
    for file in listed.split('\0').filter(is_module) {
        if !file.starts_with(GENERATED) && root.join(file).is_file() {
            let text = std::fs::read_to_string(root.join(file))
                .with_context(|| format!("cannot read {file}"))?;
            modules.insert(name(file), text);
        }
    }
    Ok((modules.len(), found(&modules)))
}

fn name(file: &str) -> String {
    let module = file.trim_start_matches(ROOT).trim_end_matches(".py").replace('/', ".");
    module.trim_end_matches(".__init__").to_owned()
}

fn found(modules: &BTreeMap<String, String>) -> Vec<String> {
    let long = modules.iter().filter_map(|(module, text)| {
        let lines = text.lines().count();
        (lines > FILE_LIMIT).then(|| format!("{module}: {lines} lines"))
    });
    let imports: BTreeMap<&str, BTreeSet<String>> =
        modules.iter().map(|(module, text)| (module.as_str(), imports(text))).collect();
    let circles = imports.keys().filter_map(|module| {
        let way = way_back(module, &imports)?;
        // Each circle once, from the first of its modules on.
        (way.iter().min() == way.first()).then(|| way.join(" imports "))
    });
    long.chain(circles).collect()
}

/// The modules of the package that a module imports, wherever it does.
fn imports(text: &str) -> BTreeSet<String> {
    let text = with_whole_imports(text);
    let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix("from "));
    let named = lines.filter_map(|line| line.split_once(" import "));
    let own = named.filter(|(module, _)| module.split('.').next() == Some(PACKAGE));
    own.flat_map(|(module, names)| {
        let members = names.split(" #").next().unwrap_or_default().split([',', '(', ')']);
        let members = members.filter_map(|name| name.split_whitespace().next());
        let members = members.map(|name| format!("{module}.{name}")).collect::<Vec<_>>();
        std::iter::once(module.to_owned()).chain(members)
    })
    .filter(|module| module != PACKAGE)
    .collect()
}

/// The text with each import in one line.
fn with_whole_imports(text: &str) -> String {
    let mut is_open = false;
    let mut whole = String::with_capacity(text.len());
    for line in text.lines() {
        is_open |= line.trim_start().starts_with("from ") && line.contains(" import (");
        is_open &= !line.contains(')');
        whole.push_str(line);
        whole.push(if is_open { ' ' } else { '\n' });
    }
    whole
}

/// The shortest way from a module over its imports back to itself.
fn way_back(module: &str, imports: &BTreeMap<&str, BTreeSet<String>>) -> Option<Vec<String>> {
    let mut ways = vec![vec![module.to_owned()]];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            let next = way.last().and_then(|last| imports.get(last.as_str()))?;
            for one in next.iter().filter(|one| imports.contains_key(one.as_str())) {
                let mut longer_way = way.clone();
                longer_way.push(one.clone());
                if one == module {
                    return Some(longer_way);
                }
                if seen.insert(one.clone()) {
                    longer.push(longer_way);
                }
            }
        }
        ways = longer;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(modules: &[(&str, &str)]) -> Vec<String> {
        found(&modules.iter().map(|(name, text)| (name_of(name), (*text).to_owned())).collect())
    }

    fn name_of(module: &str) -> String {
        format!("{PACKAGE}.{module}")
    }

    #[test]
    fn modules_that_import_each_other_are_named_once() {
        let modules = [
            ("chunks", "from llm_service.errors import ProviderError\n"),
            ("errors", "if TYPE_CHECKING:\n    from llm_service.chunks import Info  # types\n"),
            ("main", "import os\nfrom llm_service import chunks, logs\nfrom typing import Any\n"),
            ("logs", ""),
        ];
        assert_eq!(
            check(&modules),
            ["llm_service.chunks imports llm_service.errors imports llm_service.chunks"]
        );
        assert_eq!(check(&modules[1..]), Vec::<String>::new());
        let whole = "from llm_service import (\n    logs,\n    two,\n)\n";
        assert_eq!(check(&[("one", whole), ("two", "from llm_service.one import x\n")]).len(), 1);
    }

    #[test]
    fn a_long_module_is_reported_and_packages_have_the_name_of_their_folder() {
        let long = "x = 1\n".repeat(FILE_LIMIT + 1);
        assert_eq!(
            check(&[("long", &long)]),
            [format!("llm_service.long: {} lines", FILE_LIMIT + 1)]
        );
        assert_eq!(
            name("llm-service/src/llm_service/providers/__init__.py"),
            "llm_service.providers"
        );
    }
}
