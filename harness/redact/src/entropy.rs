//! How random a word looks.

/// The entropy in bits per byte.
pub(crate) fn entropy(word: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    word.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let length = f64::from(u32::try_from(word.len()).unwrap_or(u32::MAX));
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / length);
    shares.map(|share| -share * share.log2()).sum()
}
