//! A stage and nothing else, for tests: a test program cannot be its own.

fn main() {
    sealwright_sandbox::stage::take_over_if_asked();
}
