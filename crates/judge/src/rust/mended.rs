//! Tests that cannot be compiled with a stand-in: each is taken out with the reason, so that the others can be run.

use std::collections::BTreeMap;

use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::{Function, Kind, Outline, Outliner};
use sealwright_sandbox::RunOutcome;
use serde::Deserialize;

/// Tests and why they were taken out, by file and name.
pub(super) type TakenOut = BTreeMap<(String, String), String>;

/// What the compiler says is wrong, by file.
#[derive(Debug, Default)]
pub(super) struct Errors {
    by_file: BTreeMap<String, Vec<(u32, String)>>,
    /// What is said of no file that is known.
    pub(super) elsewhere: Vec<String>,
}

impl Errors {
    /// Reads the compiler's messages. `known` gives the path of a file that tests are in.
    pub(super) fn read(messages: &[u8], known: impl Fn(&str) -> Option<String>) -> Self {
        let mut errors = Self::default();
        for line in messages.split(|it| *it == b'\n') {
            let Ok(Line { message }) = serde_json::from_slice(line) else { continue };
            // The last words of every failed build are about the build.
            if message.level != "error" || message.message.starts_with("aborting due to") {
                continue;
            }
            let place = message.spans.iter().find(|it| it.is_primary).map(Span::outermost);
            let found = place.and_then(|it| Some((known(&it.file_name)?, it.line_start)));
            match found {
                Some((file, line)) => {
                    errors.by_file.entry(file).or_default().push((line, message.message));
                }
                None => errors.elsewhere.push(message.message),
            }
        }
        errors
    }

    /// Why a build ended without what it is for: the compiler's first words, or whatever was said.
    pub(super) fn reason(outcome: &RunOutcome) -> String {
        let mut errors = Self::read(&outcome.stdout.kept, |_| None).elsewhere;
        if errors.is_empty() {
            return String::from_utf8_lossy(&outcome.stderr.kept).into_owned();
        }
        errors.swap_remove(0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_file.is_empty() && self.elsewhere.is_empty()
    }

    /// Takes the functions with errors out of their files; of a file with an error outside of any, or if it is the last
    /// chance, everything.
    pub(super) fn take_out(
        &self,
        files: &mut BTreeMap<String, Vec<u8>>,
        taken: &mut TakenOut,
        is_last: bool,
    ) {
        for (file, errors) in &self.by_file {
            let Some(content) = files.get_mut(file) else { continue };
            let text = String::from_utf8_lossy(content).into_owned();
            let Some(outline) = outlined(file, &text) else {
                content.clear();
                continue;
            };
            let mut lines: Vec<&str> = text.lines().collect();
            for (line, why) in errors {
                let inside = |it: &&Function| !is_last && (it.first..=it.last).contains(line);
                match outline.functions.iter().filter(inside).min_by_key(|it| it.last - it.first) {
                    Some(function) => {
                        if function.kind == Kind::Test {
                            let key = (file.clone(), function.name.clone());
                            taken.entry(key).or_insert_with(|| why.clone());
                        }
                        function.blank(&mut lines, "//");
                    }
                    None => {
                        for test in outline.tests() {
                            let key = (file.clone(), test.name.clone());
                            taken.entry(key).or_insert_with(|| why.clone());
                        }
                        lines.clear();
                        break;
                    }
                }
            }
            *content = lines.join("\n").into_bytes();
            content.push(b'\n');
        }
    }
}

/// The functions of a test file.
pub(super) fn outlined(path: &str, text: &str) -> Option<Outline> {
    match Toolchain::of_file(path)?.language().outliner() {
        Outliner::Text(outline) => outline(path, text).ok(),
        Outliner::Command { .. } => None,
    }
}

#[derive(Deserialize)]
struct Line {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    level: String,
    message: String,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: u32,
    is_primary: bool,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

impl Span {
    /// Where somebody wrote the macro that it comes from.
    fn outermost(&self) -> &Self {
        match &self.expansion {
            Some(expansion) => expansion.span.outermost(),
            None => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_does_not_compile_is_taken_out() {
        let text = "use shop::total;\n\n/// Adds.\n#[test]\nfn adds() {\n    total(each);\n}\n\n#[test]\nfn other() { total(1); }\n";
        let mut files = BTreeMap::from([("tests/a.rs".to_owned(), text.into())]);
        let message = |file: &str, line: u32| {
            format!(
                "{{\"message\":{{\"level\":\"error\",\"message\":\"no `each`\",\"spans\":[{{\"file_name\":\"{file}\",\
                 \"line_start\":{line},\"is_primary\":true,\"expansion\":null}}]}}}}\n"
            )
        };
        let known = |file: &str| (file == "tests/a.rs").then(|| file.to_owned());
        let mut taken = TakenOut::new();
        let errors = Errors::read(message("tests/a.rs", 6).as_bytes(), known);
        errors.take_out(&mut files, &mut taken, false);
        let left = String::from_utf8_lossy(&files["tests/a.rs"]).into_owned();
        assert_eq!(left.lines().filter(|it| !it.is_empty()).count(), 3, "{left}");
        assert_eq!(left.lines().count(), text.lines().count());
        assert_eq!(
            taken.into_keys().collect::<Vec<_>>(),
            [("tests/a.rs".to_owned(), "adds".to_owned())]
        );
        let mut taken = TakenOut::new();
        Errors::read(message("tests/a.rs", 1).as_bytes(), known)
            .take_out(&mut files, &mut taken, false);
        assert_eq!(
            taken.len(),
            1,
            "the other one is left, and nothing of the file can be compiled"
        );
        assert_eq!(
            Errors::read(message("src/lib.rs", 1).as_bytes(), known).elsewhere,
            ["no `each`"]
        );
    }
}
