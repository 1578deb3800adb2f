"""The rules over texts: marks, fixed forms, pages, exit codes; never words in prose."""
