//! placeholder
use anyhow::Result;
pub(crate) fn run() -> Result<()> {
    anyhow::bail!("later")
}
