"""One folder for files that tests and candidate hand to each other. They are two users: what one makes there is open to both."""

import os


def begin(folder):
    os.umask(0)
    os.mkdir, os.open = maker(folder, os.mkdir), opener(folder, os.open)


def is_inside(folder, path, dir_fd):
    if dir_fd is not None or isinstance(path, int):
        return False
    return (os.path.abspath(os.fsdecode(path)) + "/").startswith(folder + "/")


def maker(folder, mkdir):
    def make(path, mode=0o777, *, dir_fd=None):
        mkdir(path, mode, dir_fd=dir_fd)
        if is_inside(folder, path, dir_fd):
            os.chmod(path, 0o777)

    return make


def opener(folder, open_file):
    def opened(path, flags, mode=0o777, *, dir_fd=None):
        if flags & os.O_CREAT and is_inside(folder, path, dir_fd):
            mode |= 0o666
        return open_file(path, flags, mode, dir_fd=dir_fd)

    return opened
