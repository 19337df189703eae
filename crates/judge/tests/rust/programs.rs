//! Tests of a program in one room, the program in another.

use std::collections::BTreeMap;

use sealwright_judge::rust::End;
use sealwright_judge::{OTHER, USUAL};

use crate::rooms::{judged_in, why};

fn judged(program: &str, tests: &str) -> BTreeMap<String, End> {
    let tests = format!("{START}{tests}");
    judged_in(&USUAL, &[("src/main.rs", program)], &[("tests/it.rs", &tests)]).0
}

/// Words, input, environment, folder, files both ways, exit code, signal: tests do not notice where the program is.
#[test]
fn tests_of_a_program_pass_across() {
    for surroundings in [&USUAL, &OTHER] {
        let tests = format!("{START}{HONEST}");
        let tests = [("tests/it.rs", tests.as_str()), ("tests/data/list.txt", "pear\napple\n")];
        let (ends, shared) = judged_in(surroundings, &[("src/main.rs", PROGRAM)], &tests);
        assert_eq!(shared, Vec::<String>::new());
        assert_eq!(ends.len(), 7, "{ends:?}");
        assert!(ends.values().all(|it| *it == End::Passed), "{ends:?}");
    }
}

/// It finds no test, and nothing of an earlier test is left; one that hangs is ended.
#[test]
fn a_program_knows_no_test_and_outlives_none() {
    let hostile = r#"
fn main() {
    let word = std::env::args().nth(1).unwrap();
    match word.as_str() {
        "knows" => {
            let names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
            let tells = |it: &String| it.contains("JUDGE") || it.contains("TEST");
            let is_there = |it: &str| std::path::Path::new(it).exists();
            let knows = names.iter().any(tells) || is_there("/work/tests") || is_there("/target") || is_there("/reports");
            println!("{knows}");
        }
        "stays" => {
            let mut again = std::process::Command::new(std::env::current_exe().unwrap());
            let none = std::process::Stdio::null;
            again.arg("sits").stdin(none()).stdout(none()).stderr(none()).spawn().unwrap();
            println!("away");
        }
        "sits" => loop { std::thread::park() },
        "counts" => {
            let processes = std::fs::read_dir("/proc").unwrap().flatten();
            let sits = processes.filter(|it| std::fs::read(it.path().join("cmdline")).is_ok_and(|it| it.ends_with(b"sits\0")));
            println!("{}", sits.count());
        }
        "remembers" => {
            let places = ["/tmp/.own", "/dev/shm/own", "/var/tmp/.own/own", "/var/tmp/own"];
            let known = places.iter().filter(|it| std::path::Path::new(it).exists()).count();
            for place in places {
                let _ = std::fs::create_dir_all(std::path::Path::new(place).parent().unwrap());
                let _ = std::fs::write(place, "");
            }
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions("/var/tmp/.own", std::fs::Permissions::from_mode(0o700)).unwrap();
            println!("{known}");
        }
        _ => println!("test result: ok. 1 passed; 0 failed"),
    }
}
"#;
    let tests = r#"
#[test]
fn a_knows() { assert_eq!(said(&["knows"]), "false\n"); }
#[test]
fn b_stays() { assert_eq!(said(&["stays"]), "away\n"); assert_eq!(said(&["counts"]), "1\n"); }
#[test]
fn c_counts() { assert_eq!(said(&["counts"]), "0\n"); }
#[test]
fn d_hangs() { said(&["sits"]); }
#[test]
fn e_counts() { assert_eq!(said(&["counts"]), "0\n"); }
#[test]
fn g_remembers() { assert_eq!(said(&["remembers"]), "0\n"); assert_eq!(said(&["remembers"]), "4\n"); }
#[test]
fn h_remembers() { assert_eq!(said(&["remembers"]), "0\n"); }
#[test]
fn f_forges() { assert_eq!(said(&["forge"]), "something else\n"); }
"#;
    let ends = judged(hostile, tests);
    for test in ["a_knows", "b_stays", "c_counts", "e_counts", "g_remembers", "h_remembers"] {
        assert_eq!(ends.get(test), Some(&End::Passed), "{test}: {ends:?}");
    }
    assert_eq!(why(&ends, "d_hangs"), "it took too long");
    why(&ends, "f_forges");
}

/// A program that cannot be run is no program that fails.
#[test]
fn what_could_not_be_run_is_no_failure_of_the_program() {
    let loud = "use std::io::Write as _;\nfn main() {\n    let line = [7_u8; 1 << 16];\n    \
                while std::io::stdout().write_all(&line).is_ok() {}\n    std::process::exit(3);\n}\n";
    let tests =
        "#[test]\nfn it_fails() { assert!(!start().output().unwrap().status.success()); }\n";
    let ends = judged(loud, tests);
    assert_eq!(why(&ends, "it_fails"), "a program could not be run");
}

const START: &str = r#"use std::process::Command;
fn start() -> Command { Command::new(env!("CARGO_BIN_EXE_shop")) }
fn said(words: &[&str]) -> String { String::from_utf8(start().args(words).output().unwrap().stdout).unwrap() }
"#;

const PROGRAM: &str = r#"
use std::io::{Read as _, Write as _};
fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words[0].as_str() {
        "echo" => print!("{}", words[1..].join(" ")),
        "sort" => {
            let mut text = String::new();
            match words.get(1) {
                Some(path) => text = std::fs::read_to_string(path).unwrap(),
                None => { std::io::stdin().read_to_string(&mut text).unwrap(); }
            }
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort();
            println!("{}", lines.join(","));
        }
        "variable" => println!("{:?}", std::env::var(&words[1]).ok()),
        "write" => std::fs::write(&words[1], std::env::current_dir().unwrap().display().to_string()).unwrap(),
        "refuse" => { eprintln!("no"); std::process::exit(3) }
        _ => std::process::abort(),
    }
}
"#;

const HONEST: &str = r#"
#[test]
fn words() { assert_eq!(said(&["echo", "a b", "", "ü"]), "a b  ü"); }
#[test]
fn input() {
    let place = std::env::temp_dir().join("own-input");
    std::fs::write(&place, "b\na\n").unwrap();
    let file = std::fs::File::open(&place).unwrap();
    let output = start().arg("sort").stdin(file).output().unwrap();
    assert_eq!(output.stdout, b"a,b\n");
}
#[test]
fn variables() {
    let value = |command: &mut Command| String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert_eq!(value(start().args(["variable", "SHOP"]).env("SHOP", "open")), "Some(\"open\")\n");
    assert_eq!(value(start().args(["variable", "SHOP"])), "None\n");
    assert_eq!(value(start().args(["variable", "HOME"]).env_remove("HOME")), "None\n");
}
#[test]
fn files_of_both() {
    let folder = std::env::temp_dir().join("own-folder");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("in.txt"), "2\n1\n").unwrap();
    let output = start().args(["sort", "in.txt"]).current_dir(&folder).output().unwrap();
    assert_eq!(output.stdout, b"1,2\n");
    assert!(start().args(["write", "out.txt"]).current_dir(&folder).status().unwrap().success());
    assert_eq!(std::fs::read_to_string(folder.join("out.txt")).unwrap(), folder.display().to_string());
    std::fs::remove_dir_all(&folder).unwrap();
}
#[test]
fn files_of_the_tests() {
    let output = start().args(["sort", "list.txt"]).current_dir("tests/data").output().unwrap();
    assert_eq!(output.stdout, b"apple,pear\n");
    assert_eq!(said(&["sort", "tests/data/list.txt"]), "apple,pear\n");
}
#[test]
fn refusal() {
    let output = start().arg("refuse").output().unwrap();
    assert_eq!((output.status.code(), &output.stderr[..]), (Some(3), &b"no\n"[..]));
}
#[test]
fn signal() {
    use std::os::unix::process::ExitStatusExt as _;
    assert_eq!(start().arg("abort").status().unwrap().signal(), Some(6));
}
"#;
