//! Source that notices where it runs: whether it is being tested, and by whom.

use std::collections::BTreeSet;

use sealwright_kernel::Cheat;

use crate::overfit::{Declared, Look, Suspicion, Weight};
use crate::toolchain::{Outline, Role, Value};

pub(super) fn look(at: &Look<'_>, declared: &Declared) -> Vec<Suspicion> {
    let known: BTreeSet<String> = at.before.iter().flat_map(signs).map(|(sign, ..)| sign).collect();
    let mut found = Vec::new();
    for outline in at.after {
        for (sign, weight, line) in signs(outline) {
            let is_wanted = known.contains(&sign) || declared.says(&sign);
            if !is_wanted {
                let what = format!("`{sign}` tells it who runs it");
                found.push(Suspicion::new(
                    "knows-its-surroundings",
                    weight,
                    &outline.path,
                    line,
                    what,
                ));
            }
        }
    }
    found
}

/// The signs in one file: what, how grave, where.
fn signs(outline: &Outline) -> Vec<(String, Weight, u32)> {
    let cheat = Weight::Cheat(Cheat::Overfit);
    let mut found = Vec::new();
    for used in &outline.uses {
        let name = used.name.replace("::", ".");
        let is = |wanted: &str| name == wanted || name.ends_with(&format!(".{wanted}"));
        if TEST_NAMES.iter().any(|wanted| is(wanted)) || name.starts_with("cfg!(test") {
            found.push((used.name.clone(), cheat, used.line));
        } else if is_look(&name) && !is_entry(outline, used.line) {
            found.push((used.name.clone(), Weight::Finding, used.line));
        }
    }
    for import in &outline.imports {
        let is_runner = |runner: &&&str| {
            import
                .module
                .strip_prefix(**runner)
                .is_some_and(|it| it.is_empty() || it.starts_with('.'))
        };
        if let Some(runner) = RUNNERS.iter().find(is_runner) {
            found.push(((*runner).to_owned(), cheat, import.line));
        }
    }
    for literal in &outline.literals {
        let Value::Text(text) = &literal.value else { continue };
        if TEST_TEXTS.iter().any(|wanted| text.starts_with(wanted)) {
            // Asked for, or only spoken of: a tool about tests may know these words.
            let weight = match literal.role {
                Role::Key | Role::Compared => cheat,
                Role::Message | Role::Returned | Role::Other => Weight::Finding,
            };
            found.push((text.clone(), weight, literal.line));
        } else if RUNNERS.contains(&text.as_str()) && has(outline, "sys.modules") {
            found.push((format!("{text} in sys.modules"), cheat, literal.line));
        } else if text.starts_with("/proc/self") || text.starts_with("/proc/1/") {
            found.push((text.clone(), Weight::Finding, literal.line));
        }
    }
    found
}

fn is_look(name: &str) -> bool {
    let is = |wanted: &&str| name == *wanted || name.ends_with(&format!(".{wanted}"));
    // What is built for tests, or for anything but a release, is built differently on purpose.
    LOOKS.iter().any(is) || name == "cfg(not(test))" || name.starts_with("cfg!(debug_assertions")
}

/// Where a program begins it may ask for its words.
fn is_entry(outline: &Outline, line: u32) -> bool {
    let name = outline.path.rsplit('/').next().unwrap_or_default();
    let is_program =
        matches!(name, "main.rs" | "__main__.py" | "cli.py" | "main.py" | "cli.rs" | "args.rs")
            || outline.path.contains("/bin/");
    let mut main = outline.functions.iter().filter(|function| {
        let last = function.name.rsplit("::").next();
        last == Some("main") || last == Some("cli")
    });
    is_program || main.any(|function| (function.first..=function.last).contains(&line))
}

fn has(outline: &Outline, name: &str) -> bool {
    outline.uses.iter().any(|used| used.name == name)
}

/// Names that only tests have a use for.
const TEST_NAMES: &[&str] = &["PYTEST_CURRENT_TEST"];

/// Texts that only a test runner sets.
const TEST_TEXTS: &[&str] = &[
    "PYTEST_",
    "RUST_TEST_",
    "NEXTEST",
    "CARGO_TARGET_TMPDIR",
    "CARGO_BIN_EXE_",
    "JEST_WORKER_ID",
    "VITEST",
];

/// Runners that no product imports.
const RUNNERS: &[&str] = &["pytest", "_pytest", "unittest"];

/// Ways to look at who called, what is loaded, and how one was started. Some programs need them.
const LOOKS: &[&str] = &[
    "sys.argv",
    "sys.orig_argv",
    "sys._getframe",
    "sys._current_frames",
    "inspect.stack",
    "inspect.currentframe",
    "inspect.getouterframes",
    "traceback.extract_stack",
    "gc.get_objects",
    "gc.get_referrers",
    "env.args",
    "env.args_os",
    "env.current_exe",
    "current_exe",
    "Backtrace.capture",
    "Backtrace.force_capture",
    // What differs from run to run can hide what differs from test to test.
    "SystemTime.now",
    "Instant.now",
    "time.time",
    "time.time_ns",
    "time.monotonic",
    "datetime.now",
    "datetime.utcnow",
    "date.today",
    "random.random",
    "random.randint",
    "random.choice",
    "uuid.uuid4",
    "os.environ",
    "os.getenv",
    "os.getpid",
    "env.var",
    "env.var_os",
    "process.id",
    "socket.socket",
    "urllib.request.urlopen",
    "TcpStream.connect",
];
