//! Says that the crate depends on the corpus as a whole: a new scenario is no change of any file known so far.

fn main() {
    println!("cargo::rerun-if-changed=corpus");
}
