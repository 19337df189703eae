//! Input files named on the command line.

use std::io::Read as _;
use std::path::Path;

use crate::error::{CliError, CliResult};

/// Reads a file; `-` is standard input.
pub(crate) fn read(file: &Path) -> CliResult<Vec<u8>> {
    let unreadable = |source| CliError::Unreadable { file: file.display().to_string(), source };
    let mut bytes = Vec::new();
    let most = FILE_BYTES_MAX + 1;
    let read = if file.as_os_str() == "-" {
        std::io::stdin().take(most).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|it| it.take(most).read_to_end(&mut bytes))
    };
    match read {
        Ok(count) if count as u64 == most => {
            Err(unreadable(std::io::ErrorKind::FileTooLarge.into()))
        }
        Ok(_) => Ok(bytes),
        Err(source) => Err(unreadable(source)),
    }
}

/// Reads a UTF-8 file; `-` is standard input.
pub(crate) fn text(file: &Path) -> CliResult<String> {
    let unreadable = |error| CliError::Unreadable {
        file: file.display().to_string(),
        source: std::io::Error::other(error),
    };
    String::from_utf8(read(file)?).map_err(unreadable)
}

const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;
