//! The public items of Python modules, read by Python itself in a sandbox: as text, never by an import.
//!
//! A module is named by its path: `src/parking/fees.py` is `parking.fees`. Functions and classes without a leading
//! underscore are public, or those that `__all__` lists. Other names of a module are public only if `__all__` lists them.

use serde::Deserialize;

use crate::toolchain::language::{Language as _, Part, SurfaceBy, SurfaceReader, Unread};
use crate::toolchain::paths::name_of;
use crate::toolchain::surface::{PublicItem, Surface};

pub(super) const READER: SurfaceReader =
    SurfaceReader { is_read, by: SurfaceBy::Command { argv, read } };

fn is_read(path: &str) -> bool {
    super::Python.is_written(path)
        && super::Python.part(path) == Part::Source
        && module(path).is_some()
}

/// The name by which a file is imported; none for programs and for what is private.
fn module(path: &str) -> Option<String> {
    let path = path.strip_prefix("src/").unwrap_or(path);
    let path = path.strip_suffix(".py")?;
    let path = path.strip_suffix("/__init__").unwrap_or(path);
    let parts: Vec<&str> = path.split('/').collect();
    let is_named = |part: &&str| {
        part.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
            && !part.starts_with(|first: char| first == '_' || first.is_ascii_digit())
    };
    let is_program = PROGRAMS.contains(&parts[0]) || name_of(path) == "conf";
    (parts.iter().all(is_named) && !is_program).then(|| parts.join("."))
}

fn argv() -> Vec<String> {
    // Isolated: neither the folder it stands in nor the environment decides what it loads.
    ["python3", "-I", "-S", "-B", "-c", SCRIPT].map(str::to_owned).into()
}

fn read(stdout: &[u8]) -> Result<Surface, Unread> {
    let unread = |why: String| Unread { path: "the answer".to_owned(), why };
    if stdout.len() > BYTES_MAX {
        return Err(unread("it is too long".to_owned()));
    }
    let answers: Vec<Answer> =
        serde_json::from_slice(stdout).map_err(|error| unread(error.to_string()))?;
    let mut surface = Surface::default();
    for answer in answers {
        match answer {
            Answer::Items { path, items } => {
                let module = module(&path).unwrap_or(path);
                for Named { name, item } in items {
                    surface.add(format!("{module}.{name}"), item);
                }
            }
            Answer::Unread { path, why } => surface.unread.push(Unread { path, why }),
        }
    }
    Ok(surface)
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Items { path: String, items: Vec<Named> },
    Unread { path: String, why: String },
}

#[derive(Deserialize)]
struct Named {
    name: String,
    item: PublicItem,
}

/// Top folders of programs and texts, which no other package imports.
const PROGRAMS: &[&str] =
    &["benchmarks", "bin", "doc", "docs", "example", "examples", "script", "scripts", "tools"];
const SCRIPT: &str = include_str!("surface.py");
const BYTES_MAX: usize = 64 << 20;

#[cfg(test)]
mod tests;
