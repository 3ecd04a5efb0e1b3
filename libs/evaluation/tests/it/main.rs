//! The offline analyst on the shipped cases.

#[cfg(test)]
mod cases;
