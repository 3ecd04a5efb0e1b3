//! What each module of a target defines and imports, and what a path in it refers to.

use std::collections::BTreeMap;

/// The modules of one target.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) modules: Vec<Module>,
    pub(crate) references: Vec<Reference>,
}

/// One module; an inline module belongs to the file that contains it.
#[derive(Debug, Default)]
pub(crate) struct Module {
    parent: Option<usize>,
    file: usize,
    children: BTreeMap<String, usize>,
    items: Vec<String>,
    imports: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
}

/// A path that code in a module uses; a `pub use` is none.
#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) module: usize,
    pub(crate) segments: Vec<String>,
    pub(crate) line: usize,
}

/// Where an item is defined.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Definition {
    pub(crate) file: usize,
    pub(crate) item: String,
}

enum Meaning {
    Module(usize),
    Item(Definition),
}

/// More re-exports in a row than this are a loop.
const LONGEST_CHAIN: usize = 32;

impl Names {
    pub(crate) fn add_root(&mut self) -> usize {
        self.modules.push(Module::default());
        self.modules.len() - 1
    }

    pub(crate) fn add_child(&mut self, parent: usize, name: &str, file: usize) -> usize {
        let child = self.modules.len();
        self.modules.push(Module { parent: Some(parent), file, ..Module::default() });
        if let Some(module) = self.modules.get_mut(parent) {
            module.children.insert(name.to_owned(), child);
        }
        child
    }

    pub(crate) fn set_file(&mut self, module: usize, file: usize) {
        if let Some(module) = self.modules.get_mut(module) {
            module.file = file;
        }
    }

    pub(crate) fn add_item(&mut self, module: usize, item: String) {
        if let Some(module) = self.modules.get_mut(module) {
            module.items.push(item);
        }
    }

    pub(crate) fn add_import(&mut self, module: usize, name: String, path: Vec<String>) {
        if let Some(module) = self.modules.get_mut(module) {
            module.imports.insert(name, path);
        }
    }

    pub(crate) fn add_glob(&mut self, module: usize, path: Vec<String>) {
        if let Some(module) = self.modules.get_mut(module) {
            module.globs.push(path);
        }
    }

    /// The file that contains the code of a module.
    pub(crate) fn file_of(&self, module: usize) -> Option<usize> {
        self.modules.get(module).map(|module| module.file)
    }

    /// The item of this target that a path refers to, through every re-export; `None` for other crates' items and
    /// for modules.
    pub(crate) fn definition(&self, reference: &Reference) -> Option<Definition> {
        match self.resolve(reference.module, &reference.segments, 0)? {
            Meaning::Item(definition) => Some(definition),
            Meaning::Module(_) => None,
        }
    }

    fn resolve(&self, from: usize, segments: &[String], depth: usize) -> Option<Meaning> {
        if depth > LONGEST_CHAIN {
            return None;
        }
        let (first, rest) = segments.split_first()?;
        let mut meaning = match first.as_str() {
            "crate" => Meaning::Module(0),
            "self" => Meaning::Module(from),
            "super" => Meaning::Module(self.modules.get(from)?.parent?),
            name => self.look_up(from, name, rest.is_empty(), depth)?,
        };
        for (position, segment) in rest.iter().enumerate() {
            let Meaning::Module(module) = meaning else { break };
            meaning = match segment.as_str() {
                "self" => Meaning::Module(module),
                "super" => Meaning::Module(self.modules.get(module)?.parent?),
                name => self.look_up(module, name, position + 1 == rest.len(), depth)?,
            };
        }
        Some(meaning)
    }

    /// The last segment of a path names an item first and a module second, the others the other way round.
    fn look_up(&self, module: usize, name: &str, last: bool, depth: usize) -> Option<Meaning> {
        let at = self.modules.get(module)?;
        let child = at.children.get(name).copied().map(Meaning::Module);
        if !last && child.is_some() {
            return child;
        }
        if at.items.iter().any(|item| item == name) {
            return Some(Meaning::Item(Definition { file: at.file, item: name.to_owned() }));
        }
        at.imports
            .get(name)
            .and_then(|path| self.resolve(module, path, depth + 1))
            .or_else(|| {
                at.globs.iter().find_map(|path| match self.resolve(module, path, depth + 1)? {
                    Meaning::Module(source) if source != module => {
                        self.look_up(source, name, last, depth + 1)
                    }
                    _ => None,
                })
            })
            .or(child)
    }
}
