use crate::kinds::Setting;
use crate::kinds::story::{captured, left, ran, setting, told};
use crate::{Ended, Ran, Seen};

fn heard(ran: Ran) -> String {
    told("lint", &Setting { report: Some("a.sarif".to_owned()), ..setting() }, &[Seen::Ran(ran)])
}

#[test]
fn without_a_log_the_exit_code_decides() {
    assert_eq!(told("lint", &setting(), &[Seen::Ran(ran(0, ""))]), "pass");
    assert_eq!(
        told("lint", &setting(), &[Seen::Ran(ran(1, ""))]),
        "fail: the linter exited with 1"
    );
    let killed = Ran { ended: Ended::Signalled(9), ..ran(0, "") };
    assert_eq!(
        told("lint", &setting(), &[Seen::Ran(killed)]),
        "cannot tell: the linter was killed from outside"
    );
}

#[test]
fn with_a_log_both_have_to_agree() {
    assert_eq!(heard(left(0, "a.sarif", captured("ruff-green.out"))), "pass");
    let red = heard(left(1, "a.sarif", captured("ruff-red.out")));
    assert!(red.starts_with("fail: ") && red.contains("`os` imported but unused (F401)"), "{red}");
    let quiet = heard(left(0, "a.sarif", captured("ruff-red.out")));
    assert!(quiet.ends_with("| the linter exited with 0, and 2 findings count"), "{quiet}");
    assert_eq!(
        heard(left(2, "a.sarif", captured("ruff-green.out"))),
        "fail: the linter exited with 2"
    );
    assert_eq!(heard(ran(0, "")), "cannot tell: the linter: there is no report");
}
