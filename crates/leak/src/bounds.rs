//! How much may pass.

use serde::{Deserialize, Serialize};

/// What one output, and one run of many outputs, may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// How many bytes are given back. Head and tail are kept, the middle is counted.
    pub output_bytes_max: usize,
    /// How many bytes of one line are given back.
    pub line_bytes_max: usize,
    /// A run of sealed letters longer than this is cut, if it also holds more rare words than the next bound. Runs
    /// of up to 18 letters may go unseen, so less than that cannot be asked for.
    pub run_letters_max: usize,
    /// How many rare words a longer run may hold.
    pub run_words_max: usize,
    /// How long a run of common words may be.
    pub common_letters_max: usize,
    /// How much of one-line strings may be repeated in one run; programs print them.
    pub spoken_letters_max: usize,
    /// How many sealed lines may be touched by smaller pieces in one output.
    pub faint_lines_max: usize,
    /// How many of an output's lines may be cut before all of it is withheld.
    pub cut_lines_max: usize,
    /// How much of an output, in percent of its lines, may be cut before all of it is withheld. A few lines may
    /// always be cut.
    pub cut_percent_max: usize,
    /// How many bytes of one output may stand in long words that nobody can read.
    pub unreadable_bytes_max: usize,
    /// How many sealed lines may be touched by smaller pieces in all outputs of a run together.
    pub run_faint_lines_max: usize,
    /// How many cuts a run may provoke. Each tells whoever wrote the line that it was right.
    pub run_cuts_max: usize,
    /// How many unreadable bytes may pass in all outputs of a run together.
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
