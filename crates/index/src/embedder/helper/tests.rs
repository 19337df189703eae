use super::*;

const READY: &str = r#"echo '{"name":"sh","revision":"1","dims":256,"tokens_max":512}'; "#;

fn start(script: &str) -> Result<HelperProgram, EmbedderError> {
    HelperProgram::start(&HelperConfig {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        limit_ms: 5_000,
    })
}

fn ready(script: &str) -> HelperProgram {
    start(&format!("{READY}{script}")).unwrap()
}

#[test]
fn a_program_answers_line_by_line() {
    let program = ready(
        r#"while read -r line; do case "$line" in *two*) echo '{"vectors":[[1,0.5],[-2,3e-1]]}';;
           *) echo '{"error":"no such text"}';; esac; done"#,
    );
    assert_eq!((program.info().name.as_str(), program.info().dims), ("sh", 256));
    let vectors = program.embed(&["one", "two"]).unwrap();
    assert_eq!(vectors, [[1.0, 0.5], [-2.0, 0.3]]);
    let refused = program.embed(&["three"]);
    assert!(matches!(refused, Err(EmbedderError::Refused { why, .. }) if why == "no such text"));
    // It goes on after a refusal.
    assert!(program.embed(&["two"]).is_ok());
}

#[test]
fn a_program_gets_only_the_environment_that_was_configured() {
    let program = ready(r#"read -r line; echo "{\"error\":\"$HOME$CARGO_MANIFEST_DIR\"}""#);
    let refused = program.embed(&["x"]);
    assert!(matches!(refused, Err(EmbedderError::Refused { why, .. }) if why.is_empty()));
}

#[test]
fn a_program_that_does_not_start_is_named() {
    let missing = HelperConfig {
        program: "/no/such/program".into(),
        args: Vec::new(),
        env: Vec::new(),
        limit_ms: 1000,
    };
    assert!(matches!(HelperProgram::start(&missing), Err(EmbedderError::Start { .. })));
    assert!(matches!(start("exit 3"), Err(EmbedderError::Ended { .. })));
    assert!(matches!(start("echo hello"), Err(EmbedderError::Answer { .. })));
    let small = r#"echo '{"name":"sh","revision":"1","dims":128,"tokens_max":512}'"#;
    assert!(matches!(start(small), Err(EmbedderError::Unfit { .. })));
}

#[test]
fn a_dead_program_is_an_error_now_and_later() {
    let program = ready("read -r line; exit 1");
    assert!(matches!(program.embed(&["x"]), Err(EmbedderError::Ended { .. })));
    assert!(matches!(program.embed(&["x"]), Err(EmbedderError::Ended { .. })));
    let nonsense = ready("read -r line; echo nonsense; read -r line; echo '{\"vectors\":[]}'");
    assert!(matches!(nonsense.embed(&["x"]), Err(EmbedderError::Answer { .. })));
    // Its next answer would belong to the last question.
    assert!(matches!(nonsense.embed(&["x"]), Err(EmbedderError::Ended { .. })));
}

#[test]
fn time_and_output_are_bounded() {
    let mut slow = ready("read -r line; read -r line");
    slow.limit_ms = 50;
    assert!(matches!(slow.embed(&["x"]), Err(EmbedderError::TimedOut { limit_ms: 50, .. })));
    let endless = ready("read -r line; while :; do echo -n xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done");
    let refused = endless.embed(&["x"]);
    assert!(
        matches!(&refused, Err(EmbedderError::Ended { why, .. }) if why.contains("longer than")),
        "{refused:?}"
    );
}

/// A question larger than a pipe, to a program that reads nothing: the limit still holds.
#[test]
fn a_program_that_reads_nothing_times_out() {
    let mut deaf = ready("sleep 60");
    deaf.limit_ms = 50;
    let long = "x".repeat(1_000_000);
    assert!(matches!(deaf.embed(&[&long]), Err(EmbedderError::TimedOut { .. })));
}
