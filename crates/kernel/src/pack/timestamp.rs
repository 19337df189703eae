//! Timestamps in stored packs and envelopes: RFC 3339 in UTC, to the millisecond, such as `2026-11-15T08:15:47.000Z`.

use alloc::string::String;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};

use crate::Timestamp;

pub fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    let millis = at.as_millis();
    let (days, rest) = (millis / DAY, millis % DAY);
    let (year, month, day) = date(days);
    let (hour, minute) = (rest / HOUR, rest / MINUTE % 60);
    let (second, milli) = (rest / SECOND % 60, rest % SECOND);
    serializer.collect_str(&format_args!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z"
    ))
}

pub fn deserialize<'de, D: Deserializer<'de>>(reader: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(reader)?;
    read(&text)
        .ok_or_else(|| D::Error::custom("a timestamp is written like 2026-11-15T08:15:47.000Z"))
}

fn read(text: &str) -> Option<Timestamp> {
    let shape_holds = text.is_ascii() && text.len() >= 20 && text.ends_with('Z');
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if !shape_holds || separators.iter().any(|(at, sign)| text.as_bytes()[*at] != *sign) {
        return None;
    }
    let field = |from: usize, to: usize, least: u64, most: u64| {
        let value = digits(&text[from..to])?;
        (least..=most).contains(&value).then_some(value)
    };
    let (year, month) = (field(0, 4, 1970, 9999)?, field(5, 7, 1, 12)?);
    let day = field(8, 10, 1, days_of(year, month))?;
    let (hour, minute) = (field(11, 13, 0, 23)?, field(14, 16, 0, 59)?);
    let second = field(17, 19, 0, 59)?;
    let milli = match &text[19..text.len() - 1] {
        "" => 0,
        fraction => millis(fraction.strip_prefix('.')?)?,
    };
    let time = hour * HOUR + minute * MINUTE + second * SECOND + milli;
    Some(Timestamp::from_millis((days_before(year, month) + day - 1) * DAY + time))
}

/// The first three digits of a fraction; the rest is finer than we keep.
fn millis(fraction: &str) -> Option<u64> {
    if !(1..=9).contains(&fraction.len()) {
        return None;
    }
    digits(fraction)?;
    let kept = &fraction[..fraction.len().min(3)];
    let scale = [100, 10, 1][kept.len() - 1];
    Some(digits(kept)? * scale)
}

fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The date that many days after the first of January 1970.
fn date(days: u64) -> (u64, u64, u64) {
    // 146097 days are 400 years; the guess is at most one year off.
    let mut year = 1970 + days * 400 / 146_097;
    while days_before(year, 1) > days {
        year -= 1;
    }
    while days_before(year + 1, 1) <= days {
        year += 1;
    }
    let mut month = 1;
    while month < 12 && days_before(year, month + 1) <= days {
        month += 1;
    }
    (year, month, days - days_before(year, month) + 1)
}

/// Days from the first of January 1970 to the first of a month.
fn days_before(year: u64, month: u64) -> u64 {
    let past = year - 1;
    let leaps = past / 4 - past / 100 + past / 400;
    let months: u64 = (1..month).map(|month| days_of(year, month)).sum();
    (year - 1970) * 365 + leaps - LEAPS_BEFORE_1970 + months
}

fn days_of(year: u64, month: u64) -> u64 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const LEAPS_BEFORE_1970: u64 = 477;
