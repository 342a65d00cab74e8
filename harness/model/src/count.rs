//! Numbers as a person says them.

/// `1 cell`, `2 cells`.
#[must_use]
pub fn counted(number: usize, one: &str) -> String {
    format!("{} {one}{}", thousands(number as u64), if number == 1 { "" } else { "s" })
}

/// `12,345`.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

const ORDINALS: [&str; 10] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/// `the first block`, and from the eleventh on `block 11`: what stands at an index of a list.
#[must_use]
pub fn nth(index: usize, what: &str) -> String {
    match ORDINALS.get(index) {
        Some(ordinal) => format!("the {ordinal} {what}"),
        None => format!("{what} {}", thousands((index as u64).saturating_add(1))),
    }
}

/// `12,345 KB`: a size in bytes, rounded up.
#[must_use]
pub fn kilobytes(bytes: u64) -> String {
    format!("{} KB", thousands(bytes.div_ceil(1000)))
}

/// `12,345 MB`: a size in bytes, rounded up.
#[must_use]
pub fn megabytes(bytes: u64) -> String {
    format!("{} MB", thousands(bytes.div_ceil(1_000_000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_a_list_is_counted_from_one() {
        let told = [0, 9, 10, 1_999].map(|index| nth(index, "block"));
        assert_eq!(told, ["the first block", "the tenth block", "block 11", "block 2,000"]);
        assert_eq!(nth(usize::MAX, "block"), format!("block {}", thousands(u64::MAX)));
    }

    #[test]
    fn numbers_are_readable_and_agree_with_their_words() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 1, 12_345_001].map(kilobytes), ["0 KB", "1 KB", "12,346 KB"]);
        assert_eq!([0, 1, 12_345_000_001].map(megabytes), ["0 MB", "1 MB", "12,346 MB"]);
        assert_eq!([1, 2, 2000].map(|number| counted(number, "cell")), ["1 cell", "2 cells", "2,000 cells"]);
    }
}
