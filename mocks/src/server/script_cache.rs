//! Compiled scripts, kept by what they are compiled from.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_compat_model::peer_contract::Script;
use sha2::{Digest as _, Sha256};

use crate::server::compiled_script::{BadScript, CompiledScript};
use crate::server::spec::ServerSpec;

/// Number of bytes of scripts, as JSON, that the cache may hold compiled. Then it is cleared: the cells of one scenario follow each
/// other, so what was compiled long ago is not asked for again.
const MAX_BYTES: usize = 8 << 20;

/// A script of more bytes is compiled each time. Compiled, it takes several times as much.
const MAX_SCRIPT_BYTES: usize = 1 << 20;

/// Identifies a script as one server plays it. Two keys are equal if the server and the whole script are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScriptKey([u8; 32]);

impl ScriptKey {
    /// The key of a script for a server: a digest of both.
    pub fn of(spec: &ServerSpec, script: &Script) -> Self {
        Self::with_size(spec, script).0
    }

    /// The key, and the size of the script as JSON.
    fn with_size(spec: &ServerSpec, script: &Script) -> (Self, usize) {
        let mut digest = Digest { hash: Sha256::new(), bytes: 0 };
        // The id does not say all: a stand-in has the id of the server whose revisions it speaks.
        digest.hash.update(format!("{spec:?}"));
        digest.hash.update([0]);
        // A script is written as JSON without errors, and a digest takes any bytes.
        let _ = serde_json::to_writer(&mut digest, script);
        (Self(digest.hash.finalize().into()), digest.bytes)
    }
}

/// Feeds a digest, so that the script is never in memory as text.
struct Digest {
    hash: Sha256,
    bytes: usize,
}

impl io::Write for Digest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hash.update(bytes);
        self.bytes += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Compiles each script once for each server. Scripts are compared by their content, so scenarios of one name may differ.
#[derive(Debug, Default)]
pub struct ScriptCache(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    compiled: HashMap<ScriptKey, Arc<CompiledScript>>,
    bytes: usize,
}

impl ScriptCache {
    /// A script compiled for a server, from the cache if it is there.
    ///
    /// # Errors
    /// When the script cannot be played.
    pub fn compiled(&self, spec: &ServerSpec, script: &Arc<Script>) -> Result<Arc<CompiledScript>, BadScript> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (key, bytes) = ScriptKey::with_size(spec, script);
        if let Some(known) = lock().compiled.get(&key) {
            return Ok(Arc::clone(known));
        }
        let compiled = Arc::new(CompiledScript::new(spec.clone(), Arc::clone(script))?);
        if bytes > MAX_SCRIPT_BYTES {
            return Ok(compiled);
        }
        let mut kept = lock();
        if kept.bytes + bytes > MAX_BYTES {
            *kept = Kept::default();
        }
        kept.bytes += bytes;
        kept.compiled.insert(key, Arc::clone(&compiled));
        Ok(compiled)
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::Revision;

    use super::*;

    fn script(reply: &str) -> Arc<Script> {
        let tool = format!(r#"{{"name":"t","definition":{{"name":"t"}},"reply":{{"result":{reply}}}}}"#);
        let text = format!(r#"{{"scenario":"s","stages":[{{"tools":[{tool}]}}]}}"#);
        Arc::new(serde_json::from_str(&text).unwrap())
    }

    #[test]
    fn a_script_is_compiled_once_for_each_server_and_scripts_of_one_name_are_told_apart() {
        let spec = |id| ServerSpec::parse(id).unwrap();
        let cache = ScriptCache::default();
        let compiled = |id, reply| cache.compiled(&spec(id), &script(reply)).unwrap();
        let first = compiled("mock/dual", "1.0");
        assert!(Arc::ptr_eq(&first, &compiled("mock/dual", "1.0")));
        for (id, reply) in [("mock/dual", "1.00"), ("mock/dual/omit", "1.0")] {
            assert!(!Arc::ptr_eq(&first, &compiled(id, reply)), "{id} {reply}");
        }
        let large = format!("\"{}\"", "x".repeat(MAX_SCRIPT_BYTES));
        assert!(
            !Arc::ptr_eq(&compiled("mock/dual", &large), &compiled("mock/dual", &large)),
            "a large one is not kept"
        );
        let of_one_revision = ServerSpec { revisions: vec![Revision::V2025_11_25], ..spec("mock/dual") };
        assert!(!Arc::ptr_eq(&first, &cache.compiled(&of_one_revision, &script("1.0")).unwrap()));
    }
}
