# SPDX-License-Identifier: MIT OR Apache-2.0
"""A view of the demo's boiler, a script of QView 7.4.1 and later. It prints what it receives, and ends by itself:

    spytui --proto qs --listen 6601 --qspy --headless
    spytui-target --link connect:localhost:6601 [--test]
    python3 view.py [HOST[:UDP_PORT]] [LOCAL_PORT]

QView 8 takes targets of 7.x with spytui's option `-o front-end-info=8`, QView 7 those of 8.x with
`-o front-end-info=7`. With the folder `no_window` in PYTHONPATH it opens no window.
"""

import qview
from qview import QView

# QView 7.4.1 looks for these in its module, where they are not.
for constant in dir(QView):
    if constant.startswith(("GRP_", "IDS_", "OBJ_")):
        setattr(qview, constant, getattr(QView, constant))

# By the number in the answer.
COMMANDS = {1: "command", 3: "tick", 16: "event"}
COMMANDS |= {10: "glb_filter", 11: "loc_filter", 12: "ao_filter", 13: "current_obj"}


def steps():
    """Yields the beginning of the line that must come before the next command."""
    yield "names"
    QView.reset_target()
    is_test = (yield ("paused", "run")) == "paused"
    yield from test_target() if is_test else free_running_target()


def test_target():
    QView.glb_filter(QView.GRP_SM, QView.GRP_UA)
    yield "acknowledged glb_filter"
    QView.loc_filter(-QView.IDS_ALL)
    yield "acknowledged loc_filter"
    QView.current_obj(QView.OBJ_SM, "burner")
    yield "acknowledged current_obj"
    # Its records are filtered out.
    QView.init()
    yield "done event"
    QView.ao_filter("burner")
    yield "acknowledged ao_filter"
    QView.dispatch("HEAT_ON")
    yield "done event"
    QView.query_curr(QView.OBJ_SM)
    yield "query"
    QView.current_obj(QView.OBJ_AO, "burner")
    yield "acknowledged current_obj"
    QView.post("HEAT_OFF")
    yield "done event"
    QView.publish("DOOR_OPENED")
    yield "done event"
    # The target gets neither, as the host finds no such names.
    QView.ao_filter("nobody")
    QView.command("NOTHING")
    QView.command("POLL")
    yield "done command"
    QView.tick()
    yield "done tick"
    QView.current_obj(QView.OBJ_AP, "plant")
    yield "acknowledged current_obj"
    QView.peek(0, 2, 1)
    yield "peek"


def free_running_target():
    QView.glb_filter(QView.GRP_UA)
    yield "acknowledged glb_filter"
    QView.command("CALM", 1)
    yield "done command"
    QView.current_obj(QView.OBJ_SM, "door")
    yield "acknowledged current_obj"
    QView.query_curr(QView.OBJ_SM)
    yield "query"
    yield "FLOW"


class Boiler(QView):
    def on_init(self):
        self.names = {}
        self.steps = steps()
        self.awaited = next(self.steps)

    def said(self, line):
        """Prints a line, and sends the next command if it waited for that."""
        print(line, flush=True)
        if line.startswith(self.awaited):
            try:
                self.awaited = self.steps.send(line)
            except StopIteration:
                # As if the window was closed.
                QView.canvas.quit()

    def enter(self, kind, key, name):
        self.names[kind, key] = name

    def name(self, kind, key):
        return self.names.get((kind, key), hex(key))

    def said_state(self, what, object, state):
        self.said(f"{what} {self.name('object', object)} {self.name('state', state)}")

    def on_reset(self):
        self.said("reset")

    def on_run(self):
        self.said("run")

    def QS_TEST_PAUSED(self, packet):
        self.said("paused")

    def QS_OBJ_DICT(self, packet):
        self.enter("object", *QView.qunpack("xxOZ", packet))

    def QS_FUN_DICT(self, packet):
        self.enter("state", *QView.qunpack("xxFZ", packet))

    def QS_SIG_DICT(self, packet):
        signal, _, name = QView.qunpack("xxSOZ", packet)
        self.enter("signal", signal, name)

    def QS_USR_DICT(self, packet):
        self.enter("record", *QView.qunpack("xxBZ", packet))

    def QS_ENUM_DICT(self, packet):
        _, _, name = QView.qunpack("xxBBZ", packet)
        # The last of the names that are used here.
        if name == "SEED":
            self.said("names")

    def QS_RX_STATUS(self, packet):
        (command,) = QView.qunpack("xxB", packet)
        self.said(f"acknowledged {COMMANDS.get(command, command)}")

    def QS_TARGET_DONE(self, packet):
        _, command = QView.qunpack("xxTB", packet)
        self.said(f"done {COMMANDS.get(command, command)}")

    def QS_QEP_STATE_ENTRY(self, packet):
        self.said_state("entry", *QView.qunpack("xxOF", packet))

    def QS_QEP_STATE_EXIT(self, packet):
        self.said_state("exit", *QView.qunpack("xxOF", packet))

    def QS_QEP_DISPATCH(self, packet):
        _, signal, object, state = QView.qunpack("xxTSOF", packet)
        self.said_state(f"dispatch {self.name('signal', signal)}", object, state)

    def QS_QUERY_DATA(self, packet):
        _, _, object, state = QView.qunpack("xxTBOF", packet)
        self.said_state("query", object, state)

    def QS_PEEK_DATA(self, packet):
        _, offset, size, number, value = QView.qunpack("xxTHBBH", packet)
        self.said(f"peek {offset} {size} {number}: {value}")

    def value(self, packet):
        record, _, number, unit = QView.qunpack("xBTxixZ", packet)
        self.said(f"{self.name('record', record)} {number} {unit}")

    QS_USER_00 = QS_USER_01 = QS_USER_02 = value


QView.main(Boiler())
