//! Measures the leak filter: `cargo run --release -p sealwright-leak --example leak_cost [NAME]`.
//!
//! Output of the maximum size of a gate against more sealed source than a module has. Prints a table; NAME selects
//! rows.

use std::time::Duration;

use sealwright_leak::{Bounds, Budget, Filtered, Sealed, filter};

#[expect(clippy::print_stdout, reason = "an example talks to whoever runs it")]
fn main() {
    let mut dice = Dice { seed: 7, syllables: &SEALED_SYLLABLES };
    let files: Vec<(String, String)> = (0..64)
        .map(|nth| (format!("src/part_{nth}.rs"), source(&mut dice, SEALED_BYTES / 64)))
        .collect();
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    let (sealed, took) =
        timed(|| Sealed::of(files.iter().map(|(name, text)| (name.as_str(), text))));
    let Ok(sealed) = sealed else { return println!("too much is sealed") };
    println!("sealed {} KiB in {} files: {} ms", bytes >> 10, files.len(), took.as_millis());
    let own: Vec<String> = (0..32).map(|_| source(&mut dice, 32 << 10)).collect();
    let (sealed, took) = timed(|| sealed.beside(&own));
    println!("subtracted 1 MiB that the role can read: {} ms", took.as_millis());
    println!("memory, source included: {} MiB", memory_mib("VmRSS:").unwrap_or_default());

    // Output and sealed source share no names; a real log shares few.
    dice.syllables = &OTHER_SYLLABLES;
    let whole =
        Bounds { output_bytes_max: OUTPUT_BYTES, cut_lines_max: usize::MAX, ..Bounds::default() };
    let log = log(&mut dice, OUTPUT_BYTES);
    let random: Vec<u8> = (0..OUTPUT_BYTES).map(|_| dice.roll(256) as u8).collect();
    let letters: Vec<u8> = (0..OUTPUT_BYTES).map(|_| SYMBOLS[dice.roll(64)]).collect();
    let letters = wrapped(&letters);
    let leak: String = files
        .iter()
        .flat_map(|(_, text)| text.lines())
        .take(200_000)
        .collect::<Vec<_>>()
        .join("\n");
    let mut leak = leak.repeat(2);
    leak.truncate(OUTPUT_BYTES);
    let hex: String =
        leak.bytes().take(OUTPUT_BYTES / 2).map(|byte| format!("{byte:02x}")).collect();
    let hex = wrapped(hex.as_bytes());

    println!();
    println!("{:<34} {:>8} {:>8} {:>7}  passed", "output", "KiB in", "KiB out", "ms");
    report("a build log, default bounds", &log, &sealed, &Bounds::default());
    report("a build log, all of it kept", &log, &sealed, &whole);
    report("random bytes, all kept", &random, &sealed, &whole);
    report("random base64, all kept", &letters, &sealed, &whole);
    report("sealed source, all kept", leak.as_bytes(), &sealed, &whole);
    report("sealed source in hex, all kept", &hex, &sealed, &whole);
    println!();
    println!("most memory so far: {} MiB", memory_mib("VmHWM:").unwrap_or_default());
}

#[expect(clippy::print_stdout, reason = "an example talks to whoever runs it")]
fn report(name: &str, output: &[u8], sealed: &Sealed, bounds: &Bounds) {
    if std::env::args().nth(1).is_some_and(|wanted| !name.contains(&wanted)) {
        return;
    }
    let (filtered, took): (Filtered, _) =
        timed(|| filter(output, sealed, bounds, &Budget::default()));
    let (kib_in, kib_out) = (output.len() >> 10, filtered.text.len() >> 10);
    println!("{name:<34} {kib_in:>8} {kib_out:>8} {:>7}  {:?}", took.as_millis(), filtered.passed);
}

/// Runs `work` and returns its processor time, which does not depend on the load of the machine.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begun = processor_time();
    let done = work();
    (done, processor_time().saturating_sub(begun))
}

fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split_whitespace().next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

fn wrapped(text: &[u8]) -> Vec<u8> {
    text.chunks(100).collect::<Vec<_>>().join(&b'\n')
}

/// Statements with names that do not repeat often.
fn source(dice: &mut Dice, bytes: usize) -> String {
    let mut text = String::new();
    while text.len() < bytes {
        let (one, two, three) = (dice.name(), dice.name(), dice.name());
        let line = match dice.roll(5) {
            0 => {
                format!("    let {one} = self.{two}.get(&{three}).copied().unwrap_or_default();\n")
            }
            1 => format!(
                "    if {one}.{two} > {} {{\n        return Err({three});\n    }}\n",
                dice.roll(1000)
            ),
            2 => {
                format!("}}\n\n/// The {one} of a {two} is never {three}.\nfn {two}_{three}() {{\n")
            }
            3 => format!("    self.{one}.push({two}::new({three}, {}));\n", dice.roll(100)),
            _ => format!("    for {one} in &self.{two} {{ {one}.{three}(); }}\n"),
        };
        text.push_str(&line);
    }
    text
}

/// Text like a long build log.
fn log(dice: &mut Dice, bytes: usize) -> Vec<u8> {
    let mut text = String::new();
    while text.len() < bytes {
        let line = match dice.roll(4) {
            0 => {
                format!("test {}::tests::{}_is_{} ... ok\n", dice.name(), dice.name(), dice.name())
            }
            1 => format!("   Compiling {} v{}.{}.0\n", dice.name(), dice.roll(9), dice.roll(40)),
            2 => format!(
                "warning: unused variable: `{}`\n  --> src/{}.rs:{}:9\n",
                dice.name(),
                dice.name(),
                dice.roll(900)
            ),
            _ => format!(
                "[{:>6}] {} {} {} took {} ms\n",
                dice.roll(99999),
                dice.name(),
                dice.name(),
                dice.name(),
                dice.roll(500)
            ),
        };
        text.push_str(&line);
    }
    text.truncate(bytes);
    text.into_bytes()
}

/// The memory of the process, if the system reports it.
fn memory_mib(which: &str) -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(which))?;
    Some(line.split_whitespace().next()?.parse::<usize>().ok()? >> 10)
}

/// A deterministic number generator.
struct Dice {
    seed: u64,
    syllables: &'static [&'static str],
}

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) as usize % sides
    }

    fn name(&mut self) -> String {
        (0..2 + self.roll(3)).map(|_| self.syllables[self.roll(self.syllables.len())]).collect()
    }
}

const SEALED_BYTES: usize = 5 << 20;
const OUTPUT_BYTES: usize = 8 << 20;
const SEALED_SYLLABLES: [&str; 24] = [
    "ba", "lor", "tin", "ves", "cro", "mu", "dal", "ish", "ken", "or", "pra", "sul", "te", "vo",
    "zin", "har", "gel", "fi", "quo", "ran", "ly", "sta", "ble", "nex",
];
const OTHER_SYLLABLES: [&str; 16] = [
    "ka", "mon", "dri", "pel", "gus", "ho", "wan", "eth", "ri", "cam", "jo", "fub", "lex", "tra",
    "ny", "sil",
];
const SYMBOLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
