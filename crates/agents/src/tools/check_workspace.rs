//! Tool `check_workspace`: whether the work holds so far, asked by the one who does it. How it is found out is the
//! harness's; what comes back passes the leak filter, because a check runs over source that the role must not read.
//!
//! What is told here proves nothing: the gate runs its own checks when the work is handed in.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sealwright_leak::{self as leak, Bounds, Budget, Cut, Sealed};
use serde_json::{Value, json};

use super::{Effect, Reply, Tool};

pub struct CheckWorkspace {
    check: Box<dyn Fn() -> Checked + Send + Sync>,
    sealed: Sealed,
    screen: Screen,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    pub verdict: Holds,
    /// What was printed on the way, as it was printed.
    pub summary: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    Yes,
    /// At least one failed.
    No,
    /// It could not be found out.
    Unknown,
}

/// What a role was shown of sealed source by this tool, for the leak budget of the whole run.
#[derive(Clone, Debug, Default)]
pub struct Screen(Arc<Mutex<Shown>>);

#[derive(Debug, Default)]
struct Shown {
    budget: Budget,
    cuts: Vec<Cut>,
}

impl CheckWorkspace {
    /// A tool that asks `check`, and shows of its words what `sealed` lets through in a run that has been shown
    /// `budget` before.
    pub fn new(
        check: Box<dyn Fn() -> Checked + Send + Sync>,
        sealed: Sealed,
        budget: Budget,
    ) -> (Self, Screen) {
        let screen = Screen(Arc::new(Mutex::new(Shown { budget, cuts: Vec::new() })));
        (Self { check, sealed, screen: screen.clone() }, screen)
    }
}

impl Screen {
    pub fn budget(&self) -> Budget {
        self.shown().budget.clone()
    }

    /// What was cut, as evidence. It names sealed files and is not for the role.
    pub fn cuts(&self) -> Vec<Cut> {
        self.shown().cuts.clone()
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tool for CheckWorkspace {
    fn name(&self) -> &'static str {
        "check_workspace"
    }

    fn about(&self) -> &'static str {
        "Runs the project's checks over your work as it stands and tells what they say. It may take minutes. Ask when \
         you believe that the work holds; there are only a few calls."
    }

    fn input(&self) -> Value {
        json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false})
    }

    fn effect(&self) -> Effect {
        Effect::None
    }

    fn calls_max(&self) -> u32 {
        CALLS_MAX
    }

    fn call(&self, _: &Value) -> Reply {
        let Checked { verdict, summary } = (self.check)();
        let bounds = Bounds { output_bytes_max: SUMMARY_BYTES_MAX, ..Bounds::default() };
        let mut shown = self.screen.shown();
        let filtered = leak::filter(&summary, &self.sealed, &bounds, &shown.budget);
        shown.budget = filtered.budget;
        let room = CUTS_MAX.saturating_sub(shown.cuts.len());
        shown.cuts.extend(filtered.cut.into_iter().take(room));
        Reply::Done(json!({"verdict": verdict.name(), "summary": filtered.text}))
    }
}

impl Holds {
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "pass",
            Self::No => "fail",
            Self::Unknown => "could not be checked",
        }
    }
}

/// Every call is a run of all checks, and one bit that a role learns about what it cannot see.
const CALLS_MAX: u32 = 20;
const SUMMARY_BYTES_MAX: usize = 16 << 10;
/// Cuts that are kept as evidence.
const CUTS_MAX: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    /// What a role reads when a check prints `summary`, once for each.
    fn told(summaries: &[&str]) -> (Vec<String>, Screen) {
        let sealed = Sealed::of([("billing/holds.rs", SEALED)]).unwrap();
        let rest = Mutex::new(summaries.iter().rev().map(ToString::to_string).collect::<Vec<_>>());
        let check = move || Checked {
            verdict: Holds::No,
            summary: rest.lock().unwrap().pop().unwrap().into_bytes(),
        };
        let (tool, screen) = CheckWorkspace::new(Box::new(check), sealed, Budget::default());
        let told = summaries.iter().map(|_| match tool.call(&json!({})) {
            Reply::Done(value) => {
                assert_eq!(value["verdict"], "fail");
                value["summary"].as_str().unwrap().to_owned()
            }
            Reply::Refused(why) => panic!("refused: {why}"),
        });
        (told.collect(), screen)
    }

    #[test]
    fn names_of_tests_and_short_messages_come_back() {
        let summary = "test a_hold_cannot_be_settled_twice ... FAILED\n1 passed; 1 failed\n";
        let (told, screen) = told(&[summary]);
        assert_eq!(told, [summary]);
        assert_eq!(screen.cuts(), []);
    }

    #[test]
    fn sealed_source_does_not_come_back_however_it_is_dressed() {
        let backwards: String = SEALED.chars().rev().collect();
        let hex: String = SEALED.bytes().map(|byte| format!("{byte:02x}")).collect();
        let spread = SEALED.lines().map(|line| format!("error: {line}\nnote: go on\n")).collect();
        for dressed in [SEALED.to_owned(), backwards, hex, spread, SEALED.to_uppercase()] {
            let summary = format!("test one ... ok\n{dressed}\ntest two ... FAILED\n");
            let (told, screen) = told(&[&summary]);
            let letters = |text: &str| -> String {
                text.to_lowercase().chars().filter(|it| it.is_ascii_alphanumeric()).collect()
            };
            for line in dressed.lines().map(letters).filter(|line| line.len() > 32) {
                let piece = &line[..32];
                assert!(!letters(&told[0]).contains(piece), "{piece} came back in {}", told[0]);
            }
            assert!(told[0].contains("sealed source"), "{}", told[0]);
            assert!(
                screen.cuts().iter().any(|cut| cut.file.as_deref() == Some("billing/holds.rs"))
            );
            assert!(!told[0].contains("holds.rs"), "the file is not named: {}", told[0]);
        }
    }

    #[test]
    fn the_calls_of_one_run_share_one_budget() {
        let lines: Vec<&str> = SEALED.lines().filter(|line| line.len() > 40).collect();
        let (_, screen) = told(&lines);
        assert!(screen.budget().cuts() >= 3, "{:?}", screen.budget());
        let (_, fresh) = told(&["ok\n"]);
        assert_eq!(fresh.budget().cuts(), 0);
    }

    #[test]
    fn a_long_output_keeps_within_its_bound() {
        let long = "test number_of_something ... ok\n".repeat(100_000);
        let (told, _) = told(&[&long]);
        assert!(told[0].len() <= SUMMARY_BYTES_MAX, "{}", told[0].len());
        assert!(told[0].starts_with("test number_of_something ... ok\n"));
    }

    const SEALED: &str = "\
pub fn settle_hold(ledger: &mut Ledger, hold: HoldId, amount: Cents) -> Result<Receipt, HoldError> {
    let reserved = ledger.reservations.remove(&hold).ok_or(HoldError::UnknownReservation)?;
    if amount > reserved.ceiling.saturating_add(ledger.tolerance_for(reserved.merchant)) {
        ledger.reservations.insert(hold, reserved);
        return Err(HoldError::AmountExceedsCeiling);
    }
    let receipt = Receipt::stamped(hold, amount, ledger.sequence.advance());
    ledger.journal.append(Entry::Settlement { hold, amount, merchant: reserved.merchant });
    Ok(receipt)
}
";
}
