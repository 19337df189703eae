//! Cents, as people write them.

/// Writes cents with two decimals.
pub fn written(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    let cents = cents.unsigned_abs();
    format!("{sign}{}.{:02}", cents / 100, cents % 100)
}

/// Reads an amount with at most two decimals.
pub fn read(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || part.len() > 2 || !is_number(whole) || !is_number(part) {
        return None;
    }
    let cents: i64 = format!("{part:0<2}").parse().ok()?;
    Some(sign * (whole.parse::<i64>().ok()?.checked_mul(100)? + cents))
}
