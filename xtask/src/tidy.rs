//! `cargo xtask tidy`: the rules of this workspace that no linter knows.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use cargo_metadata::Metadata;
use clap::ValueEnum;

use crate::cycles::{Cycle, DEFINITION, Graph};
use crate::sizes::{FILE_LIMIT, FUNCTION_LIMIT, Sizes};
use crate::source::Target;
use crate::{
    commit_subjects, generate, layers, numbers, python, retired, sizes, source, threats, typescript,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Rule {
    /// The generated code of libs/llm-proto is current.
    Generated,
    /// Crates depend on lower layers only, and one adapter uses each vendor.
    Layers,
    /// The files of a crate do not use each other in a circle.
    Cycles,
    /// No identifier that xtask/retired.txt lists.
    Retired,
    /// Files have at most 400 lines, functions at most 60, without tests.
    Sizes,
    /// 95 of 100 TypeScript functions have at most 40 lines.
    Typescript,
    /// Modules of llm-service import each other in no circle, and have at most 400 lines.
    Python,
    /// Numbers of documents are those of the constants in xtask/numbers.txt, which has each.
    Numbers,
    /// Every test that SECURITY.md and tests/threats.md name exists, and every attack has one.
    Threats,
    /// Subjects of new commits have an area and at most 72 characters.
    Commits,
}

/// The text below the options in `--help`.
pub(crate) fn help() -> String {
    format!("Cycles: {DEFINITION}")
}

/// The workspace, read once for all rules.
pub(crate) struct Tidy {
    metadata: Metadata,
    targets: Vec<Target>,
}

struct Outcome {
    /// A line with the numbers.
    summary: String,
    problems: Vec<String>,
}

impl Tidy {
    pub(crate) fn read() -> anyhow::Result<Self> {
        let metadata = source::metadata()?;
        let targets = source::targets(&metadata)?;
        Ok(Self { metadata, targets })
    }

    /// Prints what the rules find; the second value is whether they found nothing.
    pub(crate) fn check(&self, rules: &[Rule]) -> anyhow::Result<(String, bool)> {
        let mut text = String::new();
        let mut clean = true;
        for rule in chosen(rules) {
            let outcome = self.apply(rule)?;
            if !outcome.problems.is_empty() {
                clean = false;
                write!(
                    text,
                    "tidy {}: {}\n{}\n",
                    name(rule),
                    outcome.summary,
                    outcome.problems.join("\n")
                )?;
            }
        }
        Ok((text, clean))
    }

    /// Prints all numbers first, then what the rules find.
    pub(crate) fn report(&self, rules: &[Rule]) -> anyhow::Result<String> {
        let (mut numbers, mut details) = (String::new(), String::new());
        for rule in chosen(rules) {
            let outcome = self.apply(rule)?;
            writeln!(numbers, "{:<12} {}", name(rule), outcome.summary)?;
            if !outcome.problems.is_empty() {
                write!(details, "\n== {} ==\n{}\n", name(rule), outcome.problems.join("\n"))?;
            }
        }
        Ok(format!("{numbers}\n{}{details}", self.lines_per_package()?))
    }

    fn apply(&self, rule: Rule) -> anyhow::Result<Outcome> {
        match rule {
            Rule::Generated => {
                let problems: Vec<_> =
                    generate::check().err().map(|error| error.to_string()).into_iter().collect();
                Ok(counted(problems))
            }
            Rule::Layers => Ok(counted(layers::problems(&self.metadata))),
            Rule::Cycles => Ok(self.cycles()),
            Rule::Retired => self.retired(),
            Rule::Sizes => Ok(self.sizes()),
            Rule::Typescript => {
                let lengths = typescript::measure(self.root())?;
                Ok(Outcome { summary: lengths.summary().to_owned(), problems: lengths.problems() })
            }
            Rule::Python => {
                let (modules, problems) = python::problems(self.root())?;
                Ok(Outcome { summary: format!("{modules} modules of llm-service"), problems })
            }
            Rule::Numbers => {
                let (compared, problems) = numbers::problems(self.root())?;
                Ok(Outcome { summary: format!("{compared} numbers of documents"), problems })
            }
            Rule::Threats => {
                let (named, problems) = threats::problems(self.root())?;
                Ok(Outcome { summary: format!("{named} tests against attacks"), problems })
            }
            Rule::Commits => Ok(counted(commit_subjects::problems(self.root())?)),
        }
    }

    fn root(&self) -> &Path {
        self.metadata.workspace_root.as_std_path()
    }

    fn cycles(&self) -> Outcome {
        let cycles: Vec<Cycle<'_>> =
            self.targets.iter().flat_map(|target| Graph::new(target).cycles()).collect();
        let files: usize = cycles.iter().map(|cycle| cycle.files.len()).sum();
        let lines: usize = cycles.iter().map(Cycle::lines).sum();
        Outcome {
            summary: format!(
                "{} groups of files in cycles: {files} files, {lines} lines",
                cycles.len()
            ),
            problems: cycles.iter().map(ToString::to_string).collect(),
        }
    }

    fn retired(&self) -> anyhow::Result<Outcome> {
        let findings = retired::findings(self.root())?;
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in &findings {
            *counts.entry(&finding.identifier).or_default() += 1;
        }
        let summary = format!("{} identifiers, {} uses", counts.len(), findings.len());
        let problems = findings
            .iter()
            .map(|finding| {
                let place = format!("{}:{}", finding.path.display(), finding.line);
                format!("{place} {} (say: {})", finding.identifier, finding.replacement)
            })
            .collect();
        Ok(Outcome { summary, problems })
    }

    fn sizes(&self) -> Outcome {
        let mut problems = Vec::new();
        let (mut files, mut functions) = (0, 0);
        for file in self.targets.iter().flat_map(|target| &target.files) {
            let Sizes { production_lines, functions: all, .. } = sizes::measure(file);
            let path = file.path.display();
            if is_generated(&file.path) {
                continue;
            }
            if production_lines > FILE_LIMIT {
                files += 1;
                problems.push(format!("{path}: {production_lines} lines"));
            }
            for (name, line, lines) in
                all.into_iter().filter(|(_, _, lines)| *lines > FUNCTION_LIMIT)
            {
                functions += 1;
                problems.push(format!("{path}:{line} fn {name}: {lines} lines"));
            }
        }
        let summary = format!(
            "{files} files above {FILE_LIMIT} lines, {functions} functions above {FUNCTION_LIMIT}"
        );
        Outcome { summary, problems }
    }

    /// Product and test lines; test lines include the package's `tests` folder.
    fn lines_per_package(&self) -> anyhow::Result<String> {
        let mut lines: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
        for target in &self.targets {
            let (files, product, tests) = lines.entry(&target.package).or_default();
            for sizes in target.files.iter().map(sizes::measure) {
                *files += 1;
                *product += sizes.production_lines;
                *tests += sizes.test_lines;
            }
        }
        let mut text =
            format!("{:<22} {:>6} {:>8} {:>7}\n", "lines of", "files", "product", "tests");
        let (mut all_files, mut all_product, mut all_tests) = (0, 0, 0);
        for (package, (files, product, mut tests)) in lines {
            tests += self.lines_in_test_files(package)?;
            writeln!(text, "{package:<22} {files:>6} {product:>8} {tests:>7}")?;
            (all_files, all_product, all_tests) =
                (all_files + files, all_product + product, all_tests + tests);
        }
        writeln!(text, "{:<22} {all_files:>6} {all_product:>8} {all_tests:>7}", "all")?;
        Ok(text)
    }

    /// The lines of a package's Rust files that belong to no library or binary.
    fn lines_in_test_files(&self, package: &str) -> anyhow::Result<usize> {
        let Some(package) = self.metadata.packages.iter().find(|found| found.name == package)
        else {
            return Ok(0);
        };
        let Some(folder) = package.manifest_path.parent() else { return Ok(0) };
        let product: Vec<_> =
            self.targets.iter().flat_map(|target| &target.files).map(|file| &file.path).collect();
        let mut lines = 0;
        for path in source::rust_files(folder.as_std_path())? {
            let relative = path.strip_prefix(self.root()).unwrap_or(&path).to_owned();
            if !product.contains(&&relative) {
                lines += std::fs::read_to_string(&path)?.lines().count();
            }
        }
        Ok(lines)
    }
}

fn chosen(rules: &[Rule]) -> Vec<Rule> {
    if rules.is_empty() { Rule::value_variants().to_vec() } else { rules.to_vec() }
}

fn name(rule: Rule) -> String {
    rule.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn counted(problems: Vec<String>) -> Outcome {
    Outcome { summary: format!("{} problems", problems.len()), problems }
}

fn is_generated(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "generated")
}
