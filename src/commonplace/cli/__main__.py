"""`python -m commonplace.cli`: the command where its script is not installed."""

from commonplace.cli import main

main()
