use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use tempfile::TempDir;

use super::*;

/// A fake program that prints its version and writes the files of a release.
const PROGRAM: &str = "#!/bin/sh\ncase \"$1\" in\n--version) echo sealwright 9.9.9 ;;\n\
                       completions) echo \"complete $2\" ;;\nman) echo page > \"$2/sealwright.1\" ;;\nesac\n";

/// A packed release and an empty home.
struct Account {
    folder: TempDir,
}

impl Account {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("program"), PROGRAM).unwrap();
        fs::set_permissions(at("program"), fs::Permissions::from_mode(0o755)).unwrap();
        stage(&at("program"), &at(NAME)).unwrap();
        pack(&at(NAME), &at("dist")).unwrap();
        fs::create_dir(at("home")).unwrap();
        Self { folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the installer in an empty environment. Returns whether it succeeded, and its output.
    fn install(&self) -> (bool, String) {
        let output = Command::new("sh")
            .arg(self.at("dist/install.sh"))
            .arg("--from")
            .arg(self.at("dist").join(format!("{NAME}.tar.gz")))
            .env_clear()
            .env("HOME", self.at("home"))
            .env("PATH", "/usr/bin:/bin")
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(said).unwrap())
    }

    fn homely(&self) -> Vec<(String, Vec<u8>)> {
        let mut open = vec![self.at("home")];
        let mut found = Vec::new();
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let name = path.strip_prefix(self.at("home")).unwrap().display();
                    found.push((name.to_string(), fs::read(&path).unwrap()));
                }
            }
        }
        found.sort();
        found
    }
}

const NAME: &str = "sealwright-9.9.9-x86_64-unknown-linux-musl";

#[test]
fn a_release_is_installed_for_one_user_and_twice_is_like_once() {
    let account = Account::new();
    let (is_installed, said) = account.install();
    assert!(is_installed, "{said}");
    assert!(said.contains("sealwright 9.9.9 is installed"), "{said}");
    assert!(said.contains("is not on your PATH"), "{said}");
    let names: Vec<String> = account.homely().into_iter().map(|(name, _)| name).collect();
    let expected = [
        ".local/bin/sealwright",
        ".local/share/bash-completion/completions/sealwright",
        ".local/share/fish/vendor_completions.d/sealwright.fish",
        ".local/share/man/man1/sealwright.1",
        ".local/share/zsh/site-functions/_sealwright",
    ];
    assert_eq!(names, expected);
    let before = account.homely();
    assert!(account.install().0);
    assert_eq!(account.homely(), before);
}

#[test]
fn an_archive_with_one_changed_byte_is_not_unpacked() {
    let account = Account::new();
    let archive = account.at("dist").join(format!("{NAME}.tar.gz"));
    let mut bytes = fs::read(&archive).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&archive, bytes).unwrap();
    let (is_installed, said) = account.install();
    assert!(!is_installed && said.contains("is not what was published"), "{said}");
    assert_eq!(account.homely(), []);
}

#[test]
fn an_archive_without_a_valid_checksum_is_not_unpacked() {
    let account = Account::new();
    fs::write(account.at("dist/SHA256SUMS"), "").unwrap();
    let (is_installed, said) = account.install();
    assert!(!is_installed && said.contains("does not name"), "{said}");
    fs::remove_file(account.at("dist/SHA256SUMS")).unwrap();
    let (is_installed, said) = account.install();
    assert!(!is_installed && said.contains("there is no SHA256SUMS"), "{said}");
    assert_eq!(account.homely(), []);
}

#[test]
fn the_same_files_are_packed_into_the_same_bytes() {
    let (one, other) = (Account::new(), Account::new());
    let read = |account: &Account| fs::read(account.at("dist/SHA256SUMS")).unwrap();
    assert_eq!(read(&one), read(&other));
}

#[test]
fn a_table_of_symbols_is_noticed() {
    assert!(is_stripped(b"\x7fELF\0.shstrtab\0.text\0"));
    assert!(!is_stripped(b"\x7fELF\0.shstrtab\0.text\0.symtab\0"));
}
