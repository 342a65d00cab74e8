//! How long a cell took, without the digits that are chance.

/// The duration with one digit that is not zero, rounded down: 4000 for 4321.
///
/// The other digits differ from run to run, and would be most of the file: nothing compresses them.
#[must_use]
pub(super) const fn rounded(duration_us: u64) -> u64 {
    let mut unit = 1;
    while duration_us / unit >= 10 {
        unit *= 10;
    }
    duration_us / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_digit_stays() {
        for (exact, kept) in [(0, 0), (7, 7), (10, 10), (99, 90), (4321, 4000), (u64::MAX, 10_000_000_000_000_000_000)]
        {
            assert_eq!(rounded(exact), kept, "{exact}");
            assert_eq!(rounded(kept), kept, "what was rounded stays");
        }
    }
}
