//! Sources: which files of a work tree are plain source, and which have no business there.
//!
//! An allow list decides what comes along. A second list names what could change how others build or run; such a
//! file never comes along, and that it was there is told. By-products of tools (`target`, `__pycache__`) are
//! neither: every honest role leaves them behind.

use std::collections::BTreeSet;

use crate::room::tree::Look;

/// What is taken of a work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    folders: Vec<String>,
    extensions: Vec<String>,
    files: Vec<String>,
    rules: Rules,
}

/// What is thought of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    /// It comes along.
    Taken,
    /// It stays behind.
    LeftOut,
    /// It stays behind, and that it was there is told.
    Forbidden(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Rules {
    Rust,
    /// With names of modules that nothing may stand in for.
    Python(BTreeSet<String>),
}

impl Sources {
    /// `*.rs` below these folders.
    pub fn rust(folders: &[&str]) -> Self {
        Self::new(folders, "rs", Rules::Rust)
    }

    /// `*.py` below these packages.
    pub fn python(packages: &[&str]) -> Self {
        Self::new(packages, "py", Rules::Python(BTreeSet::new()))
    }

    /// Also files that end like this, below the same folders.
    pub fn with_extensions(mut self, extensions: &[&str]) -> Self {
        self.extensions.extend(extensions.iter().map(|extension| (*extension).to_owned()));
        self
    }

    /// Also these files, wherever they are.
    pub fn with_files(mut self, paths: &[&str]) -> Self {
        self.files.extend(paths.iter().map(|path| (*path).to_owned()));
        self
    }

    /// The folders that source comes from.
    pub(crate) fn folders(&self) -> &[String] {
        &self.folders
    }

    /// Modules that nothing may stand in for.
    pub(crate) fn protect(&mut self, modules: BTreeSet<String>) {
        match &mut self.rules {
            Rules::Rust => {}
            Rules::Python(protected) => *protected = modules,
        }
    }

    pub(crate) fn judge(&self, path: &str) -> Judged {
        if let Some(why) = self.forbidden(path) {
            return Judged::Forbidden(why);
        }
        let is_hidden = path.split('/').any(|name| name.starts_with('.') || name == "__pycache__");
        let extension = name_of(path).rsplit_once('.').map(|(_, extension)| extension);
        let is_source = self.is_inside(path)
            && extension
                .is_some_and(|extension| self.extensions.iter().any(|one| one == extension));
        if !is_hidden && (is_source || self.files.iter().any(|file| file == path)) {
            Judged::Taken
        } else {
            Judged::LeftOut
        }
    }

    /// Whether a path lies where source comes from.
    pub(crate) fn is_inside(&self, path: &str) -> bool {
        self.folders.iter().any(|folder| is_below(path, folder))
    }

    /// Whether it matters what a path is: it lies where source comes from, or on the way there.
    pub(crate) fn concerns(&self, path: &str) -> bool {
        let is_on_the_way = |folder: &String| folder == path || is_below(folder, path);
        self.is_inside(path)
            || self.folders.iter().any(is_on_the_way)
            || self.files.iter().any(is_on_the_way)
    }

    /// Which folders are looked into: where source comes from, all of it; elsewhere not what tools leave behind.
    pub(crate) fn look(&self, folder: &str) -> Look {
        let name = name_of(folder);
        let is_by_product = match name {
            ".cargo" => false,
            "__pycache__" => true,
            "target" | "node_modules" | "venv" | "site-packages" => !self.is_inside(folder),
            _ => name.starts_with('.'),
        };
        if is_by_product { Look::Past } else { Look::Into }
    }

    fn new(folders: &[&str], extension: &str, rules: Rules) -> Self {
        let folders = folders.iter().map(|folder| folder.trim_matches('/').to_owned()).collect();
        Self { folders, extensions: vec![extension.to_owned()], files: Vec::new(), rules }
    }

    fn forbidden(&self, path: &str) -> Option<&'static str> {
        let name = name_of(path);
        match &self.rules {
            Rules::Rust => match name {
                _ if path.split('/').any(|name| name == ".cargo") => Some("cargo's configuration"),
                "Cargo.toml" => Some("a manifest"),
                "Cargo.lock" => Some("a lock"),
                "rust-toolchain" | "rust-toolchain.toml" => Some("a choice of toolchain"),
                // Below the sources it is a module like any other: only a manifest could say otherwise.
                "build.rs" if !self.is_inside(path) => Some("a build script"),
                _ => None,
            },
            Rules::Python(protected) => match name {
                "conftest.py" => Some("a plugin of pytest"),
                "pytest.ini" | ".pytest.ini" | "pytest.toml" | ".pytest.toml"
                | "pyproject.toml" | "setup.cfg" | "tox.ini" => Some("configuration of pytest"),
                "sitecustomize.py" | "usercustomize.py" => Some("run by every interpreter"),
                _ if name.ends_with(".pth") => Some("run by every interpreter"),
                _ if self.stands_in(path, protected) => {
                    Some("stands in for a module of the interpreter or of its packages")
                }
                _ => None,
            },
        }
    }

    /// Whether this is a module or package that would be imported instead of one everybody knows.
    fn stands_in(&self, path: &str, protected: &BTreeSet<String>) -> bool {
        import_roots(&self.folders).iter().any(|root| {
            let below = match root.as_str() {
                "" => Some(path),
                root => path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')),
            };
            let module = below.and_then(|below| match below.split_once('/') {
                None => below
                    .strip_suffix(".py")
                    .or_else(|| below.strip_suffix(".so").and_then(|stem| stem.split('.').next())),
                Some((package, "__init__.py")) => Some(package),
                Some(_) => None,
            });
            module.is_some_and(|module| protected.contains(module))
        })
    }
}

/// Where packages are imported from: the folders that hold them, and the work tree itself.
pub(crate) fn import_roots(packages: &[String]) -> BTreeSet<String> {
    let parents = packages
        .iter()
        .map(|package| package.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned());
    parents.chain([String::new()]).collect()
}

pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_source_is_taken() {
        let rust = Sources::rust(&["src"]).with_extensions(&["json"]).with_files(&["words.txt"]);
        for taken in ["src/lib.rs", "src/deep/er.rs", "src/table.json", "src/build.rs", "words.txt"]
        {
            assert_eq!(rust.judge(taken), Judged::Taken, "{taken}");
        }
        for left in
            ["lib.rs", "src/.hidden.rs", "src/.x/a.rs", "src/a.so", "tests/a.rs", "srcs/a.rs"]
        {
            assert_eq!(rust.judge(left), Judged::LeftOut, "{left}");
        }
        for told in [
            ".cargo/config.toml",
            "src/.cargo/config",
            "build.rs",
            "Cargo.toml",
            "src/x/Cargo.lock",
            "rust-toolchain",
            "rust-toolchain.toml",
        ] {
            assert!(matches!(rust.judge(told), Judged::Forbidden(_)), "{told}");
        }
    }

    #[test]
    fn nothing_stands_in_for_a_known_module() {
        let mut python = Sources::python(&["calc", "src/other"]);
        python.protect(["pytest", "random"].map(str::to_owned).into());
        for told in [
            "pytest.py",
            "random/__init__.py",
            "src/random.py",
            "random.cpython-311.so",
            "conftest.py",
            "calc/conftest.py",
            "pytest.ini",
            "setup.cfg",
            "sitecustomize.py",
            "a.pth",
            "pyproject.toml",
        ] {
            assert!(matches!(python.judge(told), Judged::Forbidden(_)), "{told}");
        }
        for taken in ["calc/random.py", "calc/__init__.py", "src/other/a/b.py"] {
            assert_eq!(python.judge(taken), Judged::Taken, "{taken}");
        }
        for left in ["other.py", "calc/__pycache__/a.py", "calc/a.pyc", "tests/test_a.py"] {
            assert_eq!(python.judge(left), Judged::LeftOut, "{left}");
        }
    }
}
