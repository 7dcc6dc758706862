# SPDX-License-Identifier: MIT OR Apache-2.0
"""Stands in for tkinter where QView shall have no window: timers run, nothing is drawn."""

import heapq
import time
from unittest.mock import MagicMock

# What QView uses.
__all__ = """ACTIVE Button Canvas Checkbutton E END Entry Frame IntVar LEFT Label Menu N OptionMenu S SUNKEN Scrollbar
StringVar Text Tk Toplevel W""".split()


def __getattr__(name):
    return MagicMock(name=name)


class Widget:
    def __init__(self, *args, **options):
        pass

    def __getattr__(self, name):
        return MagicMock(name=name)

    def quit(self):
        Tk.is_open = False


class Tk(Widget):
    is_open = True

    def __init__(self):
        self.timers, self.made = [], 0

    def after(self, ms, call, *args):
        self.made += 1
        heapq.heappush(self.timers, (time.monotonic() + ms / 1000, self.made, call, args))
        return self.made

    def after_cancel(self, timer):
        self.timers = [one for one in self.timers if one[1] != timer]
        heapq.heapify(self.timers)

    def mainloop(self):
        while Tk.is_open:
            due, _, call, args = heapq.heappop(self.timers)
            time.sleep(max(0, due - time.monotonic()))
            call(*args)


class Canvas(Widget):
    pass


class IntVar:
    def __init__(self, master=None, value=0):
        self.value = value

    def get(self):
        return self.value

    def set(self, value):
        self.value = value


StringVar = IntVar
