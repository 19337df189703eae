//! A walk over every state that a world can bring a machine to.
//!
//! States that differ only in unbounded counters (visits, evidence, attempts) count as one. Steps of people may form
//! cycles; steps of the world may not.

use std::collections::{HashMap, VecDeque};

use sealwright_kernel::{Digest, Machine};

/// The moves of the world, and the invariants.
pub trait World<M: Machine> {
    /// The memory of the path, besides the state of the machine.
    type Ghost: Clone + std::fmt::Debug;

    /// Every move to try here.
    fn moves(&self, machine: &M) -> Vec<Move<M>>;

    /// The identity of a state.
    fn key(&self, machine: &M, ghost: &Self::Ghost) -> Digest;

    /// Checks a step and returns the new memory.
    fn step(&self, step: &Step<'_, M>, ghost: &Self::Ghost) -> Result<Self::Ghost, String>;

    fn state(&self, machine: &M, ghost: &Self::Ghost) -> Result<(), String>;
}

pub struct Move<M: Machine> {
    pub input: M::Input,
    pub hand: Hand,
}

/// Who makes a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hand {
    /// The world answers an effect.
    World,
    /// A person decides.
    Person,
    /// A false report, which the machine must refuse.
    Liar,
}

pub struct Step<'a, M: Machine> {
    pub before: &'a M,
    pub input: &'a M::Input,
    pub hand: Hand,
    pub events: &'a [M::Event],
    pub after: &'a M,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Walked {
    pub states: usize,
    pub steps: usize,
    pub refused: usize,
    /// The longest path without a person.
    pub longest: usize,
}

impl Walked {
    pub fn add(&mut self, other: Self) {
        self.states += other.states;
        self.steps += other.steps;
        self.refused += other.refused;
        self.longest = self.longest.max(other.longest);
    }
}

impl std::fmt::Display for Walked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { states, steps, refused, longest } = self;
        write!(
            f,
            "{states} states, {steps} steps, {refused} moves refused, longest way without a person {longest}"
        )
    }
}

/// Walks every path from `start`. More than `states_max` states mean that something grows without bound.
pub fn walk<M: Machine, W: World<M>>(
    world: &W,
    start: M,
    ghost: W::Ghost,
    states_max: usize,
) -> Result<Walked, String> {
    let mut walked = Walked::default();
    let mut known: HashMap<Digest, usize> = HashMap::new();
    let mut nodes: Vec<Node> = Vec::new();
    // Breadth first, so each state is reached by a shortest path.
    let mut open: VecDeque<(usize, M, W::Ghost)> = VecDeque::new();
    known.insert(world.key(&start, &ghost), 0);
    nodes.push(Node::default());
    open.push_back((0, start, ghost));
    while let Some((here, machine, ghost)) = open.pop_front() {
        world.state(&machine, &ghost)?;
        nodes[here].is_end = machine.is_over();
        if machine.is_over() && !machine.owed().is_empty() {
            return Err(format!("an ended machine owes something: {machine:?}"));
        }
        for Move { input, hand } in world.moves(&machine) {
            let events = match (machine.decide(&input), hand) {
                (Ok(_), Hand::Liar) => return Err(format!("a lie was believed: {input:?}")),
                (Err(_), _) => {
                    walked.refused += 1;
                    continue;
                }
                (Ok(events), Hand::World | Hand::Person) => events,
            };
            if events.is_empty() {
                return Err(format!("accepted without a fact: {input:?}"));
            }
            if machine.is_over() {
                return Err(format!("an ended machine accepted {input:?}"));
            }
            walked.steps += 1;
            let mut after = machine.clone();
            events.iter().for_each(|event| after.evolve(event));
            let step =
                Step { before: &machine, input: &input, hand, events: &events, after: &after };
            let told = |why| format!("{why}\n  after {input:?}\n  in {machine:?}");
            let ghost = world.step(&step, &ghost).map_err(told)?;
            let there = *known.entry(world.key(&after, &ghost)).or_insert_with(|| {
                nodes.push(Node::default());
                open.push_back((nodes.len() - 1, after, ghost));
                nodes.len() - 1
            });
            nodes[here].next.push((there, hand));
            if nodes.len() > states_max {
                return Err(format!("more than {states_max} states; something is not bounded"));
            }
        }
    }
    walked.states = nodes.len();
    walked.longest = longest(&nodes)?;
    every_state_can_end(&nodes)?;
    Ok(walked)
}

#[derive(Default)]
struct Node {
    next: Vec<(usize, Hand)>,
    is_end: bool,
}

/// The longest path of steps of the world; an error if there is a cycle.
fn longest(nodes: &[Node]) -> Result<usize, String> {
    let mut indegree = vec![0_usize; nodes.len()];
    let worldly = |node: &Node| {
        node.next
            .iter()
            .filter(|(_, hand)| *hand == Hand::World)
            .map(|(to, _)| *to)
            .collect::<Vec<_>>()
    };
    for node in nodes {
        worldly(node).into_iter().for_each(|to| indegree[to] += 1);
    }
    let mut ready: Vec<usize> = (0..nodes.len()).filter(|nth| indegree[*nth] == 0).collect();
    let mut depth = vec![0_usize; nodes.len()];
    let mut done = 0;
    while let Some(nth) = ready.pop() {
        done += 1;
        for to in worldly(&nodes[nth]) {
            depth[to] = depth[to].max(depth[nth] + 1);
            indegree[to] -= 1;
            if indegree[to] == 0 {
                ready.push(to);
            }
        }
    }
    if done < nodes.len() {
        return Err("the world can keep the machine going for ever without a person".to_owned());
    }
    Ok(depth.into_iter().max().unwrap_or(0))
}

fn every_state_can_end(nodes: &[Node]) -> Result<(), String> {
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (from, node) in nodes.iter().enumerate() {
        node.next.iter().for_each(|(to, _)| back[*to].push(from));
    }
    let mut ends: Vec<bool> = nodes.iter().map(|node| node.is_end).collect();
    let mut open: Vec<usize> = (0..nodes.len()).filter(|nth| ends[*nth]).collect();
    while let Some(nth) = open.pop() {
        for &from in &back[nth] {
            if !ends[from] {
                ends[from] = true;
                open.push(from);
            }
        }
    }
    match ends.iter().filter(|can| !**can).count() {
        0 => Ok(()),
        stuck => Err(format!("{stuck} states can never end")),
    }
}
