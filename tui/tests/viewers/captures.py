"""Captures of all protocols, clean and damaged, that the readers of viewers' formats are tried on."""

from pathlib import Path

DECODERS = Path(__file__).resolve().parents[3] / "decoders"
CAPTURES = {
    "qs/tests/captures/oven-734.bin": ("qs",),
    "qs/tests/captures/oven-734-flips.bin": ("qs",),
    "qs/tests/captures/every-record-734.bin": ("qs",),
    "rkh-trazer/tests/captures/gh340-default.bin": ("rkh",),
    "rkh-trazer/tests/captures/gh340-default-flip.bin": ("rkh",),
    "tband/tests/captures/brew_stream.bin": ("tband", "-o", "mode=free-rtos"),
    "tband/tests/captures/damaged_brew_gaps.bin": ("tband", "-o", "mode=free-rtos"),
    "qnx/tests/captures/fast-2cpu.kev": ("qnx",),
    "qnx/tests/captures/gaps-damaged.kev": ("qnx",),
}
