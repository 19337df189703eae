//! What a person fixes when a task is created.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::spending::Budget;
use crate::owner::Header;
use crate::{Cost, Digest, Lane, TaskId};

/// What is fixed when a task is created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charter {
    /// Its name.
    pub id: TaskId,
    /// It in one line.
    pub title: String,
    /// What is wanted, in the store.
    pub text: Digest,
    /// The criteria it is done by; one may cite how it is verified.
    pub criteria: Vec<String>,
    /// How much ceremony it owes.
    pub lane: Lane,
    /// Who may let it through, and what is at stake.
    pub header: Header,
    /// When the contract is approved.
    pub freeze: Freeze,
    /// The checks that must pass, by name.
    pub checks: Vec<String>,
    /// Who owns it.
    pub belongs: Membership,
    /// The commit that work begins at, by its full name. Where nobody says, it is whatever is there when work begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// What roles may cost before a person is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

/// When a person approves the contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Freeze {
    /// When it is on the table.
    #[default]
    Asked,
    /// When the task is created. Only the quick lane has it.
    InAdvance,
}

/// Who dispatches a task and is told how it goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Membership {
    /// Nobody: it stands alone.
    #[default]
    Alone,
    /// The project, which knows it by messages.
    Project,
}

impl Charter {
    /// Why no task can be created like this, if none can.
    pub fn check(&self) -> Option<&'static str> {
        let is_unique = |nth: usize, name: &String| !self.checks[..nth].contains(name);
        match self {
            _ if self.title.trim().is_empty() => Some("it has no title"),
            _ if self.title.len() > TITLE_BYTES_MAX => Some("its title is too long"),
            _ if self.checks.is_empty() => Some("no check is named, so nothing could prove it"),
            _ if self.checks.len() > CHECKS_MAX => Some("it names too many checks"),
            _ if !self.checks.iter().all(|name| is_check_name(name)) => {
                Some("a check's name is letters, digits, - and _ only")
            }
            _ if !self.checks.iter().enumerate().all(|(nth, name)| is_unique(nth, name)) => {
                Some("a check is named twice")
            }
            _ if self.criteria.len() > CRITERIA_MAX => Some("it has too many criteria"),
            _ if self.budget.is_some_and(|it| it.reached(Cost::default()).is_some()) => {
                Some("its budget is nothing")
            }
            _ if self.freeze == Freeze::InAdvance && !self.may_freeze_in_advance() => {
                Some("only a quick task of normal risk can be frozen in advance")
            }
            _ if !self.base.as_deref().is_none_or(is_commit_name) => {
                Some("it begins at something that is no full name of a commit")
            }
            _ => None,
        }
    }

    pub(super) fn may_freeze_in_advance(&self) -> bool {
        self.header.lane(self.lane).duties().freeze_in_advance && self.belongs == Membership::Alone
    }
}

fn is_check_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.len() <= CHECK_NAME_BYTES_MAX && name.bytes().all(plain)
}

/// As git names commits, by either of its hashes.
fn is_commit_name(name: &str) -> bool {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    matches!(name.len(), 40 | 64) && name.bytes().all(is_hex)
}

pub(super) const TITLE_BYTES_MAX: usize = 200;
const CHECKS_MAX: usize = 32;
const CHECK_NAME_BYTES_MAX: usize = 64;
pub(super) const CRITERIA_MAX: usize = 64;
