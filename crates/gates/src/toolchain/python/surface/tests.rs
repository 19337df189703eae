use super::*;

/// The public items of files, read as the product reads them.
fn read_all(files: &[(&str, &str)]) -> Surface {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let file = folder.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let argv = argv();
    #[expect(clippy::disallowed_methods, reason = "the script is tried as it is")]
    let mut command = std::process::Command::new(&argv[0]);
    let paths = files.iter().map(|(path, _)| path).filter(|path| is_read(path));
    let said = command.args(&argv[1..]).args(paths).current_dir(folder.path()).output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    read(&said.stdout).unwrap()
}

fn shown(surface: &Surface) -> Vec<String> {
    let items = surface.items.iter();
    items.flat_map(|(name, items)| items.iter().map(move |item| item.shown(name))).collect()
}

/// The public items of one module, without its name.
fn module(text: &str) -> Vec<String> {
    let surface = read_all(&[("fees.py", text)]);
    assert_eq!(surface.unread, [], "{text}");
    shown(&surface).into_iter().map(|line| line.replace("fees.", "")).collect()
}

/// Ways to take a function away that leave its definition in place.
#[test]
fn a_name_that_means_something_else_in_the_end_is_not_the_function() {
    let text = r#"
def kept(a): ...
def deleted(a): ...
def replaced(a): ...
def wrapped(a): ...
def nothing(function): ...
del deleted
replaced = None
wrapped = nothing(wrapped)
if False:
    def never(a): ...
@nothing
def decorated(a): ...
@functools.cache
def cached(a): ...
"#;
    let found = module(text);
    let named = |name: &str| found.iter().filter(|it| it.contains(name)).collect::<Vec<_>>();
    assert_eq!(named("kept("), ["kept(a)"]);
    assert_eq!(named("wrapped("), ["wrapped(a)"]);
    assert_eq!(named("cached("), ["cached(a)"]);
    assert!(named("deleted").is_empty() && named("never").is_empty(), "{found:?}");
    assert_eq!(named("decorated"), ["@nothing decorated(a)"]);
    assert!(!named("replaced").is_empty() && named("replaced(").is_empty(), "{found:?}");

    let hiding = [("parking/rates.py", "def day(): ...\n"), ("parking/rates/__init__.py", "")];
    let unread = read_all(&hiding).unread;
    assert!(unread[0].why.contains("instead of parking/rates.py"), "{unread:?}");
}

#[test]
fn functions_are_public_with_their_whole_signature() {
    let text = r#"
def fee(minutes: int, rate=300, *, day: "int" = 2000) -> int: ...
def both(a, /, b, *rest: str, z=1, c, **options: dict[str, int]): ...
async def later(): ...
def _private(): ...
def __hidden(): ...
def generic(x: "list[ int ]", y: 'Literal["a"]') -> "Parking": ...
HOUR = 300
if sys.version_info > (3, 12):
    def conditional(a): ...
else:
    def conditional(a, b): ...
try:
    from fast import speedy
except ImportError:
    def speedy(a): ...
if __name__ == "__main__":
    def main(): ...
def outer():
    def inner(): ...
fee = cache(fee)
"#;
    assert_eq!(
        module(text),
        [
            "both(a, /, b, *rest: str, c, z = …, **options: dict[str, int])",
            "conditional(a)",
            "conditional(a, b)",
            "fee(minutes: int, rate = …, *, day: int = …) -> int",
            "generic(x: list[int], y: Literal['a']) -> Parking",
            "async later()",
            "outer()",
            "speedy(a)",
        ]
    );
}

#[test]
fn classes_come_with_their_methods_and_inner_classes() {
    let text = r#"
class Parking(Base, Generic[T], metaclass=Meta):
    hours: int = 3
    def __init__(self, minutes: int = 0): ...
    def __call__(self, *args): ...
    def __len__(self): ...
    def fee(self) -> int: ...
    def _own(self): ...
    @staticmethod
    def parse(text): ...
    @classmethod
    async def load(cls, path): ...
    @property
    def rate(self) -> int: ...
    @rate.setter
    def rate(self, value): ...
    @functools.lru_cache(maxsize=3)
    @abc.abstractmethod
    def cached(self): ...
    class Ticket:
        def pay(self): ...
    class _Hidden:
        def pay(self): ...
    if True:
        def maybe(self): ...
class _Private:
    def f(self): ...
"#;
    assert_eq!(
        module(text),
        [
            "class Parking (Base, Generic[T])",
            "class Parking.Ticket",
            "Parking.Ticket.pay(self)",
            "Parking.__call__(self, *args)",
            "Parking.__init__(self, minutes: int = …)",
            "abstractmethod Parking.cached(self)",
            "Parking.fee(self) -> int",
            "classmethod async Parking.load(cls, path)",
            "Parking.maybe(self)",
            "staticmethod Parking.parse(text)",
            "setter Parking.rate(self, value)",
            "property Parking.rate -> int",
        ]
    );
}

#[test]
fn overloads_and_records_are_signatures_too() {
    let text = r#"
@overload
def fee(a: int) -> int: ...
@typing.overload
def fee(a: str) -> str: ...
def fee(a): ...
@dataclass(frozen=True)
class Ticket:
    id: int
    kinds: ClassVar[list]
    paid: bool = False
class Place(NamedTuple):
    row: int
"#;
    assert_eq!(
        module(text),
        [
            "class Place(row: int) (NamedTuple)",
            "dataclass class Ticket(id: int, paid: bool = …)",
            "fee(a)",
            "overload fee(a: int) -> int",
            "overload fee(a: str) -> str",
        ]
    );
}

#[test]
fn all_says_what_is_public() {
    let text = r#"
from .kinds import Kind, Other
import json as encoder
__all__ = ["fee", "_odd", "Kind"] + ["DAY"]
__all__ += ("encoder", "RATE")
__all__.append("late")
__all__.extend(["gone"])
DAY = 3
RATE: int = 4
def fee(): ...
def _odd(): ...
def other(): ...
def late(): ...
class Unlisted: ...
"#;
    assert_eq!(
        module(text),
        [
            "constant DAY",
            "re-export Kind of .kinds.Kind",
            "constant RATE: int",
            "_odd()",
            "re-export encoder of json",
            "fee()",
            "constant gone",
            "late()",
        ]
    );
    // A list that only a run could tell means nothing.
    assert_eq!(module("__all__ = [name for name in dir()]\ndef fee(): ...\nDAY = 1\n"), ["fee()"]);
}

#[test]
fn modules_are_named_by_their_paths() {
    let text = "def f(): ...\n";
    let paths = [
        "single.py",
        "src/lib/__init__.py",
        "src/lib/core.py",
        "app/__init__.py",
        "app/deep/er.py",
        "app/_private.py",
        "app/__main__.py",
        "app/_own/x.py",
        "app/migrations/0001_initial.py",
        "app/tests/helper.py",
        "app/test_core.py",
        "app/core_test.py",
        "conftest.py",
        "setup.py",
        "docs/conf.py",
        "scripts/run.py",
    ];
    let files: Vec<(&str, &str)> = paths.iter().map(|path| (*path, text)).collect();
    assert_eq!(
        shown(&read_all(&files)),
        ["app.deep.er.f()", "app.f()", "lib.core.f()", "lib.f()", "single.f()"]
    );
}

#[test]
fn a_package_offers_what_it_takes_from_its_own_modules() {
    let init = "from .fees import fee, Parking as Park, _own\nfrom .kinds import *\nfrom . import late\n\
                import os\nfrom json import loads\n";
    let surface =
        read_all(&[("parking/__init__.py", init), ("parking/fees.py", "from .x import y\n")]);
    assert_eq!(
        shown(&surface),
        [
            "re-export parking.* of .kinds.*",
            "re-export parking.Park of .fees.Parking",
            "re-export parking.fee of .fees.fee",
            "re-export parking.late of .late",
        ]
    );
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_read() {
    let deep = format!("x = {}1{}", "(".repeat(5_000), ")".repeat(5_000));
    let surface = read_all(&[
        ("broken.py", "def fee(:\n"),
        ("old.py", "print 'fee'\n"),
        ("deep.py", &deep),
        ("binary.py", "\0"),
        ("good.py", "def fee(): ...\n"),
    ]);
    let unread: Vec<&str> = surface.unread.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(unread, ["broken.py", "old.py", "deep.py", "binary.py"]);
    assert!(surface.unread[0].why.starts_with("SyntaxError: "), "{:?}", surface.unread[0]);
    assert_eq!(shown(&surface), ["good.fee()"]);
    assert!(read(b"nothing").is_err());
}

#[test]
fn layout_comments_and_bodies_are_no_surface() {
    let layouts = [
        "def fee(minutes: int, rate: dict[str, int] = {}) -> 'int':\n    return minutes\nclass Parking(Base):\n    \
         def pay(self, by=None): pass\n",
        "# Fees.\ndef fee(  # the fee\n    minutes : int,\n    rate: dict[ str,int ]={'a': 1},\n) -> int:\n    \
         '''What it costs.'''\n    def inner(): ...\n    return rate\n\n\nclass Parking( Base , ):\n    \
         '''A place.'''\n    size = 3\n\n    def pay(\n        self, by = \"cash\"\n    ):\n        return None\n",
        "import os\nclass Parking(Base):\n\tdef _own(self): ...\n\tdef pay(self, by=0):\n\t\treturn 1\n\
         def fee(minutes: 'int', rate: \"dict[str, int]\" = None) -> int: return 0\n_x = 3\n",
    ];
    let first = module(layouts[0]);
    assert_eq!(first.len(), 3, "{first:?}");
    for layout in layouts {
        assert_eq!(module(layout), first, "{layout}");
    }
    // The same in many layouts: spaces, comments and empty lines wherever they may stand.
    for seed in 0..24_usize {
        let lines = layouts[1].lines().enumerate();
        let laid_out = lines.map(|(nth, line)| match (nth * 7 + seed) % 5 {
            0 => format!("{line}  # def comment(): ...\n"),
            1 if !line.trim().is_empty() => format!("{line}\n\n"),
            2 => format!("{line} \n"),
            _ => format!("{line}\n"),
        });
        let laid_out: String = laid_out.collect();
        assert_eq!(module(&laid_out), first, "{laid_out}");
    }
}
