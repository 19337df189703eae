//! `TASK.md`: the request, in a file that a person writes and may edit.
//!
//! ```text
//! ---
//! autonomy: auto
//! risk: normal
//! lane: quick
//! ---
//!
//! # Make the rate limiter per tenant
//!
//! A description in free text.
//!
//! ## Criteria
//!
//! - Two tenants are counted apart (verify: tests)
//! ```

mod amended;

use sealwright_kernel::Lane;
use sealwright_kernel::owner::{Autonomy, Header, Risk};
use sealwright_kernel::task::CRITERIA_MAX;

pub use amended::{Amendment, amended};

/// The content of a task file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFile {
    pub title: String,
    pub header: Header,
    pub lane: Lane,
    pub criteria: Vec<String>,
}

/// A task file that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("TASK.md, line {line}: {what}")]
pub struct TaskFileError {
    /// The line number, from 1.
    pub line: usize,
    pub what: String,
    /// How to fix it.
    pub hint: &'static str,
}

impl TaskFile {
    /// Parses a task file. `lane` and `header` are the defaults for a header that omits them.
    pub fn parse(text: &str, lane: Lane, header: Header) -> Result<Self, TaskFileError> {
        if text.len() > TEXT_BYTES_MAX {
            let what = format!("the file is longer than {} KiB", TEXT_BYTES_MAX / 1024);
            return Err(wrong(1, what, "move long material to docs/input and name the file here"));
        }
        let mut file = Self { title: String::new(), header, lane, criteria: Vec::new() };
        let text = text.trim_start_matches('\u{feff}');
        let mut lines = text.lines().enumerate().map(|(nth, line)| (nth + 1, line)).peekable();
        // Blank lines above a header must not hide it.
        while lines.next_if(|(_, line)| line.trim().is_empty()).is_some() {}
        if lines.next_if(|(_, line)| line.trim_end() == "---").is_some() {
            file.read_header(&mut lines)?;
        }
        let mut section = String::new();
        let mut fence: Option<&str> = None;
        for (nth, line) in lines {
            let line = line.trim();
            match (fence, fence_of(line)) {
                (None, Some(opened)) => fence = Some(opened),
                (Some(opened), Some(closed)) if closed.starts_with(opened) => fence = None,
                (Some(_), _) => {}
                (None, None) => file.read_line(nth, line, &mut section)?,
            }
        }
        if file.title.is_empty() {
            let what = "the title is missing".to_owned();
            return Err(wrong(
                1,
                what,
                "begin with a line such as `# Make the limiter per tenant`",
            ));
        }
        Ok(file)
    }

    /// Writes a task file for a request in free text.
    pub fn draft(said: &str, lane: Lane, header: Header) -> String {
        let said = said.trim();
        let first = said.lines().next().unwrap_or_default();
        let whole = first.trim_start_matches('#').trim();
        let title = headline(whole);
        let rest = said.strip_prefix(first).unwrap_or_default().trim();
        // If the title is shortened, the whole sentence goes below it.
        let left_out = if title == whole { "" } else { whole };
        let paragraphs = [left_out, rest].into_iter().filter(|text| !text.is_empty());
        let body: String = paragraphs.map(|text| format!("{text}\n\n")).collect();
        let has_criteria = rest.lines().any(|line| line.trim() == CRITERIA);
        let criteria = if has_criteria { String::new() } else { format!("{CRITERIA}\n\n") };
        format!(
            "---\nautonomy: {}\nrisk: {}\nlane: {}\n---\n\n# {title}\n\n{body}{criteria}",
            header.autonomy.name(),
            header.risk.name(),
            lane.name(),
        )
    }

    fn read_header<'a>(
        &mut self,
        lines: &mut impl Iterator<Item = (usize, &'a str)>,
    ) -> Result<(), TaskFileError> {
        let mut seen: Vec<&str> = Vec::new();
        for (nth, line) in lines {
            let line = line.trim();
            if line == "---" {
                return Ok(());
            }
            if line.is_empty() {
                continue;
            }
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let (name, value) = (name.trim(), value.trim());
            if seen.contains(&name) {
                let what = format!("`{}` is set twice", shown(name));
                return Err(wrong(nth, what, "remove one of the lines"));
            }
            seen.push(name);
            let unknown = |hint| wrong(nth, format!("unknown value `{}`", shown(value)), hint);
            match name {
                "autonomy" => {
                    self.header.autonomy = Autonomy::named(value)
                        .ok_or_else(|| unknown("use manual, conservative or auto"))?;
                }
                "risk" => {
                    self.header.risk =
                        Risk::named(value).ok_or_else(|| unknown("use normal or high"))?;
                }
                "lane" => {
                    self.lane = Lane::named(value)
                        .ok_or_else(|| unknown("use quick, factory or strict"))?;
                }
                _ => {
                    let what = format!("unknown key `{}`", shown(name));
                    return Err(wrong(
                        nth,
                        what,
                        "the header has the keys autonomy, risk and lane",
                    ));
                }
            }
        }
        let what = "the header is not closed".to_owned();
        Err(wrong(1, what, "close it with a line that is `---`"))
    }

    fn read_line(
        &mut self,
        nth: usize,
        line: &str,
        section: &mut String,
    ) -> Result<(), TaskFileError> {
        if let Some(heading) = line.strip_prefix("## ") {
            section.clear();
            section.push_str(heading.trim());
        } else if let Some(title) = line.strip_prefix("# ") {
            if !self.title.is_empty() {
                let what = "there is a second title".to_owned();
                return Err(wrong(nth, what, "a task file is one task; use `##` for its parts"));
            }
            if title.trim().len() > TITLE_BYTES_MAX {
                let what = format!("the title is longer than {TITLE_BYTES_MAX} bytes");
                return Err(wrong(nth, what, "shorten it; put details below it"));
            }
            title.trim().clone_into(&mut self.title);
        } else if section == "Criteria"
            && let Some(item) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))
            && !item.trim().is_empty()
        {
            if self.criteria.len() == CRITERIA_MAX {
                let what = format!("more than {CRITERIA_MAX} criteria");
                return Err(wrong(nth, what, "split the task"));
            }
            self.criteria.push(item.trim().to_owned());
        }
        Ok(())
    }
}

fn fence_of(line: &str) -> Option<&str> {
    let is_fence = line.starts_with("```") || line.starts_with("~~~");
    is_fence.then(|| line.get(..3)).flatten()
}

fn wrong(line: usize, what: String, hint: &'static str) -> TaskFileError {
    TaskFileError { line, what, hint }
}

fn shown(text: &str) -> String {
    text.chars().take(TEXT_SHOWN_MAX).collect()
}

/// The request in a task file: its title and its description, without header and criteria.
pub fn request(text: &str) -> Option<String> {
    let mut lines = text.trim_start_matches('\u{feff}').trim_start().lines().peekable();
    if lines.next_if(|line| line.trim_end() == "---").is_some() {
        lines.by_ref().find(|line| line.trim() == "---")?;
    }
    let title = lines.find(|line| !line.trim().is_empty())?.trim().strip_prefix("# ")?.trim();
    let mut is_criteria = false;
    let described: Vec<&str> = lines
        .filter(|line| {
            if line.starts_with("## ") {
                is_criteria = line.trim() == CRITERIA;
            }
            !is_criteria
        })
        .collect();
    let described = described.join("\n");
    let described = described.trim();
    // A shortened title stands above the whole sentence.
    let is_whole_below = title.strip_suffix('…').is_some_and(|it| described.starts_with(it));
    Some(match (described, is_whole_below) {
        ("", _) => title.to_owned(),
        (_, true) => described.to_owned(),
        (_, false) => format!("{title}\n\n{described}"),
    })
}

const CRITERIA: &str = "## Criteria";
/// The line cut to the length of a title, at a word boundary if possible.
fn headline(line: &str) -> String {
    let mut places = line.char_indices().skip(TITLE_SHOWN_MAX - 1);
    let (Some((end, _)), Some(_)) = (places.next(), places.next()) else { return line.to_owned() };
    let words = line[..end].rsplit_once(char::is_whitespace).map(|(words, _)| words);
    let words = words.filter(|words| words.chars().count() > TITLE_SHOWN_MAX / 2);
    let cut = words.unwrap_or(&line[..end]);
    format!("{}…", cut.trim_end_matches(|last: char| !last.is_alphanumeric()))
}

const TEXT_BYTES_MAX: usize = 256 * 1024;
const TITLE_BYTES_MAX: usize = 200;
const TITLE_SHOWN_MAX: usize = 72;
const TEXT_SHOWN_MAX: usize = 40;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<TaskFile, TaskFileError> {
        TaskFile::parse(text, Lane::Quick, Header::default())
    }

    #[test]
    fn the_request_is_what_a_person_wrote() {
        let long = "a day of parking never costs more than 2000 cents, however long a car stays";
        let more = "free on Sundays\n\nAlso on holidays.\r\n\n## Notes\n\nAsk Ada.";
        for said in ["free on Sundays", long, more] {
            let draft = TaskFile::draft(said, Lane::Quick, Header::default());
            assert_eq!(request(&draft).unwrap(), said.replace('\r', ""), "{draft}");
        }
        let written = "# free\n\n## Criteria\n\n- it is (verify: tests)\n\n## Notes\n\nAsk Ada.\n";
        assert_eq!(request(written).unwrap(), "free\n\n## Notes\n\nAsk Ada.");
        assert_eq!(request("running 3 tests\n"), None);
    }

    #[test]
    fn a_long_sentence_is_a_title_of_whole_words_and_nothing_of_it_is_lost() {
        let said = "Keep slugs short without cutting words, and unique among those already taken";
        for (said, more) in
            [(said.to_owned(), ""), (format!("{said}\n\nSee the list."), "See the list.")]
        {
            let text = TaskFile::draft(&said, Lane::Quick, Header::default());
            let title = parse(&text).unwrap().title;
            assert_eq!(
                title,
                "Keep slugs short without cutting words, and unique among those already…"
            );
            assert!(
                text.contains("\n\nKeep slugs short") && text.contains("already taken\n\n"),
                "{text}"
            );
            assert!(text.contains(more), "{text}");
        }
        let one_word = TaskFile::draft(&"é".repeat(100), Lane::Quick, Header::default());
        assert_eq!(parse(&one_word).unwrap().title, format!("{}…", "é".repeat(71)));
    }

    #[test]
    fn nothing_above_a_header_hides_it() {
        for above in ["", "\n", "\u{feff}", " \n\t\n", "\u{feff}\n"] {
            let file = parse(&format!("{above}---\nrisk: high\nlane: strict\n---\n# x\n")).unwrap();
            assert_eq!((file.header.risk, file.lane), (Risk::High, Lane::Strict), "{above:?}");
        }
        let high = Header { autonomy: Autonomy::Manual, risk: Risk::High };
        let silent =
            TaskFile::parse("---\nautonomy: auto\n---\n# x\n", Lane::Strict, high).unwrap();
        assert_eq!((silent.lane, silent.header.risk), (Lane::Strict, Risk::High));
    }

    #[test]
    fn a_sentence_becomes_a_file_that_reads_back() {
        let header = Header { autonomy: Autonomy::Conservative, risk: Risk::High };
        let text = TaskFile::draft("make the rate limiter per tenant", Lane::Strict, header);
        let file = parse(&text).unwrap();
        assert_eq!(file.title, "make the rate limiter per tenant");
        assert_eq!((file.lane, file.header), (Lane::Strict, header));
        assert_eq!(file.criteria, Vec::<String>::new());
    }

    #[test]
    fn a_whole_file_keeps_its_words_and_its_criteria() {
        let said = "# Limits\n\nPer tenant.\n\n## Criteria\n\n- apart (verify: tests)\n* fast\n\n## Later\n\n- not this\n";
        let text = TaskFile::draft(said, Lane::Quick, Header::default());
        let file = parse(&text).unwrap();
        assert_eq!(file.title, "Limits");
        assert_eq!(file.criteria, ["apart (verify: tests)", "fast"]);
        assert!(text.contains("Per tenant."));
    }

    /// Proves in part: A-020
    #[test]
    fn every_refusal_names_the_line_and_what_to_do() {
        let cases = [
            ("---\nautonomy: full\n---\n# x", 2, "unknown value `full`"),
            ("---\nrisk: maybe\n---\n# x", 2, "unknown value `maybe`"),
            ("---\nlane: fast\n---\n# x", 2, "unknown value `fast`"),
            ("---\nphase: done\n---\n# x", 2, "unknown key `phase`"),
            ("---\nrisk: high\nrisk: normal\n---\n# x", 3, "`risk` is set twice"),
            ("---\nrisk: high\n# x", 3, "unknown key `# x`"),
            ("just words", 1, "the title is missing"),
            ("# a\n\n# b", 3, "there is a second title"),
        ];
        for (text, line, what) in cases {
            let error = parse(text).unwrap_err();
            assert_eq!((error.line, error.what.as_str()), (line, what), "{text}");
            assert!(!error.hint.is_empty());
        }
    }

    #[test]
    fn a_fence_is_skipped() {
        let file = parse("# a\n```\n# b\n## Criteria\n- c\n```\n").unwrap();
        assert_eq!((file.title.as_str(), file.criteria.len()), ("a", 0));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(?s).{0,400}") {
            if let Err(error) = parse(&text) {
                prop_assert!(error.line >= 1 && !error.what.is_empty());
            }
        }

        #[test]
        fn any_request_becomes_a_file_with_its_title(said in "(?s)[a-z].{0,400}") {
            let text = TaskFile::draft(&said, Lane::Quick, Header::default());
            let parsed = parse(&text);
            prop_assert!(parsed.is_ok() || said.lines().any(|it| it.trim().starts_with("# ")), "{parsed:?}");
        }
    }
}
