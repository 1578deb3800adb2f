"""Which files a path stands for: regular ones only, and of a folder those that look like recordings."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_ENDINGS = frozenset({".json", ".jsonl", ".ndjson", ".otlp", ".pb", ".binpb", ".proto", ".protobuf", ".bin"})
_PACKED = frozenset({".gz", ".zst"})


class NotReadable(Exception):
    """A path that cannot be ingested; the text names it."""


@dataclass(slots=True, frozen=True)
class Found:
    """A file to read, and its size in bytes."""

    path: Path
    size: int


def find(paths: Iterable[Path]) -> list[Found]:
    """The files that the paths stand for, folders walked without following links, in a stable order.

    Raises:
        NotReadable: a path does not exist, or is a pipe, a device or a socket.
    """
    found: list[Found] = []
    for path in paths:
        if path.is_dir():
            found += _in_folder(path)
        else:
            found.append(Found(path, _size_of_regular(path)))
    return found


def _in_folder(folder: Path) -> list[Found]:
    found = []
    for root, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        for name in sorted(names):
            path = Path(root, name)
            status = path.lstat()
            if stat.S_ISREG(status.st_mode) and _looks_recorded(path):
                found.append(Found(path, status.st_size))
    return found


def _looks_recorded(path: Path) -> bool:
    endings = [ending.lower() for ending in path.suffixes]
    if endings and endings[-1] in _PACKED:
        endings.pop()
        return not endings or endings[-1] in _ENDINGS
    return bool(endings) and endings[-1] in _ENDINGS


def _size_of_regular(path: Path) -> int:
    try:
        status = path.stat()
    except OSError as error:
        raise NotReadable(f"{path}: {error.strerror}") from None
    if not stat.S_ISREG(status.st_mode):
        raise NotReadable(f"{path} is not a regular file; to read from a pipe, use -")
    return status.st_size
