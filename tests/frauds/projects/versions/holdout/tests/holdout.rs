//! Pre-releases, as nobody but the machine has seen them.

use versions::Version;

/// C3
#[test]
fn the_order_of_the_specification_holds() {
    let order = [
        "2.1.0-0",
        "2.1.0-9",
        "2.1.0-10",
        "2.1.0-99999999999999999999999",
        "2.1.0--",
        "2.1.0-A",
        "2.1.0-a",
        "2.1.0-a.0",
        "2.1.0-a.b",
        "2.1.0-a.b.c",
        "2.1.0-rc-1",
        "2.1.0",
    ];
    let versions: Vec<Version> = order.iter().map(|text| text.parse().unwrap()).collect();
    assert!(versions.windows(2).all(|pair| pair[0] < pair[1]), "{versions:?}");
}

/// C6
#[test]
fn metadata_may_have_leading_zeros() {
    let version: Version = "3.0.0-rc.1+001.sha-5f".parse().unwrap();
    assert_eq!(version.build, ["001", "sha-5f"]);
    assert_eq!(version.to_string(), "3.0.0-rc.1+001.sha-5f");
    assert!("3.0.0+".parse::<Version>().is_err());
}
