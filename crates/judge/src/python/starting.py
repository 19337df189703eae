"""Programs of the candidate that tests start with `python -m`: they run where the candidate is."""

import os
import subprocess
import sys

INTERPRETERS = {"python", "python3"}


def begin(ask, packages, exchange):
    """Has `subprocess` start programs of these packages there."""

    class Popen(subprocess.Popen):
        def __init__(self, args, *rest, **options):
            self.elsewhere = None if rest else words(args, packages)
            if self.elsewhere is None:
                super().__init__(args, *rest, **options)
                return
            self.args, self.options, self.returncode = args, options, None
            self.stdin = self.stdout = self.stderr = None

        def communicate(self, input=None, timeout=None):
            if self.elsewhere is None:
                return super().communicate(input, timeout)
            get = self.options.get
            encoding = get("encoding") or "utf-8"
            is_text = any(map(get, ("text", "encoding", "errors", "universal_newlines")))
            given = input.encode(encoding) if isinstance(input, str) else input
            ended = ask("program", self.elsewhere, place(get("cwd"), exchange), changed(get("env")), given or read(get("stdin")), timeout)
            if ended is None:
                raise subprocess.TimeoutExpired(self.args, timeout)
            self.returncode, *said = ended
            if get("stderr") == subprocess.STDOUT:
                said = [said[0] + said[1], b""]
            told = []
            for number, name in enumerate(("stdout", "stderr")):
                content = put(said[number], get(name), number + 1)
                told.append(text(content, encoding, get("errors")) if is_text and content is not None else content)
            return tuple(told)

        def poll(self):
            return super().poll() if self.elsewhere is None else self.returncode

        def wait(self, timeout=None):
            if self.elsewhere is None:
                return super().wait(timeout)
            if self.returncode is None:
                self.communicate(timeout=timeout)
            return self.returncode

        def send_signal(self, signal):
            if self.elsewhere is None:
                super().send_signal(signal)
            elif self.returncode is None:
                self.returncode = -signal

        def __exit__(self, *error):
            if self.elsewhere is None:
                super().__exit__(*error)

        def __del__(self, *rest, **more):
            if getattr(self, "elsewhere", ()) is None:
                super().__del__(*rest, **more)

    subprocess.Popen = Popen


def words(args, packages):
    """What stands behind `python -m`, if it is a program of the candidate."""
    if isinstance(args, (str, bytes)):
        return None
    all = [os.fsdecode(one) for one in args]
    is_python = all[:1] == [sys.executable] or all[:1] and all[0] in INTERPRETERS
    if not is_python or all[1:2] != ["-m"] or len(all) < 3:
        return None
    return all[2:] if all[2].partition(".")[0] in packages else None


def place(folder, exchange):
    """The folder it runs in: one that both have, or that of the candidate."""
    folder = os.path.abspath(os.fsdecode(folder)) if folder is not None else os.getcwd()
    return folder if exchange and (folder + "/").startswith(exchange + "/") else None


def changed(environment):
    """What a test sets for it alone. Where packages are is for the other side to know."""
    if environment is None:
        return {}
    given = {os.fsdecode(name): os.fsdecode(value) for name, value in environment.items()}
    names = (given.keys() | os.environ.keys()) - {"PYTHONPATH"}
    return {name: given.get(name) for name in names if given.get(name) != os.environ.get(name)}


def read(stdin):
    if stdin is None or stdin in (subprocess.PIPE, subprocess.DEVNULL):
        return b""
    with open(stdin if isinstance(stdin, int) else os.dup(stdin.fileno()), "rb") as file:
        return file.read()


def put(content, where, number):
    """Output for whoever calls, or into a file."""
    if where == subprocess.PIPE:
        return content
    if where not in (subprocess.DEVNULL, subprocess.STDOUT):
        descriptor = number if where is None else where if isinstance(where, int) else where.fileno()
        while content:
            content = content[os.write(descriptor, content) :]
    return None


def text(content, encoding, errors):
    return content.decode(encoding, errors or "strict").replace("\r\n", "\n").replace("\r", "\n")
