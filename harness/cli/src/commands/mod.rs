//! One file a command: arguments in, an exit status out.

pub(crate) mod audit;
pub(crate) mod audit_client;
pub(crate) mod bisect;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod history;
pub(crate) mod host_adapter;
pub(crate) mod hosts;
pub(crate) mod init;
pub(crate) mod lint;
pub(crate) mod lock;
pub(crate) mod man;
pub(crate) mod mock;
pub(crate) mod new;
pub(crate) mod peers;
pub(crate) mod probe;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod show;
pub(crate) mod shrink;
pub(crate) mod support;
