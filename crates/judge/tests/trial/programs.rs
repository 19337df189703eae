//! Programs in Python that tests start: `python -m` runs where the candidate is.

use crate::lab::{judged, judged_elsewhere, shared, story};

/// Words, input, variables, folders, files, exit codes, texts and bytes: tests do not notice where the program is.
#[test]
fn programs_run_where_the_candidate_is() {
    let candidate = [("__init__.py", "RATE = 19\n"), ("__main__.py", PROGRAM)];
    for judgement in [judged(&candidate, TESTS), judged_elsewhere(&candidate, TESTS)] {
        assert!(judgement.is_green(), "{}", story(&judgement));
    }
    assert_eq!(shared(TESTS).len(), 0, "{:?}", shared(TESTS));
}

/// It finds neither tests nor a runner, and what it prints is no verdict.
#[test]
fn a_program_that_looks_for_tests_finds_none() {
    let knows = "import os, sys\n\
        seen = [one for one in ('/work', '/reports') if os.path.exists(one)]\n\
        seen += [name for name in os.environ if 'PYTEST' in name or 'JUDGE' in name]\n\
        seen += [name for name in ('pytest', '_pytest') if any(os.path.exists(f'{place}/{name}') for place in sys.path)]\n\
        print(300 if seen else 1, '1 passed')\n";
    let candidate = [("__init__.py", ""), ("__main__.py", knows)];
    let tests = "import subprocess, sys\nimport shop\n\ndef test_price():\n    \
        said = subprocess.run([sys.executable, '-m', 'shop'], capture_output=True, text=True).stdout\n    \
        assert said == '300 1 passed\\n'\n";
    let judgement = judged(&candidate, tests);
    assert!(!judgement.is_green(), "{}", story(&judgement));
    assert!(story(&judgement).contains("'1 1 passed"), "{}", story(&judgement));
}

/// Another program than one of the code, or one that is not waited for, needs the process; what it can be told by is text.
#[test]
fn other_programs_are_listed() {
    let listed = shared(
        "
import subprocess, sys
from subprocess import CalledProcessError, run

def start(*words):
    return subprocess.run([sys.executable, '-m', 'shop.tools', *words], stdout=subprocess.PIPE)

def test_own():
    try:
        start('a')
        run(['python3', '-m', 'shop'] + ['b'], check=True)
    except CalledProcessError:
        pass

def test_other():
    run(['git', 'status'])

def test_other_module():
    run([sys.executable, '-m', 'json.tool'])

def test_shell():
    subprocess.run([sys.executable, '-m', 'shop'], shell=True)

def test_open():
    subprocess.Popen([sys.executable, '-m', 'shop'])
",
    );
    let names: Vec<&str> = listed.keys().filter_map(|it| it.split("::").last()).collect();
    assert_eq!(names, ["test_open", "test_other", "test_other_module", "test_shell"]);
}

const PROGRAM: &str = "
import os, sys, time
from shop import RATE

def main(words):
    if words[0] == 'sum':
        print(sum(map(int, words[1:] or sys.stdin.read().split())) * RATE)
    elif words[0] == 'copy':
        with open(words[1]) as file, open(words[2], 'w') as copied:
            copied.write(file.read().upper())
    elif words[0] == 'variable':
        print(os.environ.get(words[1], 'none'))
    elif words[0] == 'sleep':
        time.sleep(60)
    else:
        sys.stdout.buffer.write(b'\\xff\\r\\n')
        sys.exit('no such command: ' + words[0])

main(sys.argv[1:])
";

const TESTS: &str = "
import os, subprocess, sys
import pytest

def start(*words, **options):
    return subprocess.run([sys.executable, '-m', 'shop', *words], capture_output=True, **options)

def test_words():
    assert start('sum', '1', '2', text=True).stdout == '57\\n'

def test_input(tmp_path):
    assert start('sum', input=b'1 1').stdout == b'38\\n'
    assert subprocess.check_output(['python3', '-m', 'shop', 'sum', '3'], encoding='utf-8') == '57\\n'
    (tmp_path / 'in').write_text('2 2')
    with open(tmp_path / 'in') as given:
        assert start('sum', stdin=given).stdout == b'76\\n'

def test_files(tmp_path):
    (tmp_path / 'a.txt').write_text('pear')
    assert start('copy', 'a.txt', 'b.txt', cwd=tmp_path).returncode == 0
    assert (tmp_path / 'b.txt').read_text() == 'PEAR'
    (tmp_path / 'b.txt').write_text('mine')

def test_variables(monkeypatch):
    monkeypatch.setenv('SHOP', 'open')
    monkeypatch.setenv('PYTHONPATH', '/work/src')
    assert start('variable', 'SHOP').stdout == b'open\\n'
    assert start('variable', 'SHOP', env={**os.environ, 'SHOP': 'shut', 'PYTHONPATH': 'src'}).stdout == b'shut\\n'
    monkeypatch.delenv('SHOP')
    assert start('variable', 'SHOP').stdout == b'none\\n'

def test_refusal():
    ended = start('steal')
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, b'\\xff\\r\\n', b'no such command: steal\\n')
    with pytest.raises(subprocess.CalledProcessError):
        start('steal', check=True)
    joined = subprocess.run([sys.executable, '-m', 'shop', 'steal'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert joined.stdout == b'\\xff\\r\\nno such command: steal\\n'
    assert subprocess.call([sys.executable, '-m', 'shop', 'steal'], stdout=subprocess.DEVNULL) == 1

def test_time():
    with pytest.raises(subprocess.TimeoutExpired):
        start('sleep', timeout=0.5)
";
