//! What a user names on the command line, found and read: scenarios, the folder of the peers, and the file
//! that a new scenario is written to.
//!
//! ```text
//! names and paths ─> corpus          scenarios, their own beside the embedded ones, with all mistakes of all files
//!                    peers_folder    the releases that can be installed
//!                    peer_selection  who plays in a run, and who cannot
//!                    user_cache      where the adapters of the program are unpacked
//!                    shipped_breaks  the breaks that ship as known
//!                    support_data    which releases work with a scenario
//!                    quantities      times and sizes
//!                    runs            the runs of a site: the newest one, and how those before it compare
//!                    compared        two runs, judged alike
//!                    contestants     two peers, and which role of the one is compared with which of the other
//!                    issues          what is reported elsewhere about causes
//!                    nothing_there   what is said of a name that nothing has
//!                    scenario_file   a new file, claimed before any work and written whole
//!                    changes         that a file has changed since
//! ```
//!
//! Every error says what was being read, what is wrong with it and what to do, as the program prints it.

pub mod changes;
pub mod compared;
pub mod contestants;
pub mod corpus;
pub mod issues;
pub mod not_installed;
pub mod nothing_there;
pub mod peer_pattern;
pub mod peer_selection;
pub mod peers_folder;
pub mod quantities;
pub mod runs;
pub mod scenario_file;
pub mod shipped_breaks;
pub mod support_data;
pub mod user_cache;
