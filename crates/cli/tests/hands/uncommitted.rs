//! Work that was not committed when `do` began.

use std::fs;
use std::process::Command;

use crate::rehearsal::{Rehearsal, WANTED};

/// `--dirty take` names what it takes. What it says about merging is true: the commands can be run as they are printed,
/// and neither the work nor the journal is lost.
#[test]
fn work_that_is_taken_along_is_named_and_can_be_merged_as_it_is_said() {
    let rehearsal = Rehearsal::with(&[]);
    for changed in ["parking/fees.py", "tests/test_fees.py"] {
        let text = rehearsal.file(changed);
        fs::write(rehearsal.path().join(changed), format!("{text}\n# mine\n")).unwrap();
    }
    fs::create_dir(rehearsal.path().join("notes")).unwrap();
    for nth in 0..11 {
        fs::write(rehearsal.path().join(format!("notes/{nth:02}.txt")), "mine").unwrap();
    }
    let refused = rehearsal.says(12, &["do", WANTED, "--yes"]);
    assert!(refused.contains("notes/02.txt and 8 more\n"), "{refused}");
    fs::write(rehearsal.path().join(".env"), "KEY=1").unwrap();
    let refused = rehearsal.says(12, &["do", WANTED, "--yes", "--dirty", "take"]);
    assert!(refused.contains("error: cannot take .env: "), "{refused}");
    fs::remove_file(rehearsal.path().join(".env")).unwrap();

    let told = rehearsal.says(0, &["do", WANTED, "--yes", "--dirty", "take"]);
    let named = "• uncommitted files, taken into the first commit: notes/00.txt, ";
    assert!(told.contains(named) && told.contains("notes/09.txt and 3 more\n"), "{told}");
    let (_, next) = told.split_once("\nnext:\n").unwrap();
    let commands: Vec<&str> = next.lines().take_while(|line| line.starts_with("  ")).collect();
    assert_eq!(commands.len(), 3, "{told}");
    let journal = rehearsal.git(&["ls-files", "--others", ".sealwright"]);
    let mut shell = Command::new("sh");
    let run =
        shell.args(["-ec", &commands.join("\n")]).current_dir(rehearsal.path()).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert!(rehearsal.file("parking/fees.py").contains("2000"));
    assert!(rehearsal.file("tests/test_fees.py").ends_with("# mine\n"));
    assert_eq!(rehearsal.file("notes/10.txt"), "mine");
    assert_eq!(rehearsal.git(&["ls-files", "--others", ".sealwright"]), journal);
    assert_eq!(rehearsal.git(&["stash", "list"]), "");
}
