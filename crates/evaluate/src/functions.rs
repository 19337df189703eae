//! Functions of test files, and which results of a runner speak of them.

use sealwright_gates::toolchain::{Function, Kind, Outline, Outliner};
use sealwright_gates::{TestResult, Toolchain, red};

/// A function of a file of tests.
#[derive(Clone, Debug)]
pub(super) struct TestFunction {
    toolchain: Toolchain,
    /// The file, with nothing but this function.
    outline: Outline,
    pub(super) text: String,
    /// The text without the lines up to its name, so that it is the same under another.
    pub(super) body: String,
}

impl TestFunction {
    pub(super) fn key(&self) -> String {
        red::key(&self.outline.path, self.function())
    }

    pub(super) fn path(&self) -> &str {
        &self.outline.path
    }

    pub(super) fn function(&self) -> &Function {
        &self.outline.functions[0]
    }

    /// The file, with nothing but this function.
    pub(super) fn outline(&self) -> &Outline {
        &self.outline
    }

    /// Its last name.
    pub(super) fn name(&self) -> &str {
        self.function().name.rsplit("::").next().unwrap_or_default()
    }

    pub(super) fn is_test(&self) -> bool {
        self.function().kind == Kind::Test
    }

    /// Whether a result is about it, or about one of its cases.
    pub(super) fn is_meant(&self, result: &TestResult) -> bool {
        let said = result.id.name.split('[').next().unwrap_or_default();
        if said.rsplit(['.', ':']).next() != Some(self.name()) {
            return false;
        }
        let inner = self.toolchain.language().inner_tests();
        match inner.and_then(|inner| (inner.module)(&self.outline.path)) {
            // Tests inside the source are called by their modules, whatever file those stand in.
            Some(module) => {
                let name = &self.function().name;
                let is_root = module.is_empty();
                let full = if is_root { name.clone() } else { format!("{module}::{name}") };
                result.id.name == full && !result.id.suite.starts_with("test ")
            }
            None => {
                let (language, outline) = (self.toolchain.language(), &self.outline);
                red::key_of(language, std::slice::from_ref(outline), result).is_some()
            }
        }
    }
}

/// The functions of these files, each with the text it stands in: files of tests by their outlines, and the inner tests
/// of source as they are.
pub(super) fn functions(
    toolchain: Toolchain,
    outlines: &[Outline],
    texts: &[(String, String)],
    inner: &[(String, String)],
) -> Vec<TestFunction> {
    let mut all = Vec::new();
    for (path, text) in texts {
        let outline = outlines.iter().find(|outline| outline.path == *path);
        all.extend(outline.into_iter().flat_map(|outline| apart(toolchain, outline, text)));
    }
    let language = toolchain.language();
    if let (Outliner::Text(read), Some(inner_tests)) = (language.outliner(), language.inner_tests())
    {
        for (path, text) in inner {
            // What cannot be read as source says nothing here; the compiler will say it.
            if let Ok(outline) = read(inner_tests.outlined_as, text) {
                all.extend(apart(toolchain, &Outline { path: path.clone(), ..outline }, text));
            }
        }
    }
    all.truncate(FUNCTIONS_MAX);
    all
}

fn apart(toolchain: Toolchain, outline: &Outline, text: &str) -> Vec<TestFunction> {
    let lines: Vec<&str> = text.lines().collect();
    let of = |function: &Function| {
        let (first, last) = (function.first as usize, function.last as usize);
        let own = lines.get(first.saturating_sub(1)..last.min(lines.len())).unwrap_or_default();
        let name = function.name.rsplit("::").next().unwrap_or_default();
        let named = own.iter().position(|line| line.contains(name)).map_or(0, |at| at + 1);
        TestFunction {
            toolchain,
            outline: Outline {
                path: outline.path.clone(),
                functions: vec![function.clone()],
                ..Outline::default()
            },
            text: own.join("\n"),
            body: own[named.min(own.len())..].join("\n"),
        }
    };
    outline.functions.iter().map(of).collect()
}

const FUNCTIONS_MAX: usize = 5_000;
