//! The lines of an output while they are cut, and the resulting text.

use super::bounds::Bounds;
use super::budget::Rows;
use super::notices::{CUT_RUN, CUT_SMALL, CUT_UNREADABLE, LEFT_OUT};
use super::passage::{Lines, Passage};
use super::{Cut, Why};

pub(super) struct Page {
    lines: Vec<Line>,
}

/// The reason to cut a line, and the sealed lines that it shows.
#[derive(Clone, Debug)]
pub(super) struct Reason {
    pub(super) why: Why,
    pub(super) file: Option<String>,
    pub(super) rows: Rows,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Smaller,
    Same,
}

enum Line {
    Text { number: u32, text: String },
    Cut { cut: Cut, rows: Rows },
    LeftOut { lines: usize, bytes: usize },
}

impl Page {
    /// Splits a harmless text into lines of bounded length.
    pub(super) fn of(text: &str, bounds: &Bounds) -> Self {
        let line = |(number, line): (u32, &str)| Line::Text {
            number,
            text: shortened(line, bounds.line_bytes_max),
        };
        Self { lines: (1..).zip(text.split('\n')).map(line).collect() }
    }

    /// Leaves out the middle of a page that is too long.
    pub(super) fn cap(&mut self, bytes_max: usize) {
        let sizes: Vec<usize> = self.lines.iter().map(|line| line.shown().len() + 1).collect();
        if sizes.iter().sum::<usize>().saturating_sub(1) <= bytes_max {
            return;
        }
        let half = bytes_max.saturating_sub(GAP_BYTES) / 2;
        let head = fitting(sizes.iter(), half);
        let tail = fitting(sizes[head..].iter().rev(), half);
        let end = self.lines.len() - tail;
        let (mut lines, mut bytes) = (0, 0);
        for (line, size) in self.lines[head..end].iter().zip(&sizes[head..end]) {
            match line {
                Line::LeftOut { lines: before, bytes: more } => {
                    lines += before;
                    bytes += more;
                }
                Line::Text { .. } | Line::Cut { .. } => {
                    lines += 1;
                    bytes += size;
                }
            }
        }
        self.lines.splice(head..end, [Line::LeftOut { lines, bytes }]);
    }

    /// The current text, each byte with its line.
    pub(super) fn passage(&self) -> Passage {
        let mut passage = Passage::default();
        for (nth, line) in (0..).zip(&self.lines) {
            let lines = Lines::one(nth);
            passage.extend(line.shown().as_bytes(), lines);
            passage.push(b'\n', lines);
        }
        passage
    }

    /// The text of each line that is still there.
    pub(super) fn texts(&self) -> impl Iterator<Item = Option<&str>> {
        self.lines.iter().map(|line| match line {
            Line::Text { text, .. } => Some(text.as_str()),
            Line::Cut { .. } | Line::LeftOut { .. } => None,
        })
    }

    /// Cuts every line that has a reason. Adjacent lines become one cut.
    pub(super) fn cut(&mut self, mut reasons: Vec<Option<Reason>>) -> Change {
        self.fill_gaps(&mut reasons);
        let mut change = Change::Same;
        let mut kept: Vec<Line> = Vec::with_capacity(self.lines.len());
        for (line, reason) in std::mem::take(&mut self.lines).into_iter().zip(reasons) {
            let (line, reason) = match (line, reason) {
                (Line::Text { number, .. }, Some(reason)) => (number, reason),
                (line @ (Line::Text { .. } | Line::Cut { .. } | Line::LeftOut { .. }), _) => {
                    kept.push(line);
                    continue;
                }
            };
            change = Change::Smaller;
            if let Some(Line::Cut { cut, rows }) = kept.last_mut()
                && cut.last + 1 == line
                && cut.why == reason.why
            {
                cut.last = line;
                if !rows.hold(&reason.rows) {
                    *rows = rows.with(&reason.rows);
                }
                continue;
            }
            let cut = Cut { first: line, last: line, why: reason.why, file: reason.file };
            kept.push(Line::Cut { cut, rows: reason.rows });
        }
        self.lines = kept;
        change
    }

    /// Also cuts braces and blank lines between two cut lines.
    fn fill_gaps(&self, reasons: &mut [Option<Reason>]) {
        let mut above: Option<(usize, Reason)> = None;
        for nth in 0..self.lines.len() {
            if let Some(reason) = reasons[nth].clone() {
                if let Some((last, reason)) = &above
                    && nth - last <= GAP_LINES_MAX
                {
                    let gap = Reason { rows: Rows::default(), ..reason.clone() };
                    reasons[last + 1..nth].fill(Some(gap));
                }
                above = Some((nth, reason));
            } else if !self.lines[nth].is_wordless() {
                above = None;
            }
        }
    }

    pub(super) fn shown(&self) -> String {
        let lines: Vec<_> = self.lines.iter().map(Line::shown).collect();
        lines.join("\n")
    }

    /// The cuts with the sealed lines that they show.
    pub(super) fn cuts(&self) -> impl Iterator<Item = (&Cut, &Rows)> {
        self.lines.iter().filter_map(|line| match line {
            Line::Cut { cut, rows } => Some((cut, rows)),
            Line::Text { .. } | Line::LeftOut { .. } => None,
        })
    }

    /// The number of cut lines, and of all lines.
    pub(super) fn lines_cut(&self) -> (usize, usize) {
        let cut: usize = self.cuts().map(|(cut, _)| cut.lines()).sum();
        (cut, cut + self.texts().flatten().count())
    }
}

impl Line {
    fn shown(&self) -> std::borrow::Cow<'_, str> {
        match self {
            Self::Text { text, .. } => text.into(),
            Self::Cut { cut, .. } => format!("[{}]", cut.notice()).into(),
            Self::LeftOut { lines, bytes } => {
                format!("[{lines} lines, {bytes} bytes {LEFT_OUT}]").into()
            }
        }
    }

    fn is_wordless(&self) -> bool {
        match self {
            Self::Text { text, .. } => {
                !text.bytes().any(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80)
            }
            Self::Cut { .. } | Self::LeftOut { .. } => false,
        }
    }
}

impl Cut {
    fn lines(&self) -> usize {
        (self.last - self.first) as usize + 1
    }

    /// The notice for the role. It names neither the text nor its file.
    fn notice(&self) -> String {
        let lines = match self.lines() {
            1 => "1 line".to_owned(),
            many => format!("{many} lines"),
        };
        match &self.why {
            Why::Repeats { through } if through.is_empty() => format!("{lines} {CUT_RUN}"),
            Why::Repeats { through } => {
                let codings: Vec<_> = through.iter().map(ToString::to_string).collect();
                format!("{lines} {CUT_RUN} ({})", codings.join(", "))
            }
            Why::SmallPieces => format!("{lines} {CUT_SMALL}"),
            Why::Unreadable => format!("{lines} {CUT_UNREADABLE}"),
        }
    }
}

/// How many of these sizes fit, counted from the first.
fn fitting<'a>(sizes: impl Iterator<Item = &'a usize>, bytes_max: usize) -> usize {
    let mut bytes = 0;
    sizes
        .take_while(|size| {
            bytes += **size;
            bytes <= bytes_max
        })
        .count()
}

/// The head and tail of a line that is too long.
fn shortened(line: &str, bytes_max: usize) -> String {
    if line.len() <= bytes_max {
        return line.to_owned();
    }
    let room = bytes_max.saturating_sub(GAP_BYTES);
    let head = line.floor_char_boundary(room / 3 * 2);
    let tail = line.ceil_char_boundary(line.len() - room / 3);
    let notice = format!("[{} bytes {LEFT_OUT}]", tail - head);
    let text = format!("{}{notice}{}", &line[..head], &line[tail..]);
    text[..text.floor_char_boundary(bytes_max)].to_owned()
}

/// Room for the notice of a gap.
const GAP_BYTES: usize = 120;
/// Lines without words that do not separate two cuts.
const GAP_LINES_MAX: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(line_bytes_max: usize) -> Bounds {
        Bounds { line_bytes_max, ..Bounds::default() }
    }

    fn reason() -> Option<Reason> {
        Some(Reason {
            why: Why::Repeats { through: Vec::new() },
            file: None,
            rows: Rows::of([(1, 1)]),
        })
    }

    #[test]
    fn a_page_that_fits_is_given_back_as_it_was() {
        for text in ["", "\n", "a\n\nb", "a\nb\n"] {
            let mut page = Page::of(text, &bounds(10));
            page.cap(text.len());
            assert_eq!(page.shown(), text);
        }
    }

    #[test]
    fn head_and_tail_of_a_long_page_are_kept() {
        let text = (1..=100).map(|line| format!("line {line}\n")).collect::<String>();
        let mut page = Page::of(&text, &bounds(100));
        page.cap(200);
        let expected = "line 1\nline 2\nline 3\nline 4\nline 5\n\
                        [91 lines, 724 bytes left out: the output was longer than it may be]\n\
                        line 97\nline 98\nline 99\nline 100\n";
        assert_eq!(page.shown(), expected);
        page.cap(200);
        assert_eq!(page.shown(), expected);
    }

    #[test]
    fn head_and_tail_of_a_long_line_are_kept() {
        let line = format!("begin{}end", "é".repeat(1000));
        let page = Page::of(&line, &bounds(300));
        let shown = page.shown();
        assert!(
            shown.len() <= 300 && shown.starts_with("beginé") && shown.ends_with("éend"),
            "{shown}"
        );
        assert!(shown.contains("bytes left out"), "{shown}");
    }

    #[test]
    fn neighbours_are_one_cut_and_braces_between_them_go_too() {
        let mut page = Page::of("a\nb\n}\n\nc\nd\n", &bounds(100));
        let reasons = vec![None, reason(), None, None, reason(), None, None];
        assert_eq!(page.cut(reasons), Change::Smaller);
        assert_eq!(page.shown(), "a\n[4 lines cut: this repeats sealed source]\nd\n");
        let cuts: Vec<_> = page.cuts().map(|(cut, _)| (cut.first, cut.last)).collect();
        assert_eq!((cuts, page.lines_cut()), (vec![(2, 5)], (4, 7)));
    }

    #[test]
    fn a_cut_is_not_cut_again() {
        let mut page = Page::of("a\nb", &bounds(100));
        page.cut(vec![reason(), None]);
        assert_eq!(page.cut(vec![reason(), None]), Change::Same);
    }
}
