//! A launcher and nothing else, for tests: a test program cannot be its own.

fn main() {
    sealwright_sandbox::launcher::take_over_if_asked();
}
