//! Cases in public layouts, which are not ours. Pure: the paths and texts of files in, cases out.

mod fixtures;
mod parts;
mod scenarios;
mod schema;
mod tool_cache;

use std::collections::BTreeSet;

pub use parts::{File, LayoutError, ReadCase};
use parts::{json, problem};

/// The file with accepted names in any layout.
const EXPECTED: &str = "expected.json";
/// Calls of one case; more is an error.
const MOST_CALLS: usize = 20_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A folder for each case with `tool_cache.json` (results by tool and arguments) and `metadata.json` (query, answer).
    ToolCache,
    /// A folder for each case with `test_case.yaml` (question, expected statements) and a `.txt` file for each call.
    Fixtures,
    /// A folder for each case with `alert.json`, `answer.yml` (the kind of the cause, required words) and a `.json` file for each tool.
    Scenarios,
}

impl Layout {
    /// The layout of a folder, by the paths of its files; none if it is none of these.
    pub fn of<'p>(paths: impl IntoIterator<Item = &'p str>) -> Option<Self> {
        paths.into_iter().find_map(|path| {
            let name = split(path).1;
            let all = [Self::ToolCache, Self::Fixtures, Self::Scenarios];
            all.into_iter().find(|layout| layout.marker() == name)
        })
    }

    /// The folders of cases, sorted; one in the root is empty.
    pub fn folders<'p>(self, paths: impl IntoIterator<Item = &'p str>) -> BTreeSet<&'p str> {
        let found = paths.into_iter().map(split);
        found.filter(|(_, name)| *name == self.marker()).map(|(folder, _)| folder).collect()
    }

    /// Whether a case is made from a file of this name.
    pub fn reads(self, name: &str) -> bool {
        let is_own = match self {
            Self::ToolCache => [tool_cache::CACHE, tool_cache::METADATA].contains(&name),
            Self::Fixtures => name == fixtures::TEST_CASE || name.ends_with(fixtures::RESULTS),
            Self::Scenarios => scenarios::reads(name),
        };
        is_own || name == EXPECTED
    }

    /// The name of the folder beside a case's own that has the files that the case lacks.
    pub fn base(self, files: &[File<'_>]) -> Result<Option<String>, LayoutError> {
        match self {
            Self::ToolCache | Self::Fixtures => Ok(None),
            Self::Scenarios => scenarios::base(files),
        }
    }

    /// Whether a case takes a file of this name from its base.
    pub fn inherits(self, name: &str) -> bool {
        self == Self::Scenarios && name != EXPECTED && scenarios::inherits(name)
    }

    /// Reads the files of one folder. Answers in `expected.json` take the place of the layout's own.
    pub fn read(self, files: &[File<'_>]) -> Result<ReadCase, LayoutError> {
        let mut case = match self {
            Self::ToolCache => tool_cache::read(files)?,
            Self::Fixtures => fixtures::read(files)?,
            Self::Scenarios => scenarios::read(files)?,
        };
        if files.iter().any(|file| file.name == EXPECTED) {
            case.expected = json(files, EXPECTED)?;
            let invalid = case.expected.check();
            invalid.map_err(|invalid| problem(EXPECTED, invalid.to_string()))?;
        }
        if case.calls.len() > MOST_CALLS {
            let found = case.calls.len();
            return Err(problem(self.marker(), format!("{found} calls; at most {MOST_CALLS}")));
        }
        Ok(case)
    }

    const fn marker(self) -> &'static str {
        match self {
            Self::ToolCache => tool_cache::CACHE,
            Self::Fixtures => fixtures::TEST_CASE,
            Self::Scenarios => scenarios::ANSWER,
        }
    }
}

/// The folder and the name of a path.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_is_known_by_one_file_and_has_a_case_in_each_folder_of_it() {
        let paths =
            ["README.md", "b/1/tool_cache.json", "b/1/metadata.json", "a/2/tool_cache.json"];
        let layout = Layout::of(paths).unwrap();
        assert_eq!(layout, Layout::ToolCache);
        assert_eq!(layout.folders(paths).into_iter().collect::<Vec<_>>(), ["a/2", "b/1"]);
        assert_eq!(Layout::of(["x/test_case.yaml"]), Some(Layout::Fixtures));
        assert_eq!(Layout::Fixtures.folders(["test_case.yaml"]).len(), 1);
        assert_eq!(Layout::of(["x/alert.json", "x/answer.yml"]), Some(Layout::Scenarios));
        assert_eq!(Layout::of(["x/calls.jsonl"]), None);
        assert!(layout.reads("expected.json") && !layout.reads("logs.json"));
    }

    #[test]
    fn accepted_names_beside_a_case_take_the_place_of_its_answer() {
        let expected = r#"{"cause": ["full"], "object": ["/srv"], "category": []}"#;
        let files = [
            File { name: "tool_cache.json", text: "{}" },
            File {
                name: "metadata.json",
                text: r#"{"query": "q", "result": {"root_cause": "x"}}"#,
            },
            File { name: "expected.json", text: expected },
        ];
        let error = Layout::ToolCache.read(&files).unwrap_err().to_string();
        assert!(error.starts_with("expected.json: expected.category: is empty"), "{error}");
    }
}
