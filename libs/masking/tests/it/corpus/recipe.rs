//! Makes what looks random: always the same for the same case, never the same twice in it.

use std::fmt::Write as _;

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

/// Replaces each recipe between `«` and `»` by what it makes.
pub(super) fn expand(body: &str, seed: &str) -> String {
    let mut dice = Dice::new(seed);
    let mut text = String::with_capacity(body.len());
    let mut rest = body;
    while let Some((before, after)) = rest.split_once('«') {
        let (recipe, after) = after.split_once('»').expect("a recipe ends");
        text.push_str(before);
        text.push_str(&make(recipe, &mut dice));
        rest = after;
    }
    text.push_str(rest);
    text
}

fn make(recipe: &str, dice: &mut Dice) -> String {
    let (kind, argument) = recipe.split_once(':').unwrap_or((recipe, ""));
    if kind == "enc" {
        return base64(argument.as_bytes());
    }
    if kind == "times" {
        let (count, unit) = argument.split_once(':').expect("a number and a text");
        return unit.replace("\\n", "\n").repeat(count.parse().expect("a number"));
    }
    let mut numbers = argument.split(':').map(|number| number.parse::<usize>().unwrap_or(0));
    let count = numbers.next().unwrap_or(0);
    let hex = format!("{DIGITS}abcdef");
    let words = format!("{UPPER}{LOWER}{DIGITS}");
    match kind {
        "alnum" => dice.run(&words, count),
        "alpha" => dice.run(&format!("{UPPER}{LOWER}"), count),
        "lalnum" => dice.run(&format!("{LOWER}{DIGITS}"), count),
        "word" => dice.word(count),
        "upper" => dice.run(&format!("{UPPER}{DIGITS}"), count),
        "digits" => dice.run("123456789", count),
        "hex" | "lhex" => dice.run(&hex, count),
        "base32" => dice.run(&format!("{UPPER}234567"), count),
        "uhex" => dice.run(&format!("{DIGITS}ABCDEF"), count),
        "b64" => dice.run(&format!("{words}+/"), count),
        "uuid" => [8, 4, 4, 4, 12].map(|count| dice.run(&hex, count)).join("-"),
        "jwt" => format!("eyJhbGciOiJIUzI1NiJ9.eyJ{}.{}", dice.run(&words, 40), dice.word(43)),
        "lines" => {
            let indent = " ".repeat(numbers.next().unwrap_or(0));
            lines(dice, count).join(&format!("\n{indent}"))
        }
        "jlines" => lines(dice, count).join("\\n"),
        other => panic!("no recipe {other:?}"),
    }
}

fn lines(dice: &mut Dice, count: usize) -> Vec<String> {
    (0..count).map(|_| dice.run(&format!("{UPPER}{LOWER}{DIGITS}+/"), 64)).collect()
}

fn base64(bytes: &[u8]) -> String {
    let alphabet: Vec<char> = format!("{UPPER}{LOWER}{DIGITS}+/").chars().collect();
    let bits = bytes.iter().fold(String::new(), |mut bits, byte| {
        write!(bits, "{byte:08b}").expect("a string");
        bits
    });
    let symbols = bits.as_bytes().chunks(6).map(|chunk| {
        let digits = format!("{:0<6}", String::from_utf8_lossy(chunk));
        alphabet[usize::from_str_radix(&digits, 2).expect("bits")]
    });
    let mut text: String = symbols.collect();
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

/// A small generator of numbers.
struct Dice(u64);

impl Dice {
    fn new(seed: &str) -> Self {
        let hash = seed.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(hash | 1)
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % sides
    }

    /// A run of characters; a long one has each sort of the alphabet in it.
    fn run(&mut self, alphabet: &str, count: usize) -> String {
        let symbols = alphabet.as_bytes();
        let sorts: [fn(u8) -> bool; 3] =
            [|b| b.is_ascii_digit(), |b| b.is_ascii_lowercase(), |b| b.is_ascii_uppercase()];
        loop {
            let run: String =
                (0..count).map(|_| char::from(symbols[self.roll(symbols.len())])).collect();
            let full = count < 8
                || sorts.iter().all(|sort| !alphabet.bytes().any(sort) || run.bytes().any(sort));
            if full {
                return run;
            }
        }
    }

    /// Letters, digits, `-` and `_`, with a letter or digit at both ends.
    fn word(&mut self, count: usize) -> String {
        let words = format!("{UPPER}{LOWER}{DIGITS}");
        let middle = self.run(&format!("{words}-_"), count.saturating_sub(2));
        format!("{}{middle}{}", self.run(&words, 1), self.run(&words, 1))
    }
}
