"""The journal keeps what it acknowledged, whatever happens to its files."""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path

import pytest

from collector.journal import Journal, JournalError, Record


def record(first: int, rows: int = 2, size: int = 100) -> Record:
    """A record with a recognisable payload."""
    return Record(1, first, rows, bytes([first % 251]) * size)


def seqs(journal: Journal, after: int = 0) -> list[int]:
    """First arrival numbers of what is there."""
    return [found.first_seq for found in journal.records(after)]


def filled(folder: Path, count: int = 10, **options: int) -> list[Path]:
    """A folder with `count` records; returns its segments."""
    journal = Journal(folder, **options)
    for n in range(count):
        journal.append([record(1 + 2 * n)])
    journal.close()
    return sorted(folder.glob("*.ttj"))


def test_records_come_back_in_order(tmp_path: Path) -> None:
    """What was appended is read again after reopening, each byte of it."""
    filled(tmp_path, 5)
    journal = Journal(tmp_path)
    assert [(f.first_seq, f.rows, bytes(f.payload)) for f in journal.records(0)] == [
        (1 + 2 * n, 2, bytes([1 + 2 * n]) * 100) for n in range(5)
    ]
    assert journal.recovered.last_seq == 10
    assert journal.recovered.quarantined == []


def test_records_after_a_position(tmp_path: Path) -> None:
    """A record counts as long as one of its rows lies after the position."""
    filled(tmp_path, 5)
    journal = Journal(tmp_path)
    assert seqs(journal, 4) == [5, 7, 9]
    assert seqs(journal, 5) == [5, 7, 9]
    assert seqs(journal, 10) == []


def test_segments_rotate_and_are_released(tmp_path: Path) -> None:
    """Segments end at their size; those that lie wholly before a position are deleted, the open one too."""
    journal = Journal(tmp_path, segment_bytes=300)
    for n in range(10):
        journal.append([record(1 + 2 * n)])
    before = len(list(tmp_path.glob("*.ttj")))
    assert before > 2
    assert journal.release(9) > 0
    assert seqs(journal, 10) == [11, 13, 15, 17, 19]
    journal.release(20)
    assert list(tmp_path.glob("*.ttj")) == []
    journal.append([record(21)])
    assert seqs(journal) == [21]


@pytest.mark.parametrize("seed", range(25))
def test_a_cut_segment_keeps_its_prefix(tmp_path: Path, seed: int) -> None:
    """A kill leaves the last record torn: all before it is read, nothing is set aside."""
    [path] = filled(tmp_path)
    cut = random.Random(seed).randrange(path.stat().st_size)
    os.truncate(path, cut)
    journal = Journal(tmp_path)
    whole = cut // 128
    assert seqs(journal) == [1 + 2 * n for n in range(whole)]
    assert journal.recovered.quarantined == []
    assert journal.recovered.torn_bytes == cut - whole * 128


@pytest.mark.parametrize("seed", range(25))
def test_a_flipped_byte_costs_one_record(tmp_path: Path, seed: int) -> None:
    """Records before and after a damaged one are read; the segment is kept aside as it was found."""
    [path] = filled(tmp_path)
    content = bytearray(path.read_bytes())
    at = random.Random(seed).randrange(len(content) - 128)
    content[at] ^= 0x41
    path.write_bytes(content)
    journal = Journal(tmp_path)
    assert seqs(journal) == [1 + 2 * n for n in range(10) if n != at // 128]
    [kept] = journal.recovered.quarantined
    assert kept.read_bytes() == bytes(content)
    assert journal.recovered.damaged_bytes == 128


def test_a_zeroed_tail_is_set_aside(tmp_path: Path) -> None:
    """A power cut can leave zeros; what stood before them is read."""
    [path] = filled(tmp_path)
    with path.open("r+b") as file:
        file.seek(-300, os.SEEK_END)
        file.write(bytes(300))
    journal = Journal(tmp_path)
    assert seqs(journal) == [1 + 2 * n for n in range(7)]
    assert len(journal.recovered.quarantined) == 1


def test_a_full_disk_leaves_the_journal_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The failed records are not kept, the earlier ones are, and appending works again by itself."""
    journal = Journal(tmp_path)
    journal.append([record(1)])
    write = os.write

    def full(file: int, piece: bytes) -> int:
        write(file, bytes(piece[:50]))
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("collector.journal.journal.os.write", full)
    with pytest.raises(JournalError, match="No space left"):
        journal.append([record(3)])
    monkeypatch.undo()
    journal.append([record(5)])
    assert seqs(journal) == [1, 5]
    assert seqs(Journal(tmp_path)) == [1, 5]
    assert Journal(tmp_path).recovered.torn_bytes == 0


def test_a_failed_sync_acknowledges_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a failed fdatasync the segment is abandoned: its pages may be lost without another error."""
    journal = Journal(tmp_path)
    journal.append([record(1)])

    def broken(_file: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("collector.journal.journal.os.fdatasync", broken)
    with pytest.raises(JournalError):
        journal.append([record(3)])
    monkeypatch.undo()
    journal.append([record(5)])
    assert seqs(journal) == [1, 5]
    assert len(list(tmp_path.glob("*.ttj"))) == 2


def test_a_foreign_file_in_the_folder_is_left_alone(tmp_path: Path) -> None:
    """Only segments are read; a segment that is no segment at all is set aside, not fatal."""
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "00000000000000000001-1.ttj").write_bytes(os.urandom(5000))
    journal = Journal(tmp_path)
    assert seqs(journal) == []
    assert len(journal.recovered.quarantined) == 1
    assert (tmp_path / "notes.txt").read_text() == "mine"
