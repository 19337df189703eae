//! Two sealed modules, the text that a role sees beside them, and noise.

use sealwright_leak::Sealed;

/// A sealed module and the part of it that the attempts leak.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Module {
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
    /// The first line of the part, and its number of lines.
    begins: &'static str,
    lines: usize,
}

pub(crate) const LEDGER: Module = Module {
    name: "ledger.rs",
    source: include_str!("material/ledger.rs.txt"),
    begins: "        let Some(found)",
    lines: 13,
};

pub(crate) const TARIFF: Module = Module {
    name: "tariff.py",
    source: include_str!("material/tariff.py.txt"),
    begins: "    def quote(",
    lines: 13,
};

pub(crate) const MODULES: [Module; 2] = [LEDGER, TARIFF];

/// What the role may read: a contract and its own file.
pub(crate) const VISIBLE: [&str; 2] =
    [include_str!("material/contract.json.txt"), include_str!("material/checkout.rs.txt")];

impl Module {
    pub(crate) fn payload(&self) -> String {
        let begin = self.source.lines().position(|line| line.starts_with(self.begins)).unwrap();
        let lines: Vec<_> = self.source.lines().skip(begin).take(self.lines).collect();
        lines.join("\n") + "\n"
    }

    /// The lines after notices and imports.
    pub(crate) fn body(&self) -> Vec<&'static str> {
        let begin = self
            .source
            .lines()
            .position(|line| line.contains("struct Minor") || line.starts_with("class"));
        self.source.lines().skip(begin.unwrap()).collect()
    }
}

pub(crate) fn sealed() -> Sealed {
    Sealed::of(MODULES.map(|module| (module.name, module.source))).unwrap().beside(VISIBLE)
}

/// Ordinary build output.
pub(crate) const NOISE: &[&str] = &[
    "   Compiling proc-macro2 v1.0.101",
    "   Compiling unicode-ident v1.0.18",
    "warning: unused variable: `offset`",
    "  --> src/render/canvas.rs:88:13",
    "note: `#[warn(unused_variables)]` on by default",
    "    Finished `test` profile [unoptimized + debuginfo] target(s) in 4.12s",
    "     Running unittests src/lib.rs (target/debug/deps/canvas-7f3a9b2c1d4e5f60)",
    "running 3 tests",
    "test render::tests::an_empty_canvas_is_white ... ok",
    "test render::tests::a_circle_touches_its_box ... ok",
    "test render::tests::colours_mix_in_linear_light ... ok",
    "the weather was mild and the harbour lay still under a pale evening sky",
    "collected 14 items from 3 files, 2 of them were skipped on this platform",
    "downloading wheels for the documentation theme, this may take a minute",
    "GET /health 200 in 3 ms, worker 4 of 8, queue empty",
    "the gardener counted forty tulips before breakfast and none after lunch",
    "checking formatting of 112 files, nothing to do",
    "cache restored from key linux-x64-stable, 412 MB in 9 seconds",
    "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
    "all done, have a nice day",
];

/// `thing` between two blocks of noise.
pub(crate) fn hidden(thing: &[u8]) -> Vec<u8> {
    let noise = NOISE.join("\n") + "\n";
    [noise.as_bytes(), thing, b"\n", noise.as_bytes()].concat()
}

/// The bytes of a filtered text that are not noise, dress, or words of the filter.
pub(crate) fn strange_bytes(text: &str, dress: &str) -> usize {
    let dress: Vec<_> = NOISE.iter().copied().chain(dress.lines()).map(str::trim_end).collect();
    let is_notice =
        |line: &str| line.starts_with('[') && (line.contains("cut: ") || line.contains("withheld"));
    text.lines()
        .filter(|line| !dress.contains(&line.trim_end()) && !is_notice(line))
        .map(str::len)
        .sum()
}
