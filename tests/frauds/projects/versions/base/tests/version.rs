//! What a version has always done.

use versions::{Malformed, Version};

fn version(text: &str) -> Version {
    text.parse().unwrap()
}

#[test]
fn a_version_is_read_and_written() {
    assert_eq!(version("1.20.3").to_string(), "1.20.3");
}

#[test]
fn numbers_compare_as_numbers() {
    assert!(version("1.9.0") < version("1.10.0"));
    assert!(version("2.0.0") > version("1.99.99"));
}

#[test]
fn what_is_no_version_is_refused() {
    assert_eq!("1.2".parse::<Version>(), Err(Malformed::NotThreeNumbers));
    assert_eq!("1.x.3".parse::<Version>(), Err(Malformed::NotANumber("x".to_owned())));
    assert_eq!("1.02.3".parse::<Version>(), Err(Malformed::LeadingZero("02".to_owned())));
}

#[test]
fn the_next_patch_is_one_later() {
    assert_eq!(version("1.2.3").next_patch(), version("1.2.4"));
}
