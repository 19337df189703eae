//! Fingerprints of 200 contracts, beside those of the PyPI package `rfc8785`.
//!
//! `SEALWRIGHT_RFC8785` names a folder made by `pip install --target DIR rfc8785`. Without it the test says on standard
//! error that it was skipped.

#![expect(clippy::disallowed_methods, reason = "the test starts the Python that it compares with")]
#![expect(clippy::print_stderr, reason = "a test that was skipped says so")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use sealwright_module::contract::MicroModuleContract;
use serde_json::{Value, json};

/// A generator of numbers that is the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        // The steps of splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let mixed = usize::try_from((mixed ^ (mixed >> 31)) >> 32).expect("half of it fits");
        mixed % most
    }

    fn one_of(&mut self, all: &[&'static str]) -> &'static str {
        all[self.below(all.len())]
    }

    /// A text with everything in it that is written in more than one way.
    fn text(&mut self) -> String {
        let pieces = [
            "limit",
            "é",
            "e\u{301}",
            "\"",
            "\\",
            "/",
            "\n",
            "\t",
            "\u{7f}",
            "\u{2028}",
            "\u{fb33}",
            "😀",
            "\u{10ffff}",
            "ﬀ",
            "名前",
            " ",
            "1e3",
            "</script>",
            "\u{e000}",
            "\u{feff}x",
        ];
        let mut text = String::from("t");
        for _ in 0..=self.below(12) {
            // Control characters are refused by contracts, but for these two.
            text.push_str(self.one_of(&pieces));
        }
        text.retain(|it| !it.is_control() || matches!(it, '\n' | '\t'));
        text
    }

    fn line(&mut self, nth: usize) -> String {
        let text = self.text();
        let line: String = text.chars().filter(|it| !it.is_control()).take(20).collect();
        format!("{}{nth}", line.trim())
    }

    fn list(&mut self, least: usize, item: impl Fn(&mut Self, usize) -> Value) -> Value {
        let count = least + self.below(4);
        (0..count).map(|nth| item(self, nth)).collect()
    }

    fn texts(&mut self) -> Value {
        self.list(0, |it, nth| json!(format!("{}{nth}", it.text())))
    }

    fn contract(&mut self) -> Value {
        let surfaces = ["exception", "code", "variant"];
        let kinds = ["POST", "PUT", "PATCH", "WRITE", "CALL", "MUTATION"];
        let is_sync = self.below(2) == 0;
        json!({
            "module_id": format!("MM-m{}", self.below(1000)),
            "module_version": "1.0.0",
            "name": self.line(0),
            "purpose": self.text(),
            "tags": [],
            "inputs": self.list(1, |it, nth| {
                json!({"name": it.line(nth), "type": it.line(0), "constraints": it.texts()})
            }),
            "outputs": self.list(1, |it, nth| {
                json!({"invariants": it.texts(), "type": it.line(0), "name": it.line(nth)})
            }),
            "error_surfaces": self.list(0, |it, nth| {
                let surface = it.one_of(&surfaces);
                json!({"name": it.line(nth), "when": it.text(), "surface": surface})
            }),
            "effects": self.list(0, |it, nth| {
                let kind = it.one_of(&kinds);
                json!({"type": kind, "target": it.line(nth), "description": it.text()})
            }),
            "modes": {"sync": is_sync, "async": !is_sync || self.below(2) == 0, "notes": self.text()},
            "error_cases": [],
            "dependencies": [],
            "compatibility": {"backward_compatible_with": [], "breaking_change_policy": "never breaks"}
        })
    }
}

/// Reads one contract in each line, and writes the canonical bytes of its five dimensions and their digest.
const PROGRAM: &str = r#"
import hashlib, json, sys
sys.path.insert(0, sys.argv[1])
import rfc8785
for line in sys.stdin.buffer:
    contract = json.loads(line)
    five = {it: contract[it] for it in ("inputs", "outputs", "error_surfaces", "effects", "modes")}
    canonical = rfc8785.dumps(five)
    print(canonical.hex(), hashlib.sha256(canonical).hexdigest())
"#;

#[test]
fn fingerprints_equal_those_of_the_python_package() {
    let Some(folder) = std::env::var_os("SEALWRIGHT_RFC8785") else {
        eprintln!("skipped: SEALWRIGHT_RFC8785 names no folder with the package rfc8785");
        return;
    };
    let mut numbers = Numbers(1);
    let written: Vec<Value> = (0..CONTRACTS).map(|_| numbers.contract()).collect();
    let ours = written.iter().map(|it| {
        let contract = MicroModuleContract::parse(it.to_string().as_bytes());
        let contract = contract.unwrap_or_else(|problems| panic!("{problems}: {it}"));
        let bytes = contract.interface.canonical().iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").unwrap();
            hex
        });
        format!("{bytes} {}", contract.fingerprint())
    });
    let ours: Vec<String> = ours.collect();

    let mut python = Command::new("python3")
        .args(["-I", "-c", PROGRAM])
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: String = written.iter().map(|it| format!("{it}\n")).collect();
    let mut input = python.stdin.take().unwrap();
    // The program reads and writes by turns, so a thread writes while the test reads.
    let writing = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = python.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    assert!(output.status.success());
    let theirs = String::from_utf8(output.stdout).unwrap();
    assert_eq!(theirs.lines().count(), CONTRACTS);
    for (nth, (theirs, ours)) in theirs.lines().zip(&ours).enumerate() {
        assert_eq!(theirs, ours, "contract {nth}: {}", written[nth]);
    }
}

const CONTRACTS: usize = 200;
