//! The judge from outside: sessions as short as they can be told, and what is said of them.

#[cfg(test)]
mod advice;
#[cfg(test)]
mod around;
#[cfg(test)]
mod causes;
#[cfg(test)]
mod companions;
#[cfg(test)]
mod determinism;
mod invalid_results;
#[cfg(test)]
mod left_out;
mod lost_list;
#[cfg(test)]
mod missed;
#[cfg(test)]
mod outcomes;
#[cfg(test)]
mod play;
#[cfg(test)]
mod revisions;
mod rules;
#[cfg(test)]
mod rules_of_clients;
#[cfg(test)]
mod rules_of_http;
#[cfg(test)]
mod rules_of_messages;
#[cfg(test)]
mod rules_of_servers;
#[cfg(test)]
mod scripted;
#[cfg(test)]
mod sessions;
mod steps;
#[cfg(test)]
mod triangle;
#[cfg(test)]
mod who_did_it;
mod wire;
