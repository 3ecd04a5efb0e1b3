//! An error with all its causes, on one line.

use std::error::Error;
use std::fmt;

/// Shows an error with the chain of its sources.
///
/// The JSON log format writes only the outermost message; without this the log of a dead database
/// would say "could not use the store" and no more.
pub fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl fmt::Display + 'a {
    Chain(error)
}

struct Chain<'a>(&'a (dyn Error + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(cause) = source {
            write!(f, ": {cause}")?;
            source = cause.source();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Outer(std::num::ParseIntError);

    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("could not read the port")
        }
    }

    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn the_whole_chain_is_printed() {
        let error = Outer("x".parse::<u16>().unwrap_err());
        assert_eq!(
            chain(&error).to_string(),
            "could not read the port: invalid digit found in string"
        );
    }
}
