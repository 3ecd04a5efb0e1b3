//! Collects the definitions, imports and references of one file.

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, Meta, TraitItem, UseTree, Visibility};

use super::names::{Names, Reference};

/// A module that a file declares with `mod name;`.
pub(crate) struct Child {
    /// Its path below the file's own module: more than one segment inside an inline module.
    pub(crate) segments: Vec<String>,
    pub(crate) module: usize,
}

/// Adds what the file contains to `names`, and returns the modules whose files are to be read next.
pub(crate) fn scan_file(
    syntax: &syn::File,
    file: usize,
    module: usize,
    names: &mut Names,
) -> Vec<Child> {
    names.set_file(module, file);
    let mut scanner = Scanner { file, module, inline: Vec::new(), names, children: Vec::new() };
    scanner.visit_file(syntax);
    scanner.children
}

/// Whether the attribute is `#[cfg(test)]`.
pub(crate) fn is_test_only(attribute: &Attribute) -> bool {
    matches!(&attribute.meta, Meta::List(list)
        if list.path.is_ident("cfg") && list.tokens.to_string() == "test")
}

/// The attributes of an item, whatever its kind.
pub(crate) fn item_attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn item_name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

struct Scanner<'n> {
    file: usize,
    module: usize,
    inline: Vec<String>,
    names: &'n mut Names,
    children: Vec<Child>,
}

impl Scanner<'_> {
    fn refer(&mut self, segments: Vec<String>, line: usize) {
        self.names.references.push(Reference { module: self.module, segments, line });
    }

    /// Every name that a `use` brings in; a private one is a reference too.
    fn import(&mut self, tree: &UseTree, prefix: &[String], reexport: bool) {
        match tree {
            UseTree::Path(path) => {
                let below = [prefix, &[path.ident.to_string()]].concat();
                self.import(&path.tree, &below, reexport);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, prefix, reexport);
                }
            }
            UseTree::Glob(_) => self.names.add_glob(self.module, prefix.to_vec()),
            UseTree::Name(name) => {
                let line = name.ident.span().start().line;
                self.import_one(prefix, &name.ident.to_string(), None, (line, reexport));
            }
            UseTree::Rename(rename) => {
                let line = rename.ident.span().start().line;
                let as_name = rename.rename.to_string();
                self.import_one(prefix, &rename.ident.to_string(), Some(as_name), (line, reexport));
            }
        }
    }

    fn import_one(
        &mut self,
        prefix: &[String],
        name: &str,
        rename: Option<String>,
        (line, reexport): (usize, bool),
    ) {
        let (path, known_as) = if name == "self" {
            (prefix.to_vec(), prefix.last().cloned().unwrap_or_default())
        } else {
            ([prefix, &[name.to_owned()]].concat(), name.to_owned())
        };
        if !reexport {
            self.refer(path.clone(), line);
        }
        self.names.add_import(self.module, rename.unwrap_or(known_as), path);
    }

    /// Paths inside the tokens of a macro call or of an attribute.
    fn scan_tokens(&mut self, tokens: TokenStream) {
        let mut path = PathTokens::default();
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if !path.expects_segment() {
                        self.finish(&mut path);
                    }
                    path.push(ident.to_string(), ident.span().start().line);
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => path.colon(),
                TokenTree::Punct(punct) => {
                    self.finish(&mut path);
                    path.after_dot = punct.as_char() == '.';
                }
                TokenTree::Literal(literal) => {
                    self.finish(&mut path);
                    let line = literal.span().start().line;
                    self.scan_literal(&literal.to_string(), line);
                }
                TokenTree::Group(group) => {
                    self.finish(&mut path);
                    self.scan_tokens(group.stream());
                }
            }
        }
        self.finish(&mut path);
    }

    fn finish(&mut self, path: &mut PathTokens) {
        let done = std::mem::take(path);
        if !done.segments.is_empty() && !done.after_dot {
            self.refer(done.segments, done.line);
        }
    }

    /// `#[serde(with = "crate::a::b")]` names an item in a string.
    fn scan_literal(&mut self, literal: &str, line: usize) {
        let text = literal.trim_matches('"');
        let is_path = text.contains("::")
            && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_:".contains(letter));
        if is_path {
            self.refer(text.split("::").map(str::to_owned).collect(), line);
        }
    }
}

/// A path that is being put together from tokens.
#[derive(Default)]
struct PathTokens {
    segments: Vec<String>,
    line: usize,
    colons: usize,
    after_dot: bool,
}

impl PathTokens {
    fn expects_segment(&self) -> bool {
        self.segments.is_empty() || self.colons == 2
    }

    fn push(&mut self, segment: String, line: usize) {
        if self.segments.is_empty() {
            self.line = line;
        }
        self.segments.push(segment);
        self.colons = 0;
    }

    fn colon(&mut self) {
        self.colons += 1;
    }
}

impl<'ast> Visit<'ast> for Scanner<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if item_attributes(item).iter().any(is_test_only) {
            return;
        }
        if let Some(name) = item_name(item) {
            self.names.add_item(self.module, name);
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes = match item {
            ImplItem::Fn(item) => item.attrs.as_slice(),
            ImplItem::Const(item) => item.attrs.as_slice(),
            _ => &[],
        };
        if !attributes.iter().any(is_test_only) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        let attributes = if let TraitItem::Fn(item) = item { item.attrs.as_slice() } else { &[] };
        if !attributes.iter().any(is_test_only) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if !field.attrs.iter().any(is_test_only) {
            visit::visit_field(self, field);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let name = item.ident.to_string();
        let module = self.names.add_child(self.module, &name, self.file);
        self.inline.push(name);
        if let Some((_, items)) = &item.content {
            let outer = std::mem::replace(&mut self.module, module);
            for item in items {
                self.visit_item(item);
            }
            self.module = outer;
        } else {
            self.children.push(Child { segments: self.inline.clone(), module });
        }
        self.inline.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let reexport = !matches!(item.vis, Visibility::Inherited);
        self.import(&item.tree, &[], reexport);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.refer(segments, path.span().start().line);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        self.scan_tokens(call.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if attribute.path().is_ident("doc") || attribute.path().is_ident("derive") {
            return;
        }
        if let Meta::List(list) = &attribute.meta {
            self.scan_tokens(list.tokens.clone());
        }
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}
