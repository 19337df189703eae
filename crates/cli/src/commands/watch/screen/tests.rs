use std::fmt::Write as _;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use sealwright_kernel::owner::Header;
use sealwright_kernel::task::{Effect, Probe, Task, Want};
use sealwright_kernel::{Effect as _, Lane, Machine as _, TaskId, scripted};
use sealwright_views::steers;
use sealwright_views::watch::{Call, Folded, Standing, in_order};
use sealwright_views::wire::WriterPlace;

use super::super::transcript::{self, End};
use super::*;

#[test]
fn a_running_task_tells_who_is_at_it_and_since_when() {
    let sight = running("");
    insta::assert_snapshot!("running_80x24", drawn(&sight, 80, 24, &[]));
    insta::assert_snapshot!("running_40x12", drawn(&sight, 40, 12, &[]));
    insta::assert_snapshot!("running_120x40", drawn(&sight, 120, 40, &[]));
    insta::assert_snapshot!("running_alone_80x24", drawn(&sight, 80, 24, &[KeyCode::Enter]));
}

#[test]
fn a_halted_task_tells_what_to_type() {
    let sight = looking_at(halted("T-limits"), &[], WriterPlace::Nobody);
    insta::assert_snapshot!("halted_80x24", drawn(&sight, 80, 24, &[]));
    insta::assert_snapshot!("halted_40x12", drawn(&sight, 40, 12, &[KeyCode::Tab]));
    insta::assert_snapshot!("halted_120x40", drawn(&sight, 120, 40, &[]));
}

#[test]
fn a_finished_task_is_done_and_asks_nothing() {
    let sight = looking_at(done("T-limits"), &[], WriterPlace::Nobody);
    insta::assert_snapshot!("done_80x24", drawn(&sight, 80, 24, &[]));
}

#[test]
fn where_there_is_nothing_it_says_so() {
    let sight = Screenful::default();
    insta::assert_snapshot!("nothing_40x8", drawn(&sight, 40, 8, &[]));
    let gone =
        Screenful { trouble: Some("there is no `.sealwright` here any more".into()), ..sight };
    let told = drawn(&gone, 80, 8, &[]);
    assert!(told.contains("there is no `.sealwright` here any more"), "{told}");
}

#[test]
fn the_keys_are_explained() {
    insta::assert_snapshot!("help_80x24", drawn(&running(""), 80, 24, &[KeyCode::Char('?')]));
}

#[test]
fn a_damaged_or_unread_task_is_still_in_the_list() {
    let mut sight = looking_at(parked("T-limits"), &[], WriterPlace::Nobody);
    for (name, told) in
        [("T-bent", RowState::Damaged), ("T-new", RowState::Nothing), ("T-old", RowState::Unread)]
    {
        sight.tasks.push(TaskLine { task: TaskId::new(name).unwrap(), told });
    }
    in_order(&mut sight.tasks);
    sight.shown = None;
    insta::assert_snapshot!("damaged_80x24", drawn(&sight, 80, 24, &[]));
}

#[test]
fn a_call_that_broke_off_is_not_said_to_run() {
    let folded = building("T-limits");
    let calls = [call(&folded.task, 7, "")];
    let told = |writer| {
        let shown = TaskDetail::of(&folded, &calls, writer).unwrap();
        let now = facts(&shown, now()).into_iter().find(|it| it.name == "now");
        now.unwrap().lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>()
    };
    assert_eq!(
        told(WriterPlace::Here)[0],
        "0007-edit by builder (codex, gpt-5), for 1 min; last update 10 s ago"
    );
    assert_eq!(
        told(WriterPlace::Nobody)[0],
        "! 0007-edit by builder (codex, gpt-5) broke off: no update since 22:29:50, and no process is writing"
    );
    assert_eq!(
        told(WriterPlace::Unknown)[0],
        "0007-edit by builder (codex, gpt-5); no update since 22:29:50"
    );
    // The effect was tried again: the first call has broken off.
    let again = [call(&folded.task, 7, ""), call(&folded.task, 8, "")];
    let shown = TaskDetail::of(&folded, &again, WriterPlace::Here).unwrap();
    let standings: Vec<Standing> = shown.open.iter().map(|(_, it)| *it).collect();
    assert_eq!(standings, [Standing::Broken, Standing::Runs]);
    // An effect that is no longer owed is settled.
    let shown = TaskDetail::of(&done("T-limits"), &calls, WriterPlace::Here).unwrap();
    assert_eq!(shown.open[0].1, Standing::Broken);
}

#[test]
fn hostile_text_stays_text_at_every_size() {
    let sight = running(HOSTILE);
    for (width, height) in
        [(80, 24), (120, 40), (40, 12), (20, 5), (1, 1), (3, 200), (200, 2), (60, 16)]
    {
        for keys in [
            &[][..],
            &[KeyCode::Enter],
            &[KeyCode::Tab, KeyCode::Tab, KeyCode::PageUp],
            &[KeyCode::Tab, KeyCode::End],
            &[KeyCode::Char('?')],
        ] {
            let told = drawn(&sight, width, height, keys);
            let steering: Vec<char> = told.chars().filter(|c| *c != '\n' && steers(*c)).collect();
            assert_eq!(steering, Vec::<char>::new(), "{width}x{height}:\n{told}");
        }
    }
}

#[test]
fn the_smallest_terminal_shows_the_pane_and_nothing_else() {
    insta::assert_snapshot!("running_20x5", drawn(&running(""), 20, 5, &[]));
}

/// Without colours there are only bold, dim and turned cells.
#[test]
fn without_colours_no_cell_has_one() {
    let sight = looking_at(halted("T-limits"), &[], WriterPlace::Nobody);
    let colours = |palette| {
        let (hand, area) = (hand_on(&sight), Rect::new(0, 0, 80, 24));
        let mut buffer = Buffer::empty(area);
        Picture { sight: &sight, hand: &hand, now: now(), palette }.draw(area, &mut buffer);
        buffer
            .content()
            .iter()
            .filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset)
            .count()
    };
    assert_eq!(colours(Palette::None), 0);
    assert!(colours(Palette::Colours) > 0);
}

/// The terminal after some keys, without the blanks at the ends of its lines.
fn drawn(sight: &Screenful, width: u16, height: u16, keys: &[KeyCode]) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let mut hand = hand_on(sight);
    let mut extent = Extent::default();
    for nth in 0..=keys.len() {
        let picture = Picture { sight, hand: &hand, now: now(), palette: Palette::None };
        terminal.draw(|frame| extent = picture.draw(frame.area(), frame.buffer_mut())).unwrap();
        if let Some(code) = keys.get(nth) {
            hand.press(&KeyEvent::new(*code, KeyModifiers::NONE), &sight.tasks, extent);
        }
    }
    let buffer = terminal.backend().buffer();
    let mut text = String::new();
    for row in buffer.content().chunks(usize::from(width)) {
        let line: String = row.iter().map(|cell| cell.symbol()).collect();
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn hand_on(sight: &Screenful) -> Hand {
    let mut hand = Hand::new(None);
    hand.settle(&sight.tasks);
    hand
}

fn running(suffix: &str) -> Screenful {
    let folded = bent(building("T-limits"), suffix);
    let calls = [call(&folded.task, 7, suffix)];
    looking_at(folded, &calls, WriterPlace::Here)
}

fn looking_at(folded: Folded, calls: &[Call], writer: WriterPlace) -> Screenful {
    let shown = TaskDetail::of(&folded, calls, writer).unwrap();
    let told = RowState::Row(folded.row().unwrap());
    let tasks = vec![TaskLine { task: shown.task.clone(), told }];
    Screenful { tasks, shown: Some(Box::new(shown)), trouble: None, windows: Vec::new() }
}

/// A call of the builder that has not ended.
fn call(task: &Task, number: u32, suffix: &str) -> Call {
    let effect = task.owed().first().map(|effect| effect.id().as_str().to_owned());
    let said = serde_json::Value::String(format!("I look at the limiter first.{suffix}"));
    let agent = serde_json::Value::String(format!("codex{suffix}"));
    let effect = effect.unwrap_or_else(|| "T-limits/SL/edit/try-1".into());
    let lines = format!(
        "{{\"at\":1700000940000,\"begun\":{{\"part\":\"edit\",\"role\":\"builder\",\"agent\":{agent},\
         \"model\":\"gpt-5\",\"effect\":\"{effect}\"}}}}\n\
         {{\"at\":1700000950000,\"event\":{{\"kind\":\"text\",\"text\":{said}}}}}\n\
         {{\"at\":1700000960000,\"event\":{{\"kind\":\"tool_use\",\"tool\":\"shell\",\"deed\":\"command\",\
         \"detail\":\"cargo test --package limiter -- --nocapture two_tenants_at_once\"}}}}\n\
         {{\"at\":1700000970000,\"event\":{{\"kind\":\"file_change\",\"path\":\"src/limiter.rs\"}}}}\n\
         {{\"at\":1700000980000,\"event\":{{\"kind\":\"warning\",\"text\":\"the model is slow\"}}}}\n\
         {{\"at\":1700000990000,\"event\":{{\"kind\":\"usage\",\"usage\":{{\"input\":1200,\"cached\":0,\
         \"cache_written\":0,\"output\":34}}}}}}\n"
    );
    transcript::read(number, "edit", lines.as_bytes(), End::Whole(lines.as_bytes()))
}

/// Everything people and agents said ends in `suffix`.
fn bent(folded: Folded, suffix: &str) -> Folded {
    fn bend(value: serde_json::Value, suffix: &str) -> serde_json::Value {
        use serde_json::Value;
        match value {
            Value::String(text) if text.contains(' ') => Value::String(format!("{text}{suffix}")),
            Value::Array(parts) => parts.into_iter().map(|it| bend(it, suffix)).collect(),
            Value::Object(members) => {
                members.into_iter().map(|(name, it)| (name, bend(it, suffix))).collect()
            }
            other => other,
        }
    }
    let value = bend(serde_json::to_value(&folded.task).unwrap(), suffix);
    Folded { task: serde_json::from_value(value).unwrap(), ..folded }
}

fn parked(id: &str) -> Folded {
    until(id, |task| task.status() == Status::Parked, |_| 0)
}

fn halted(id: &str) -> Folded {
    let failing = |effect: &Effect| match effect {
        Effect::Task { want: Want::Probe { probe: Probe::Check(_), .. }, .. } => 1,
        Effect::Task { .. } | Effect::Slice { .. } => 0,
    };
    until(id, |task| task.status() == Status::Halted, failing)
}

fn done(id: &str) -> Folded {
    until(id, |task| task.status() == Status::Shipped, |_| 0)
}

/// A task whose slice is being edited.
fn building(id: &str) -> Folded {
    let is_editing = |task: &Task| {
        let slice = task.data().and_then(|known| known.slices.last());
        slice.is_some_and(|it| {
            matches!(it.state(), sealwright_kernel::task::slice::State::Editing { .. })
        })
    };
    until(id, is_editing, |_| 0)
}

fn until(id: &str, is_told: impl Fn(&Task) -> bool, pick: impl Fn(&Effect) -> usize) -> Folded {
    let mut folded = Folded::default();
    let mut input = scripted::create(scripted::charter(id, Lane::Quick, Header::default()));
    for nth in 0..400 {
        let events = folded.task.decide(&input).unwrap();
        folded.take(Timestamp::from_millis(1_700_000_000_000 + nth * 10_000), &events);
        if is_told(&folded.task) {
            return folded;
        }
        let effect = folded.task.owed().into_iter().next().unwrap();
        input = scripted::answers(&effect).swap_remove(pick(&effect));
    }
    panic!("the tale does not end");
}

fn now() -> Timestamp {
    Timestamp::from_millis(1_700_001_000_000)
}

const HOSTILE: &str = " \u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}evil\u{2066}\r\nnew line\t\u{0}\u{9b}31m e\u{301}\u{301}\u{301} \
    日本語日本語日本語 👩‍👩‍👧‍👦 ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~";
