# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tests of the demo's boiler, a script of QUTest 8.0 and later. A host listens on TCP 6601 and UDP 7701:

    spytui --proto qs -o reference=qspy-8.1.3 --listen 6601 --qspy --headless
    qutest -eFOLDER/spytui-target test_boiler.py     QUTest starts the target for each test
    qutest test_boiler.py                            spytui-target --test --link connect:localhost:6601 is running

QUTest 8.0.0 starts the target without an address, so it needs a program that calls `spytui-target localhost:6601`.
"""

from qutest import *


def on_reset():
    # The target waits, so that the start of its objects can be seen.
    expect_pause()
    glb_filter(GRP_SM)
    continue_test()
    for machine, state in (
        ("door", "door_closed"),
        ("burner", "burner_off"),
        ("pump", "pump_stopped"),
        ("supervisor", "supervisor_idle"),
    ):
        expect("===RTC===> St-Entry Obj=" + machine + ",State=" + state)
        expect("@timestamp Init===> Obj=" + machine + ",State=" + state)
    expect_run()
    glb_filter(GRP_OFF)


def on_setup():
    glb_filter(GRP_SM)
    loc_filter(IDS_ALL)
    current_obj(OBJ_SM_AO, "burner")


def on_teardown():
    glb_filter(GRP_OFF)


test("the burner purges when it is switched on")
dispatch("HEAT_ON")
expect("@timestamp Disp===> Obj=burner,Sig=HEAT_ON,State=burner_off")
expect("===RTC===> St-Exit  Obj=burner,State=burner_off")
expect("===RTC===> St-Entry Obj=burner,State=burner_on")
expect("===RTC===> St-Entry Obj=burner,State=burner_purging")
expect("@timestamp ===>Tran Obj=burner,Sig=HEAT_ON,State=burner_off->burner_purging")
expect("@timestamp Trg-Done QS_RX_EVENT")
query_curr(OBJ_SM)
expect("@timestamp Query-SM Obj=burner,State=burner_purging")

test("then it ignites", NORESET)
loc_filter(-IDS_ALL)
for step in range(149):
    tick()
    expect("@timestamp Trg-Done QS_RX_TICK")
ao_filter("burner")
tick()
expect("@timestamp Disp===> Obj=burner,Sig=TIMEOUT,State=burner_purging")
expect("*St-Exit  Obj=burner,State=burner_purging")
expect("*St-Entry Obj=burner,State=burner_igniting")
expect("@timestamp ===>Tran Obj=burner,Sig=TIMEOUT,State=burner_purging->burner_igniting")
expect("@timestamp Trg-Done QS_RX_TICK")

test("a flame lights it, and the supervisor is notified", NORESET)
glb_filter(GRP_SM, GRP_AO)
command("FLAME")
expect("@timestamp AO-Post  Sdr=flame_irq,Obj=burner,Evt<Sig=FLAME_ON,Pool=0,Ref=0>,Que<Free=7,Min=*>")
expect("@timestamp AO-GetL  Obj=burner,Evt<Sig=FLAME_ON,Pool=0,Ref=0>")
expect("@timestamp Disp===> Obj=burner,Sig=FLAME_ON,State=burner_igniting")
expect("*St-Exit  Obj=burner,State=burner_igniting")
expect("@timestamp AO-Post  Sdr=burner,Obj=supervisor,Evt<Sig=BURNER_LIT,Pool=0,Ref=0>,Que<Free=*>")
expect("*St-Entry Obj=burner,State=burner_burning")
expect("@timestamp ===>Tran Obj=burner,Sig=FLAME_ON,State=burner_igniting->burner_burning")
expect("@timestamp AO-GetL  Obj=supervisor,Evt<Sig=BURNER_LIT,Pool=0,Ref=0>")
expect("@timestamp Disp===> Obj=supervisor,Sig=BURNER_LIT,State=supervisor_idle")
expect("@timestamp =>Ignore Obj=supervisor,Sig=BURNER_LIT,State=supervisor_idle")
expect("@timestamp Trg-Done QS_RX_COMMAND")

test("probes replace what the sensor reads")
glb_filter(GRP_UA)
current_obj(OBJ_SM, "supervisor")
probe("read_temperature", 640)
probe("read_temperature", 500)
command("POLL")
expect("@timestamp TstProbe Fun=read_temperature,Data=640")
expect("@timestamp BOILER  640 0.1 C")
expect("@timestamp PRESSURE *")
expect("@timestamp FLOW *")
expect("@timestamp Trg-Done QS_RX_COMMAND")
query_curr(OBJ_SM)
expect("@timestamp Query-SM Obj=supervisor,State=supervisor_idle")
command("POLL")
expect("@timestamp TstProbe Fun=read_temperature,Data=500")
expect("@timestamp BOILER  500 0.1 C")
expect("@timestamp Trg-Done QS_RX_COMMAND")
query_curr(OBJ_SM)
expect("@timestamp Query-SM Obj=supervisor,State=supervisor_heating")
current_obj(OBJ_SM, "pump")
query_curr(OBJ_SM)
expect("@timestamp Query-SM Obj=pump,State=pump_running")

test("an open door stops everything")
glb_filter(GRP_OFF)
dispatch("HEAT_ON")
expect("@timestamp Trg-Done QS_RX_EVENT")
publish("DOOR_OPENED")
expect("@timestamp Trg-Done QS_RX_EVENT")
query_curr(OBJ_SM)
expect("@timestamp Query-SM Obj=burner,State=burner_off")
query_curr(OBJ_AO)
expect("@timestamp Query-AO Pri=5,Que<Use=0,Free=8,Min=7>")
post("HEAT_ON")
expect("@timestamp Trg-Done QS_RX_EVENT")
query_curr(OBJ_SM)
expect("@timestamp Query-SM Obj=burner,State=burner_purging")

test("a state machine takes its initial transition again")
dispatch("HEAT_ON")
expect("@timestamp Disp===> *")
expect("*St-Exit *")
expect("*St-Entry *")
expect("*St-Entry *")
expect("@timestamp ===>Tran *")
expect("@timestamp Trg-Done QS_RX_EVENT")
init()
expect("*St-Entry Obj=burner,State=burner_off")
expect("@timestamp Init===> Obj=burner,State=burner_off")
expect("@timestamp Trg-Done QS_RX_EVENT")

test("memory of the plant is read and written")
current_obj(OBJ_AP, "plant")
poke(0, 2, pack("<H", 777))
fill(2, 2, 2, 9)
peek(0, 2, 3)
expect("@timestamp Trg-Peek Offs=0,Size=2,Num=3,Data=<0309,0009,0009>")

test("the program pauses where it wants to")
command("PAUSE")
expect_pause()
query_curr(OBJ_SM)
expect("@timestamp Query-SM Obj=burner,State=burner_off")
continue_test()
expect("@timestamp Trg-Done QS_RX_COMMAND")

test("a pressure that is too high fails an assertion")
command("CHECK", 3001)
expect("@timestamp =ASSERT= Mod=boiler,Loc=100")

test("so does one that a probe fails")
command("CHECK", 3000)
expect("@timestamp Trg-Done QS_RX_COMMAND")
probe("check_pressure", 1)
command("CHECK", 3000)
expect("@timestamp TstProbe Fun=check_pressure,Data=1")
expect("@timestamp =ASSERT= Mod=boiler,Loc=100")

test("after an assertion the target starts again")
query_curr(OBJ_SM)
expect("@timestamp Query-SM Obj=burner,State=burner_off")
