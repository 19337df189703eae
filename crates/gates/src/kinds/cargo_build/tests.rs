use crate::kinds::story::{captured, ran, setting, told};
use crate::kinds::{Kind, Setting};
use crate::{Ended, Ran, Said, Seen, Step};

fn heard(ran: Ran) -> String {
    told("cargo-build", &setting(), &[Seen::Ran(ran)])
}

#[test]
fn a_build_that_cargo_calls_good_passes() {
    assert_eq!(heard(ran(0, captured("cargo-build-green.out"))), "pass");
}

#[test]
fn errors_are_told_with_their_places() {
    let heard = heard(ran(101, captured("cargo-build-red.out")));
    assert!(heard.starts_with("fail: the build exited with 101 | error: "), "{heard}");
    assert!(heard.contains("src/lib.rs"), "{heard}");
}

#[test]
fn an_exit_code_alone_is_no_build() {
    assert_eq!(heard(ran(0, "Finished\n")), "cannot tell: cargo does not say how the build ended");
    assert_eq!(heard(ran(0, "")), "cannot tell: cargo: the report is empty");
    assert_eq!(
        heard(ran(0, "{\"reason\":\"build-finished\",\"success\":true}\n")),
        "cannot tell: cargo says that it made nothing"
    );
    assert_eq!(
        heard(ran(0, "{\"reason\":\"build-finished\",\"success\":false}\n")),
        "fail: the build exited with 0, and cargo says that it failed"
    );
    assert_eq!(
        heard(ran(101, captured("cargo-build-green.out"))),
        "fail: the build exited with 101"
    );
    let green = captured("cargo-build-green.out");
    let cut = Ran { stdout: Said { total: 99_999, bytes: green.clone() }, ..ran(0, "") };
    assert!(heard(cut).starts_with("cannot tell: cargo: only "));
    let lost = Ran { ended: Ended::Lost, ..ran(0, green) };
    assert_eq!(heard(lost), "cannot tell: how the build ended is unknown");
}

#[test]
fn everything_is_built_if_nobody_says_otherwise() {
    let gate = Kind::of("cargo-build").unwrap().gate(Setting::default());
    let Step::Run(command) = gate.next(&[]) else { panic!("it runs something") };
    assert_eq!(
        command.argv.join(" "),
        "cargo build --workspace --all-targets --locked --offline --message-format=json"
    );
}
