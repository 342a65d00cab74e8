//! skeleton
use super::*;
impl Json {
    /// The value as JSON text without white space.
    pub fn to_compact(&self) -> String { todo!() }
}
impl std::fmt::Display for Json { fn fmt(&self, _f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { todo!() } }
impl std::fmt::Debug for Json { fn fmt(&self, _f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { todo!() } }
impl std::fmt::Debug for Object { fn fmt(&self, _f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { todo!() } }
impl std::fmt::Debug for Number { fn fmt(&self, _f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { todo!() } }
impl std::fmt::Display for Number { fn fmt(&self, _f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { todo!() } }
impl std::fmt::Debug for JsonString { fn fmt(&self, _f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { todo!() } }
