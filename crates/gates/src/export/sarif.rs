//! SARIF 2.1.0: findings that a person has to look at, in the form code scanners share.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sealwright_kernel::task::ResidueKind;
use serde::Serialize;

use super::Exhibit;
use crate::Finding;

/// All findings of `exhibits` as one run. `version` is that of this program.
pub fn render(version: &str, exhibits: &[Exhibit]) -> Result<String, serde_json::Error> {
    let found = || exhibits.iter().flat_map(|it| it.findings.iter().map(move |found| (it, found)));
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "sealwright",
                    version,
                    information_uri: "https://github.com/sealwright/sealwright",
                },
            },
            results: found().map(|(exhibit, found)| result(exhibit, found)).collect(),
        }],
    };
    serde_json::to_string_pretty(&log)
}

fn result(exhibit: &Exhibit, finding: &Finding) -> Found {
    Found {
        rule_id: rule(exhibit, finding),
        level: match finding.kind {
            ResidueKind::Security => "error",
            ResidueKind::Concurrency | ResidueKind::Architecture => "warning",
        },
        message: Text { text: finding.what.clone() },
        locations: [location(&finding.place)],
        properties: Properties { evidence: exhibit.evidence.clone() },
    }
}

fn rule(exhibit: &Exhibit, finding: &Finding) -> String {
    match finding.rule.trim() {
        "" => exhibit.check.clone(),
        rule => rule.to_owned(),
    }
}

/// A path, with a line if it names one; anything else is the name of a thing.
fn location(place: &str) -> Location {
    let (path, line) = match place.rsplit_once(':') {
        Some((path, line)) => (path, line.parse::<u32>().ok().filter(|line| *line > 0)),
        None => (place, None),
    };
    let is_path = line.is_some() || place.contains('/');
    if !is_path {
        let fully_qualified_name = place.to_owned();
        return Location::Logical { logical_locations: [Logical { fully_qualified_name }] };
    }
    let path = if line.is_some() { path } else { place };
    let uri = utf8_percent_encode(path.trim_start_matches('/'), ESCAPED).to_string();
    let region = line.map(|start_line| Region { start_line });
    let artifact_location = Artifact { uri };
    Location::Physical { physical_location: Physical { artifact_location, region } }
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
struct Run<'a> {
    tool: Tool<'a>,
    results: Vec<Found>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    version: &'a str,
    information_uri: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    rule_id: String,
    level: &'static str,
    message: Text,
    locations: [Location; 1],
    properties: Properties,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

#[derive(Serialize)]
struct Properties {
    evidence: String,
}

#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum Location {
    Physical { physical_location: Physical },
    Logical { logical_locations: [Logical; 1] },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Logical {
    fully_qualified_name: String,
}

/// What may stand in a relative reference as it is.
const ESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_').remove(b'~');
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

#[cfg(test)]
mod tests {
    use super::super::tests::exhibits;
    use super::*;

    #[test]
    fn findings_keep_their_rule_their_place_and_their_weight() {
        insta::assert_snapshot!(render("0.1.0", &exhibits()).unwrap());
    }

    #[test]
    fn a_place_is_a_path_with_its_line_or_the_name_of_a_thing() {
        let told = |place| serde_json::to_string(&location(place)).unwrap();
        assert_eq!(
            told("src/a b.rs:12"),
            r#"{"physicalLocation":{"artifactLocation":{"uri":"src/a%20b.rs"},"region":{"startLine":12}}}"#
        );
        assert_eq!(
            told("/etc/passwd"),
            r#"{"physicalLocation":{"artifactLocation":{"uri":"etc/passwd"}}}"#
        );
        assert_eq!(
            told("openssl 0.10.1"),
            r#"{"logicalLocations":[{"fullyQualifiedName":"openssl 0.10.1"}]}"#
        );
        assert!(told("a.rs:0").contains("logicalLocations"));
    }
}
