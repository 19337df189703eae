//! Kills: an honest run that is killed at random moments and resumed until it ends. Its result must equal that of an
//! undisturbed run.

use std::time::Duration;

use anyhow::{Result, bail};

use crate::ending::Ending;
use crate::environment::Environment;
use crate::leftovers::left_running;
use crate::program::{Program, Ran};
use crate::records::tasks;
use crate::repository::Repository;
use crate::run::{Lane, WAITS, approve, begin};
use crate::undisturbed::{PROJECT, Undisturbed};

#[derive(Clone, Debug, Default)]
pub struct Killed {
    pub kills: usize,
    pub runs: usize,
    /// Kills before the first record, after which the run started again.
    pub begun_anew: usize,
    pub wrong: Vec<String>,
    /// The duration of an undisturbed run.
    pub undisturbed: Duration,
}

/// Kills `count` times, at moments derived from `seed`.
pub fn kill(
    environment: &Environment,
    lane: Lane,
    count: usize,
    seed: u64,
    hear: impl Fn(&str),
) -> Result<Killed> {
    let mut dice = fastrand::Rng::with_seed(seed);
    let undisturbed = Undisturbed::run(environment, lane)?;
    let took = undisturbed.took();
    let mut killed = Killed { undisturbed: took, ..Killed::default() };
    hear(&format!("undisturbed: {:.1} s, tree {}", took.as_secs_f64(), undisturbed.tree()));
    while killed.kills < count {
        killed.runs += 1;
        let repository = undisturbed.anew(&format!("killed-{}", killed.runs))?;
        let life = Life { repository, lane, before: took, left: count - killed.kills };
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

/// One run that is killed and resumed until it ends.
struct Life<'h> {
    repository: Repository<'h>,
    lane: Lane,
    /// The duration of an undisturbed run; moments are drawn from it.
    before: Duration,
    left: usize,
}

struct Lived<'h> {
    repository: Repository<'h>,
    ran: Ran,
    survivors: Vec<String>,
}

impl<'h> Life<'h> {
    fn live(self, dice: &mut fastrand::Rng, killed: &mut Killed) -> Result<Lived<'h>> {
        let Self { repository, lane, before, left } = self;
        let mut survivors = Vec::new();
        let mut again = Again::Begin;
        let mut kills = 0;
        for _ in 0..LIVES_MAX {
            let mut running = again.program(&repository, lane)?.start()?;
            let moment = before.mul_f64(dice.f64());
            let may_kill = kills < left;
            let ended = if may_kill { running.within(moment)? } else { Some(running.wait(LIMIT)?) };
            match ended {
                Some(ran) if ran.talked.contains(NOTHING) && again == Again::Continue => {
                    again = match tasks(&repository)?.pop() {
                        // It was killed after the last record; naming the task prints its end.
                        Some(task) => Again::Named(task),
                        // It was killed before the first record.
                        None => {
                            killed.begun_anew += 1;
                            Again::Begin
                        }
                    };
                }
                // A person opens the last gate of the strict lane, and the run goes on.
                Some(ran) if lane == Lane::Strict && ran.code == Some(WAITS) => {
                    let (_, task) = Ending::seen(&repository, &ran)?;
                    approve(&repository, &task)?;
                    again = Again::Named(task);
                }
                Some(ran) => return Ok(Lived { repository, ran, survivors }),
                None => {
                    running.kill();
                    kills += 1;
                    killed.kills += 1;
                    survivors.extend(left_running(&repository.environment().state()));
                    again = Again::Continue;
                }
            }
        }
        bail!("it did not end in {LIVES_MAX} lives")
    }
}

/// The next command of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Again {
    Begin,
    Continue,
    Named(String),
}

impl Again {
    fn program(&self, repository: &Repository<'_>, lane: Lane) -> Result<Program> {
        match self {
            Self::Begin => begin(repository, PROJECT, lane),
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

/// The message of `--continue` without an unfinished task.
const NOTHING: &str = "no unfinished task";
const LIVES_MAX: usize = 200;
const LIMIT: Duration = Duration::from_secs(900);
