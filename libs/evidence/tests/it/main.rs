//! The checker against its readings, its verdicts, and its limits.

#[cfg(test)]
mod limits;
#[cfg(test)]
mod readings;
#[cfg(test)]
mod verdicts;
