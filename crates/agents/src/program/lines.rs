//! Lines out of a stream of bytes, each bounded. What is longer is dropped whole and counted, so that a hostile
//! stream costs no more memory than a friendly one.

#[derive(Debug, Default)]
pub struct Lines {
    begun: Vec<u8>,
    is_too_long: bool,
    /// Lines that were longer than they may be.
    pub dropped: u64,
}

impl Lines {
    /// Takes a piece, and hands out every line it completes. Bytes that are no text are replaced.
    pub fn take(&mut self, mut piece: &[u8], mut line: impl FnMut(&str)) {
        while let Some(end) = piece.iter().position(|byte| *byte == b'\n') {
            self.add(&piece[..end]);
            self.end(&mut line);
            piece = &piece[end + 1..];
        }
        self.add(piece);
    }

    /// Hands out what stands after the last line break.
    pub fn finish(&mut self, mut line: impl FnMut(&str)) {
        if !self.begun.is_empty() || self.is_too_long {
            self.end(&mut line);
        }
    }

    fn add(&mut self, piece: &[u8]) {
        if self.is_too_long || self.begun.len() + piece.len() > LINE_BYTES_MAX {
            self.is_too_long = true;
            self.begun = Vec::new();
        } else {
            self.begun.extend_from_slice(piece);
        }
    }

    fn end(&mut self, line: &mut impl FnMut(&str)) {
        if self.is_too_long {
            self.dropped += 1;
        } else {
            line(String::from_utf8_lossy(&self.begun).trim_end_matches('\r'));
        }
        self.begun.clear();
        self.is_too_long = false;
    }
}

/// The longest line that is read. Agents put whole files into one.
pub const LINE_BYTES_MAX: usize = 8 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_out_whole_however_they_come_in() {
        let (mut lines, mut out) = (Lines::default(), Vec::new());
        for piece in ["a\nb", "c\r\n", "", "\n", "é"] {
            lines.take(piece.as_bytes(), |line| out.push(line.to_owned()));
        }
        lines.take(&[0xff, b'\n', b'z'], |line| out.push(line.to_owned()));
        lines.finish(|line| out.push(line.to_owned()));
        assert_eq!(out, ["a", "bc", "", "é\u{fffd}", "z"]);
    }

    #[test]
    fn a_line_without_end_takes_no_memory_and_costs_only_itself() {
        let (mut lines, mut out) = (Lines::default(), Vec::new());
        for _ in 0..20 {
            lines.take(&vec![b'x'; 1 << 20], |line| out.push(line.to_owned()));
            assert!(lines.begun.capacity() <= 2 * LINE_BYTES_MAX);
        }
        lines.take(b"\nafter\n", |line| out.push(line.to_owned()));
        assert_eq!((out.as_slice(), lines.dropped), ([String::from("after")].as_slice(), 1));
    }
}
