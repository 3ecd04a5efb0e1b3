//! Tells the sentences of a model from what it may quote: code, logs and tables.

/// The fewest letters of a sentence.
const MIN_LETTERS: usize = 12;
/// Of a hundred characters, at least this many are letters and spaces.
const LETTERS_PERCENT: usize = 80;
/// The most digits of a hundred characters.
const DIGITS_PERCENT: usize = 5;
/// Ends of sentences; those that need no space behind them are the second ones.
const ENDS: &[char] = &['.', '!', '?', '\u{2026}'];
const WIDE_ENDS: &[char] = &['\u{3002}', '\u{ff01}', '\u{ff1f}'];
/// Words that logs begin with.
const LEVELS: &[&str] =
    &["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "CRITICAL", "FATAL"];
/// What begins a block of code, at least three times.
const FENCES: &[u8] = b"`~";
const FENCE: usize = 3;

/// Whether the end of a text is inside a block of code.
#[derive(Debug, Default)]
pub(super) struct Fences {
    is_open: bool,
    /// The sign that began the block, or may begin one.
    sign: u8,
    /// How often the line has begun with it; none once another character came.
    count: Option<usize>,
    is_inside_line: bool,
}

impl Fences {
    pub(super) fn read(&mut self, part: &[u8]) {
        for byte in part {
            self.next(*byte);
        }
    }

    fn next(&mut self, byte: u8) {
        if byte == b'\n' {
            self.is_inside_line = false;
            self.count = None;
            return;
        }
        match self.count {
            None if self.is_inside_line => return,
            None if byte == b' ' => return,
            None if FENCES.contains(&byte) && (!self.is_open || byte == self.sign) => {
                (self.sign, self.count) = (byte, Some(1));
            }
            Some(count) if byte == self.sign => {
                self.count = Some(count + 1);
                if count + 1 == FENCE {
                    self.is_open = !self.is_open;
                }
            }
            _ => self.count = None,
        }
        self.is_inside_line = true;
    }

    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }
}

/// Whether a text is sentences of whoever writes it.
pub(super) fn is_prose(text: &str) -> bool {
    let (mut all, mut letters, mut digits, mut spaces) = (0, 0, 0, 0);
    for c in text.chars() {
        all += 1;
        letters += usize::from(c.is_alphabetic());
        digits += usize::from(c.is_numeric());
        spaces += usize::from(c.is_whitespace());
    }
    letters >= MIN_LETTERS
        && (letters + spaces) * 100 >= all * LETTERS_PERCENT
        && digits * 100 <= all * DIGITS_PERCENT
        && has_end(text)
        && !text.lines().any(is_quoted)
}

/// Whether a sentence ends in it.
fn has_end(text: &str) -> bool {
    let mut before = ' ';
    let mut ends = false;
    for c in text.chars() {
        if (ends && c.is_whitespace()) || (WIDE_ENDS.contains(&c) && before.is_alphabetic()) {
            return true;
        }
        ends = ENDS.contains(&c) && before.is_alphabetic();
        before = c;
    }
    ends
}

/// Whether a line is a row of a table, a quotation, code, or a line of a log.
fn is_quoted(line: &str) -> bool {
    let is_level = |word: &str| LEVELS.contains(&word.trim_matches(|c: char| !c.is_alphabetic()));
    line.starts_with("    ")
        || line.starts_with('\t')
        || line.trim_start().starts_with(['|', '>', '$'])
        || line.split_whitespace().any(is_level)
}
