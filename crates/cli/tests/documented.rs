//! Every command in the README and in the guide, run as it stands there.
//!
//! A page is one story: its blocks run one after the other, in one shell, in a folder and a home of their own. A comment
//! such as `# exit 11` at the end of a line says how the line ends. What cannot be run here is marked in the page with
//! `notest` and listed below with the reason, so that nothing is left out silently.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "these tests start a shell")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// What is not run, by page and first line, and why.
const NOT_RUN: &[(&str, &str, Why)] = &[
    ("README.md", "cargo install --locked --path crates/cli", Why::Builds),
    (
        "README.md",
        "sealwright do \"a day of parking never costs more than 2000 cents\"",
        Why::AsksAModel,
    ),
    ("README.md", "claude mcp add sealwright -- sealwright mcp", Why::SomebodyElses),
    ("README.md", "cargo xtask prove journal", Why::InTheGate),
    ("docs/guide/src/install.md", "curl --proto '=https'", Why::Downloads),
    ("docs/guide/src/install.md", "sh install.sh --from", Why::InstallsItself),
    ("docs/guide/src/install.md", "cargo install --locked --path crates/cli", Why::Builds),
    (
        "docs/guide/src/tutorial.md",
        "sealwright do \"a day of parking never costs more than 2000 cents\"",
        Why::AsksAModel,
    ),
];

/// Why a block is not run here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// It compiles everything; the gate does that anyway.
    Builds,
    /// It needs an agent, its key and a network.
    AsksAModel,
    /// It needs a program that is not ours.
    SomebodyElses,
    /// Each of its lines is a step of the gate; that is looked at here.
    InTheGate,
    /// It needs a release and a network.
    Downloads,
    /// The tests of `xtask/src/dist.rs` run it, with an archive.
    InstallsItself,
}

#[test]
fn every_command_of_the_readme_does_what_it_says() {
    let readme = root().join("README.md");
    live_through(&readme, &run_of(&readme));
}

#[test]
fn every_command_of_the_guide_does_what_its_page_says() {
    let mut pages = 0;
    for page in pages_of_the_guide() {
        let blocks = run_of(&page);
        if !blocks.is_empty() {
            live_through(&page, &blocks);
            pages += 1;
        }
    }
    assert!(pages >= 2, "the guide has commands on at least two pages");
}

#[test]
fn what_is_not_run_is_listed_with_its_reason() {
    let mut used: BTreeSet<usize> = BTreeSet::new();
    let pages = pages_of_the_guide().into_iter().chain([root().join("README.md")]);
    for page in pages {
        for block in blocks(&page) {
            assert!(
                ["sh", "sh,notest", "text", "toml", "rust", "json"].contains(&block.info.as_str()),
                "{}:{}: a block of `{}` is neither run nor plain text",
                page.display(),
                block.line,
                block.info
            );
            if block.info != "sh,notest" {
                continue;
            }
            let is_listed = |(named, begins, _): &(&str, &str, Why)| {
                page.ends_with(named) && block.text.starts_with(begins)
            };
            let Some(nth) = NOT_RUN.iter().position(is_listed) else {
                panic!("{}:{} is not run, and nobody says why", page.display(), block.line)
            };
            used.insert(nth);
            if NOT_RUN[nth].2 == Why::InTheGate {
                is_in_the_gate(&block.text);
            }
        }
    }
    assert_eq!(used.len(), NOT_RUN.len(), "something is listed that is in no page");
}

#[test]
fn a_line_knows_how_it_ends_and_where_it_stands() {
    let text = "one \\\n  two # exit 11\ncat <<'END'\n# exit 3\nEND\n\n# a word\nlast # why\n";
    let block = Block { info: "sh".to_owned(), text: text.to_owned(), line: 7 };
    let told: Vec<(usize, i32, String)> =
        block.statements().into_iter().map(|it| (it.line, it.exit, it.text)).collect();
    let expected = [
        (7, 11, "one \\\n  two # exit 11"),
        (9, 0, "cat <<'END'\n# exit 3\nEND"),
        (14, 0, "last # why"),
    ];
    assert_eq!(told, expected.map(|(line, exit, text)| (line, exit, text.to_owned())));
}

/// A fenced block of a page.
#[derive(Debug)]
struct Block {
    info: String,
    text: String,
    /// Where its first line stands.
    line: usize,
}

/// One command of a block, over as many lines as it takes.
struct Statement {
    text: String,
    line: usize,
    exit: i32,
}

impl Block {
    fn statements(&self) -> Vec<Statement> {
        let mut statements: Vec<Statement> = Vec::new();
        let mut lines = self.text.lines().enumerate();
        while let Some((nth, first)) = lines.next() {
            if first.trim().is_empty() || first.trim_start().starts_with('#') {
                continue;
            }
            let mut text = first.to_owned();
            let mut last = first;
            while last.ends_with('\\') {
                last = lines.next().expect("a line goes on").1;
                text = format!("{text}\n{last}");
            }
            let exit =
                last.rsplit_once("# exit ").map_or(0, |(_, code)| code.trim().parse().unwrap());
            if let Some((_, end)) = first.split_once("<<'") {
                let end = end.split('\'').next().unwrap();
                for (_, line) in lines.by_ref() {
                    text = format!("{text}\n{line}");
                    if line == end {
                        break;
                    }
                }
            }
            statements.push(Statement { text, line: self.line + nth, exit });
        }
        statements
    }
}

/// Runs the blocks of a page in one shell, as somebody with a new account would.
fn live_through(page: &Path, blocks: &[Block]) {
    let scratch = tempfile::tempdir().unwrap();
    let (home, folder) = (scratch.path().join("home"), scratch.path().join("work"));
    fs::create_dir(&home).unwrap();
    fs::create_dir(&folder).unwrap();
    // Somebody who has used git before.
    fs::write(home.join(".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@localhost\n").unwrap();
    let mut script = String::new();
    for statement in blocks.iter().flat_map(Block::statements) {
        let Statement { text, line, exit } = statement;
        script += &format!(
            "{text}\ncode=$?\n[ \"$code\" -eq {exit} ] || {{ echo \"line {line} ended with $code, not {exit}\" >&2; \
             exit 99; }}\n"
        );
    }
    let program = Path::new(env!("CARGO_BIN_EXE_sealwright")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(&folder).stdin(Stdio::null());
    shell.env("PATH", format!("{}:{path}", program.display()));
    shell.env("HOME", &home).env("SEALWRIGHT_STATE", scratch.path().join("state"));
    // What builds and tests the demonstration stands in the home that is hidden here.
    for (variable, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        if let Some(home) = std::env::var_os("HOME") {
            let known = std::env::var_os(variable).map(PathBuf::from);
            shell.env(variable, known.unwrap_or_else(|| Path::new(&home).join(folder)));
        }
    }
    if let Some(python) = std::env::var_os("SEALWRIGHT_PYTHON") {
        shell.env("VIRTUAL_ENV", python);
    }
    let output = shell.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {told}\n{said}", page.display());
}

/// Whether each command is a step of the gate.
fn is_in_the_gate(text: &str) {
    let gate = fs::read_to_string(root().join(".ci/run")).unwrap();
    for line in text.lines() {
        let command = line.split('#').next().unwrap().trim();
        assert!(gate.contains(&format!("step {command}")), "the gate does not run `{command}`");
    }
}

/// The blocks of a page that are run.
fn run_of(page: &Path) -> Vec<Block> {
    blocks(page).into_iter().filter(|block| block.info == "sh").collect()
}

/// Every page of the guide.
fn pages_of_the_guide() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    let mut open = vec![root().join("docs/guide/src")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|it| it == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

fn blocks(page: &Path) -> Vec<Block> {
    let text = fs::read_to_string(page).unwrap();
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    for (event, range) in Parser::new(&text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let line = text[..range.start].matches('\n').count() + 2;
                open = Some(Block { info: info.into_string(), text: String::new(), line });
            }
            Event::Text(more) => {
                if let Some(block) = &mut open {
                    block.text.push_str(&more);
                }
            }
            Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
            _ => {}
        }
    }
    blocks
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
