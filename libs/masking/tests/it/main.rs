//! Every obligation of masking, as a table of texts.

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod fragments;
#[cfg(test)]
mod go_patterns;
#[cfg(test)]
mod kubernetes;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod live;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod rules;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod support;
#[cfg(test)]
mod untouched;
