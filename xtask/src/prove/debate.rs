//! `prove debate`: every run of a module version that the rules allow, the rules without one guard each, and careless worlds.

use anyhow::Result;
use sealwright_module::debate::explore::{Explored, careless, explore, mild_reviews};
use sealwright_module::debate::guards::Guard;

use crate::prove::figures::Figures;
use crate::prove::{Size, in_parts};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Every run that can be reached.
    Walk,
    /// Guards taken away, one at a time.
    Guards,
    /// Careless worlds.
    Worlds,
}

pub(crate) fn run(size: Size, only: Option<Part>) -> Result<()> {
    in_parts(
        "debate",
        size,
        only,
        &[
            (Part::Walk, "every run", &walk),
            (Part::Guards, "guards taken away, one at a time", &guards),
            (Part::Worlds, "careless worlds", &worlds),
        ],
    )
}

/// In each state the walk itself checks that nothing shipped without challenge, adjudication and a ship check on one digest,
/// that no module was revised more than twice, and that an answer that is late, doubled or of another round changed nothing.
fn walk(_: Size, figures: &mut Figures) -> Result<()> {
    let (text, holds) = match explore(None) {
        Ok(Explored { states, steps, refused, shipped, halted, rounds }) => {
            let text = format!(
                "{states} states and {steps} steps, {refused} moves refused ({} mild reviews among them), {shipped} states \
                 shipped and {halted} halted, at most {rounds} rounds; every state can end",
                mild_reviews().len()
            );
            (text, shipped > 0 && halted > 0 && refused > 0)
        }
        Err(broken) => (broken, false),
    };
    figures.hold(text, holds);
    Ok(())
}

fn guards(_: Size, figures: &mut Figures) -> Result<()> {
    let is_missed = |guard: &Guard| explore(Some(*guard)).is_err();
    let unnoticed: Vec<Guard> = Guard::ALL.into_iter().filter(|it| !is_missed(it)).collect();
    let all = Guard::ALL.len();
    let text =
        format!("{} of {all} missing guards noticed (all, at least 15)", all - unnoticed.len());
    figures.hold(text, unnoticed.is_empty() && all >= 15);
    for guard in unnoticed {
        figures.tell(format!("not noticed: {guard:?}"));
    }
    Ok(())
}

fn worlds(size: Size, figures: &mut Figures) -> Result<()> {
    let from = match size {
        Size::Quick(sample) => sample.number(),
        Size::Full => 0,
    };
    let count = size.choose(1_000, 1_000_000);
    let (mut steps, mut refused, mut shipped) = (0, 0, 0_u64);
    let mut broken = Vec::new();
    for seed in from..from + count {
        match careless(seed, STEPS) {
            Ok(run) => {
                steps += run.steps;
                refused += run.refused;
                shipped += u64::from(run.is_shipped);
            }
            Err(why) => broken.push(why),
        }
    }
    let text = format!(
        "{count} careless worlds from seed {from}, {steps} steps and {refused} refusals, {shipped} shipped; {} broken (0)",
        broken.len()
    );
    figures.hold(text, broken.is_empty() && shipped * 50 > count);
    for why in broken.iter().take(3) {
        figures.tell(why.chars().take(600).collect());
    }
    Ok(())
}

/// Careless moves before diligent ones.
const STEPS: usize = 80;
