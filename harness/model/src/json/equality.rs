//! skeleton
use super::*;
impl PartialEq for Json { fn eq(&self, _other: &Self) -> bool { todo!() } }
impl Eq for Json {}
impl PartialEq for Object { fn eq(&self, _other: &Self) -> bool { todo!() } }
impl Eq for Object {}
