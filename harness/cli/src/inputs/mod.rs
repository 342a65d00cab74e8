//! Finds and reads what the command line names: scenarios, the folder of the peers, runs, and the file that a new
//! scenario is written to.
//!
//! ```text
//! names and paths ─> corpus          scenarios of the user and embedded ones, with all mistakes of all files
//!                    peers_folder    the releases that can be installed
//!                    installed_hosts hosts that are installed
//!                    measured_hosts  hosts that users measured
//!                    peer_selection  who plays in a run, and who cannot
//!                    recordings      releases that were recorded on another machine
//!                    shipped_breaks  the known breaks that ship
//!                    support_data    which releases work with a scenario
//!                    projection_data what servers send to clients of each era
//!                    data_file       reads both, of a file or as they ship
//!                    quantities      times and sizes
//!                    runs            the runs of a site: the newest one, and how those before it compare
//!                    compared        two runs, judged by the same rules
//!                    peer_pairs      the peers of two releases that are compared with each other
//!                    issues          issues in other trackers about causes
//!                    server_lists    the servers of a client's configuration, of server.json or of mcp-compat.toml
//!                    scenario_file   a new file, claimed before any work and written whole
//!                    changes         changes of files
//! ```
//!
//! Every error says what was being read, what is wrong with it and what to do.

pub mod changes;
pub mod compared;
pub mod corpus;
mod data_file;
pub mod installed_hosts;
pub mod issues;
pub mod measured_hosts;
pub mod not_installed;
pub mod numbered_causes;
pub mod peer_pairs;
pub mod peer_pattern;
pub mod peer_selection;
pub mod peers_folder;
pub mod projection_data;
pub mod quantities;
pub mod recordings;
pub mod runs;
pub mod scenario_file;
pub mod server_lists;
pub mod shipped_breaks;
pub mod support_data;
