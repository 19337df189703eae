//! The names of tasks as commands take them: as short as they are unique.

use sealwright_kernel::TaskId;
use sealwright_store::FileJournal;

use crate::error::CliResult;

/// Every task of a repository.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskNames(Vec<TaskId>);

impl TaskNames {
    pub(crate) fn read(journal: &FileJournal) -> CliResult<Self> {
        let streams = journal.streams_blocking()?;
        let tasks = streams.iter().filter_map(|stream| TaskId::new(stream.as_str()).ok());
        Ok(Self(tasks.collect()))
    }

    /// For printing: where the journal cannot be read, every name is whole.
    pub(crate) fn of(journal: &FileJournal) -> Self {
        Self::read(journal).unwrap_or_default()
    }

    /// What to type for a task: the digits at the end of its id if no other task has them, or its whole id. A name that
    /// a person chose may stand in the id of the next task, and is not shortened.
    pub(crate) fn short<'t>(&self, task: &'t str) -> &'t str {
        let Some((_, last)) = task.rsplit_once('-') else { return task };
        let is_digits = last.len() == DIGITS && last.bytes().all(|it| it.is_ascii_hexdigit());
        match &self.matching(last)[..] {
            [only] if is_digits && only.as_str() == task => last,
            _ => task,
        }
    }

    /// The tasks that a person means with a part of an id: by its beginning, by its end, or by any part of it.
    pub(crate) fn matching(&self, part: &str) -> Vec<&TaskId> {
        if part.is_empty() {
            return Vec::new();
        }
        let begins = |task: &&TaskId| {
            let name = task.as_str();
            name.starts_with(part) || name.strip_prefix("T-").is_some_and(|it| it.starts_with(part))
        };
        let ends = |task: &&TaskId| {
            task.as_str().strip_suffix(part).is_some_and(|rest| rest.ends_with('-'))
        };
        let contains = |task: &&TaskId| task.as_str().contains(part);
        let of = |is_meant: &dyn Fn(&&TaskId) -> bool| -> Vec<&TaskId> {
            self.0.iter().filter(|task| is_meant(task)).collect()
        };
        let rules: [&dyn Fn(&&TaskId) -> bool; 3] = [&begins, &ends, &contains];
        rules.into_iter().map(of).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Whether this is the id of a task, or what [`TaskNames::short`] makes of it.
    pub(crate) fn has(&self, text: &str) -> bool {
        self.0.iter().any(|task| task.as_str() == text || self.short(task.as_str()) == text)
    }

    /// A hint with its commands shortened. Messages are made where the other tasks are not known.
    pub(crate) fn in_commands(&self, hint: &str) -> String {
        let parts = hint.split('`').enumerate();
        let parts = parts.map(|(nth, part)| match nth % 2 {
            1 if takes_parts(part) => {
                part.split(' ').map(|word| self.word(word)).collect::<Vec<_>>().join(" ")
            }
            _ => part.to_owned(),
        });
        parts.collect::<Vec<_>>().join("`")
    }

    fn word<'w>(&self, word: &'w str) -> &'w str {
        if self.0.iter().any(|task| task.as_str() == word) { self.short(word) } else { word }
    }
}

/// Whether it is a command to which a part of an id is enough.
fn takes_parts(quoted: &str) -> bool {
    quoted.starts_with("sealwright ") && !OF_STREAMS.iter().any(|it| quoted.starts_with(it))
}

/// These commands are about every stream, and take whole names only.
const OF_STREAMS: [&str; 2] = ["sealwright journal ", "sealwright replay "];
/// Of the digest at the end of an id.
const DIGITS: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    fn names(tasks: &[&str]) -> TaskNames {
        TaskNames(tasks.iter().map(|task| TaskId::new(*task).unwrap()).collect())
    }

    #[test]
    fn a_name_is_as_short_as_it_is_unique() {
        let parking = "T-a-day-of-parking-85a461";
        assert_eq!(names(&[parking, "T-other-e34540"]).short(parking), "85a461");
        for other in ["T-85a461-again-e34540", "T-other-85a461"] {
            assert_eq!(names(&[parking, other]).short(parking), parking, "{other}");
        }
        // The end of an id goes before its middle, so what was printed once stays good.
        assert_eq!(names(&[parking, "T-mend-85a461-again-e34540"]).short(parking), "85a461");
        let chosen = names(&["T-tariff", "T-add-tariff", "T-facade"]);
        for task in ["T-tariff", "T-add-tariff"] {
            assert_eq!(chosen.short(task), task);
        }
        assert_eq!(names(&[]).short(parking), parking, "an unknown task");
    }

    #[test]
    fn whatever_is_printed_means_its_task() {
        let tasks =
            ["T-a-111111", "T-b-111111", "T-c-222222", "T-222222-d-333333", "T-x-333333-y-444444"];
        let names = names(&tasks);
        for task in tasks {
            let found = names.matching(names.short(task));
            assert_eq!(found.iter().map(|it| it.as_str()).collect::<Vec<_>>(), [task]);
        }
    }

    #[test]
    fn only_the_commands_of_a_hint_are_shortened() {
        let names = names(&["T-a-day-85a461"]);
        let hint = "T-a-day-85a461: `sealwright show T-a-day-85a461 --plan`, `git diff sealwright/T-a-day-85a461`, \
                    `sealwright journal T-a-day-85a461`, `T-a-day-85a461`";
        assert_eq!(
            names.in_commands(hint),
            "T-a-day-85a461: `sealwright show 85a461 --plan`, `git diff sealwright/T-a-day-85a461`, \
             `sealwright journal T-a-day-85a461`, `T-a-day-85a461`"
        );
    }
}
