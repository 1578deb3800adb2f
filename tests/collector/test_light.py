"""The service takes no more memory than it uses."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

_COUNT = """
import ctypes, sys, tempfile, threading
from collector.light import share_arenas
if sys.argv[1] == "shared":
    assert share_arenas()
hold = threading.Barrier(9)
def work():
    kept = [b"x" * 3000 for _ in range(2000)]
    hold.wait()
    hold.wait()
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
hold.wait()
libc = ctypes.CDLL(None)
libc.fopen.restype, libc.malloc_info.argtypes = ctypes.c_void_p, [ctypes.c_int, ctypes.c_void_p]
libc.fclose.argtypes = [ctypes.c_void_p]
with tempfile.NamedTemporaryFile() as file:
    stream = libc.fopen(file.name.encode(), b"w")
    libc.malloc_info(0, stream)
    libc.fclose(stream)
    print(open(file.name).read().count("<heap nr="))
hold.wait()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has arenas")
def test_threads_share_two_arenas() -> None:
    """Eight threads that hold memory at once take it from two arenas, not from one each."""

    def arenas(how: str) -> int:
        done = subprocess.run([sys.executable, "-c", _COUNT, how], check=True, capture_output=True, text=True)
        return int(done.stdout)

    assert arenas("shared") <= 2 < arenas("alone")
