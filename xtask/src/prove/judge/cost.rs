//! What the boundary costs beside one process, measured in one run.

use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};

use super::{Subject, cost_in_rust, fresh};
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::python::python;

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let place = fresh("cost")?;
    let (candidate, work) = (place.join("candidate"), place.join("work"));
    std::fs::create_dir_all(candidate.join("shop"))?;
    std::fs::create_dir_all(&work)?;
    std::fs::write(candidate.join("shop/__init__.py"), SHOP)?;
    std::fs::write(work.join("test_calls.py"), CALLS)?;
    let mut suite = "import shop\n".to_owned();
    for nth in 0..TESTS {
        // A test that takes as long as one of a suite of five seconds.
        let _ = write!(suite, "\ndef test_{nth}():\n    assert shop.slow({nth}) == {nth}\n");
    }
    std::fs::write(work.join("test_suite.py"), suite)?;
    let python = python()?;
    let subject = |wanted: &str| Subject {
        python: &python,
        candidate: &candidate,
        package: "shop",
        tests: &work,
        wanted: vec![wanted.to_owned()],
        options: &["-s"],
    };
    let judgement = subject("test_calls.py").judged(size)?;
    let said = String::from_utf8_lossy(&judgement.judge.stdout.kept).into_owned();
    ensure!(judgement.is_green(), "the calls did not pass: {said}");
    let line = said.lines().find_map(|line| line.split_once("measured: ")).context("no figures")?.1;
    figures.tell(line.trim_matches('.').to_owned());
    figures.hold_measured(|| {
        let began = Instant::now();
        let mut bare = Command::new(python.join("bin/python3"));
        bare.args(["-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_suite.py"]);
        bare.env("PYTHONPATH", &candidate).current_dir(&work).stdout(Stdio::null());
        ensure!(bare.status()?.success(), "the bare suite did not pass");
        let bare_s = began.elapsed().as_secs_f64();
        let began = Instant::now();
        ensure!(subject("test_suite.py").judged(size)?.is_green(), "the suite did not pass");
        let across_s = began.elapsed().as_secs_f64();
        let times = across_s / bare_s;
        let text = format!(
            "{TESTS} tests: {bare_s:.1} s in one process, {across_s:.1} s across, {times:.1} × (at most 2)"
        );
        Ok((text, times <= 2.0))
    })?;
    cost_in_rust::prove(size, figures)
}

pub(super) const TESTS: usize = 200;
const SHOP: &str = "import time\n\n\ndef same(value):\n    return value\n\n\n\
                    def slow(value):\n    time.sleep(0.03)\n    return value\n\n\n\
                    class Basket:\n    def count(self):\n        return 1\n\n\n\
                    def each(call, times):\n    return sum(call(n) for n in range(times))\n";
const CALLS: &str = r#"
import statistics, time
import judge_plugin, shop

def rate(times, run):
    began = time.perf_counter()
    run(times)
    return round(times / (time.perf_counter() - began))

def test_calls():
    def many(call):
        return lambda times: [call() for _ in range(times)] and None
    basket = shop.Basket()
    nested = {"a": [1, 2, {"b": (3, 4)}], "c": "text"}
    rates = {
        "int": rate(5000, many(lambda: shop.same(1))),
        "nested dict": rate(3000, many(lambda: shop.same(nested))),
        "method": rate(5000, many(basket.count)),
        "callback": rate(3000, lambda times: shop.each(lambda n: n, times)),
    }
    starts = []
    for _ in range(50):
        began = time.perf_counter()
        judge_plugin.finish()
        judge_plugin.begin(1)
        shop.same(1)
        starts.append((time.perf_counter() - began) * 1000)
    told = ", ".join(f"{kind} {calls}" for kind, calls in rates.items())
    print(f"measured: calls per second: {told}; a subject starts in {statistics.median(starts):.1f} ms (p50)")
"#;
