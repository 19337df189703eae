//! Pre-releases and build metadata.

use std::cmp::Ordering;

use versions::{Malformed, Version};

fn version(text: &str) -> Version {
    match text.parse() {
        Ok(version) => version,
        Err(why) => panic!("{text} was refused: {why:?}"),
    }
}

/// C1
#[test]
fn a_pre_release_is_read_and_written() {
    let alpha = version("1.2.3-alpha.1");
    assert_eq!(alpha.pre, ["alpha", "1"]);
    assert_eq!(alpha.to_string(), "1.2.3-alpha.1");
}

/// C2
#[test]
fn a_pre_release_comes_before_its_release() {
    assert!(version("1.0.0-rc.1") < version("1.0.0"));
    assert!(version("1.0.0-rc.1") > version("0.9.9"));
}

/// C3
#[test]
fn identifiers_compare_by_their_kind() {
    assert!(version("1.0.0-beta.2") < version("1.0.0-beta.11"));
    assert!(version("1.0.0-alpha.1") < version("1.0.0-alpha.beta"));
    assert!(version("1.0.0-alpha") < version("1.0.0-beta"));
}

/// C4
#[test]
fn the_longer_one_is_later() {
    assert!(version("1.0.0-alpha") < version("1.0.0-alpha.1"));
}

/// C5
#[test]
fn what_is_malformed_is_refused() {
    let refused = |text: &str| text.parse::<Version>().unwrap_err();
    assert_eq!(refused("1.0.0-alpha..1"), Malformed::Identifier(String::new()));
    assert_eq!(refused("1.0.0-al_pha"), Malformed::Identifier("al_pha".to_owned()));
    assert_eq!(refused("1.0.0-01"), Malformed::LeadingZero("01".to_owned()));
}

/// C6
#[test]
fn metadata_does_not_count() {
    let built = version("1.0.0+build.7");
    assert_eq!(built.to_string(), "1.0.0+build.7");
    assert_eq!(built.cmp(&version("1.0.0")), Ordering::Equal);
}
