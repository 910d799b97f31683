"""A person's editor in another process: told when, reads a file, changes one line of it, saves it.

A save waits until nobody else renamed the file since it was read, as editors do that ask before they
overwrite; what is left between that look and the save is what the races are about.
"""

import os
import sys


def save_by_rename(path, data):
    fresh = f"{path}~"
    with open(fresh, "wb") as file:
        file.write(data)
    os.replace(fresh, path)


def save_in_place(path, data):
    with open(path, "r+b") as file:
        file.truncate(0)
        file.write(data)


SAVE = {"rename": save_by_rename, "place": save_in_place}


def main(path):
    for order in sys.stdin:
        style, number, delay = order.split()
        for _ in range(int(delay)):
            pass
        with open(path, "rb") as file:
            data = file.read()
        lines = [line for line in data.split(b"\n") if not line.startswith(b"- edit ")]
        lines.insert(2, b"- edit %s of the person" % number.encode())
        SAVE[style](path, b"\n".join(lines))
        print(number, flush=True)


main(sys.argv[1])
