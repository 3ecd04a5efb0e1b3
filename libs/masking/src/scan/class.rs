//! What a key says of its value.

use crate::patterns::Pattern;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyClass {
    pub(super) pattern: Pattern,
    pub(super) word: Word,
    pub(super) need: Need,
    /// Whether it speaks of several.
    pub(super) plural: bool,
}

/// What kind of word the key ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Password,
    Token,
    Key,
    Secret,
    /// `auth`: user and password in base64, or a mode.
    Auth,
    /// A cookie with its attributes.
    SetCookie,
    Other,
}

/// What a value must look like under this key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// Anything that is not known to be harmless.
    Any,
    /// Letters and digits together.
    Strong,
    /// Like made by a generator.
    Random,
}
