//! The command line, driven as its users drive it: the real program, in a folder of its own, with what it prints, what
//! it leaves and how it ends.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod action;
mod audit;
mod audit_fleet;
mod audit_lists;
mod audit_over_http;
mod authoring;
mod bad_input;
mod baseline;
mod bisecting;
mod blocks;
mod book;
mod client_audits;
mod client_commands;
mod commands;
mod diffing;
mod family;
mod files;
mod first_minute;
mod helpers;
mod history;
mod init;
mod known;
mod locks;
mod merging;
mod mocks;
mod pages;
mod peers;
mod peers_doctor;
mod peers_in_runs;
mod probe;
mod python;
mod recordings;
mod records;
mod scenarios;
mod screens;
mod sdk;
mod shrinking;
mod site;
mod skill;
mod tips;
mod watch;
mod workflows;
mod workshop;
