//! Which kinds of signs a text has. Most tests of a value need one of a certain kind, and most values have few kinds.

/// Kinds of signs, a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signs(u16);

impl Signs {
    pub(super) const LOWER: Self = Self(1);
    pub(super) const UPPER: Self = Self(1 << 1);
    pub(super) const DIGIT: Self = Self(1 << 2);
    /// A space; no other blank.
    pub(super) const SPACE: Self = Self(1 << 3);
    pub(super) const DOT: Self = Self(1 << 4);
    /// `-` and `_`.
    pub(super) const DASH: Self = Self(1 << 5);
    pub(super) const COLON: Self = Self(1 << 6);
    pub(super) const SLASH: Self = Self(1 << 7);
    pub(super) const STAR: Self = Self(1 << 8);
    /// An opening bracket: `(`, `[`, `{` or `<`.
    pub(super) const OPEN: Self = Self(1 << 9);
    /// Whatever has no other kind, but for bytes of letters beyond ASCII.
    const OTHER: Self = Self(1 << 10);
    /// A byte of a letter beyond ASCII.
    pub(super) const FOREIGN: Self = Self(1 << 11);
    pub(super) const LETTER: Self = Self::LOWER.or(Self::UPPER);
    /// Letters and digits, all of a plain word.
    const WORD: Self = Self::LETTER.or(Self::DIGIT);

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn of(text: &str) -> Self {
        let kind = |byte: u8| KINDS.get(usize::from(byte)).map_or(0, |kind| kind.0);
        Self(text.bytes().fold(0, |signs, byte| signs | kind(byte)))
    }

    /// Whether any of some kinds is there.
    pub(super) const fn has(self, kinds: Self) -> bool {
        self.0 & kinds.0 != 0
    }

    /// Whether there are letters and digits only.
    pub(super) const fn is_word(self) -> bool {
        self.0 & !Self::WORD.0 == 0
    }
}

/// The kind of each byte.
static KINDS: [Signs; 256] = {
    let mut table = [Signs::OTHER; 256];
    let mut rest: &mut [Signs] = &mut table;
    let mut byte = 0_u8;
    while let [first, others @ ..] = rest {
        *first = kind(byte);
        byte = byte.wrapping_add(1);
        rest = others;
    }
    table
};

const fn kind(byte: u8) -> Signs {
    match byte {
        b'a'..=b'z' => Signs::LOWER,
        b'A'..=b'Z' => Signs::UPPER,
        b'0'..=b'9' => Signs::DIGIT,
        b' ' => Signs::SPACE,
        b'.' => Signs::DOT,
        b'-' | b'_' => Signs::DASH,
        b':' => Signs::COLON,
        b'/' => Signs::SLASH,
        b'*' => Signs::STAR,
        b'(' | b'[' | b'{' | b'<' => Signs::OPEN,
        0x80.. => Signs::FOREIGN,
        _ => Signs::OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::Signs;

    #[test]
    fn a_text_has_the_kinds_of_its_bytes() {
        let signs = Signs::of("a B-9");
        assert!(signs.has(Signs::LOWER) && signs.has(Signs::UPPER) && signs.has(Signs::DIGIT));
        assert!(signs.has(Signs::SPACE) && signs.has(Signs::DASH));
        assert!(!signs.has(Signs::COLON.or(Signs::SLASH).or(Signs::FOREIGN)));
        assert!(Signs::of("hunter2").is_word() && Signs::of("").is_word());
        assert!(!Signs::of("hunter2!").is_word() && !Signs::of("h\u{fc}nter").is_word());
    }
}
