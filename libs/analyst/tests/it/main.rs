//! The analyst on recorded incidents, and on conversations.

#[cfg(test)]
mod alerts;
#[cfg(test)]
mod conversations;
#[cfg(test)]
mod dependencies;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod foreign;
#[cfg(test)]
mod healthy;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod incidents;
#[cfg(test)]
mod machines;
#[cfg(test)]
mod namespaces;
#[cfg(test)]
mod nodes;
#[cfg(test)]
mod recovered;
#[cfg(test)]
mod toolbox;
