//! The state that keys change: selected task, active pane, scroll positions.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use sealwright_kernel::TaskId;
use sealwright_views::watch::TaskLine;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hand {
    pub(crate) selected: Option<TaskId>,
    pub(crate) pane: Pane,
    pub(crate) depth: Depth,
    pub(crate) help: Help,
    pub(crate) facts_down: usize,
    /// Lines above the end of the transcript; 0 follows the end.
    pub(crate) transcript_back: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pane {
    Tasks,
    Facts,
    Transcript,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    List,
    Task,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Help {
    Closed,
    Open,
}

/// What follows a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    Nothing,
    Draw,
    Leave,
}

/// How far each pane scrolls, as last drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) facts_max: usize,
    pub(crate) transcript_max: usize,
    /// Rows of the active pane.
    pub(crate) page: usize,
}

impl Hand {
    pub(crate) fn new(selected: Option<TaskId>) -> Self {
        let (pane, depth) = match &selected {
            Some(_) => (Pane::Facts, Depth::Task),
            None => (Pane::Tasks, Depth::List),
        };
        Self { selected, pane, depth, help: Help::Closed, facts_down: 0, transcript_back: 0 }
    }

    /// Selects the first task if the selected one is gone.
    pub(crate) fn settle(&mut self, tasks: &[TaskLine]) {
        let is_there = |task: &TaskId| tasks.iter().any(|seen| seen.task == *task);
        if !self.selected.as_ref().is_some_and(is_there) {
            self.select(tasks.first().map(|seen| seen.task.clone()));
        }
    }

    pub(crate) fn press(&mut self, key: &KeyEvent, tasks: &[TaskLine], extent: Extent) -> Then {
        if key.kind == KeyEventKind::Release {
            return Then::Nothing;
        }
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match (key.code, is_control) {
            (KeyCode::Char('c'), true) | (KeyCode::Char('q'), false) => return Then::Leave,
            (KeyCode::Char('?'), false) => {
                self.help = match self.help {
                    Help::Closed => Help::Open,
                    Help::Open => Help::Closed,
                };
                return Then::Draw;
            }
            // Any other key only closes the help.
            _ if self.help == Help::Open => {
                self.help = Help::Closed;
                return Then::Draw;
            }
            _ => {}
        }
        let page = extent.page.max(1);
        match (key.code, is_control) {
            (KeyCode::Up | KeyCode::Char('k'), false) => self.go(Way::Up, 1, tasks, extent),
            (KeyCode::Down | KeyCode::Char('j'), false) => self.go(Way::Down, 1, tasks, extent),
            (KeyCode::PageUp, _) => self.go(Way::Up, page, tasks, extent),
            (KeyCode::PageDown, _) => self.go(Way::Down, page, tasks, extent),
            (KeyCode::Home | KeyCode::Char('g'), false) => {
                self.go(Way::Up, usize::MAX, tasks, extent)
            }
            (KeyCode::End | KeyCode::Char('G'), false) => {
                self.go(Way::Down, usize::MAX, tasks, extent)
            }
            (KeyCode::Tab, _) => self.turn_to(self.next()),
            (KeyCode::BackTab, _) => self.turn_to(self.before()),
            (KeyCode::Enter, _) => match self.depth {
                Depth::List => {
                    self.depth = Depth::Task;
                    self.pane = Pane::Facts;
                }
                Depth::Task => self.back(),
            },
            (KeyCode::Esc, _) => self.back(),
            _ => return Then::Nothing,
        }
        Then::Draw
    }

    fn back(&mut self) {
        (self.depth, self.pane) = (Depth::List, Pane::Tasks);
    }

    fn turn_to(&mut self, pane: Pane) {
        self.pane = pane;
    }

    fn next(&self) -> Pane {
        match (self.pane, self.depth) {
            (Pane::Tasks, _) => Pane::Facts,
            (Pane::Facts, _) => Pane::Transcript,
            (Pane::Transcript, Depth::List) => Pane::Tasks,
            (Pane::Transcript, Depth::Task) => Pane::Facts,
        }
    }

    fn before(&self) -> Pane {
        match (self.pane, self.depth) {
            (Pane::Tasks, _) | (Pane::Facts, Depth::Task) => Pane::Transcript,
            (Pane::Facts, Depth::List) => Pane::Tasks,
            (Pane::Transcript, _) => Pane::Facts,
        }
    }

    fn go(&mut self, way: Way, steps: usize, tasks: &[TaskLine], extent: Extent) {
        match self.pane {
            Pane::Tasks => {
                let at = tasks.iter().position(|seen| Some(&seen.task) == self.selected.as_ref());
                let last = tasks.len().saturating_sub(1);
                let to = way.from(at.unwrap_or(0), steps, last);
                self.select(tasks.get(to).map(|seen| seen.task.clone()));
            }
            Pane::Facts => {
                let at = self.facts_down.min(extent.facts_max);
                self.facts_down = way.from(at, steps, extent.facts_max);
            }
            Pane::Transcript => {
                let at = self.transcript_back.min(extent.transcript_max);
                self.transcript_back = way.turned().from(at, steps, extent.transcript_max);
            }
        }
    }

    fn select(&mut self, task: Option<TaskId>) {
        if self.selected != task {
            self.selected = task;
            (self.facts_down, self.transcript_back) = (0, 0);
        }
    }
}

#[derive(Clone, Copy)]
enum Way {
    Up,
    Down,
}

impl Way {
    fn from(self, at: usize, steps: usize, last: usize) -> usize {
        match self {
            Self::Up => at.saturating_sub(steps),
            Self::Down => at.saturating_add(steps).min(last),
        }
    }

    fn turned(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }
}

#[cfg(test)]
mod tests {
    use sealwright_views::watch::RowState;

    use super::*;

    fn tasks(names: &[&str]) -> Vec<TaskLine> {
        let seen =
            |name: &&str| TaskLine { task: TaskId::new(*name).unwrap(), told: RowState::Unread };
        names.iter().map(seen).collect()
    }

    fn press(hand: &mut Hand, keys: &[KeyCode], tasks: &[TaskLine]) -> Then {
        let extent = Extent { facts_max: 5, transcript_max: 9, page: 3 };
        let mut then = Then::Nothing;
        for code in keys {
            then = hand.press(&KeyEvent::new(*code, KeyModifiers::NONE), tasks, extent);
        }
        then
    }

    #[test]
    fn a_selection_keeps_to_its_task_and_never_leaves_the_list() {
        let all = tasks(&["T-a", "T-b", "T-c"]);
        let mut hand = Hand::new(None);
        hand.settle(&all);
        let down = KeyCode::Char('j');
        assert_eq!(press(&mut hand, &[down, down, down, down], &all), Then::Draw);
        assert_eq!(hand.selected.as_ref().unwrap().as_str(), "T-c");
        // The list is in another order now, and the task is the same.
        let turned = tasks(&["T-c", "T-a"]);
        hand.settle(&turned);
        assert_eq!(hand.selected.as_ref().unwrap().as_str(), "T-c");
        press(&mut hand, &[KeyCode::Up], &turned);
        assert_eq!(hand.selected.as_ref().unwrap().as_str(), "T-c");
        hand.settle(&[]);
        assert_eq!(hand.selected, None);
        press(&mut hand, &[down, KeyCode::Up, KeyCode::End, KeyCode::PageDown], &[]);
        assert_eq!(hand.selected, None);
    }

    #[test]
    fn tab_goes_round_and_enter_goes_in_and_out() {
        let all = tasks(&["T-a"]);
        let mut hand = Hand::new(None);
        let mut panes = Vec::new();
        for _ in 0..4 {
            panes.push(hand.pane);
            press(&mut hand, &[KeyCode::Tab], &all);
        }
        assert_eq!(panes, [Pane::Tasks, Pane::Facts, Pane::Transcript, Pane::Tasks]);
        press(&mut hand, &[KeyCode::BackTab, KeyCode::Enter], &all);
        assert_eq!((hand.depth, hand.pane), (Depth::Task, Pane::Facts));
        press(&mut hand, &[KeyCode::Tab, KeyCode::Tab], &all);
        assert_eq!(hand.pane, Pane::Facts, "alone, a task has two panes");
        press(&mut hand, &[KeyCode::Esc], &all);
        assert_eq!((hand.depth, hand.pane), (Depth::List, Pane::Tasks));
    }

    #[test]
    fn scrolling_stops_where_the_text_does() {
        let all = tasks(&["T-a"]);
        let mut hand = Hand::new(Some(TaskId::new("T-a").unwrap()));
        press(&mut hand, &[KeyCode::PageDown, KeyCode::PageDown, KeyCode::Down], &all);
        assert_eq!(hand.facts_down, 5);
        press(&mut hand, &[KeyCode::Tab, KeyCode::Up, KeyCode::Home], &all);
        assert_eq!(hand.transcript_back, 9, "a transcript is read from its end");
        press(&mut hand, &[KeyCode::Char('G')], &all);
        assert_eq!(hand.transcript_back, 0);
    }

    #[test]
    fn two_keys_leave_and_help_takes_the_next_key() {
        let mut hand = Hand::new(None);
        assert_eq!(press(&mut hand, &[KeyCode::Char('q')], &[]), Then::Leave);
        let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(hand.press(&control_c, &[], Extent::default()), Then::Leave);
        press(&mut hand, &[KeyCode::Char('?')], &[]);
        assert_eq!(hand.help, Help::Open);
        assert_eq!(hand.press(&control_c, &[], Extent::default()), Then::Leave);
        press(&mut hand, &[KeyCode::Tab], &[]);
        assert_eq!((hand.help, hand.pane), (Help::Closed, Pane::Tasks));
        assert_eq!(press(&mut hand, &[KeyCode::Char('x')], &[]), Then::Nothing);
    }
}
