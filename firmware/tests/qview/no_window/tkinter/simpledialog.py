# SPDX-License-Identifier: MIT OR Apache-2.0
"""Dialogs, closed at once."""


class Dialog:
    def __init__(self, parent, title=None):
        print(f"dialog {title}: {vars(self)}", flush=True)
