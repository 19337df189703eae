//! Times of the day, as people write them.

/// It is no time of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

/// The minutes since midnight of `HH:MM`. `24:00` is the end of the day.
pub fn minutes(text: &str) -> Result<u32, Unreadable> {
    let (hours, minutes) = text.split_once(':').ok_or(Unreadable)?;
    if hours.len() != 2 || minutes.len() != 2 {
        return Err(Unreadable);
    }
    let number = |text: &str| text.parse::<u32>().map_err(|_| Unreadable);
    match (number(hours)?, number(minutes)?) {
        (24, 0) => Ok(DAY),
        (hours @ 0..=23, minutes @ 0..=59) => Ok(hours * 60 + minutes),
        _ => Err(Unreadable),
    }
}

const DAY: u32 = 24 * 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_day_is_a_time() {
        assert_eq!(minutes("24:00"), Ok(1_440));
        assert_eq!(minutes("24:01"), Err(Unreadable));
    }
}
