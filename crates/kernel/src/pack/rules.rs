//! The rules of a pack, checked whenever one is made or read.

use alloc::collections::BTreeSet;

use super::{
    Draft, Inclusion, InputKind, Occasion, PackReader, Permission, Ref, RefKind, Sight, sight,
};
use crate::TooMuch;
use crate::bounds::bounded;

/// Why a pack cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Each entry needs a reason for later audits.
    #[error("{reference} is listed without a reason")]
    NoReason { reference: Ref },
    /// A list names the same thing twice.
    #[error("{reference} is named twice")]
    Twice { reference: Ref },
    /// It is shown and withheld.
    #[error("{reference} is both included and excluded")]
    BothWays { reference: Ref },
    /// Only the module being built is open.
    #[error(
        "{second} is the second module with FULL, after {first}; only the one being built is open"
    )]
    SecondFull { first: Ref, second: Ref },
    /// Every pack has the same default.
    #[error("the default permission is {given}, but must be CONTRACT_ONLY")]
    OtherDefault { given: Permission },
    /// The role must never be given this.
    #[error("{reader} must not see {reference}: it is {input}")]
    NotForRole { reader: PackReader, reference: Ref, input: InputKind },
    /// The role must never be given input of this kind.
    #[error("{reader} must not see {input}")]
    Never { reader: PackReader, input: InputKind },
    /// The role may be given less of this.
    #[error("{reader} may see {reference} up to {most}, not {given}")]
    TooWide { reader: PackReader, reference: Ref, most: Permission, given: Permission },
    /// The role may be given this on another occasion only.
    #[error("{reader} may see {input} only {occasion}")]
    NotNow { reader: PackReader, input: InputKind, occasion: Occasion },
    /// A size limit is exceeded.
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
}

impl PackReader {
    /// Whether it may be given this kind of input on this occasion.
    pub fn may_have(self, input: InputKind, occasion: Occasion) -> Result<(), Refused> {
        let sight = match self {
            Self::Orchestrator => Sight::Never,
            Self::Role(role) => sight(role, input),
        };
        match sight {
            Sight::Never => Err(Refused::Never { reader: self, input }),
            Sight::Only(only) if only != occasion => {
                Err(Refused::NotNow { reader: self, input, occasion: only })
            }
            Sight::Only(_) | Sight::UpTo(_) | Sight::Own => Ok(()),
        }
    }
}

pub(super) fn check(draft: &Draft) -> Result<(), Refused> {
    bounded(draft.included_refs.len(), REFS_MAX, "included references")?;
    bounded(draft.excluded_refs.len(), REFS_MAX, "excluded references")?;
    if draft.default_permission != Permission::ContractOnly {
        return Err(Refused::OtherDefault { given: draft.default_permission });
    }
    reasons_and_names(draft)?;
    one_full(&draft.included_refs)?;
    for included in &draft.included_refs {
        within_sight(draft.created_for.role, included)?;
    }
    Ok(())
}

fn reasons_and_names(draft: &Draft) -> Result<(), Refused> {
    let included = draft.included_refs.iter().map(|it| (&it.reference, &it.reason));
    let excluded = draft.excluded_refs.iter().map(|it| (&it.reference, &it.reason));
    let mut shown = BTreeSet::new();
    for (reference, reason) in included {
        reasoned(reference, reason)?;
        if !shown.insert(reference) {
            return Err(Refused::Twice { reference: reference.clone() });
        }
    }
    let mut withheld = BTreeSet::new();
    for (reference, reason) in excluded {
        reasoned(reference, reason)?;
        if shown.contains(reference) {
            return Err(Refused::BothWays { reference: reference.clone() });
        }
        if !withheld.insert(reference) {
            return Err(Refused::Twice { reference: reference.clone() });
        }
    }
    Ok(())
}

fn reasoned(reference: &Ref, reason: &str) -> Result<(), Refused> {
    bounded(reason.len(), REASON_BYTES_MAX, "bytes of a reason")?;
    // A reason of invisible characters is none.
    if !reason.chars().any(char::is_alphanumeric) {
        return Err(Refused::NoReason { reference: reference.clone() });
    }
    Ok(())
}

fn one_full(included: &[Inclusion]) -> Result<(), Refused> {
    let mut open = open_modules(included);
    match (open.next(), open.next()) {
        (Some(first), Some(second)) => {
            Err(Refused::SecondFull { first: first.clone(), second: second.clone() })
        }
        (Some(_) | None, _) => Ok(()),
    }
}

pub(super) fn open_modules(included: &[Inclusion]) -> impl Iterator<Item = &Ref> {
    let is_open = |included: &&Inclusion| {
        included.reference.kind() == RefKind::Module && included.permission == Permission::Full
    };
    included.iter().filter(is_open).map(|included| &included.reference)
}

/// Whether the reader may be given this much of it on any occasion at all.
fn within_sight(reader: PackReader, included: &Inclusion) -> Result<(), Refused> {
    let (reference, given) = (&included.reference, included.permission);
    let input = InputKind::of(reference, given);
    let most = match reader {
        PackReader::Orchestrator => None,
        PackReader::Role(role) => sight(role, input).most(),
    };
    match most {
        None => Err(Refused::NotForRole { reader, reference: reference.clone(), input }),
        Some(most) if given > most => {
            Err(Refused::TooWide { reader, reference: reference.clone(), most, given })
        }
        Some(_) => Ok(()),
    }
}

/// A role that needs more than this was given too large a task.
pub(super) const REFS_MAX: usize = 1024;
pub(super) const REASON_BYTES_MAX: usize = 2048;
