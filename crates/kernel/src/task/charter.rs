//! What a person fixes when a task is created.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::spending::Budget;
use crate::owner::Header;
use crate::{Cost, Digest, Lane, TaskId};

/// The terms of a task, fixed when it is created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charter {
    pub id: TaskId,
    pub title: String,
    /// The digest of the task file, in the store.
    pub text: Digest,
    /// The criteria it is done by; one may cite how it is verified.
    pub criteria: Vec<String>,
    pub lane: Lane,
    pub header: Header,
    pub freeze: Freeze,
    /// The checks that must pass, by name.
    pub checks: Vec<String>,
    /// Whether a project dispatches it.
    pub belongs: Membership,
    /// The full id of the commit that work starts from; without one, the current commit at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The budget for calls of roles; once it is reached, a person is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

/// When a person approves the contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Freeze {
    /// After the draft is complete.
    #[default]
    Asked,
    /// When the task is created. Only the quick lane allows it.
    InAdvance,
}

/// Whether a task belongs to a project, which dispatches it and hears its status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Membership {
    #[default]
    Alone,
    /// It belongs to the project and exchanges messages with it.
    Project,
}

impl Charter {
    /// Why the charter is invalid, if it is.
    pub fn check(&self) -> Option<&'static str> {
        let is_unique = |nth: usize, name: &String| !self.checks[..nth].contains(name);
        match self {
            _ if self.title.trim().is_empty() => Some("the title is missing"),
            _ if self.title.len() > TITLE_BYTES_MAX => Some("the title is too long"),
            _ if self.checks.is_empty() => Some("no check is named"),
            _ if self.checks.len() > CHECKS_MAX => Some("too many checks"),
            _ if !self.checks.iter().all(|name| is_check_name(name)) => {
                Some("a check name has characters other than letters, digits, - and _")
            }
            _ if !self.checks.iter().enumerate().all(|(nth, name)| is_unique(nth, name)) => {
                Some("a check is named twice")
            }
            _ if self.criteria.len() > CRITERIA_MAX => Some("too many criteria"),
            _ if self.budget.is_some_and(|it| it.reached(Cost::default()).is_some()) => {
                Some("the budget is zero")
            }
            _ if self.freeze == Freeze::InAdvance && !self.may_freeze_in_advance() => {
                Some("only a quick task of normal risk can be frozen in advance")
            }
            _ if !self.base.as_deref().is_none_or(is_commit_name) => {
                Some("the base is not a full commit id")
            }
            _ => None,
        }
    }

    pub(super) fn may_freeze_in_advance(&self) -> bool {
        self.header.lane(self.lane).duties().freeze_in_advance
    }
}

fn is_check_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.len() <= CHECK_NAME_BYTES_MAX && name.bytes().all(plain)
}

/// Whether it is a full git commit id, SHA-1 or SHA-256.
pub(super) fn is_commit_name(name: &str) -> bool {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    matches!(name.len(), 40 | 64) && name.bytes().all(is_hex)
}

pub(super) const TITLE_BYTES_MAX: usize = 200;
const CHECKS_MAX: usize = 32;
const CHECK_NAME_BYTES_MAX: usize = 64;
/// The most criteria that a task is done by.
pub const CRITERIA_MAX: usize = 64;
