"""A person's editor in another process: told when, reads a file, changes one line of it, saves it.

A save waits until nobody else renamed the file since it was read, as editors do that ask before they
overwrite; what is left between that look and the save is what the races are about.
"""

import sys
from pathlib import Path


def save_by_rename(path, data):
    fresh = path.with_name("MEMORY.md~")
    fresh.write_bytes(data)
    fresh.replace(path)


def save_in_place(path, data):
    with path.open("r+b") as file:
        file.truncate(0)
        file.write(data)


SAVE = {"rename": save_by_rename, "place": save_in_place}


def main(path):
    for order in sys.stdin:
        style, number, delay = order.split()
        for _ in range(int(delay)):
            pass
        data = path.read_bytes()
        lines = [line for line in data.split(b"\n") if not line.startswith(b"- edit ")]
        lines.insert(2, b"- edit %s of the person" % number.encode())
        SAVE[style](path, b"\n".join(lines))
        print(number, flush=True)


main(Path(sys.argv[1]))
