//! The causes of a verdict, as they are scored.

use tarsy_domain::verdict::{Category, Object, Verdict};

/// A cause of a verdict.
pub(crate) struct Cause<'a> {
    cause: &'a str,
    pub(crate) category: Category,
    object: Option<&'a Object>,
}

/// The causes in their order, the most likely one first.
pub(crate) fn causes(verdict: &Verdict) -> impl Iterator<Item = Cause<'_>> {
    let (object, category) = (Some(&verdict.object), verdict.category);
    let others = verdict.alternatives.iter().map(|one| Cause {
        cause: &one.cause,
        category: one.category,
        object: one.object.as_ref(),
    });
    std::iter::once(Cause { cause: &verdict.cause, category, object }).chain(others)
}

impl Cause<'_> {
    /// The object and what is wrong with it.
    pub(crate) fn text(&self) -> String {
        format!("{}: {}", self.object_text(), self.cause)
    }

    /// Kind, name and namespace of the object; empty without one.
    pub(crate) fn object_text(&self) -> String {
        let Some(Object { kind, name, namespace }) = self.object else { return String::new() };
        format!("{kind} {name} {}", namespace.as_deref().unwrap_or_default())
    }
}
