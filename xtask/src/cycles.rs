//! Import cycles between the files of a crate.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::{self, Display, Formatter};

use crate::source::Target;

/// What `--help` prints about this rule.
pub(crate) const DEFINITION: &str = "\
A file uses another file of its crate when its code names an item that is defined there: in a `use`, in a path such \
as `crate::a::B` or `super::b()`, in the arguments of a macro or in an attribute. Re-exports are followed to the \
definition, so `pub use` (of any visibility) and `mod` are no use by themselves. A parent and its own child are a \
cycle when the child uses items that the parent's file defines, and the parent's code uses items of the child. Code \
under #[cfg(test)] does not count. Methods that an `impl` block adds to another file's type are not seen.";

/// The uses between the files of one target.
pub(crate) struct Graph<'t> {
    target: &'t Target,
    /// From a file to each file that it uses, with the first item and line that show it.
    edges: BTreeMap<usize, BTreeMap<usize, Use>>,
}

#[derive(Debug, Clone)]
struct Use {
    item: String,
    line: usize,
}

/// Files that use each other, directly or through others.
pub(crate) struct Cycle<'t> {
    target: &'t Target,
    pub(crate) files: BTreeSet<usize>,
    /// The shortest way round for each use inside the cycle; each step is a file, what it uses and the next file.
    paths: Vec<Vec<(usize, Use)>>,
}

impl<'t> Graph<'t> {
    pub(crate) fn new(target: &'t Target) -> Self {
        let mut edges: BTreeMap<usize, BTreeMap<usize, Use>> = BTreeMap::new();
        for reference in &target.names.references {
            let from = target.names.file_of(reference.module);
            let (Some(from), Some(definition)) = (from, target.names.definition(reference)) else {
                continue;
            };
            if from != definition.file {
                edges
                    .entry(from)
                    .or_default()
                    .entry(definition.file)
                    .or_insert_with(|| Use { item: definition.item, line: reference.line });
            }
        }
        Self { target, edges }
    }

    /// Every group of files that use each other.
    pub(crate) fn cycles(&self) -> Vec<Cycle<'t>> {
        let reachable: BTreeMap<usize, BTreeSet<usize>> =
            self.edges.keys().map(|&file| (file, self.reachable(file))).collect();
        let reaches =
            |from: usize, to: usize| reachable.get(&from).is_some_and(|all| all.contains(&to));
        let mut seen = BTreeSet::new();
        let mut cycles = Vec::new();
        for (&file, below) in &reachable {
            if !below.contains(&file) || seen.contains(&file) {
                continue;
            }
            let files: BTreeSet<usize> =
                below.iter().copied().filter(|&other| reaches(other, file)).collect();
            seen.extend(files.iter().copied());
            cycles.push(Cycle { target: self.target, paths: self.shortest_paths(&files), files });
        }
        cycles
    }

    fn uses(&self, file: usize) -> impl Iterator<Item = (usize, &Use)> {
        self.edges.get(&file).into_iter().flatten().map(|(&to, used)| (to, used))
    }

    fn reachable(&self, from: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut queue = vec![from];
        while let Some(file) = queue.pop() {
            queue.extend(self.uses(file).map(|(to, _)| to).filter(|&to| found.insert(to)));
        }
        found
    }

    fn shortest_paths(&self, files: &BTreeSet<usize>) -> Vec<Vec<(usize, Use)>> {
        let mut paths: BTreeMap<Vec<usize>, Vec<(usize, Use)>> = BTreeMap::new();
        for &from in files {
            for (to, used) in self.uses(from).filter(|(to, _)| files.contains(to)) {
                let mut path = vec![(from, used.clone())];
                path.extend(self.way(to, from));
                let first = path.iter().enumerate().min_by_key(|(_, (file, _))| *file);
                let first = first.map_or(0, |(position, _)| position);
                path.rotate_left(first);
                paths.entry(path.iter().map(|(file, _)| *file).collect()).or_insert(path);
            }
        }
        let mut paths: Vec<_> = paths.into_values().collect();
        paths.sort_by_key(Vec::len);
        paths
    }

    /// The shortest chain of uses from one file to another.
    fn way(&self, from: usize, to: usize) -> Vec<(usize, Use)> {
        let mut came_from: BTreeMap<usize, (usize, Use)> = BTreeMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(file) = queue.pop_front().filter(|&file| file != to) {
            for (next, used) in self.uses(file) {
                if next != from && !came_from.contains_key(&next) {
                    came_from.insert(next, (file, used.clone()));
                    queue.push_back(next);
                }
            }
        }
        let mut steps = Vec::new();
        let mut file = to;
        while let Some((before, used)) = came_from.get(&file) {
            steps.push((*before, used.clone()));
            file = *before;
        }
        steps.reverse();
        steps
    }
}

impl Cycle<'_> {
    /// The lines of the files in the cycle.
    pub(crate) fn lines(&self) -> usize {
        self.files
            .iter()
            .filter_map(|&file| self.target.files.get(file))
            .map(|file| file.text.lines().count())
            .sum()
    }

    fn path(&self, file: usize) -> String {
        self.target.files.get(file).map(|file| file.path.display().to_string()).unwrap_or_default()
    }
}

impl Display for Cycle<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} files ({} lines) use each other, shortest paths:",
            self.target.name,
            self.files.len(),
            self.lines()
        )?;
        for path in &self.paths {
            for (file, used) in path {
                write!(f, "  {}:{} --{}-->", self.path(*file), used.line, used.item)?;
            }
            let back = path.first().map(|(file, _)| self.path(*file)).unwrap_or_default();
            writeln!(f, "  {back}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
