use sealwright_kernel::Digest;

use super::*;

#[test]
fn what_cosmic_ray_lists_must_fit() {
    let source = "def clamp(v, low):\n    return low if v < low else v\n";
    let sample = Sample { most: 5, seed: Digest::of(b"seed") };
    let aim = Aim::of([("calc/core.py", None, source)]);
    let told = |start: usize| {
        format!(
            "{{\"count\": 9, \"mutants\": [{{\"path\": \"calc/core.py\", \"line\": 2, \"what\": \"core/Lt_LtE\", \
                 \"function\": \"clamp\", \"edit\": {{\"start\": {start}, \"end\": {start}, \"with\": \"=\"}}}}]}}"
        )
    };
    let at = source.find("< low").unwrap() + 1;
    let listing = (MUTATOR.read)(told(at).as_bytes(), &aim).unwrap();
    assert_eq!(listing.count, 9);
    assert_eq!(listing.mutants[0].apply(source).unwrap(), source.replace("< low", "<= low"));
    assert!((MUTATOR.read)(told(4096).as_bytes(), &aim).is_err());
    assert!((MUTATOR.read)(told(at).replace("calc/", "other/").as_bytes(), &aim).is_err());
    assert!((MUTATOR.read)(b"Traceback", &aim).is_err());
    let asked = (MUTATOR.argv)(&aim, &sample).pop().unwrap();
    assert!(
        asked.contains("\"lines\":{\"calc/core.py\":[[1,2]]}") && asked.contains("\"most\":5"),
        "{asked}"
    );
}
