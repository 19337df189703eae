//! What a Rust test file reaches: its modules, and whatever its texts name.

use crate::toolchain::language::{Module, Reach};
use crate::toolchain::paths::{folder_of, name_of, resolve};
use crate::toolchain::rust::tokens::{self, Bracket, Token, What};

pub(super) fn of(path: &str, text: &str) -> Reach {
    let mut reach = Reach::default();
    let Ok(tokens) = tokens::of(path, text) else { return reach };
    modules(path, &tokens, "", &mut reach.modules);
    for token in tokens::all(&tokens) {
        if let What::Text(text) = &token.what {
            reach.texts.push(text.clone());
        }
    }
    reach
}

/// `mod name;`, also inside of `mod outer { … }`, which adds a folder. Tokens are nested no deeper than is bounded.
fn modules(path: &str, tokens: &[Token], inside: &str, found: &mut Vec<Module>) {
    for (at, token) in tokens.iter().enumerate() {
        if !token.is_name("mod") {
            continue;
        }
        let (Some(name), Some(next)) =
            (tokens.get(at + 1).and_then(Token::name), tokens.get(at + 2))
        else {
            continue;
        };
        if let Some(inner) = next.group(Bracket::Curly) {
            modules(path, inner, &format!("{inside}{name}/"), found);
        } else if next.is_mark(";") {
            found.push(Module { root: name.to_owned(), paths: places(path, inside, name) });
        }
    }
}

/// A crate's root and a `mod.rs` keep their modules beside them, other files in a folder of their own name.
fn places(path: &str, inside: &str, name: &str) -> Vec<String> {
    let folder = folder_of(path);
    let stem = name_of(path).strip_suffix(".rs").unwrap_or_default();
    let folders = [inside.to_owned(), format!("{stem}/{inside}")];
    let paths = folders.iter().flat_map(|below| {
        [format!("{below}{name}.rs"), format!("{below}{name}/mod.rs")]
            .into_iter()
            .filter_map(|relative| resolve(folder, &relative))
    });
    paths.collect()
}
