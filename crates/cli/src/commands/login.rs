//! `sealwright login` and `logout`: let the login of a coding agent be used, and take that back.

use sealwright_agents::login::{LoginKind, LoginWay, UsageWindow};
use sealwright_factory::logins::{self, Logins};
use sealwright_kernel::Timestamp;
use sealwright_views::watch::WindowLine;
use sealwright_views::wire::{self, LoginReport, LoginRow, LoginWindow};

use crate::args::Format;
use crate::error::CliResult;
use crate::output::{Output, bad, good, sanitize, say, timestamp, warn};
use crate::person::refuse_roles;

/// Let agents use your own login of Codex, Claude Code or Copilot.
///
/// Without NAME nothing changes: each login is listed, whether you allowed it, whether it works, and how much of its usage
/// windows is used up. With NAME the login that the program keeps in its own file is used from now on, in every
/// repository of yours where no key is set. The file is read again, and never written, renewed or copied. A repository
/// cannot allow this.
///
/// With `--way host` the token stays outside of the sandbox: the agent finds a placeholder, and Sealwright adds the token to
/// its requests. With `--way program` the unmodified program is given the token, without what renews it, for the length of
/// a call; its requests reach its maker only. Each maker has the default that its terms allow.
#[derive(Debug, clap::Args)]
pub(crate) struct Login {
    /// `codex`, `claude-code` or `copilot`.
    #[arg(value_name = "NAME", value_parser = kind)]
    kind: Option<LoginKind>,
    /// Only list, also with NAME.
    #[arg(long)]
    list: bool,
    /// `host` or `program` [default: `program` for claude-code, `host` for the others].
    #[arg(long, requires = "kind", conflicts_with = "list", value_parser = way)]
    way: Option<LoginWay>,
    /// Address on this machine that stands for the maker's, such as a gateway of your own.
    #[arg(long, value_name = "URL", requires = "kind", conflicts_with = "list")]
    base_url: Option<String>,
}

/// Stop agents from using your login of Codex, Claude Code or Copilot.
///
/// The program stays signed in.
#[derive(Debug, clap::Args)]
pub(crate) struct Logout {
    /// `codex`, `claude-code` or `copilot`.
    #[arg(value_name = "NAME", value_parser = kind)]
    kind: LoginKind,
}

pub(crate) fn login(args: &Login, output: &mut Output) -> CliResult {
    let mut logins = Logins::open()?;
    match args.kind {
        Some(kind) if !args.list => {
            refuse_roles()?;
            logins.allow(kind, args.way, args.base_url.as_deref())?;
            tell(&[row(kind, &logins)], output)?;
            if output.format == Format::Human {
                say(&format!("• `sealwright logout {}` takes it back", kind.name()));
            }
            Ok(())
        }
        Some(kind) => tell(&[row(kind, &logins)], output),
        None => tell(&LoginKind::ALL.map(|kind| row(kind, &logins)), output),
    }
}

pub(crate) fn logout(args: &Logout, output: &mut Output) -> CliResult {
    refuse_roles()?;
    let mut logins = Logins::open()?;
    let was_allowed = logins.forget(args.kind)?;
    if output.format == Format::Human {
        let name = args.kind.name();
        say(&if was_allowed {
            format!(
                "• the login of {name} is not used any more but by calls that are under way; {name} stays signed in"
            )
        } else {
            format!("• the login of {name} was not used")
        });
        return Ok(());
    }
    tell(&[row(args.kind, &logins)], output)
}

/// What is told of a login.
struct Told {
    kind: LoginKind,
    row: LoginRow,
    /// Its windows for people, in a line each.
    windows: Vec<String>,
}

fn row(kind: LoginKind, logins: &Logins) -> Told {
    let allowed = logins.login(kind);
    let file = allowed.as_ref().map(|it| it.file.clone()).or_else(|| logins::file(kind));
    let (works, why) = match &allowed {
        None => (false, None),
        Some(login) => match login.check() {
            Ok(()) => (true, None),
            Err(error) => (false, Some(format!("{error}; {}", error.hint()))),
        },
    };
    let seen = logins::seen_windows().remove(&kind);
    let windows = seen.iter().flat_map(|it| it.windows.iter().map(line)).collect();
    let window = |it: &UsageWindow| LoginWindow {
        length: it.length.clone(),
        used_permille: it.used_permille,
        resets: it.resets_s.map(|at| Timestamp::from_millis(at.saturating_mul(1000)).into()),
    };
    let row = LoginRow {
        kind: kind.name().into(),
        maker: kind.maker().to_owned(),
        allowed: allowed.is_some(),
        way: allowed.as_ref().map(|login| match login.way {
            LoginWay::Host => wire::LoginWay::Host,
            LoginWay::Program => wire::LoginWay::Program,
        }),
        file: file.map(|file| file.display().to_string()),
        works,
        why,
        seen: seen.as_ref().map(|it| Timestamp::from_millis(it.at_ms).into()),
        windows: seen.iter().flat_map(|it| it.windows.iter().map(window)).collect(),
    };
    Told { kind, row, windows }
}

/// The usage windows of the logins that are used, for people: a line each.
pub(crate) fn windows() -> CliResult<Vec<String>> {
    let logins = Logins::open()?;
    let is_used = |(kind, _): &(LoginKind, _)| logins.login(*kind).is_some();
    let seen = logins::seen_windows().into_iter().filter(is_used);
    let lines = seen.flat_map(|(kind, seen)| {
        let line = move |it: &UsageWindow| format!("login of {}: {}", kind.name(), line(it));
        seen.windows.iter().map(line).collect::<Vec<_>>()
    });
    Ok(lines.collect())
}

/// The same as data. A file of logins that cannot be read is for `login` to tell.
pub(crate) fn window_lines() -> Vec<WindowLine> {
    let logins = Logins::open().unwrap_or_default();
    let is_used = |(kind, _): &(LoginKind, _)| logins.login(*kind).is_some();
    let seen = logins::seen_windows().into_iter().filter(is_used);
    let of = |(kind, seen): (LoginKind, logins::SeenWindows)| {
        seen.windows.into_iter().map(move |it| WindowLine {
            login: kind.name().to_owned(),
            length: it.length,
            used_permille: it.used_permille,
            resets: it.resets_s.map(|at| Timestamp::from_millis(at.saturating_mul(1000))),
        })
    };
    seen.flat_map(of).collect()
}

fn line(window: &UsageWindow) -> String {
    let anew = window.resets_s.map(|at| timestamp(Timestamp::from_millis(at.saturating_mul(1000))));
    let anew = anew.map_or_else(String::new, |at| format!(", begins anew {at}"));
    let used = f64::from(window.used_permille) / 10.0;
    format!("window {}: {used:.0} % used{anew}", sanitize(&window.length))
}

fn tell(rows: &[Told], output: &mut Output) -> CliResult {
    if output.format == Format::Json {
        let logins = rows.iter().map(|told| told.row.clone()).collect();
        return output.json(&LoginReport { logins });
    }
    for Told { kind, row, windows } in rows {
        let state = match (row.allowed, row.works) {
            (true, true) => good("ready"),
            (true, false) => bad("not ready"),
            (false, _) => warn("not allowed"),
        };
        let way = match row.way {
            Some(wire::LoginWay::Program) => ", the program signs its requests",
            Some(wire::LoginWay::Host) | None => "",
        };
        let (name, file) = (kind.name(), row.file.as_deref());
        let file = file.map_or_else(String::new, |file| format!(", {}", sanitize(file)));
        output.line(&format!("{name}: {state}, {}{way}{file}", row.maker))?;
        if let Some(why) = &row.why {
            output.line(&format!("  {}", sanitize(why)))?;
        }
        if !row.allowed {
            output.line(&format!("  `sealwright login {name}` lets agents use it"))?;
        }
        for window in windows {
            output.line(&format!("  {window}"))?;
        }
    }
    Ok(())
}

fn way(text: &str) -> Result<LoginWay, String> {
    match text {
        "host" => Ok(LoginWay::Host),
        "program" => Ok(LoginWay::Program),
        _ => Err("the ways are `host` and `program`".to_owned()),
    }
}

fn kind(text: &str) -> Result<LoginKind, String> {
    LoginKind::of_agent(text).ok_or_else(|| match text {
        "gemini" => {
            "Google ended the consumer login of Gemini CLI in June 2026; set GEMINI_API_KEY"
                .to_owned()
        }
        _ => {
            let known: Vec<&str> = LoginKind::ALL.map(LoginKind::name).to_vec();
            format!("there are logins of {}", known.join(", "))
        }
    })
}
