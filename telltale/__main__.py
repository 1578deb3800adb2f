"""`python -m telltale` is the `telltale` command."""

from telltale._command import main

main()
