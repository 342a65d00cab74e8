//! How long a cell took, without the digits that are chance.

/// The duration rounded down to 1, 2 or 5 times a power of ten: 2000 for 4321.
///
/// The other digits differ from run to run, and would be most of the file: nothing compresses them.
#[must_use]
pub(super) const fn rounded(duration_us: u64) -> u64 {
    let mut unit = 1;
    while duration_us / unit >= 10 {
        unit *= 10;
    }
    match duration_us / unit {
        0 => 0,
        1 => unit,
        2..5 => 2 * unit,
        _ => 5 * unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_magnitude_stays() {
        for (exact, kept) in
            [(0, 0), (1, 1), (4, 2), (10, 10), (99, 50), (4321, 2000), (u64::MAX, 10_000_000_000_000_000_000)]
        {
            assert_eq!(rounded(exact), kept, "{exact}");
            assert_eq!(rounded(kept), kept, "what was rounded stays");
        }
    }
}
