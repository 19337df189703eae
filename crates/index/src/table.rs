//! What is kept in memory of every entry: where it stands, what changed it, and what filters ask for.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::{Digest, Machine as _, Ref, Seq};

use crate::entry::{CodeIndexEntry, Status};
use crate::log::{BEFORE_FIRST, Place, Record};
use crate::rules::{CodeIndexRules, Event};
use crate::search::{Filters, SearchRequest, Snapshot};

#[derive(Default)]
pub(crate) struct Table {
    pub(crate) rules: CodeIndexRules,
    rows: Vec<Row>,
    /// What happened to entries after they were appended.
    changes: BTreeMap<u32, Vec<(Seq, Event)>>,
    facets: [BTreeMap<String, Vec<u32>>; FACETS],
    /// The hash of every record.
    hashes: Vec<Digest>,
}

pub(crate) struct Row {
    pub(crate) seq: Seq,
    pub(crate) place: Place,
    pub(crate) module: Ref,
}

/// Values by which rows are found without reading their entries.
#[derive(Clone, Copy)]
pub(crate) enum Facet {
    Tag,
    InputType,
    OutputType,
    ModuleId,
    /// The module id of a dependency.
    Dependency,
}

const FACETS: usize = 5;

impl Table {
    /// Takes a record in, or says why it cannot follow the ones before it.
    pub(crate) fn read(&mut self, record: Record) -> Result<(), &'static str> {
        if !self.rules.would_accept(&record.event) {
            return Err("it breaks the rules of the index");
        }
        self.add(record);
        Ok(())
    }

    /// Takes a record in that was decided on.
    pub(crate) fn add(&mut self, record: Record) {
        let Record { snapshot, event, place } = record;
        self.hashes.push(snapshot.hash);
        let Some(module) = event.module() else { return };
        self.rules.evolve(&event);
        let Some(row) = self.rules.standing(&module).map(|it| it.row) else { return };
        if let Event::Appended { entry } = &event {
            for (facet, value) in facets(entry) {
                let rows = self.facets[facet as usize].entry(value.to_owned()).or_default();
                if rows.last() != Some(&row) {
                    rows.push(row);
                }
            }
            self.rows.push(Row { seq: snapshot.seq, place, module });
        } else {
            self.changes.entry(row).or_default().push((snapshot.seq, event));
        }
    }

    pub(crate) fn head(&self) -> Snapshot {
        let seq = Seq::new(self.hashes.len() as u64);
        self.hashes.last().map_or(BEFORE_FIRST, |hash| Snapshot { seq, hash: *hash })
    }

    /// Whether the record of `snapshot` is one of these.
    pub(crate) fn knows(&self, snapshot: Snapshot) -> bool {
        let before = usize::try_from(snapshot.seq.get()).ok().and_then(|seq| seq.checked_sub(1));
        match before {
            Some(at) => self.hashes.get(at) == Some(&snapshot.hash),
            None => snapshot == BEFORE_FIRST,
        }
    }

    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(crate) fn row(&self, module: &Ref) -> Option<u32> {
        self.rules.standing(module).map(|it| it.row)
    }

    /// How many rows there were at a record.
    pub(crate) fn rows_at(&self, seq: Seq) -> usize {
        self.rows.partition_point(|row| row.seq <= seq)
    }

    /// The hash of the record that appended a row.
    pub(crate) fn hash_of(&self, row: u32) -> Option<Digest> {
        let seq = self.rows.get(row as usize)?.seq.get();
        self.hashes.get(usize::try_from(seq).ok()?.checked_sub(1)?).copied()
    }

    pub(crate) fn changes_at(&self, row: u32, seq: Seq) -> impl Iterator<Item = &Event> {
        let changes = self.changes.get(&row).map_or(&[][..], Vec::as_slice);
        changes.iter().take_while(move |(at, _)| *at <= seq).map(|(_, event)| event)
    }

    fn status_at(&self, row: u32, seq: Seq) -> Status {
        let status = |event: &Event| match event {
            Event::StatusChanged { status, .. } => Some(*status),
            Event::Appended { .. } | Event::Noted { .. } => None,
        };
        self.changes_at(row, seq).filter_map(status).last().unwrap_or(Status::Shipped)
    }

    /// The rows that every filter but the status lets through. `None` if there is no such filter.
    pub(crate) fn filtered(
        &self,
        request: &SearchRequest,
        filters: &Filters,
        seq: Seq,
    ) -> Option<Vec<u32>> {
        let lists = [
            (Facet::Tag, request.tags.as_slice()),
            (Facet::InputType, &request.input_types),
            (Facet::OutputType, &request.output_types),
            (Facet::ModuleId, filters.module_id.as_slice()),
        ];
        let mut found: Option<Vec<u32>> = None;
        for (facet, values) in lists.into_iter().filter(|(_, values)| !values.is_empty()) {
            let rows = self.having(facet, values);
            found = Some(match found {
                Some(found) => {
                    found.into_iter().filter(|row| rows.binary_search(row).is_ok()).collect()
                }
                None => rows,
            });
        }
        if let Some(range) = &filters.versions {
            let of_module = || self.having(Facet::ModuleId, &[range.id().to_string()]);
            let mut rows = found.unwrap_or_else(of_module);
            rows.retain(|row| {
                let module = &self.rows[*row as usize].module;
                range.covers(module.id(), module.version())
            });
            found = Some(rows);
        }
        let mut rows = found?;
        let most = self.rows_at(seq);
        rows.retain(|row| (*row as usize) < most);
        Some(rows)
    }

    /// The rows that the status keeps out.
    pub(crate) fn left_out(
        &self,
        request: &SearchRequest,
        filters: &Filters,
        seq: Seq,
    ) -> impl Fn(u32) -> bool {
        let kept: &[Status] = match (filters.statuses.as_slice(), request.include_inactive) {
            ([], true) => &Status::ALL,
            ([], false) => &[Status::Shipped],
            (statuses, _) => statuses,
        };
        // Few rows ever change, so the answer for all others is given once.
        let keeps_shipped = kept.contains(&Status::Shipped);
        let others: BTreeSet<u32> = self
            .changes
            .keys()
            .copied()
            .filter(|row| kept.contains(&self.status_at(*row, seq)) != keeps_shipped)
            .collect();
        move |row| keeps_shipped == (!others.is_empty() && others.contains(&row))
    }

    /// The rows with one of the values or more, in order.
    pub(crate) fn having(&self, facet: Facet, values: &[String]) -> Vec<u32> {
        let known = &self.facets[facet as usize];
        let mut rows: Vec<u32> =
            values.iter().filter_map(|value| known.get(value)).flatten().copied().collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// The order of answers: the better score, then the module's name, then the newer version.
    pub(crate) fn order(&self, left: &(u32, f64), right: &(u32, f64)) -> Ordering {
        let module = |row: u32| &self.rows[row as usize].module;
        let by_module = || {
            let (left, right) = (module(left.0), module(right.0));
            let by_version = || right.version().cmp(&left.version());
            left.id().cmp(right.id()).then_with(by_version)
        };
        right.1.total_cmp(&left.1).then_with(by_module)
    }
}

fn facets(entry: &CodeIndexEntry) -> impl Iterator<Item = (Facet, &str)> {
    let tags = entry.tags.iter().map(|it| (Facet::Tag, it.as_str()));
    let inputs = entry.io_summary.inputs.iter().map(|it| (Facet::InputType, type_of(it)));
    let outputs = entry.io_summary.outputs.iter().map(|it| (Facet::OutputType, type_of(it)));
    let dependencies = entry.dependencies.iter().map(|it| (Facet::Dependency, it.id().as_str()));
    let module = (Facet::ModuleId, entry.module_id.as_str());
    tags.chain(inputs).chain(outputs).chain(dependencies).chain([module])
}

/// Items of a summary begin with the type, then `: `.
fn type_of(item: &str) -> &str {
    item.split_once(": ").map_or(item, |(name, _)| name)
}
