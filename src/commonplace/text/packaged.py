"""Texts that ship inside the package: rule files and prompts."""

from __future__ import annotations

import pkgutil


def text(package: str, name: str) -> str:
    """Read a text that lies beside the modules of a package, as it is.

    Args:
        package: A dotted name.
        name: A relative path with `/`.

    Raises:
        FileNotFoundError: There is none; the installation is not whole.
    """
    data = pkgutil.get_data(package, name)
    if data is None:
        raise FileNotFoundError(f"{name!r} of {package!r} cannot be read; install the package again")
    return data.decode("utf-8")
