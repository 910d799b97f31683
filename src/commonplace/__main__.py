"""`python -m commonplace`: the command where its script is not installed."""

from commonplace.surfaces.cli import main

main()
