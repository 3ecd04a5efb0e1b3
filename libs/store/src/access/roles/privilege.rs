//! What a role may be granted.

/// Statements on tables, or a function.
#[derive(Clone, Copy, Debug)]
pub enum Grant {
    /// `select`, `insert`, `update`, `delete`, or `select` or `update` of columns, on tables.
    Tables(&'static str, &'static [&'static str]),
    Function(&'static str),
}
