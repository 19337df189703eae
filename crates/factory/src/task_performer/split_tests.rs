//! A file of tests becomes two, so that tests can be held out however they were laid into files.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::{Function, Outline, whole_name};
use sealwright_kernel::Digest;
use sealwright_repo::trees::Changes;

use super::acceptance::{Trace, held_out};
use crate::role_calls::TraceAnswer;

/// Moves one test of each criterion that has several, and none held out, into a file of its own, which is then held out.
/// The seed says which, so that no role can choose it. `is_taken` knows the paths there are.
pub(super) fn split(
    changes: &mut Changes,
    answers: &mut [TraceAnswer],
    outlines: &[Outline],
    is_taken: impl Fn(&str) -> bool,
    seed: Digest,
) -> BTreeSet<String> {
    let traces: Vec<Trace> = answers.iter().filter_map(trace).collect();
    let files = outlines.iter().map(|it| (it.path.clone(), Digest::ZERO)).collect();
    let held = held_out(&files, &traces, seed);
    let mut moved = moved(outlines, &traces, &held, seed);
    moved.retain(|path, tests| {
        let outline = outlines.iter().find(|it| it.path == *path);
        outline.is_some_and(|it| is_divisible(it, tests))
    });
    let mut made = BTreeSet::new();
    for (path, tests) in moved {
        let other = other_path(&path).filter(|it| !is_taken(it) && !changes.contains_key(it));
        let Some(toolchain) = Toolchain::of_file(&path) else { continue };
        let comment = toolchain.language().facts().comment;
        let outline = outlines.iter().find(|it| it.path == path);
        let (Some(other), Some(outline), Some(Some((kind, content)))) =
            (other, outline, changes.get(&path).cloned())
        else {
            continue;
        };
        let Ok(text) = String::from_utf8(content) else { continue };
        let without = |is_out: &dyn Fn(&Function) -> bool| {
            let mut lines: Vec<&str> = text.lines().collect();
            outline.tests().filter(|it| is_out(it)).for_each(|it| it.blank(&mut lines, comment));
            let mut text = lines.join("\n");
            text.push('\n');
            text.into_bytes()
        };
        let seen = without(&|it| tests.contains(&it.name));
        let unseen = without(&|it| !tests.contains(&it.name));
        changes.insert(path.clone(), Some((kind, seen)));
        changes.insert(other.clone(), Some((kind, unseen)));
        for answer in answers.iter_mut() {
            let is_moved =
                trace(answer).is_some_and(|it| it.file == path && tests.contains(&it.test));
            if is_moved {
                answer.test = answer.test.replacen(&path, &other, 1);
            }
        }
        made.insert(other);
    }
    made
}

/// Gives tests their whole names.
pub(super) fn resolve(answers: &mut [TraceAnswer], outlines: &[Outline]) {
    for answer in answers {
        let Some((path, name)) = answer.test.split_once("::") else { continue };
        let own = outlines.iter().filter(|it| it.path == path).flat_map(Outline::tests);
        if let Some(whole) = whole_name(own.map(|it| it.name.as_str()), name) {
            answer.test = format!("{path}::{whole}");
        }
    }
}

/// The tests that go, by file.
fn moved(
    outlines: &[Outline],
    traces: &[Trace],
    held: &BTreeSet<String>,
    seed: Digest,
) -> BTreeMap<String, BTreeSet<String>> {
    let visible = outlines.iter().filter(|it| !held.contains(&it.path));
    let mut order: Vec<(Digest, &str, &Function)> = visible
        .flat_map(|outline| outline.tests().map(move |test| (outline.path.as_str(), test)))
        .map(|(path, test)| {
            let named = format!("{seed}/{path}::{}", test.name);
            (Digest::of(named.as_bytes()), path, test)
        })
        .collect();
    order.sort_by_key(|(place, ..)| *place);
    let mut moved: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, path, test) in order {
        let is_held = |it: &Trace| {
            let is_moved = moved.get(&it.file).is_some_and(|tests| tests.contains(&it.test));
            is_moved || held.contains(&it.file)
        };
        let is_own = |it: &Trace| it.file == path && it.test == test.name;
        let shown: BTreeSet<usize> =
            traces.iter().filter(|it| is_own(it)).map(|it| it.criterion).collect();
        let of = |criterion: usize| traces.iter().filter(move |it| it.criterion == criterion);
        let stays_seen = |it: &usize| of(*it).any(|it| !is_held(it) && !is_own(it));
        let is_needed = |it: &usize| !of(*it).any(is_held);
        if shown.iter().all(stays_seen) && shown.iter().any(is_needed) {
            moved.entry(path.to_owned()).or_default().insert(test.name.clone());
        }
    }
    moved
}

/// Whether tests can be taken out of a file line by line, and nothing else in it speaks of them.
fn is_divisible(outline: &Outline, tests: &BTreeSet<String>) -> bool {
    let Some(toolchain) = Toolchain::of_file(&outline.path) else { return false };
    let is_compiled = toolchain.language().facts().is_compiled;
    let all: Vec<&Function> = outline.tests().collect();
    // A class without methods is no class.
    let are_alone = all.iter().all(|it| is_compiled || !it.name.contains("::"));
    let are_apart = all.iter().all(|it| {
        let touches = |other: &&&Function| other.first <= it.last && it.first <= other.last;
        all.iter().filter(touches).count() == 1
    });
    let last = |name: &str| name.rsplit("::").next().unwrap_or_default().to_owned();
    let names: BTreeSet<String> = all.iter().map(|it| last(&it.name)).collect();
    let speaks = |it: &Function| {
        let own = last(&it.name);
        it.mentions.iter().any(|word| *word != own && names.contains(word))
    };
    let stays = all.iter().any(|it| !tests.contains(&it.name));
    are_alone && are_apart && stays && !outline.functions.iter().any(speaks)
}

/// Where they go: a file that a runner finds too.
fn other_path(path: &str) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let (stem, extension) = name.split_once('.')?;
    let stem = match stem.strip_suffix("_test") {
        Some(stem) => format!("{stem}_more_test"),
        None => format!("{stem}_more"),
    };
    let name = format!("{stem}.{extension}");
    let other = if folder.is_empty() { name } else { format!("{folder}/{name}") };
    let language = Toolchain::of_file(&other)?.language();
    (language.is_test_file(path) && language.is_test_file(&other)).then_some(other)
}

fn trace(answer: &TraceAnswer) -> Option<Trace> {
    let (file, test) = answer.test.split_once("::")?;
    let test = test.split('[').next().unwrap_or(test);
    Some(Trace { file: file.to_owned(), test: test.to_owned(), criterion: answer.criterion })
}

#[cfg(test)]
mod tests {
    use sealwright_gates::toolchain::Outliner;
    use sealwright_repo::trees::LeafKind;

    use super::*;

    const TEXT: &str = "use shop::price;\n\n/// One.\n#[test]\nfn one() {\n    assert_eq!(price(1), 1);\n}\n\n\
        #[test]\nfn two() {\n    assert_eq!(price(2), 2);\n}\n\nmod more {\n    // Free.\n    #[test]\n    fn none() {\n        \
        assert_eq!(crate::price(0), 0);\n    }\n}\n";

    fn outline(text: &str) -> Outline {
        let language = Toolchain::of_file("tests/it.rs").unwrap().language();
        let Outliner::Text(outline) = language.outliner() else { panic!("Rust is read as text") };
        outline("tests/it.rs", text).unwrap()
    }

    fn answer(test: &str, criterion: usize) -> TraceAnswer {
        TraceAnswer { test: test.to_owned(), criterion }
    }

    fn divided(answers: &mut [TraceAnswer], seed: u32) -> Option<(String, String)> {
        let content = (LeafKind::Plain, TEXT.as_bytes().to_vec());
        let mut changes = Changes::from([("tests/it.rs".to_owned(), Some(content))]);
        let seed = Digest::of(&seed.to_le_bytes());
        let made = split(&mut changes, answers, &[outline(TEXT)], |_| false, seed);
        let text = |path: &str| {
            let (_, content) = changes.get(path)?.clone()?;
            Some(String::from_utf8(content).unwrap())
        };
        assert_eq!(made.len() + 1, changes.len());
        Some((text("tests/it.rs")?, text("tests/it_more.rs")?))
    }

    #[test]
    fn a_criterion_with_two_tests_has_one_held_out() {
        for seed in 0..20 {
            let mut answers = [
                answer("tests/it.rs::one", 1),
                answer("tests/it.rs::two", 1),
                answer("tests/it.rs::more::none", 2),
            ];
            let (seen, unseen) = divided(&mut answers, seed).unwrap();
            assert_ne!(seen.contains("price(1)"), seen.contains("price(2)"), "{seen}");
            assert_ne!(unseen.contains("price(1)"), seen.contains("price(1)"), "{unseen}");
            assert_ne!(
                seen.contains("One."),
                unseen.contains("One."),
                "what is said of it goes with it"
            );
            assert!(seen.contains("fn none") && !unseen.contains("fn none"), "{unseen}");
            assert_eq!(seen.lines().count(), TEXT.lines().count());
            let gone = answers.iter().filter(|it| it.test.starts_with("tests/it_more.rs::"));
            assert_eq!(gone.count(), 1);
            assert_eq!(outline(&unseen).tests().count(), 1);
        }
    }

    #[test]
    fn a_test_is_found_without_its_module() {
        let mut answers = [answer("tests/it.rs::none", 1), answer("tests/it.rs::one", 1)];
        resolve(&mut answers, &[outline(TEXT)]);
        assert_eq!(answers[0].test, "tests/it.rs::more::none");
        assert_eq!(answers[1].test, "tests/it.rs::one");
    }

    #[test]
    fn what_is_the_only_one_of_its_criterion_stays() {
        let mut answers = [
            answer("tests/it.rs::one", 1),
            answer("tests/it.rs::two", 2),
            answer("tests/it.rs::two", 1),
        ];
        let (seen, _) = divided(&mut answers, 1).unwrap();
        assert!(seen.contains("price(2)") && !seen.contains("price(1)"), "{seen}");
        assert!(divided(&mut [answer("tests/it.rs::one", 1)], 1).is_none());
    }
}
