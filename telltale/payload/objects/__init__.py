"""The rules over objects: what keys and values say."""
