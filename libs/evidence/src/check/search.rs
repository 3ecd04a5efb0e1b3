//! A result as one line without doubled spaces, escapes and typographic marks, and which line each part came from.

/// A text for searching.
pub(super) struct Searchable {
    pub(super) text: String,
    /// Where each line begins in `text`.
    starts: Vec<usize>,
    /// Where each line begins in the original.
    offsets: Vec<usize>,
}

impl Searchable {
    pub(super) fn new(original: &str) -> Self {
        let mut text = String::with_capacity(original.len());
        let (mut starts, mut offsets) = (Vec::new(), Vec::new());
        let mut offset = 0;
        for line in original.split_inclusive('\n') {
            starts.push(text.len());
            offsets.push(offset);
            offset += line.len();
            push_plain(line, &mut text);
        }
        Self { text, starts, offsets }
    }

    /// The line of a place in `text`, from 1.
    pub(super) fn line_at(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at)
    }

    pub(super) fn line<'o>(&self, original: &'o str, number: usize) -> &'o str {
        let start = number
            .checked_sub(1)
            .and_then(|index| self.offsets.get(index))
            .copied()
            .unwrap_or(original.len());
        let end = self.offsets.get(number).copied().unwrap_or(original.len());
        original.get(start..end).unwrap_or_default().trim_end()
    }

    pub(super) fn lines(&self) -> usize {
        self.starts.len()
    }
}

/// The form in which texts are compared.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_plain(text, &mut out);
    out.trim().to_owned()
}

fn push_plain(text: &str, out: &mut String) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let c = match c {
            '\\' => match chars.peek() {
                Some('n' | 't' | 'r') => {
                    chars.next();
                    ' '
                }
                Some('"' | '\'' | '\\' | '/' | '|' | '*' | '_' | '`' | '[' | ']') => continue,
                _ => '\\',
            },
            '“' | '”' | '„' | '«' | '»' | '\'' | '‘' | '’' => '"',
            '–' | '—' | '‑' | '−' => '-',
            c if c.is_whitespace() => ' ',
            c => c,
        };
        // YAML doubles the marks inside a text.
        let is_doubled = matches!(c, ' ' | '"') && out.ends_with(c);
        if !is_doubled {
            out.push(c);
        }
    }
    if !out.ends_with(' ') && !out.is_empty() {
        out.push(' ');
    }
}
