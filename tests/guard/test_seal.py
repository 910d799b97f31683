import ast
from pathlib import Path

import commonplace

SRC = Path(commonplace.__file__).parent


def _makers_of_screened_text(tree: ast.Module) -> set[str]:
    """Name every way a module reaches for the seal: an import, an attribute, a name or the private keyword."""
    used = set()
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(names=names):
                used |= {alias.name for alias in names} & {"seal", "_SEAL"}
            case ast.Attribute(attr="seal" | "_SEAL" as name) | ast.Name(id="seal" | "_SEAL" as name):
                used.add(name)
            case ast.Constant(value="seal" | "_SEAL" as name):
                used.add(name)
            case ast.keyword(arg="_seal"):
                used.add("_seal")
    return used


def test_only_the_guard_and_the_record_itself_can_make_screened_text():
    """DESIGN 1.3: both doors accept only text that the guard made, so no path can skip it."""
    makers = {
        path.relative_to(SRC).as_posix()
        for path in SRC.rglob("*.py")
        if "seal" in (text := path.read_text(encoding="utf-8")).lower() and _makers_of_screened_text(ast.parse(text))
    }
    assert makers == {"guard/screened.py", "guard/screening.py"}
