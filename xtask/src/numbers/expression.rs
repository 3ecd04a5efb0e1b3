//! The value of a constant in Rust, Python or TypeScript: a product of numbers, lengths of time and other constants of its file.

/// More constants than one is made of.
const DEEPEST: usize = 8;

/// A constant's value, a length of time in seconds, and its line.
pub(super) fn constant(file: &str, name: &str) -> Option<(f64, usize)> {
    named(file, name, 0)
}

fn named(file: &str, name: &str, depth: usize) -> Option<(f64, usize)> {
    if depth > DEEPEST {
        return None;
    }
    let (line, start) = definition(file, name)?;
    let rest = file.get(start..)?;
    // Python has no semicolon, and its comments follow the number.
    let end = rest.find([';', '\n']).unwrap_or(rest.len());
    let expression = rest.get(..end)?.split(" #").next()?;
    Some((product(file, expression, depth)?, line))
}

/// The line of `NAME = ` or `NAME: TYPE = `, and where the expression begins.
fn definition(file: &str, name: &str) -> Option<(usize, usize)> {
    let mut start = 0;
    for (at, line) in file.split_inclusive('\n').enumerate() {
        if let Some(value) = value_in(line, name) {
            return Some((at + 1, start + value));
        }
        start += line.len();
    }
    None
}

fn value_in(line: &str, name: &str) -> Option<usize> {
    let (declared, _) = line.split_once(" = ")?;
    let declared = declared.split(':').next()?;
    let is_it = declared.split_whitespace().next_back() == Some(name);
    is_it.then(|| line.find(" = ").map(|at| at + " = ".len()))?
}

fn product(file: &str, expression: &str, depth: usize) -> Option<f64> {
    factors(expression)
        .into_iter()
        .try_fold(1.0, |all, one| Some(all * factor(file, one.trim(), depth)?))
}

/// What stands between the stars that are in no parentheses.
fn factors(expression: &str) -> Vec<&str> {
    let mut open = 0_usize;
    let is_star = |letter: char| {
        match letter {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
        letter == '*' && open == 0
    };
    expression.split(is_star).collect()
}

fn factor(file: &str, text: &str, depth: usize) -> Option<f64> {
    if let Some(call) = text.strip_prefix("Duration::from_") {
        let (unit, inner) = call.strip_suffix(')')?.split_once('(')?;
        let seconds = match unit {
            "millis" => 0.001,
            "secs" => 1.0,
            "mins" => 60.0,
            "hours" => 3_600.0,
            _ => return None,
        };
        return Some(product(file, inner, depth)? * seconds);
    }
    if text.starts_with(|letter: char| letter.is_ascii_digit()) {
        return text.replace('_', "").parse().ok();
    }
    named(file, text, depth + 1).map(|(value, _)| value)
}
