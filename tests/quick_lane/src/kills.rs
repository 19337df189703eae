//! Kills: an honest run that is killed at moments drawn at random, again and again, and continued each time until it
//! ends. It must come to what it would have come to.

use std::time::Duration;

use anyhow::{Result, bail};

use crate::household::Household;
use crate::leftovers::left_running;
use crate::program::{Program, Ran};
use crate::records::tasks;
use crate::repository::Repository;
use crate::run::begin;
use crate::undisturbed::{GROUND, Undisturbed};

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Killed {
    /// How often it was killed and continued.
    pub kills: usize,
    /// In how many runs.
    pub runs: usize,
    /// Kills after which nothing had been begun yet, so that it was begun anew.
    pub begun_anew: usize,
    /// What is not as it must be, in words.
    pub wrong: Vec<String>,
    /// How long an undisturbed run takes.
    pub undisturbed: Duration,
}

/// Kills `count` times, at moments that `seed` gives.
pub fn kill(household: &Household, count: usize, seed: u64, hear: impl Fn(&str)) -> Result<Killed> {
    let mut dice = fastrand::Rng::with_seed(seed);
    let undisturbed = Undisturbed::run(household)?;
    let took = undisturbed.took();
    let mut killed = Killed { undisturbed: took, ..Killed::default() };
    hear(&format!("undisturbed: {:.1} s, tree {}", took.as_secs_f64(), undisturbed.tree()));
    while killed.kills < count {
        killed.runs += 1;
        let repository = undisturbed.anew(&format!("killed-{}", killed.runs))?;
        let life = Life { repository, before: took, left: count - killed.kills };
        let lived = life.live(&mut dice, &mut killed)?;
        let mut wrong = lived.survivors;
        wrong.extend(undisturbed.compare(&lived.repository, &lived.ran)?);
        hear(&format!(
            "run {}: {} kills so far{}",
            killed.runs,
            killed.kills,
            wrong.iter().map(|wrong| format!("; WRONG: {wrong}")).collect::<String>()
        ));
        killed.wrong.extend(wrong);
    }
    Ok(killed)
}

/// One run that is killed and continued until it ends.
struct Life<'h> {
    repository: Repository<'h>,
    /// How long it takes undisturbed; moments are drawn from it.
    before: Duration,
    /// How often it may be killed.
    left: usize,
}

/// One that has ended.
struct Lived<'h> {
    repository: Repository<'h>,
    ran: Ran,
    survivors: Vec<String>,
}

impl<'h> Life<'h> {
    fn live(self, dice: &mut fastrand::Rng, killed: &mut Killed) -> Result<Lived<'h>> {
        let Self { repository, before, left } = self;
        let mut survivors = Vec::new();
        let mut again = Again::Begin;
        let mut kills = 0;
        for _ in 0..LIVES_MAX {
            let mut running = again.program(&repository)?.start()?;
            let moment = before.mul_f64(dice.f64());
            let may_kill = kills < left;
            let ended = match may_kill {
                true => running.within(moment)?,
                false => Some(running.wait(LIMIT)?),
            };
            match ended {
                Some(ran) if ran.talked.contains(NOTHING) && again == Again::Continue => {
                    again = match tasks(&repository)?.pop() {
                        // It was killed after the last record; whoever names it gets to the end.
                        Some(task) => Again::Named(task),
                        // It was killed before the first one.
                        None => {
                            killed.begun_anew += 1;
                            Again::Begin
                        }
                    };
                }
                Some(ran) => return Ok(Lived { repository, ran, survivors }),
                None => {
                    running.kill();
                    kills += 1;
                    killed.kills += 1;
                    let left = left_running(&repository.household().state());
                    survivors.extend(left.iter().map(|it| format!("left running: {it}")));
                    again = Again::Continue;
                }
            }
        }
        bail!("it did not end in {LIVES_MAX} lives")
    }
}

/// What a person types next.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Again {
    Begin,
    Continue,
    Named(String),
}

impl Again {
    fn program(&self, repository: &Repository<'_>) -> Result<Program> {
        match self {
            Self::Begin => begin(repository, GROUND),
            Self::Continue => Ok(go_on(repository)),
            Self::Named(task) => {
                let words = ["--format", "json", "do", "--continue", task];
                Ok(repository.sealwright("continue", &words))
            }
        }
    }
}

/// `sealwright do --continue`.
pub fn go_on(repository: &Repository<'_>) -> Program {
    repository.sealwright("continue", &["--format", "json", "do", "--continue"])
}

/// What `--continue` says where nothing was begun.
const NOTHING: &str = "no unfinished task";
const LIVES_MAX: usize = 200;
const LIMIT: Duration = Duration::from_secs(900);
