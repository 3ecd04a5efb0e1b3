//! How long files and functions are.

use std::ops::RangeInclusive;

use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{ImplItem, Item};

use crate::source::{SourceFile, is_test_only, item_attributes};

/// The lines of a file, without its `#[cfg(test)]` items.
pub(crate) const FILE_LIMIT: usize = 400;
/// The lines of a function, from `fn` to the closing brace.
pub(crate) const FUNCTION_LIMIT: usize = 60;

/// What one file measures.
#[derive(Debug, Default)]
pub(crate) struct Sizes {
    pub(crate) production_lines: usize,
    pub(crate) test_lines: usize,
    /// Name, first line and number of lines of each function.
    pub(crate) functions: Vec<(String, usize, usize)>,
}

pub(crate) fn measure(file: &SourceFile) -> Sizes {
    let mut measure = Measure::default();
    measure.visit_file(&file.syntax);
    let all = file.text.lines().count();
    Sizes {
        production_lines: all - measure.test_lines,
        test_lines: measure.test_lines,
        functions: measure.functions,
    }
}

#[derive(Default)]
struct Measure {
    test_lines: usize,
    functions: Vec<(String, usize, usize)>,
}

impl Measure {
    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let first = signature.span().start().line;
        let last = block.brace_token.span.close().end().line;
        self.functions.push((signature.ident.to_string(), first, last + 1 - first));
    }
}

impl<'ast> Visit<'ast> for Measure {
    fn visit_item(&mut self, item: &'ast Item) {
        if item_attributes(item).iter().any(is_test_only) {
            self.test_lines += count(&lines_of(item));
        } else {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        match item {
            ImplItem::Fn(function) if function.attrs.iter().any(is_test_only) => {
                self.test_lines += count(&lines_of(item));
            }
            ImplItem::Fn(function) => {
                self.add(&function.sig, &function.block);
                visit::visit_impl_item(self, item);
            }
            _ => visit::visit_impl_item(self, item),
        }
    }
}

fn lines_of(item: &impl syn::spanned::Spanned) -> RangeInclusive<usize> {
    item.span().start().line..=item.span().end().line
}

fn count(lines: &RangeInclusive<usize>) -> usize {
    lines.end() + 1 - lines.start()
}
