//! `prove sandbox`: no attack gets what a pack does not grant.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::prove::figures::Figures;
use crate::prove::{PublicProgram, Size};
use crate::workspace::{say, scratch};

pub(crate) fn run(size: Size) -> Result<()> {
    let mut figures = Figures::new("sandbox", size);
    let program = size.build("sealwright-attacks", "attacks")?;
    let attacks = Attacks(PublicProgram::copy(&program)?);
    if size == Size::Full {
        say("attacks without a sandbox");
        let (held, said) = attacks.run(&["control"])?;
        let last = said.lines().last().unwrap_or_default().to_owned();
        figures.hold(format!("control: {last}"), held);
    }
    say("attacks in the sandbox");
    let mut words = vec!["matrix"];
    words.extend(size.choose(Some("--quick"), None));
    // Without a configured bubblewrap its column is left out.
    let bubblewrap = std::env::var("SEALWRIGHT_BWRAP").ok().filter(|it| Path::new(it).is_file());
    if let Some(bubblewrap) = &bubblewrap {
        words.extend(["--bubblewrap", bubblewrap]);
    }
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
    let (hosts, runs) = size.choose(("4", "10"), ("10", "20"));
    let (held, said) = attacks.run(&["crowd", hosts, runs])?;
    figures.hold(
        format!("{hosts} hosts with {runs} runs each, every second killed: {}", said.trim()),
        held,
    );
    say("cost");
    let (starts, builds) = size.choose(("100", "2"), ("500", "5"));
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
    let start = |kind: &str| -> Result<String> {
        let (p50, p99) = (number(&format!("/{kind}/0"))?, number(&format!("/{kind}/1"))?);
        Ok(format!("{kind} {}/{}", ms(p50), ms(p99)))
    };
    let added = number("/namespaces/0")?.saturating_sub(number("/plain/0")?);
    let ratio = number("/inside_ms")? as f64 / number("/outside_ms")? as f64;
    let text = format!(
        "start p50/p99 in ms: {}, {}, {}: {} added (< 8); build inside ÷ outside {ratio:.2} (≤ 1.10)",
        start("plain")?,
        start("landlock")?,
        start("namespaces")?,
        ms(added)
    );
    Ok((text, added < 8_000 && ratio <= 1.10))
}

struct Attacks(PublicProgram);

impl Attacks {
    fn run(&self, words: &[&str]) -> Result<(bool, String)> {
        let output = Command::new(&self.0.0)
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
