//! Every run of a debate with bounded rounds, and a careless world: both held against a second account of the rules.
//!
//! `explore` takes every move from every state; with a guard taken away it has to find something wrong. `careless` plays
//! one long run at random, and then shows that a diligent world still brings the module to its end.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the world and the account speak of few cases of many"
)]

mod account;
pub(in crate::debate) mod answers;
mod world;

use alloc::collections::{BTreeMap, VecDeque};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

use sealwright_kernel::{Digest, EscalationId, Machine as _};

use super::escalation::Cause;
use super::guards::{Guard, Rules};
use super::vocabulary::Input;
use super::{FIXES_MAX, Module, Stage};
use account::{Account, Step};
pub use answers::{Sample, mild_reviews, sample};
use world::{Move, Truth, moves};

/// What there is to reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    pub states: usize,
    pub steps: usize,
    /// Lies, late answers and duplicates that were refused.
    pub refused: usize,
    pub shipped: usize,
    pub halted: usize,
    /// The most rounds of one run.
    pub rounds: usize,
}

/// A run of the careless world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Careless {
    pub steps: usize,
    pub refused: usize,
    pub is_shipped: bool,
}

/// Takes every move from every state, with one guard taken away if there is one.
pub fn explore(without: Option<Guard>) -> Result<Explored, String> {
    let rules = without.map_or(Rules::ALL, Rules::without);
    let sample = sample();
    let mut explored = Explored::default();
    let mut known: BTreeMap<Digest, usize> = BTreeMap::new();
    let mut edges: Vec<Vec<usize>> = vec![vec![]];
    let mut ends = vec![false];
    let mut open = VecDeque::from([(0, Module::default(), Account::default())]);
    known.insert(key(&Module::default(), &Account::default()), 0);
    while let Some((here, module, account)) = open.pop_front() {
        account.state(&module)?;
        ends[here] = module.is_over();
        match module.stage() {
            Stage::Shipped { .. } => explored.shipped += 1,
            Stage::Halted { .. } => explored.halted += 1,
            _ => {}
        }
        explored.rounds = explored.rounds.max(module.data().map_or(0, |it| it.rounds.len()));
        for made in moves(&sample, &module, &account, FIXES_EXPLORED) {
            let Some((after, account)) = take(&module, &account, &made, rules)? else {
                explored.refused += 1;
                continue;
            };
            explored.steps += 1;
            let next = known.len();
            let there = *known.entry(key(&after, &account)).or_insert(next);
            if there == next {
                edges.push(vec![]);
                ends.push(false);
                open.push_back((there, after, account));
            }
            edges[there].push(here);
            if known.len() > STATES_MAX {
                return Err(format!("more than {STATES_MAX} states; something is not bounded"));
            }
        }
    }
    explored.states = known.len();
    match stuck(&edges, ends) {
        0 => Ok(explored),
        stuck => Err(format!("{stuck} states can never end")),
    }
}

/// Plays `steps` careless moves from `seed`, then diligent ones until the module is over.
pub fn careless(seed: u64, steps: usize) -> Result<Careless, String> {
    let sample = sample();
    let mut random = Random(seed.wrapping_mul(2).wrapping_add(1));
    let (mut module, mut account) = (Module::default(), Account::default());
    let mut run = Careless::default();
    let mut taken: Vec<Input> = vec![];
    let told = |why: String| format!("seed {seed}: {why}");
    for _ in 0..steps {
        if module.is_over() {
            break;
        }
        if !taken.is_empty() && random.below(4) == 0 {
            let late = taken[random.below(taken.len())].clone();
            refuses(&module, &late).map_err(told)?;
            run.refused += 1;
            continue;
        }
        let all = moves(&sample, &module, &account, FIXES_MAX);
        let mut made = all[random.below(all.len())].clone();
        let is_end = |made: &Move| matches!(made.truth, Truth::Stops | Truth::Abandon);
        if is_end(&made) && random.below(8) > 0 {
            made = all[random.below(all.len())].clone();
        }
        if random.below(5) == 0 {
            made = random.bend(made);
        }
        match take(&module, &account, &made, Rules::ALL).map_err(told)? {
            Some((after, noted)) => {
                run.steps += 1;
                if is_answer(&made.input) {
                    taken.push(made.input);
                }
                (module, account) = (after, noted);
                account.state(&module).map_err(told)?;
            }
            None => run.refused += 1,
        }
    }
    for _ in 0..DILIGENT_MAX {
        if module.is_over() {
            run.is_shipped = matches!(module.stage(), Stage::Shipped { .. });
            return Ok(run);
        }
        let all = moves(&sample, &module, &account, FIXES_MAX);
        let Some(made) = all.into_iter().find(|it| it.is_diligent) else {
            return Err(told(format!("nothing to do in {:?}", module.stage())));
        };
        let next = take(&module, &account, &made, Rules::ALL).map_err(told)?;
        let Some(next) = next else {
            return Err(told(format!("a diligent answer was refused: {:?}", made.input)));
        };
        run.steps += 1;
        (module, account) = next;
        account.state(&module).map_err(told)?;
    }
    Err(told(format!("a diligent world does not end it: {:?}", module.stage())))
}

/// Makes one move; nothing if it was refused.
fn take(
    module: &Module,
    account: &Account,
    made: &Move,
    rules: Rules,
) -> Result<Option<(Module, Account)>, String> {
    let told = |why: String| {
        let input: String = format!("{:?}", made.input).chars().take(600).collect();
        format!("{why}\n  after {:?}: {input}\n  in {:?}", made.truth, module.stage())
    };
    let events = match module.decide_by(&made.input, rules) {
        Ok(_) if made.truth == Truth::Lie => return Err(told("a lie was believed".to_string())),
        Ok(events) if events.is_empty() => {
            return Err(told("accepted without a fact".to_string()));
        }
        Ok(_) if module.is_over() => return Err(told("an ended module goes on".to_string())),
        Ok(events) => events,
        Err(_) if matches!(made.truth, Truth::Lie | Truth::Unknown) => return Ok(None),
        Err(error) => return Err(told(format!("the truth was refused: {error}"))),
    };
    let mut after = module.clone();
    events.iter().for_each(|event| after.evolve(event));
    let step = Step { before: module, made, events: &events, after: &after };
    let account = account.step(&step).map_err(told)?;
    if is_answer(&made.input) && rules_hold(rules) {
        refuses(&after, &made.input).map_err(told)?;
    }
    Ok(Some((after, account)))
}

/// Whether the module refuses an answer that it has taken before.
fn refuses(module: &Module, input: &Input) -> Result<(), String> {
    match module.decide(input) {
        Err(_) => Ok(()),
        Ok(_) => Err("an answer was taken twice".to_string()),
    }
}

/// Without a guard, duplicates show nothing that the moves do not show.
fn rules_hold(rules: Rules) -> bool {
    Guard::ALL.into_iter().all(|guard| !rules.pass(guard, false))
}

fn is_answer(input: &Input) -> bool {
    match input {
        Input::Slice { .. }
        | Input::Report { .. }
        | Input::Resolve { .. }
        | Input::Exception { .. } => true,
        // The same probe may be asked for twice.
        Input::Create { .. } | Input::Probe { .. } | Input::Stop { .. } => false,
    }
}

/// States that cannot reach an end.
fn stuck(back: &[Vec<usize>], mut ends: Vec<bool>) -> usize {
    let mut open: Vec<usize> = (0..back.len()).filter(|nth| ends[*nth]).collect();
    while let Some(nth) = open.pop() {
        for &from in &back[nth] {
            if !ends[from] {
                ends[from] = true;
                open.push(from);
            }
        }
    }
    ends.iter().filter(|can| !**can).count()
}

/// What decides in a state. The content of earlier rounds and of answers that were taken decides nothing more.
fn key(module: &Module, account: &Account) -> Digest {
    let mut module = module.clone();
    let mut facts = format!("{account:?}");
    let is_building = matches!(module.stage, Stage::Building);
    let is_challenging = matches!(module.stage, Stage::Challenging);
    let mut is_settled = matches!(module.stage, Stage::Shipped { .. } | Stage::Abandoned);
    let mut may_tell = is_settled;
    let mut left_open = String::new();
    if let (Stage::Halted { cause, .. }, Some(data)) = (&module.stage, &module.data) {
        // Of its cause only what a person may answer decides anything.
        is_settled = !account.may_override;
        left_open = format!("{}{}", cause.is_a_judgement(), data.is_verified());
        may_tell = true;
        module.stage =
            Stage::Halted { id: nothing(), cause: Cause::Stopped { why: String::new() } };
    }
    if is_settled {
        facts = format!("{}{}{left_open}", account.revisions, account.fixes);
    }
    if let Some(data) = &mut module.data {
        let earlier = data.rounds.len().saturating_sub(1);
        data.rounds.drain(..earlier);
        data.locks.drain(..data.locks.len().saturating_sub(1));
        if !is_building {
            data.slice = None;
        }
        data.defects.clear();
        facts.push_str(&format!(
            "{}{}",
            data.to_mend.is_empty(),
            may_tell && data.news > data.told
        ));
        if is_settled {
            data.rounds.clear();
            data.tree = Digest::ZERO;
            data.attempt = 0;
        }
        data.to_mend.clear();
        (data.news, data.told, data.escalations) = (0, 0, 0);
        for round in &mut data.rounds {
            facts.push_str(&format!("{}{}", round.has_failed(), round.is_challenged()));
            (round.proposal, round.dossier, round.log) = (None, None, None);
            round.challenge = None;
            round.refusals.clear();
            if !is_challenging {
                round.probes.clear();
            }
            if let Some((adjudication, _)) = &mut round.adjudication {
                adjudication.rationale.clear();
            }
        }
    }
    let stored = serde_json::to_string(&module).expect("a machine can be written");
    Digest::of(format!("{stored}{facts}").as_bytes())
}

fn nothing() -> EscalationId {
    EscalationId::try_from("ESC-00000000".to_string()).expect("it is an escalation")
}

/// xorshift64*
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or(0) % most.max(1)
    }

    /// Bends the text of an answer, so that whether it still counts is unknown.
    fn bend(&mut self, made: Move) -> Move {
        let mut input = made.input.clone();
        let Some(answer) = world::answer_of(&mut input) else { return made };
        let mut bytes: Vec<char> = answer.chars().collect();
        for _ in 0..=self.below(3) {
            if bytes.is_empty() {
                break;
            }
            let at = self.below(bytes.len());
            match self.below(4) {
                0 => bytes.truncate(at),
                1 => {
                    bytes.remove(at);
                }
                2 => bytes[at] = ['"', '{', '}', '\u{200b}', '0', 'R'][self.below(6)],
                _ => {
                    let to = self.below(bytes.len());
                    bytes.swap(at, to);
                }
            }
        }
        *answer = bytes.into_iter().collect();
        let truth = if made.truth == Truth::Lie { Truth::Lie } else { Truth::Unknown };
        Move { input, truth, is_diligent: false }
    }
}

/// About three times the number that exists.
const STATES_MAX: usize = 60_000;
/// Trees that a person gives in the walk; more of them change nothing.
const FIXES_EXPLORED: u32 = 1;
const DILIGENT_MAX: usize = 400;
