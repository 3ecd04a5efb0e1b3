//! The checker against its corpus, its readings, and its limits.

#[cfg(test)]
mod certain;
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod readings;
#[cfg(test)]
mod unseen;
#[cfg(test)]
mod verdicts;
