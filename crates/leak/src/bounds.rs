//! The bounds of one output and of one run.

use serde::{Deserialize, Serialize};

/// The bounds of one output, and of all outputs of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Bytes of an output. The head and the tail are kept.
    pub output_bytes_max: usize,
    /// Bytes of one line.
    pub line_bytes_max: usize,
    /// A run of sealed letters longer than this is cut, if it also holds more than `run_words_max` rare words. Runs of
    /// up to 18 letters may go undetected, so a smaller bound has no effect.
    pub run_letters_max: usize,
    /// Rare words in a longer run.
    pub run_words_max: usize,
    /// Letters of a run of common words.
    pub common_letters_max: usize,
    /// Letters of one-line strings repeated in one run; programs print such strings.
    pub spoken_letters_max: usize,
    /// Sealed lines with fragments in one output.
    pub faint_lines_max: usize,
    /// Cut lines before the whole output is withheld.
    pub cut_lines_max: usize,
    /// Cut lines in percent before the whole output is withheld. A few lines may always be cut.
    pub cut_percent_max: usize,
    /// Bytes of long unreadable words in one output.
    pub unreadable_bytes_max: usize,
    /// Sealed lines with fragments in all outputs of a run.
    pub run_faint_lines_max: usize,
    /// Cuts in a run. Each cut confirms a guess of the line's author.
    pub run_cuts_max: usize,
    /// Unreadable bytes in all outputs of a run.
    pub run_unreadable_bytes_max: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            output_bytes_max: 64 << 10,
            line_bytes_max: 2000,
            run_letters_max: 32,
            run_words_max: 3,
            common_letters_max: 96,
            spoken_letters_max: 160,
            faint_lines_max: 8,
            cut_lines_max: 80,
            cut_percent_max: 50,
            unreadable_bytes_max: 8 << 10,
            run_faint_lines_max: 48,
            run_cuts_max: 200,
            run_unreadable_bytes_max: 64 << 10,
        }
    }
}
