//! Gate `docs`: documents lead where they say, and have the sections that people look for.
//!
//! Only links within the repository are followed; the rest of the world may be away today.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::kinds::changes::{content, read};
use crate::kinds::declared::is_below;
use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::{Demand, Key, Kind, Setting};
use crate::reports::short;
use crate::toolchain::folder_of;
use crate::{File, Listed, Seen, Step, Wanted};

pub(crate) const KIND: Kind = Kind {
    key: "docs",
    proves: "every link between files of the repository leads somewhere, and no wanted section is missing",
    needs: "nothing",
    takes: &[(Key::Sources, Demand::Optional), (Key::Sections, Demand::Optional)],
    next,
};

fn next(setting: &Setting, seen: &[Seen]) -> Step {
    match seen {
        [] => Step::Read(Wanted::Listing),
        [Seen::Listing(listing)] => read(documents(listing).map(|listed| listed.path.as_str())),
        [Seen::Listing(listing), Seen::Files(files)] => judge(setting, listing, files),
        _ => no_answer(seen),
    }
}

fn judge(setting: &Setting, listing: &[Listed], files: &[File]) -> Step {
    let mut scales = Scales::default();
    let there: BTreeSet<&str> = places(listing);
    let mut documents = BTreeMap::new();
    for listed in self::documents(listing) {
        let Some(file) = content(&mut scales, files, &listed.path) else { continue };
        match std::str::from_utf8(file.now.as_deref().unwrap_or_default()) {
            Ok(text) => drop(documents.insert(listed.path.as_str(), Document::read(text))),
            Err(_) => scales.unclear(format!("`{}` is not text", listed.path)),
        }
    }
    let sources = &setting.sources;
    let is_meant =
        |path: &str| sources.is_empty() || sources.iter().any(|place| is_below(path, place));
    let mut looked = 0_usize;
    for (path, document) in documents.iter().filter(|(path, _)| is_meant(path)) {
        looked += 1;
        for link in &document.links {
            if let Some(why) = broken(path, link, &there, &documents) {
                scales.against(format!("{path}: the link `{}` {why}", short(link)));
            }
        }
    }
    for (path, sections) in &setting.sections {
        match documents.get(path.as_str()) {
            None => scales.against(format!("there is no `{path}`")),
            Some(document) => {
                looked += 1;
                let is_there =
                    |section: &&String| document.titles.contains(&section.to_lowercase());
                for section in sections.iter().filter(|section| !is_there(section)) {
                    scales.against(format!("{path} has no section `{section}`"));
                }
            }
        }
    }
    if looked == 0 {
        scales.unclear("there is no document to look at");
    }
    scales.say()
}

/// What of a document others can refer to, and what it refers to.
#[derive(Debug, Default)]
struct Document {
    titles: BTreeSet<String>,
    anchors: BTreeSet<String>,
    links: Vec<String>,
}

impl Document {
    fn read(text: &str) -> Self {
        let mut document = Self::default();
        let mut title: Option<String> = None;
        let mut slugs: BTreeMap<String, u32> = BTreeMap::new();
        for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES) {
            match event {
                Event::Start(Tag::Heading { id, .. }) => {
                    document.anchors.extend(id.map(|id| id.to_string()));
                    title = Some(String::new());
                }
                Event::End(TagEnd::Heading(_)) => {
                    let title = title.take().unwrap_or_default();
                    let slug = slug(&title);
                    let times = slugs.entry(slug.clone()).or_default();
                    document.anchors.insert(match *times {
                        0 => slug,
                        times => format!("{slug}-{times}"),
                    });
                    *times += 1;
                    document.titles.insert(title.trim().to_lowercase());
                }
                Event::Text(said) | Event::Code(said) => {
                    if let Some(title) = &mut title {
                        title.push_str(&said);
                    }
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    document.links.push(dest_url.to_string());
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    document.anchors.extend(named(&html))
                }
                _ => {}
            }
        }
        document
    }
}

/// Why a link leads nowhere, if it does.
fn broken(
    from: &str,
    link: &str,
    there: &BTreeSet<&str>,
    documents: &BTreeMap<&str, Document>,
) -> Option<&'static str> {
    let is_address = link.split_once(':').is_some_and(|(scheme, _)| {
        !scheme.is_empty()
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    });
    if is_address || link.starts_with("//") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = decoded(path.split('?').next().unwrap_or(path));
    let target = if path.is_empty() { Some(from.to_owned()) } else { resolved(from, &path) };
    let Some(target) = target else { return Some("leads out of the repository") };
    if !there.contains(target.as_str()) {
        return Some("leads to nothing");
    }
    // Lines of source have anchors of their own, which are the server's.
    let document = documents.get(target.as_str())?;
    let is_known = anchor.is_empty() || document.anchors.contains(&decoded(anchor).to_lowercase());
    (!is_known && !document.anchors.contains(anchor))
        .then_some("leads to a heading that is not there")
}

/// Where a link leads, seen from the top of the repository.
fn resolved(from: &str, link: &str) -> Option<String> {
    let base = if link.starts_with('/') { "" } else { folder_of(from) };
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Every file and every folder that is there. The top of the repository has no name.
fn places(listing: &[Listed]) -> BTreeSet<&str> {
    let mut places = BTreeSet::from([""]);
    for listed in listing.iter().filter(|listed| listed.now.is_some()) {
        let path = listed.path.as_str();
        places.insert(path);
        places.extend(path.match_indices('/').map(|(at, _)| &path[..at]));
    }
    places
}

fn documents(listing: &[Listed]) -> impl Iterator<Item = &Listed> {
    let is_document = |path: &str| {
        let path = path.to_ascii_lowercase();
        path.ends_with(".md") || path.ends_with(".markdown")
    };
    listing.iter().filter(move |listed| listed.now.is_some() && is_document(&listed.path))
}

/// What servers make of a heading.
fn slug(title: &str) -> String {
    let kept = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || matches!(c, '-' | '_') => Some(c),
        _ => None,
    };
    title.trim().to_lowercase().chars().filter_map(kept).collect()
}

/// The names that a piece of HTML gives.
fn named(html: &str) -> Vec<String> {
    let mut names = Vec::new();
    for key in ["id=\"", "name=\""] {
        for (at, _) in html.match_indices(key) {
            let rest = &html[at + key.len()..];
            names.extend(rest.split_once('"').map(|(name, _)| name.to_owned()));
        }
    }
    names
}

/// A path as it is on disk: `%20` is a blank.
fn decoded(path: &str) -> String {
    percent_encoding::percent_decode_str(path).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests;
