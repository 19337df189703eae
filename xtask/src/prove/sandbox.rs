//! `prove sandbox`: no attack gets what a pack does not grant.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::{build, build_quickly, say, scratch};

pub(crate) fn run(size: Size) -> Result<()> {
    let mut figures = Figures::new("sandbox", size);
    let attacks = Attacks::build(size)?;
    if size == Size::Full {
        say("attacks without a sandbox");
        let (held, said) = attacks.run(&["control"])?;
        let last = said.lines().last().unwrap_or_default().to_owned();
        figures.hold(format!("control: {last}"), held);
    }
    say("attacks in the sandbox");
    let mut words = vec!["matrix".to_owned()];
    words.extend(matches!(size, Size::Quick(_)).then(|| "--quick".to_owned()));
    if let Some(bubblewrap) = bubblewrap() {
        words.extend(["--bubblewrap".to_owned(), bubblewrap.display().to_string()]);
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (held, said) = attacks.run(&words)?;
    for line in
        said.lines().filter(|line| line.starts_with("BROKEN") || line.starts_with("tolerated"))
    {
        say(&format!("  {line}"));
    }
    let sums = said.lines().filter(|line| line.contains(" stopped; through: "));
    let missing = said.lines().filter(|line| line.starts_with("without "));
    for line in sums.chain(missing) {
        figures.tell(line.to_owned());
    }
    figures.hold("at kernel-isolated every attack is stopped except the tolerated ones, levels are as measured, and each barrier is needed".to_owned(), held);
    say("concurrent hosts");
    let (hosts, runs) = match size {
        Size::Quick(_) => ("4", "10"),
        Size::Full => ("10", "20"),
    };
    let (held, said) = attacks.run(&["crowd", hosts, runs])?;
    figures.hold(
        format!("{hosts} hosts with {runs} runs each, every second killed: {}", said.trim()),
        held,
    );
    say("cost");
    let (starts, builds) = match size {
        Size::Quick(_) => ("100", "2"),
        Size::Full => ("500", "5"),
    };
    figures.hold_measured(|| {
        let (held, said) = attacks.run(&["cost", starts, builds])?;
        ensure!(held, "the cost could not be measured: {said}");
        cost(&said)
    })?;
    figures.close()
}

fn cost(said: &str) -> Result<(String, bool)> {
    let cost: serde_json::Value = serde_json::from_str(said.trim())?;
    let number = |place: &str| {
        cost.pointer(place).and_then(serde_json::Value::as_u64).context("a figure is missing")
    };
    let ms = |micros: u64| format!("{:.1}", micros as f64 / 1000.0);
    let (plain, plain_99) = (number("/plain/0")?, number("/plain/1")?);
    let (landlock, landlock_99) = (number("/landlock/0")?, number("/landlock/1")?);
    let (namespaces, namespaces_99) = (number("/namespaces/0")?, number("/namespaces/1")?);
    let added = namespaces.saturating_sub(plain);
    let ratio = number("/inside_ms")? as f64 / number("/outside_ms")? as f64;
    let text = format!(
        "start p50/p99 in ms: plain {}/{}, landlock {}/{}, namespaces {}/{}: {} added (< 8); build inside ÷ outside {ratio:.2} (≤ 1.10)",
        ms(plain),
        ms(plain_99),
        ms(landlock),
        ms(landlock_99),
        ms(namespaces),
        ms(namespaces_99),
        ms(added)
    );
    Ok((text, added < 8_000 && ratio <= 1.10))
}

/// The attacks program, at a location where every user may run it.
struct Attacks {
    program: PathBuf,
}

impl Attacks {
    /// The test build for `--quick`, a release build otherwise.
    fn build(size: Size) -> Result<Self> {
        let built = match size {
            Size::Quick(_) => build_quickly("sealwright-attacks")?,
            Size::Full => build("sealwright-attacks")?,
        };
        let built = built.with_file_name("attacks");
        let program =
            std::env::temp_dir().join(format!("sealwright-attacks-{}", std::process::id()));
        std::fs::copy(built, &program)?;
        Ok(Self { program })
    }

    fn run(&self, words: &[&str]) -> Result<(bool, String)> {
        let output = Command::new(&self.program)
            .args(words)
            .output()
            .context("the attacks could not be started")?;
        let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            said.push_str(&String::from_utf8_lossy(&output.stderr));
        }
        // Keep the whole table for the reader.
        std::fs::create_dir_all(scratch("sandbox"))?;
        std::fs::write(scratch("sandbox").join(format!("{}.txt", words[0])), &said)?;
        Ok((output.status.success(), said))
    }
}

impl Drop for Attacks {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.program);
    }
}

/// The configured bubblewrap; without one its column is left out.
fn bubblewrap() -> Option<PathBuf> {
    let named = std::env::var_os("SEALWRIGHT_BWRAP").map(PathBuf::from);
    named.filter(|program| Path::new(program).is_file())
}
