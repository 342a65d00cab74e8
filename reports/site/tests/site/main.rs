//! What the pages say is what the record says, and nothing in a record is more than text.

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod numbers;
#[cfg(test)]
mod specimen;
#[cfg(test)]
mod structure;
