# One name per task. `just` alone lists them.
default:
    @just --list

# Format, lint and the repository's own rules.
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    cargo nextest run -p xtask

# Every test.
test:
    cargo nextest run --workspace --locked
    cargo test --workspace --doc --locked

# One capability at full size: `just prove journal`.
prove NAME *ARGS:
    cargo xtask prove {{NAME}} {{ARGS}}

# The guide, written anew from the code.
book:
    cargo xtask book

# What is released, packed into `dist`.
dist:
    cargo xtask dist

# What is proven, in part or not yet.
requirements:
    cargo xtask requirements

# The gate, exactly as it runs before a change lands.
ci:
    bash .ci/run
