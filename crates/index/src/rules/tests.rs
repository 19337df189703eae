use proptest::prelude::*;
use sealwright_kernel::fold;

use super::*;
use crate::tests::{at, entry};

fn append(entry: CodeIndexEntry) -> Command {
    Command::Append { entry: Box::new(entry) }
}

fn module(text: &str) -> Ref {
    text.parse().unwrap()
}

/// Rules after commands that are all accepted, and their events.
fn after(commands: &[Command]) -> (CodeIndexRules, Vec<Event>) {
    let (mut rules, mut all) = (CodeIndexRules::default(), Vec::new());
    for command in commands {
        let events = rules.decide(command).unwrap();
        events.iter().for_each(|event| rules.evolve(event));
        all.extend(events);
    }
    assert_eq!(fold::<CodeIndexRules>(&all), rules);
    (rules, all)
}

fn two_versions() -> Vec<Command> {
    vec![append(entry("a", "1.0.0", "x")), append(entry("a", "2.0.0", "x"))]
}

fn supersede(old: &str, by: &str) -> Command {
    Command::Supersede { module: module(old), by: module(by), reason: "faster".into(), at: at() }
}

fn deprecate(old: &str, replacement: Option<&str>) -> Command {
    let replacement = replacement.map(module);
    Command::Deprecate { module: module(old), replacement, reason: "unsafe".into(), at: at() }
}

/// Proves: F-INDEX-003
#[test]
fn a_key_is_used_once_and_the_same_content_changes_nothing() {
    let (rules, _) = after(&two_versions());
    assert_eq!(rules.decide(&append(entry("a", "1.0.0", "x"))), Ok(vec![]));
    let other = append(entry("a", "1.0.0", "y"));
    assert_eq!(rules.decide(&other), Err(Refused::KeyUsed { module: module("MM-a@1.0.0") }));
    // Also after its status changed.
    let mut commands = two_versions();
    commands.push(supersede("MM-a@1.0.0", "MM-a@2.0.0"));
    let (rules, _) = after(&commands);
    assert_eq!(rules.decide(&append(entry("a", "1.0.0", "x"))), Ok(vec![]));
    assert_eq!(rules.decide(&other), Err(Refused::KeyUsed { module: module("MM-a@1.0.0") }));
    assert_eq!(rules.len(), 2);
}

/// Proves: F-INDEX-004
#[test]
fn status_moves_once_and_one_way() {
    for from in Status::ALL {
        for to in Status::ALL {
            let expected = from == Status::Shipped && to != Status::Shipped;
            assert_eq!(from.may_become(to), expected, "{from:?} to {to:?}");
        }
    }
    for first in [supersede("MM-a@1.0.0", "MM-a@2.0.0"), deprecate("MM-a@1.0.0", None)] {
        let mut commands = two_versions();
        commands.push(first);
        let (rules, _) = after(&commands);
        let status = rules.standing(&module("MM-a@1.0.0")).unwrap().status;
        let terminal = Refused::Terminal { module: module("MM-a@1.0.0"), status };
        for second in [supersede("MM-a@1.0.0", "MM-a@2.0.0"), deprecate("MM-a@1.0.0", None)] {
            assert_eq!(rules.decide(&second), Err(terminal.clone()));
        }
    }
    let born_dead = CodeIndexEntry { status: Status::Deprecated, ..entry("b", "1.0.0", "x") };
    let refused = CodeIndexRules::default().decide(&append(born_dead));
    assert!(matches!(refused, Err(Refused::NotShipped { .. })));
}

#[test]
fn a_superseded_entry_points_to_a_shipped_successor_and_both_stay() {
    let mut commands = two_versions();
    commands.push(supersede("MM-a@1.0.0", "MM-a@2.0.0"));
    let (rules, events) = after(&commands);
    let old = folded(entry("a", "1.0.0", "x"), &events[2..]);
    assert_eq!(old.status, Status::Superseded);
    assert_eq!(old.superseded_by, Some(module("MM-a@2.0.0")));
    assert_eq!(old.notes, "2025-11-13T02:13:20.000Z SUPERSEDED: faster; replaced by MM-a@2.0.0");
    assert!(old.check().is_ok());
    assert_eq!(rules.len(), 2);
    for (old, by) in
        [("MM-a@2.0.0", "MM-a@2.0.0"), ("MM-a@2.0.0", "MM-a@1.0.0"), ("MM-a@2.0.0", "MM-a@3.0.0")]
    {
        let refused = rules.decide(&supersede(old, by));
        assert!(matches!(refused, Err(Refused::NoReplacement { .. })), "{by}");
    }
}

#[test]
fn deprecation_says_why_when_and_what_replaces_it() {
    let (mut rules, _) = after(&two_versions());
    let events = rules.decide(&deprecate("MM-a@1.0.0", None)).unwrap();
    let old = CodeIndexEntry { notes: "first line".into(), ..entry("a", "1.0.0", "x") };
    let old = folded(old, &events);
    assert_eq!((old.status, &old.superseded_by), (Status::Deprecated, &None));
    let line = "2025-11-13T02:13:20.000Z DEPRECATED: unsafe; no replacement exists";
    assert_eq!(old.notes, format!("first line\n{line}"));
    events.iter().for_each(|event| rules.evolve(event));

    let replaced = rules.decide(&deprecate("MM-a@2.0.0", Some("MM-a@1.0.0")));
    assert!(matches!(replaced, Err(Refused::NoReplacement { .. })));
    for silent in ["", "  "] {
        let command = Command::Deprecate {
            module: module("MM-a@2.0.0"),
            replacement: None,
            reason: silent.into(),
            at: at(),
        };
        assert!(matches!(rules.decide(&command), Err(Refused::NoReason { .. })));
    }
}

#[test]
fn a_deprecated_entry_may_point_to_its_replacement() {
    let mut commands = two_versions();
    commands.push(deprecate("MM-a@1.0.0", Some("MM-a@2.0.0")));
    let (_, events) = after(&commands);
    let old = folded(entry("a", "1.0.0", "x"), &events[2..]);
    assert_eq!((old.status, old.superseded_by), (Status::Deprecated, Some(module("MM-a@2.0.0"))));
}

/// Proves: F-INDEX-005
/// Proves in part: F-DEPR-001
#[test]
fn nothing_but_status_pointer_and_notes_ever_changes() {
    let original = entry("a", "1.0.0", "x");
    let mut commands = two_versions();
    let note = "seen in T-x";
    commands.push(Command::Note { module: module("MM-a@1.0.0"), note: note.into(), at: at() });
    commands.push(supersede("MM-a@1.0.0", "MM-a@2.0.0"));
    commands.push(Command::Note { module: module("MM-a@1.0.0"), note: note.into(), at: at() });
    let (_, events) = after(&commands);
    let mut before = original.clone();
    for event in &events[2..] {
        let after = folded(before.clone(), [event]);
        assert!(after.notes.starts_with(&before.notes) && after.notes.len() > before.notes.len());
        let same = |entry: &CodeIndexEntry| CodeIndexEntry {
            status: Status::Shipped,
            superseded_by: None,
            notes: String::new(),
            ..entry.clone()
        };
        assert_eq!(same(&after), original);
        before = after;
    }
    // Every command there is, tried with changed content: none of them edits or removes.
    let (rules, _) = after(&commands);
    let edits: [fn(&mut CodeIndexEntry); 4] = [
        |it| it.purpose.push('!'),
        |it| it.tags.clear(),
        |it| it.io_summary.outputs.push("Other: x".into()),
        |it| it.dependencies.push("MM-b@1".parse().unwrap()),
    ];
    for edit in edits {
        let mut edited = original.clone();
        edit(&mut edited);
        assert!(matches!(rules.decide(&append(edited)), Err(Refused::KeyUsed { .. })));
    }
}

#[test]
fn notes_are_bounded_and_lines() {
    let full =
        CodeIndexEntry { notes: "x".repeat(NOTES_BYTES_MAX - 31), ..entry("a", "1.0.0", "x") };
    let (rules, _) = after(&[append(full)]);
    let note = |text: &str| {
        let module = module("MM-a@1.0.0");
        rules.decide(&Command::Note { module, note: text.into(), at: at() })
    };
    // A date has 24 characters; a blank and the line break count.
    assert!(note("12345").is_ok());
    assert!(matches!(note("123456"), Err(Refused::NotesFull { .. })));
    let (rules, _) = after(&two_versions());
    let note = |text: &str| {
        let module = module("MM-a@1.0.0");
        rules.decide(&Command::Note { module, note: text.into(), at: at() })
    };
    assert!(note(&"x".repeat(NOTE_BYTES_MAX)).is_ok());
    assert!(note(&"x".repeat(NOTE_BYTES_MAX + 1)).is_err());
    assert!(note("two\nlines").is_err());
    let unknown = Command::Note { module: module("MM-z@1.0.0"), note: "x".into(), at: at() };
    assert!(matches!(rules.decide(&unknown), Err(Refused::Unknown { .. })));
}

fn commands() -> impl Strategy<Value = Command> {
    let name = prop_oneof![Just("a"), Just("b"), Just("c")];
    let version = prop_oneof![Just("1.0.0"), Just("2.0.0")];
    let purpose = prop_oneof![Just("x"), Just("y")];
    let any = (name, version).prop_map(|(name, version)| (name, version));
    (any.clone(), any, purpose, 0..4_u8).prop_map(
        |((name, version), (other, at_version), purpose, kind)| {
            let this = module(&format!("MM-{name}@{version}"));
            let that = module(&format!("MM-{other}@{at_version}"));
            match kind {
                0 => append(entry(name, version, purpose)),
                1 => supersede(&this.to_string(), &that.to_string()),
                2 => Command::Deprecate {
                    module: this,
                    replacement: Some(that),
                    reason: "r".into(),
                    at: at(),
                },
                _ => Command::Note { module: this, note: "n".into(), at: at() },
            }
        },
    )
}

proptest! {
    /// Proves: F-INDEX-002
    ///
    /// Whatever is asked: entries stay, status moves one way, a file of the events is believed.
    #[test]
    fn entries_stay_and_status_never_goes_back(commands in prop::collection::vec(commands(), 0..60)) {
        let mut rules = CodeIndexRules::default();
        for command in &commands {
            let before = rules.clone();
            let Ok(events) = rules.decide(command) else { continue };
            for event in &events {
                prop_assert!(rules.would_accept(event));
                rules.evolve(event);
            }
            prop_assert!(rules.len() >= before.len());
            for (module, old) in before.modules() {
                let new = rules.standing(module).unwrap();
                prop_assert_eq!((new.row, new.digest), (old.row, old.digest));
                prop_assert!(new.status == old.status || old.status.may_become(new.status));
            }
        }
    }
}
