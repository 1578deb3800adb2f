"""Aids for the tests of tool authors: the contract, failing fakes, captured spans."""
