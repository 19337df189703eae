//! Scenarios with the login of a person: a token that stays outside, its renewal, its end, and its windows.

use anyhow::Result;
use sealwright_agents::login::{LoginKind, LoginWay};
use sealwright_agents::{End, Failure};
use sealwright_sandbox::egress::log::{Refusal, RequestOutcome};
use sealwright_sandbox::plan::EGRESS_PORT;
use sealwright_scripted_model::{Action, Fault, Seen, Strike, Times};

use super::work::{is_answered, script, with};
use super::{Verdict, summary};
use crate::maker_file::{ACCOUNT, MakerFile, RENEWS, Session, is_there};
use crate::route::Route;
use crate::runner::{KEY, RunResult, RunSpec, execute};

/// All that a role can read is searched before and after the token changes: variables and arguments of every process,
/// and every file of its home, its tree and the folders that programs write to.
pub(super) fn hidden(route: &Route) -> Result<Verdict> {
    let look = || Action::Run { command: SEARCH.to_owned() };
    let mut spec = RunSpec::of(script(route, [look(), wait(), look()]));
    spec.meanwhile =
        |file, work| renew(file, work, &Session { word: SECOND, ..Session::default() });
    let seen = execute(route, spec)?;
    let file = |name: &str| seen.files.get(name).map_or("", String::as_str);
    let searched: u64 =
        file("searched.txt").lines().filter_map(|line| line.parse::<u64>().ok()).sum();
    let recorded = format!("{:?} {:?} {:?}", seen.outcome, seen.events, seen.files);
    let canonical = String::from_utf8(seen.outcome.way_out.canonical()?)?;
    let told: String = seen.asked.iter().map(|asked| asked.body.to_string()).collect();
    let holds = |text: &str| [KEY, SECOND, RENEWS, ACCOUNT].iter().any(|word| text.contains(word));
    Ok(Verdict::all(
        format!(
            "{}, {searched} files searched, {} times the placeholder, {} requests signed",
            summary(&seen.outcome),
            file("control.txt").lines().count(),
            seen.asked.len()
        ),
        &[
            ("the call is answered", is_answered(&seen)),
            ("the search finds what is there", searched > 0 && !file("control.txt").is_empty()),
            ("the token is in no file, variable or argument", file("hits.txt").is_empty()),
            ("it is in no event, result or changed file", !holds(&recorded)),
            ("it is not in the log", !holds(&canonical)),
            ("the model was not told it", !holds(&told)),
            ("its maker got it with each request", signed_with(&seen, &[KEY, SECOND])),
        ],
    ))
}

/// The other way: the unmodified program is given the token, asks its maker with that and nothing else, and a role that
/// leaves it anywhere has failed.
pub(super) fn given(route: &Route) -> Result<Verdict> {
    let run = |command: &str| {
        let mut spec = RunSpec::of(script(route, [Action::Run { command: command.to_owned() }]));
        spec.way = LoginWay::Program;
        execute(route, spec)
    };
    let plain = run("echo nothing")?;
    // The program itself may keep it from its commands; a role looks further. The letter in brackets is no token.
    let token = "{ env; cat $HOME/.codex/auth.json /proc/[0-9]*/environ; } 2>/dev/null | tr '\\0' '\\n' | \
                 grep -ao '[A-Za-z0-9_.-]*outside-onl[y]-77e1' | head -n 1";
    let told = run(token)?;
    let kept = run(&format!("{token} > kept.txt; echo done"))?;
    let failed = |seen: &RunResult, place: &str| {
        matches!(
            &seen.outcome.end,
            End::Failed { failure: Failure::Unauthorised, why } if why.contains(place)
        )
    };
    let recorded = |seen: &RunResult| format!("{:?} {:?}", seen.outcome, seen.events).contains(KEY);
    Ok(Verdict::all(
        format!(
            "{}; told: {}; kept: {}",
            summary(&plain.outcome),
            summary(&told.outcome),
            summary(&kept.outcome)
        ),
        &[
            ("the call is answered", is_answered(&plain)),
            ("its maker got the token with each request", signed_with(&plain, &[KEY])),
            ("the token is in no record of it", !recorded(&plain)),
            ("what only its maker hears is no failure", is_answered(&told)),
            ("a role that keeps the token has failed", failed(&kept, "`kept.txt`")),
            ("it is in no record of that either", !recorded(&kept) && !recorded(&told)),
        ],
    ))
}

pub(super) fn renewed(route: &Route) -> Result<Verdict> {
    let mut spec = RunSpec::of(script(route, [wait()]));
    spec.meanwhile =
        |file, work| renew(file, work, &Session { word: SECOND, ..Session::default() });
    let seen = execute(route, spec)?;
    let words: Vec<&str> = questions(&seen).map(word_of).collect();
    let change = words.iter().position(|word| *word == SECOND).unwrap_or(words.len());
    let (before, after) = words.split_at(change);
    Ok(Verdict::all(
        format!(
            "{}, {} questions with the first token, {} with the second",
            summary(&seen.outcome),
            before.len(),
            after.len()
        ),
        &[
            ("the call is answered", is_answered(&seen)),
            (
                "the first token came first",
                !before.is_empty() && before.iter().all(|it| *it == KEY),
            ),
            (
                "the second from the next request on",
                !after.is_empty() && after.iter().all(|it| *it == SECOND),
            ),
        ],
    ))
}

pub(super) fn expired(route: &Route) -> Result<Verdict> {
    let mut spec = RunSpec::of(script(route, [wait()]));
    spec.meanwhile =
        |file, work| renew(file, work, &Session { expires_s: 1_000, ..Session::default() });
    let seen = execute(route, spec)?;
    let refused = unsigned(&seen);
    let asked = questions(&seen).count();
    Ok(Verdict::all(
        format!("{}; {asked} questions arrived, {refused} were not signed", summary(&seen.outcome)),
        &[
            ("what to type is said", says_what_to_type(route, &seen)),
            ("nothing was asked afterwards", asked >= 1 && signed_with(&seen, &[KEY])),
            ("it did not ask again and again", (1..=3).contains(&refused)),
            ("it did not take long", seen.took.as_secs() < 45),
        ],
    ))
}

pub(super) fn rejected(route: &Route) -> Result<Verdict> {
    let strike = Strike { fault: Fault::Unauthorised, times: Times::Always };
    let seen = execute(route, RunSpec::of(with(route, Some(strike))))?;
    let asked = questions(&seen).count();
    Ok(Verdict::all(
        format!("{}; asked {asked} times", summary(&seen.outcome)),
        &[
            ("what to type is said", says_what_to_type(route, &seen)),
            ("it did not ask again and again", (1..=6).contains(&asked)),
        ],
    ))
}

pub(super) fn readable(route: &Route) -> Result<Verdict> {
    let mut spec = RunSpec::of(script(route, []));
    spec.session = Session { mode: 0o644, ..Session::default() };
    let seen = execute(route, spec)?;
    let is_said = matches!(
        &seen.outcome.end,
        End::Failed { failure: Failure::Unauthorised, why } if why.contains("chmod 600")
    );
    Ok(Verdict::all(
        summary(&seen.outcome),
        &[("it says what to do", is_said), ("nothing was asked", seen.asked.is_empty())],
    ))
}

pub(super) fn window(route: &Route) -> Result<Verdict> {
    let fault = Fault::WindowFull { resets_in_s: 1_800 };
    let strike = Strike { fault, times: Times::Always };
    let seen = execute(route, RunSpec::of(with(route, Some(strike))))?;
    let wait = match seen.outcome.end {
        End::RateLimited { retry_after_s } => retry_after_s,
        _ => None,
    };
    Ok(Verdict::all(
        format!("{}; asked {} times", summary(&seen.outcome), questions(&seen).count()),
        &[(
            "it is parked until the reset, if its maker says when that is",
            match route.login() {
                Some(LoginKind::Copilot) => matches!(seen.outcome.end, End::RateLimited { .. }),
                Some(LoginKind::ClaudeCode | LoginKind::Codex) | None => {
                    wait.is_some_and(|wait| (1_700..=1_800).contains(&wait))
                }
            },
        )],
    ))
}

/// What else the maker of the program serves under the same token, below the address that requests go to.
pub(super) fn other_calls(route: &Route) -> Result<Verdict> {
    let calls = OTHER_CALLS.map(|(method, path)| {
        format!(
            "exec 3<>/dev/tcp/127.0.0.1/{EGRESS_PORT} && printf '{method} /model{path} HTTP/1.1\\r\\nHost: x\\r\\n\
             Content-Length: 0\\r\\nConnection: close\\r\\n\\r\\n' >&3 && head -n 1 <&3 >> heard.txt; exec 3>&-"
        )
    });
    let run = Action::Run { command: format!("bash -c \"{}\"", calls.join("; ")) };
    let seen = execute(route, RunSpec::of(script(route, [run])))?;
    let heard = seen.files.get("heard.txt").map_or("", String::as_str);
    let is_refused = |line: &&str| line.contains(" 403 ") || line.contains(" 405 ");
    let refused = heard.lines().filter(is_refused).count();
    let listed = seen.outcome.way_out.entries.iter().filter(|entry| {
        let is_other = OTHER_CALLS
            .iter()
            .any(|(method, path)| entry.method == *method && entry.path == format!("/model{path}"));
        is_other && matches!(entry.outcome, RequestOutcome::Refused { .. })
    });
    let listed = listed.count();
    Ok(Verdict::all(
        format!("{}, {refused} of {} refused", summary(&seen.outcome), OTHER_CALLS.len()),
        &[
            ("the call is answered", is_answered(&seen)),
            ("each was refused", refused == OTHER_CALLS.len()),
            ("each is in the log", listed == OTHER_CALLS.len()),
        ],
    ))
}

/// A turn that ends once the login has changed.
fn wait() -> Action {
    let command = "touch asked.txt; for i in $(seq 300); do [ -e changed.txt ] && break; sleep 0.1; done; echo ready";
    Action::Run { command: command.to_owned() }
}

/// Signs in anew as soon as the agent waits for it.
fn renew(file: &MakerFile, work: &std::path::Path, session: &Session) {
    if is_there(work, "asked.txt") && !is_there(work, "changed.txt") {
        // If it fails, the scenario sees the old token.
        let _ =
            file.sign_in(session).and_then(|()| Ok(std::fs::write(work.join("changed.txt"), "")?));
    }
}

fn questions(seen: &RunResult) -> impl Iterator<Item = &Seen> {
    seen.asked.iter().filter(|asked| asked.method == "POST")
}

/// How the token of a request ends.
fn word_of(asked: &Seen) -> &str {
    let header = asked.headers.get("authorization").map_or("", String::as_str);
    header.rsplit([' ', '.', '_']).next().unwrap_or_default()
}

/// Whether every request was signed with one of these tokens and for the right account, and each token was used.
fn signed_with(seen: &RunResult, words: &[&str]) -> bool {
    let is_right = |asked: &Seen| {
        let account = asked.headers.get("chatgpt-account-id");
        words.contains(&word_of(asked)) && account.is_none_or(|it| it == ACCOUNT)
    };
    let is_used = |word: &&str| seen.asked.iter().any(|asked| word_of(asked) == *word);
    seen.asked.iter().all(is_right) && words.iter().all(is_used)
}

/// Requests that the host had nothing to sign with.
fn unsigned(seen: &RunResult) -> usize {
    let why = RequestOutcome::Refused { why: Refusal::NoCredential };
    seen.outcome.way_out.entries.iter().filter(|entry| entry.outcome == why).count()
}

fn says_what_to_type(route: &Route, seen: &RunResult) -> bool {
    let sign_in = route.login().map_or("", |kind| kind.sign_in());
    matches!(
        &seen.outcome.end,
        End::Failed { failure: Failure::Unauthorised, why } if why.contains(sign_in)
    )
}

/// The token that a renewal puts in the place of the first.
const SECOND: &str = "sk-outside-only-77e1-second";
/// It does not hold what it looks for: the letter in brackets matches itself.
const SEARCH: &str = "{ env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; } 2>/dev/null | tr '\\0' '\\n' > /tmp/all-env; \
    grep -a 'outside-onl[y]' /tmp/all-env >> hits.txt; \
    grep -a 'kept-outsid[e]' /tmp/all-env >> control.txt; rm /tmp/all-env; \
    grep -rla 'outside-onl[y]' $HOME . /tmp /var /run /etc /dev/shm 2>/dev/null >> hits.txt; \
    grep -rla 'kept-outsid[e]' $HOME /tmp 2>/dev/null >> control.txt; \
    find $HOME . /tmp /var /run /etc /dev/shm -type f 2>/dev/null | wc -l >> searched.txt; echo searched";
const OTHER_CALLS: [(&str, &str); 10] = [
    ("GET", "/v1/models"),
    ("DELETE", "/models"),
    ("GET", "/responses/resp-1"),
    ("POST", "/responses/resp-1/cancel"),
    ("POST", "/responses/compact"),
    ("POST", "/v1/messages/batches"),
    ("GET", "/v1/organizations"),
    ("POST", "/v1/files"),
    ("GET", "/api/oauth/usage"),
    ("POST", "/oauth/token"),
];
