//! The causes of a verdict, as they are scored.

use tarsy_domain::verdict::{AffectedObject, Category, Verdict};

pub(crate) struct Cause<'a> {
    sentence: &'a str,
    pub(crate) category: Category,
    object: Option<&'a AffectedObject>,
}

/// The causes in their order, the most likely one first; none of a verdict that states none.
pub(crate) fn causes(verdict: &Verdict) -> impl Iterator<Item = Cause<'_>> {
    let most = if verdict.states_cause() { usize::MAX } else { 0 };
    let (object, category) = (Some(&verdict.object), verdict.category);
    let others = verdict.alternatives.iter().map(|one| Cause {
        sentence: &one.cause,
        category: one.category,
        object: one.object.as_ref(),
    });
    std::iter::once(Cause { sentence: &verdict.cause, category, object }).chain(others).take(most)
}

impl Cause<'_> {
    /// The object and what is wrong with it.
    pub(crate) fn text(&self) -> String {
        format!("{}: {}", self.object_text(), self.sentence)
    }

    /// Kind, name and namespace of the object; empty without one.
    pub(crate) fn object_text(&self) -> String {
        let Some(AffectedObject { kind, name, namespace }) = self.object else {
            return String::new();
        };
        format!("{kind} {name} {}", namespace.as_deref().unwrap_or_default())
    }
}
