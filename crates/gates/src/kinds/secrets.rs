//! Gate `secrets`: no secret stands in the source.
//!
//! Three looks: whether the scanner's settings are as they were, what the scanner says, and whether the change tells it to
//! look away. Whatever is found goes to a person; a secret itself is never repeated.

use sealwright_kernel::task::ResidueKind;

use crate::kinds::changes::{changed, content, lines, read};
use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::{Demand, Key, Kind, Setting, Tool};
use crate::reports::secrets::{Leak, Scanner};
use crate::reports::whole;
use crate::toolchain::is_lock;
use crate::{File, Finding, Judgement, Listed, Ran, Seen, Step, Wanted};

pub(crate) const KIND: Kind = Kind {
    key: "secrets",
    proves: "a scanner found no unknown secret, and the change hides nothing from it",
    needs: "gitleaks or detect-secrets",
    takes: &[
        (Key::Command, Demand::Required),
        (Key::Report, Demand::Optional),
        (Key::Tool, Demand::Optional),
        (Key::Known, Demand::Optional),
    ],
    next,
};

fn next(setting: &Setting, seen: &[Seen]) -> Step {
    let Some(Tool::Scanner(scanner)) = setting.tool() else {
        return Step::Say(Judgement::cannot_tell("the scanner is unknown; name it with `tool`"));
    };
    match seen {
        [] => Step::Read(Wanted::Listing),
        [Seen::Listing(_)] => setting.run(),
        [Seen::Listing(listing), Seen::Ran(_)] => read(readable(listing)),
        [Seen::Listing(listing), Seen::Ran(ran), Seen::Files(files)] => {
            let mut scales = Scales::default();
            weigh_settings(setting, &mut scales, scanner, listing);
            weigh_scan(setting, &mut scales, scanner, ran);
            weigh_pragmas(&mut scales, scanner, listing, files);
            scales.say()
        }
        _ => no_answer(seen),
    }
}

fn weigh_settings(setting: &Setting, scales: &mut Scales, scanner: Scanner, listing: &[Listed]) {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    for listed in listing.iter().filter(|listed| listed.is_changed()) {
        let is_setting = scanner.settings().contains(&name(&listed.path).as_str());
        if is_setting && !setting.declared.changes.contains(&listed.path) {
            scales.against(format!(
                "`{}` configures what the scanner ignores, and it was changed",
                listed.path
            ));
            scales.finding(finding(
                "scanner-settings",
                &listed.path,
                "the scanner's configuration was changed",
            ));
        }
    }
}

fn weigh_scan(setting: &Setting, scales: &mut Scales, scanner: Scanner, ran: &Ran) {
    let said = match &setting.report {
        Some(report) => ran.reports.get(report),
        None => Some(&ran.stdout),
    };
    let scan = match whole(said).and_then(|said| scanner.read(said)) {
        Ok(scan) => scan,
        Err(error) => {
            scales.unclear(format!("{}: {error}", scanner.name()));
            return scales.unexplained(scanner.name(), ran.ended);
        }
    };
    let is_new = |leak: &&Leak| !setting.known.contains(&leak.fingerprint);
    let new = scan.leaks.iter().filter(is_new).count();
    for leak in &scan.leaks {
        let place = match leak.line {
            Some(line) => format!("{}:{line}", leak.path),
            None => leak.path.clone(),
        };
        if is_new(&leak) {
            scales.against(format!("{place} looks like a secret ({})", leak.rule));
        }
        scales.finding(finding(
            &leak.rule,
            &place,
            &format!("a secret, known as {}", leak.fingerprint),
        ));
    }
    scan.odd.into_iter().for_each(|odd| scales.unclear(odd));
    if new == 0 {
        scales.unexplained(scanner.name(), ran.ended);
    }
}

/// New lines that tell the scanner to ignore something.
fn weigh_pragmas(scales: &mut Scales, scanner: Scanner, listing: &[Listed], files: &[File]) {
    for listed in changed(listing).filter(|listed| !is_lock(&listed.path) && !is_short(listed)) {
        scales.unclear(format!("`{}` is too long to be looked through", listed.path));
    }
    for path in readable(listing) {
        let Some(file) = content(scales, files, path) else { continue };
        let text = |content: &Option<Vec<u8>>| -> Vec<String> {
            let lines = content.as_deref().and_then(lines).unwrap_or_default();
            lines.into_iter().map(str::to_owned).collect()
        };
        let (now, before) = (text(&file.now), text(&file.before));
        for (nth, line) in now.iter().enumerate() {
            let is_pragma = scanner.pragmas().iter().any(|pragma| line.contains(pragma));
            if is_pragma && !before.contains(line) {
                let place = format!("{path}:{}", nth + 1);
                scales.against(format!("{place} tells {} to ignore a line", scanner.name()));
                scales.finding(finding("pragma", &place, "the scanner was told to ignore a line"));
            }
        }
    }
}

fn readable(listing: &[Listed]) -> impl Iterator<Item = &str> {
    let short = changed(listing).filter(|listed| is_short(listed));
    short.map(|listed| listed.path.as_str()).filter(|path| !is_lock(path))
}

fn is_short(listed: &Listed) -> bool {
    listed.now.is_some_and(|now| now.bytes <= BYTES_MAX)
}

fn finding(rule: &str, place: &str, what: &str) -> Finding {
    let (rule, place, what) = (rule.to_owned(), place.to_owned(), what.to_owned());
    Finding { kind: ResidueKind::Security, rule, place, what }
}

/// Longer files are generated.
const BYTES_MAX: u64 = 4 << 20;

#[cfg(test)]
mod tests;
