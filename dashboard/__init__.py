"""The pages: ask the API, draw, decide nothing."""
