//! The table: ids, names, tags, groups, fields, both line patterns, activities and severity of every record and
//! version.

use spytui_decoder_kit::pattern::field as f;
use spytui_plugin_api::{ActivityFlags as F, Verb as V, row::Severity};

use super::{
    ActivityMeaning, Field, Group, Layout, Ty, Variant,
    space::{FUNCTIONS, ISRS, OBJECTS, POOLS, RATES, SIGNALS, TASKS},
};
use crate::config::Style;

const T: Field = f("t", Ty::Time);
const OBJ: Field = f("obj", Ty::Obj);
const QUE: Field = f("que", Ty::Obj);
const SDR: Field = f("sdr", Ty::Obj);
const AO: Field = f("ao", Ty::Obj);
const STATE: Field = f("state", Ty::Fun);
const SOURCE: Field = f("source", Ty::Fun);
const TARGET: Field = f("target", Ty::Fun);
const SIG: Field = f("sig", Ty::Sig);
const POOL: Field = f("pool", Ty::U8);
const REF: Field = f("ref", Ty::U8);
const QFREE: Field = f("free", Ty::Que);
const QMIN: Field = f("min", Ty::Que);
const QMAR: Field = f("mar", Ty::Que);
const PFREE: Field = f("free", Ty::Ctr);
const PMIN: Field = f("min", Ty::Ctr);
const TIM: Field = f("tim", Ty::Tev);
const INT: Field = f("int", Ty::Tev);
const RATE: Field = f("rate", Ty::U8);
const NEST: Field = f("nest", Ty::U8);
const PRI: Field = f("pri", Ty::U8);
const PREV: Field = f("prev", Ty::U8);
const CEIL: Field = f("ceil", Ty::U8);
const THR: Field = f("thr", Ty::U8);
const HLDR: Field = f("hldr", Ty::U8);
const NAME: Field = f("name", Ty::Text);
const KIND: Field = f("kind", Ty::U8);

const TRANSITION: &[Field] = &[OBJ, SOURCE, TARGET];
const HANDLED: &[Field] = &[T, SIG, OBJ, STATE];
const DEFER: &[Field] = &[T, OBJ, QUE, SIG, POOL, REF];
const POST: &[Field] = &[T, SDR, SIG, OBJ, POOL, REF, QFREE, QMIN];
const PUT: &[Field] = &[T, SIG, OBJ, POOL, REF, QFREE, QMIN];
const GET: &[Field] = &[T, SIG, OBJ, POOL, REF, QFREE];
const GET_LAST: &[Field] = &[T, SIG, OBJ, POOL, REF];
const NEW: &[Field] = &[T, f("size", Ty::Evt), SIG];
const EVENT: &[Field] = &[T, SIG, POOL, REF];
const TIMER: &[Field] = &[T, OBJ, AO, TIM, INT, RATE];
const REARM: &[Field] = &[T, OBJ, AO, TIM, INT, RATE, f("was", Ty::U8)];
const ISR: &[Field] = &[T, NEST, PRI];
const SWITCH: &[Field] = &[T, PRI, PREV];
const LOCK: &[Field] = &[T, PREV, CEIL];
const SEM: &[Field] = &[T, OBJ, THR, f("cnt", Ty::U8)];
const MTX: &[Field] = &[T, OBJ, HLDR, NEST];
const MTX_BLOCK: &[Field] = &[T, OBJ, HLDR, THR];
const OLD_MUTEX: &[Field] = &[T, f("pro", Ty::U8), CEIL];

const ARROW: &str = "{source} → {target}";
const IN_STATE: &str = "{sig} in {state}";
const EVT: &str = "{sig} pool {pool} refs {ref}";
const CEILS: &str = "ceil {prev} → {ceil}";
const EMPTY_QUEUE: &str = "{sig}  queue empty  pool {pool} refs {ref}";
const QUEUED: &str = "{sig}  free {free} min {min}  pool {pool} refs {ref}";
const TAKEN: &str = "{sig}  free {free}  pool {pool} refs {ref}";

type M = ActivityMeaning<&'static str>;

const fn machine(verb: V) -> M {
    M::new(verb).sub(OBJECTS, "obj")
}

const fn handled(verb: V) -> M {
    machine(verb).obj(FUNCTIONS, "state").item(SIGNALS, "sig")
}

const fn deferred(verb: V) -> M {
    machine(verb).obj(OBJECTS, "que")
}

const fn event(verb: V) -> M {
    M::new(verb).item(SIGNALS, "sig")
}

const fn counted(verb: V) -> M {
    event(verb).obj_or_none(POOLS, "pool").val("ref")
}

const fn timer(verb: V) -> M {
    machine(verb).obj(OBJECTS, "ao")
}

const fn lock(verb: V, task: &'static str) -> M {
    M::new(verb).sub(TASKS, task).obj(OBJECTS, "obj")
}

const INITIAL: M = machine(V::INIT).obj(FUNCTIONS, "source").item(FUNCTIONS, "target");
const RESTING: M = machine(V::REST).item(FUNCTIONS, "state");
const POSTED: M = M::new(V::POST).obj(OBJECTS, "obj").item(SIGNALS, "sig");
const GOT: M = machine(V::GET).obj(OBJECTS, "obj").item(SIGNALS, "sig");
/// Free entries of the record's queue or pool; next: with low watermark, with requested margin.
const FREE_ENTRIES: M = M::new(V::LEVEL).obj(OBJECTS, "obj").val("free").with(F::FREE);
const LEVEL: M = FREE_ENTRIES.second("min");
const REFUSED: M = FREE_ENTRIES.second("mar").with(F::FAILED);

use Group::{Answer, Ao, Dict, Eq, Info, Mp, Mtx, Qf, Sc, Sem, Sm, Te, Test};
use Layout as L;

/// Every predefined record as sent by 7.2 to 8.1, by id.
#[rustfmt::skip]
pub(crate) static TABLE: [Layout; 80] = [
    L::new(0, "QS_EMPTY", "Empty", Info, &[], "", "sequence reset"),
    L::new(1, "QS_QEP_STATE_ENTRY", "St-Entry", Sm, &[OBJ, STATE], "St-Entry Obj={obj},State={state}", "{state}")
        .means(machine(V::ENTER).item(FUNCTIONS, "state")),
    L::new(2, "QS_QEP_STATE_EXIT", "St-Exit", Sm, &[OBJ, STATE], "St-Exit  Obj={obj},State={state}", "{state}")
        .means(machine(V::EXIT).item(FUNCTIONS, "state")),
    L::new(3, "QS_QEP_STATE_INIT", "St-Init", Sm, TRANSITION, "St-Init  Obj={obj},State={source}->{target}", ARROW)
        .means(INITIAL),
    L::new(4, "QS_QEP_INIT_TRAN", "Init", Sm, &[T, OBJ, STATE], "Init===> Obj={obj},State={state}", "{state}")
        .means(machine(V::INIT).item(FUNCTIONS, "state")).then(RESTING),
    L::new(5, "QS_QEP_INTERN_TRAN", "Intern", Sm, HANDLED, "=>Intern Obj={obj},Sig={sig},State={state}", IN_STATE)
        .means(handled(V::INTERNAL)),
    L::new(6, "QS_QEP_TRAN", "Tran", Sm, &[T, SIG, OBJ, SOURCE, TARGET],
        "===>Tran Obj={obj},Sig={sig},State={source}->{target}", "{sig}  {source} → {target}")
        .means(machine(V::TRAN).obj(FUNCTIONS, "source").item(SIGNALS, "sig").second_key(FUNCTIONS, "target")),
    L::new(7, "QS_QEP_IGNORED", "Ignore", Sm, HANDLED, "=>Ignore Obj={obj},Sig={sig},State={state}", IN_STATE)
        .means(handled(V::IGNORED)).severity(Severity::WARNING),
    L::new(8, "QS_QEP_DISPATCH", "Disp", Sm, HANDLED, "Disp===> Obj={obj},Sig={sig},State={state}", IN_STATE)
        .means(handled(V::DISPATCH)),
    L::new(9, "QS_QEP_UNHANDLED", "St-Unhnd", Sm, &[SIG, OBJ, STATE],
        "St-Unhnd Obj={obj},Sig={sig},State={state}", IN_STATE)
        .means(handled(V::UNHANDLED)),
    L::new(10, "QS_QF_ACTIVE_DEFER", "AO-Defer", Ao, DEFER,
        "AO-Defer Obj={obj},Que={que},Evt<Sig={sig},Pool={pool},Ref={ref}>", "{sig} → {que}  pool {pool} refs {ref}")
        .means(deferred(V::DEFER).item(SIGNALS, "sig")),
    L::new(11, "QS_QF_ACTIVE_RECALL", "AO-RCall", Ao, DEFER,
        "AO-RCall Obj={obj},Que={que},Evt<Sig={sig},Pool={pool},Ref={ref}>", "{sig} ← {que}  pool {pool} refs {ref}")
        .means(deferred(V::RECALL).item(SIGNALS, "sig")),
    L::new(12, "QS_QF_ACTIVE_SUBSCRIBE", "AO-Subsc", Ao, &[T, SIG, OBJ], "AO-Subsc Obj={obj},Sig={sig}", "{sig}")
        .means(machine(V::SUBSCRIBE).item(SIGNALS, "sig")),
    L::new(13, "QS_QF_ACTIVE_UNSUBSCRIBE", "AO-Unsub", Ao, &[T, SIG, OBJ], "AO-Unsub Obj={obj},Sig={sig}", "{sig}")
        .means(machine(V::UNSUBSCRIBE).item(SIGNALS, "sig")),
    L::new(14, "QS_QF_ACTIVE_POST", "AO-Post", Ao, POST,
        "AO-Post  Sdr={sdr},Obj={obj},Evt<Sig={sig},Pool={pool},Ref={ref}>,Que<Free={free},Min={min}>",
        "{sig}{sdr:s}  free {free} min {min}  pool {pool} refs {ref}")
        .means(POSTED.sub_or_none(OBJECTS, "sdr")).then(LEVEL),
    L::new(15, "QS_QF_ACTIVE_POST_LIFO", "AO-LIFO", Ao, PUT,
        "AO-LIFO  Obj={obj},Evt<Sig={sig},Pool={pool},Ref={ref}>,Que<Free={free},Min={min}>",
        QUEUED)
        .means(POSTED.with(F::LIFO)).then(LEVEL),
    L::new(16, "QS_QF_ACTIVE_GET", "AO-Get", Ao, GET,
        "AO-Get   Obj={obj},Evt<Sig={sig},Pool={pool},Ref={ref}>,Que<Free={free}>", TAKEN)
        .means(GOT).then(FREE_ENTRIES),
    L::new(17, "QS_QF_ACTIVE_GET_LAST", "AO-GetL", Ao, GET_LAST,
        "AO-GetL  Obj={obj},Evt<Sig={sig},Pool={pool},Ref={ref}>", EMPTY_QUEUE)
        .means(GOT).then(M::new(V::EMPTY).obj(OBJECTS, "obj")),
    L::new(18, "QS_QF_ACTIVE_RECALL_ATTEMPT", "AO-RCllA", Ao, &[T, OBJ, QUE],
        "AO-RCllA Obj={obj},Que={que}", "{que} empty")
        .means(deferred(V::RECALL).with(F::FAILED)).severity(Severity::WARNING),
    L::new(19, "QS_QF_EQUEUE_POST", "EQ-Post", Eq, PUT,
        "EQ-Post  Obj={obj},Evt<Sig={sig},Pool={pool},Ref={ref}>,Que<Free={free},Min={min}>", QUEUED)
        .means(POSTED).then(LEVEL),
    L::new(20, "QS_QF_EQUEUE_POST_LIFO", "EQ-LIFO", Eq, PUT,
        "EQ-LIFO Obj={obj},Evt<Sig={sig},Pool={pool},Ref={ref}>,Que<Free={free},Min={min}>", QUEUED)
        .means(POSTED.with(F::LIFO)).then(LEVEL),
    L::new(21, "QS_QF_EQUEUE_GET", "EQ-Get", Eq, GET,
        "EQ-Get   Obj={obj},Evt<Sig={sig},Pool={pool},Ref={ref}>,Que<Free={free}>", TAKEN)
        .means(GOT).then(FREE_ENTRIES),
    L::new(22, "QS_QF_EQUEUE_GET_LAST", "EQ-GetL", Eq, GET_LAST,
        "EQ-GetL  Obj={obj},Evt<Sig={sig},Pool={pool},Ref={ref}>", EMPTY_QUEUE)
        .means(GOT).then(M::new(V::EMPTY).obj(OBJECTS, "obj")),
    L::new(23, "QS_QF_NEW_ATTEMPT", "QF-NewA", Qf, NEW, "QF-NewA  Sig={sig},Size={size}", "{sig} {size} B")
        .means(event(V::ALLOC).val("size").with(F::FAILED)).severity(Severity::WARNING),
    L::new(24, "QS_QF_MPOOL_GET", "MP-Get", Mp, &[T, OBJ, PFREE, PMIN],
        "MP-Get   Obj={obj},Free={free},Min={min}", "free {free} min {min}")
        .means(LEVEL),
    L::new(25, "QS_QF_MPOOL_PUT", "MP-Put", Mp, &[T, OBJ, PFREE], "MP-Put   Obj={obj},Free={free}", "free {free}")
        .means(FREE_ENTRIES),
    L::new(26, "QS_QF_PUBLISH", "QF-Pub", Qf, &[T, SDR, SIG, POOL, REF],
        "QF-Pub   Sdr={sdr},Evt<Sig={sig},Pool={pool},Ref={ref}>", EVT)
        .means(event(V::PUBLISH).sub_or_none(OBJECTS, "sdr")),
    L::new(27, "QS_QF_NEW_REF", "QF-NewRf", Qf, EVENT, "QF-NewRf Evt<Sig={sig},Pool={pool},Ref={ref}>", EVT)
        .means(counted(V::REF)),
    L::new(28, "QS_QF_NEW", "QF-New", Qf, NEW, "QF-New   Sig={sig},Size={size}", "{sig} {size} B")
        .means(event(V::ALLOC).val("size")),
    L::new(29, "QS_QF_GC_ATTEMPT", "QF-gcA", Qf, EVENT, "QF-gcA   Evt<Sig={sig},Pool={pool},Ref={ref}>", EVT)
        .means(counted(V::UNREF)),
    L::new(30, "QS_QF_GC", "QF-gc", Qf, EVENT, "QF-gc    Evt<Sig={sig},Pool={pool},Ref={ref}>", EVT)
        .means(counted(V::COLLECT)),
    L::new(31, "QS_QF_TICK", "Tick", Qf, &[f("ctr", Ty::Tev), RATE],
        "Tick<{rate}>  Ctr={ctr:10}", "rate {rate} ctr {ctr}")
        .means(M::new(V::TICK).item(RATES, "rate").val("ctr")),
    L::new(32, "QS_QF_TIMEEVT_ARM", "TE-Arm", Te, TIMER,
        "TE{rate}-Arm  Obj={obj},AO={ao},Tim={tim},Int={int}", "TE{rate}-Arm|{ao} in {tim}{int:e}")
        .means(timer(V::ARM).val("tim").second("int")),
    L::new(33, "QS_QF_TIMEEVT_AUTO_DISARM", "TE-ADis", Te, &[OBJ, AO, RATE],
        "TE{rate}-ADis Obj={obj},AO={ao}", "TE{rate}-ADis|{ao}")
        .means(timer(V::DISARM)),
    L::new(34, "QS_QF_TIMEEVT_DISARM_ATTEMPT", "TE-DisA", Te, &[T, OBJ, AO, RATE],
        "TE{rate}-DisA Obj={obj},AO={ao}", "TE{rate}-DisA|{ao}")
        .means(timer(V::DISARM).with(F::FAILED)),
    L::new(35, "QS_QF_TIMEEVT_DISARM", "TE-Dis", Te, TIMER,
        "TE{rate}-Dis  Obj={obj},AO={ao},Tim={tim},Int={int}", "TE{rate}-Dis|{ao} left {tim}{int:e}")
        .means(timer(V::DISARM).val("tim").second("int")),
    L::new(36, "QS_QF_TIMEEVT_REARM", "TE-Rarm", Te, REARM,
        "TE{rate}-Rarm Obj={obj},AO={ao},Tim={tim},Int={int},Was={was}",
        "TE{rate}-Rarm|{ao} in {tim}{int:e} was {was}")
        .means(timer(V::ARM).val("tim").second("int")),
    L::new(37, "QS_QF_TIMEEVT_POST", "TE-Post", Te, &[T, OBJ, SIG, AO, RATE],
        "TE{rate}-Post Obj={obj},Sig={sig},AO={ao}", "TE{rate}-Post|{sig} → {ao}")
        .means(timer(V::FIRE).item(SIGNALS, "sig")),
    L::new(38, "QS_QF_DELETE_REF", "QF-DelRf", Qf, EVENT, "QF-DelRf Evt<Sig={sig},Pool={pool},Ref={ref}>", EVT)
        .means(counted(V::UNREF)),
    L::new(39, "QS_QF_CRIT_ENTRY", "QF-CritE", Qf, &[T, NEST], "QF-CritE Nest={nest}", "nest {nest}")
        .means(M::new(V::CRIT_IN).sub(ISRS, "").val("nest")),
    L::new(40, "QS_QF_CRIT_EXIT", "QF-CritX", Qf, &[T, NEST], "QF-CritX Nest={nest}", "nest {nest}")
        .means(M::new(V::CRIT_OUT).sub(ISRS, "").val("nest")),
    L::new(41, "QS_QF_ISR_ENTRY", "QF-IsrE", Qf, ISR, "QF-IsrE  Nest={nest},Pri={pri}", "nest {nest}")
        .means(M::new(V::ISR_IN).sub(ISRS, "pri").val("nest")),
    L::new(42, "QS_QF_ISR_EXIT", "QF-IsrX", Qf, ISR, "QF-IsrX  Nest={nest},Pri={pri}", "nest {nest}")
        .means(M::new(V::ISR_OUT).sub(ISRS, "pri").val("nest")),
    L::new(45, "QS_QF_ACTIVE_POST_ATTEMPT", "AO-PostA", Ao, &[T, SDR, SIG, OBJ, POOL, REF, QFREE, QMAR],
        "AO-PostA Sdr={sdr},Obj={obj},Evt<Sig={sig},Pool={pool},Ref={ref}>,Que<Free={free},Mar={mar}>",
        "{sig}{sdr:s}  not posted: {free} free, margin {mar}  pool {pool} refs {ref}")
        .means(POSTED.sub_or_none(OBJECTS, "sdr").with(F::FAILED)).then(REFUSED).severity(Severity::WARNING),
    L::new(46, "QS_QF_EQUEUE_POST_ATTEMPT", "EQ-PostA", Eq, &[T, SIG, OBJ, POOL, REF, QFREE, QMAR],
        "EQ-PostA Obj={obj},Evt<Sig={sig},Pool={pool},Ref={ref}>,Que<Free={free},Mar={mar}>",
        "{sig}  not posted: {free} free, margin {mar}  pool {pool} refs {ref}")
        .means(POSTED.with(F::FAILED)).then(REFUSED).severity(Severity::WARNING),
    L::new(47, "QS_QF_MPOOL_GET_ATTEMPT", "MP-GetA", Mp, &[T, OBJ, PFREE, f("mar", Ty::Ctr)],
        "MP-GetA  Obj={obj},Free={free},Mar={mar}", "allocation failed: {free} free, margin {mar}")
        .means(REFUSED).severity(Severity::WARNING),
    L::new(48, "QS_SCHED_PREEMPT", "Sch-Pre", Sc, SWITCH, "Sch-Pre  Pri={prev}->{pri}", "{prev} → {pri}")
        .means(M::new(V::RUN).sub(TASKS, "pri")),
    L::new(49, "QS_SCHED_RESTORE", "Sch-Rest", Sc, SWITCH, "Sch-Rest Pri={prev}->{pri}", "{prev} → {pri}")
        .means(M::new(V::RUN).sub(TASKS, "pri")),
    L::new(50, "QS_SCHED_LOCK", "Sch-Lock", Sc, LOCK, "Sch-Lock Ceil={prev}->{ceil}", CEILS)
        .means(M::new(V::SCHED_LOCK).val("ceil")),
    L::new(51, "QS_SCHED_UNLOCK", "Sch-Unlk", Sc, LOCK, "Sch-Unlk Ceil={prev}->{ceil}", CEILS)
        .means(M::new(V::SCHED_UNLOCK).val("ceil")),
    L::new(52, "QS_SCHED_NEXT", "Sch-Next", Sc, SWITCH, "Sch-Next Pri={prev}->{pri}", "{prev} → {pri}")
        .means(M::new(V::RUN).sub(TASKS, "pri")),
    L::new(53, "QS_SCHED_IDLE", "Sch-Idle", Sc, &[T, PRI], "Sch-Idle Pri={pri}->0", "{pri} → 0")
        .means(M::new(V::IDLE)),
    L::new(54, "QS_ENUM_DICT", "Enum-Dic", Dict, &[f("value", Ty::U8), f("group", Ty::U8), NAME],
        "Enum-Dic {value:3},Grp={group:g}->{name}", "group {group:g} value {value} = {name}"),
    L::new(55, "QS_QEP_TRAN_HIST", "St-Hist", Sm, TRANSITION, "St-Hist  Obj={obj},State={source}->{target}", ARROW)
        .means(INITIAL),
    L::new(56, "QS_QEP_TRAN_EP", "St-EP", Sm, TRANSITION, "St-EP    Obj={obj},State={source}->{target}", ARROW)
        .means(INITIAL),
    L::new(57, "QS_QEP_TRAN_XP", "St-XP", Sm, TRANSITION, "St-XP    Obj={obj},State={source}->{target}", ARROW)
        .means(INITIAL),
    L::new(58, "QS_TEST_PAUSED", "TstPause", Test, &[], "TstPause", "test paused"),
    L::new(59, "QS_TEST_PROBE_GET", "TstProbe", Test, &[T, f("fun", Ty::Fun), f("data", Ty::U32)],
        "TstProbe Fun={fun},Data={data:i}", "{fun} data {data:i}"),
    L::new(60, "QS_SIG_DICT", "Sig-Dict", Dict, &[SIG, OBJ, NAME],
        "Sig-Dict {sig:n},Obj={obj:x}->{name}", "sig {sig:d} = {name}"),
    L::new(61, "QS_OBJ_DICT", "Obj-Dict", Dict, &[OBJ, NAME], "Obj-Dict {obj:x}->{name}", "{obj:a} = {name}"),
    L::new(62, "QS_FUN_DICT", "Fun-Dict", Dict, &[f("fun", Ty::Fun), NAME],
        "Fun-Dict {fun:x}->{name}", "{fun:a} = {name}"),
    L::new(63, "QS_USR_DICT", "Usr-Dict", Dict, &[f("rec", Ty::U8), NAME],
        "Usr-Dict {rec:8}->{name}", "record {rec} = {name}"),
    L::new(64, "QS_TARGET_INFO", "Trg-Info", Info, &[], "", ""),
    L::new(65, "QS_TARGET_DONE", "Trg-Done", Answer, &[T, f("cmd", Ty::U8)], "Trg-Done {cmd:r}", "{cmd:r}"),
    L::new(66, "QS_RX_STATUS", "Trg-Ack", Answer, &[f("status", Ty::U8)], "Trg-{status:k}", "Trg-{status:K}"),
    L::new(67, "QS_QUERY_DATA", "Query", Answer, &[T, KIND], "", ""),
    L::new(68, "QS_PEEK_DATA", "Trg-Peek", Answer,
        &[T, f("offs", Ty::U16), f("size", Ty::U8), f("num", Ty::U8), f("data", Ty::Items)],
        "Trg-Peek Offs={offs},Size={size},Num={num},Data=<", "offs {offs} size {size}: {data:P}"),
    L::new(69, "QS_ASSERT_FAIL", "ASSERT", Info, &[T, f("loc", Ty::U16), f("mod", Ty::Text)],
        "=ASSERT= Mod={mod},Loc={loc}", "{mod}:{loc}")
        .means(M::new(V::ASSERT).val("loc")).severity(Severity::ERROR),
    L::new(70, "QS_QF_RUN", "QF_RUN", Info, &[], "QF_RUN", "application runs"),
    L::new(71, "QS_SEM_TAKE", "Sem-Take", Sem, SEM, "Sem-Take {obj},Thr={thr},Cnt={cnt}", "thr {thr} cnt {cnt}")
        .means(lock(V::TAKE, "thr").val("cnt")),
    L::new(72, "QS_SEM_BLOCK", "Sem-Blk", Sem, SEM, "Sem-Blk  {obj},Thr={thr},Cnt={cnt}", "thr {thr} cnt {cnt}")
        .means(lock(V::BLOCK, "thr").val("cnt")),
    L::new(73, "QS_SEM_SIGNAL", "Sem-Sgnl", Sem, SEM, "Sem-Sgnl {obj},Thr={thr},Cnt={cnt}", "thr {thr} cnt {cnt}")
        .means(lock(V::GIVE, "thr").val("cnt")),
    L::new(74, "QS_SEM_BLOCK_ATTEMPT", "Sem-BlkA", Sem, SEM,
        "Sem-BlkA {obj},Thr={thr},Cnt={cnt}", "thr {thr} cnt {cnt}")
        .means(lock(V::BLOCK, "thr").val("cnt").with(F::FAILED)).severity(Severity::WARNING),
    L::new(75, "QS_MTX_LOCK", "Mtx-Lock", Mtx, MTX,
        "Mtx-Lock {obj},Hldr={hldr},Nest={nest}", "holder {hldr} nest {nest}")
        .means(lock(V::TAKE, "hldr").val("nest")),
    L::new(76, "QS_MTX_BLOCK", "Mtx-Blk", Mtx, MTX_BLOCK,
        "Mtx-Blk  {obj},Hldr={hldr},Thr={thr}", "holder {hldr} thr {thr}")
        .means(lock(V::BLOCK, "thr")),
    L::new(77, "QS_MTX_UNLOCK", "Mtx-Unlk", Mtx, MTX,
        "Mtx-Unlk {obj},Hldr={hldr},Nest={nest}", "holder {hldr} nest {nest}")
        .means(lock(V::GIVE, "hldr").val("nest")),
    L::new(78, "QS_MTX_LOCK_ATTEMPT", "Mtx-LckA", Mtx, MTX,
        "Mtx-LckA {obj},Hldr={hldr},Nest={nest}", "holder {hldr} nest {nest}")
        .means(lock(V::TAKE, "hldr").val("nest").with(F::FAILED)).severity(Severity::WARNING),
    L::new(79, "QS_MTX_BLOCK_ATTEMPT", "Mtx-BlkA", Mtx, MTX_BLOCK,
        "Mtx-BlkA {obj},Hldr={hldr},Thr={thr}", "holder {hldr} thr {thr}")
        .means(lock(V::BLOCK, "thr").with(F::FAILED)).severity(Severity::WARNING),
    L::new(80, "QS_MTX_UNLOCK_ATTEMPT", "Mtx-UlkA", Mtx, MTX,
        "Mtx-UlkA {obj},Hldr={hldr},Nest={nest}", "holder {hldr} nest {nest}")
        .means(lock(V::GIVE, "hldr").val("nest").with(F::FAILED)).severity(Severity::WARNING),
    L::new(81, "QS_QF_ACTIVE_DEFER_ATTEMPT", "AO-DefrA", Ao, DEFER,
        "AO-DefrA Obj={obj},Que={que},Evt<Sig={sig},Pool={pool},Ref={ref}>", "{sig} → {que} refused  pool {pool} refs {ref}")
        .means(deferred(V::DEFER).item(SIGNALS, "sig").with(F::FAILED)).severity(Severity::WARNING),
];

const NATIVE: u8 = Style::Native.bit();
const REF7: u8 = Style::Qspy734.bit();
const REF8: u8 = Style::Qspy813.bit();

const fn old(below: u16, styles: u8, layout: Layout) -> Variant {
    Variant { below, styles, id: layout.id, layout: Some(layout) }
}

const fn unknown(below: u16, styles: u8, id: u8) -> Variant {
    Variant { below, styles, id, layout: None }
}

/// Layouts of older targets, and deviations of a reference host.
#[rustfmt::skip]
pub(crate) static OLD: &[Variant] = &[
    // The 7.3.4 host swaps the last two bytes.
    old(u16::MAX, REF7, L::new(36, "QS_QF_TIMEEVT_REARM", "TE-Rarm", Te, REARM,
        "TE{was}-Rarm Obj={obj},AO={ao},Tim={tim},Int={int},Was={rate}", "")
        .means(timer(V::ARM).val("tim").second("int"))),
    unknown(u16::MAX, REF7, 81),
    unknown(800, NATIVE, 81),
    old(710, REF7 | REF8, L::new(48, "QS_SCHED_PREEMPT", "Mtx-Lock", Sc, OLD_MUTEX,
        "Mtx-Lock Pro={pro},Ceil={ceil}", "")),
    old(710, REF7 | REF8, L::new(49, "QS_SCHED_RESTORE", "Mtx-Unlk", Sc, OLD_MUTEX,
        "Mtx-Unlk Pro={pro},Ceil={ceil}", "")),
    old(712, NATIVE, L::new(48, "QS_MUTEX_LOCK", "Mtx-Lock", Sc, OLD_MUTEX, "", "Mtx-Lock|pro {pro} ceil {ceil}")),
    old(712, NATIVE, L::new(49, "QS_MUTEX_UNLOCK", "Mtx-Unlk", Sc, OLD_MUTEX, "", "Mtx-Unlk|pro {pro} ceil {ceil}")),
    old(720, NATIVE, L::new(54, "QS_SCHED_RESUME", "Sch-Rsme", Sc, SWITCH, "", "{prev} → {pri}")
        .means(M::new(V::RUN).sub(TASKS, "pri"))),
    // Before 6.2, these ids had other meanings.
    old(620, NATIVE, L::new(10, "QS_QF_ACTIVE_ADD", "AO-Add", Ao, &[T, OBJ, PRI], "", "AO-Add|pri {pri}")),
    old(620, REF7 | NATIVE, L::new(11, "QS_QF_ACTIVE_REMOVE", "AO-Remov", Ao, &[T, OBJ, PRI],
        "AO-Remov Obj={obj},Pri={pri}", "AO-Remov|pri {pri}")),
    old(620, REF7 | NATIVE, L::new(18, "QS_QF_EQUEUE_INIT", "EQ-Init", Eq, &[OBJ, f("len", Ty::Que)],
        "EQ-Init  Obj={obj},Len={len}", "EQ-Init|len {len}")),
    old(620, NATIVE, L::new(23, "QS_QF_MPOOL_INIT", "MP-Init", Mp, &[OBJ, f("len", Ty::Ctr)], "",
        "MP-Init|len {len}")),
    unknown(620, NATIVE, 27),
    old(620, REF7 | NATIVE, L::new(38, "QS_QF_TIMEEVT_CTR", "TE-Ctr", Te, TIMER,
        "TE{rate}-Ctr  Obj={obj},AO={ao},Tim={tim},Int={int}", "TE{rate}-Ctr|{ao} in {tim}{int:e}")),
    old(580, REF7 | NATIVE, L::new(66, "QS_RX_STATUS", "Trg-Ack", Answer, &[T, f("status", Ty::U8)],
        "Trg-{status:k}", "Trg-{status:K}")),
];

/// QS_QUERY_DATA before 8.1 by kind of object; the second to last is only known to the 8.1.3 host, the last is an
/// active object before 6.9.
#[rustfmt::skip]
pub(crate) static QUERY: [Layout; 9] = [
    L::new(0, "QS_QUERY_DATA", "Query-SM", Answer, &[T, KIND, OBJ, STATE],
        "Query-SM Obj={obj},State={state}", "Query-SM|{state}")
        .means(RESTING),
    L::new(1, "QS_QUERY_DATA", "Query-AO", Answer, &[T, KIND, OBJ, STATE],
        "Query-AO Obj={obj},State={state}", "Query-AO|{state}")
        .means(RESTING),
    L::new(2, "QS_QUERY_DATA", "Query-MP", Answer, &[T, KIND, OBJ, PFREE, PMIN],
        "Query-MP Obj={obj},Free={free},Min={min}", "Query-MP|free {free} min {min}")
        .means(LEVEL),
    L::new(3, "QS_QUERY_DATA", "Query-EQ", Answer, &[T, KIND, OBJ, QFREE, QMIN],
        "Query-EQ Obj={obj},Que<Free={free},Min={min}>", "Query-EQ|free {free} min {min}")
        .means(LEVEL),
    L::new(4, "QS_QUERY_DATA", "Query-TE", Answer, &[T, KIND, OBJ, AO, TIM, INT, SIG, f("flags", Ty::U8)],
        "Query-TE Obj={obj},Rate={flags:l},Sig={sig},Tim={tim},Int={int},Flags=0x{flags:h}",
        "Query-TE|{sig} → {ao} in {tim}{int:e} rate {flags:l} flags 0x{flags:h}"),
    L::new(5, "QS_QUERY_DATA", "Query-AP", Answer, &[T, KIND, OBJ], "Query-AP Obj={obj}", "Query-AP|"),
    L::new(6, "QS_QUERY_DATA", "Query-SM_AO", Answer, &[T, KIND, OBJ], "Query-SM_AO Obj={obj}", "Query-SM_AO|"),
    L::new(7, "QS_QUERY_DATA", "Query-EP", Answer, &[T, KIND, OBJ], "Query-EP Obj={obj}", ""),
    L::new(1, "QS_QUERY_DATA", "Query-AO", Answer, &[T, KIND, OBJ, QFREE, QMIN],
        "Query-AO Obj={obj},Que<Free={free},Min={min}>", "Query-AO|free {free} min {min}")
        .means(LEVEL),
];

const USE16: Field = f("use", Ty::U16);
const FREE16: Field = f("free", Ty::U16);
const MIN16: Field = f("min", Ty::U16);
const SIZE16: Field = f("size", Ty::U16);

/// QS_QUERY_DATA since 8.1.
#[rustfmt::skip]
pub(crate) static QUERY_810: [Layout; 8] = [
    L::new(0, "QS_QUERY_DATA", "Query-SM", Answer, &[T, KIND, OBJ, STATE],
        "Query-SM Obj={obj},State={state}", "Query-SM|{state}")
        .means(RESTING),
    L::new(1, "QS_QUERY_DATA", "Query-AO", Answer, &[T, KIND, PRI, USE16, FREE16, MIN16],
        "Query-AO Pri={pri},Que<Use={use},Free={free},Min={min}>",
        "Query-AO|pri {pri} use {use} free {free} min {min}"),
    L::new(2, "QS_QUERY_DATA", "Query-MP", Answer, &[T, KIND, OBJ, USE16, FREE16, MIN16, SIZE16],
        "Query-MP Obj={obj},Use={use},Free={free},Min={min},Size={size}",
        "Query-MP|use {use} free {free} min {min} size {size}")
        .means(LEVEL),
    L::new(3, "QS_QUERY_DATA", "Query-EQ", Answer, &[T, KIND, OBJ, USE16, FREE16, MIN16],
        "Query-EQ Obj={obj},Use={use},Free={free},Min={min}", "Query-EQ|use {use} free {free} min {min}")
        .means(LEVEL),
    L::new(4, "QS_QUERY_DATA", "Query-TE", Answer, &[T, KIND, OBJ, AO, TIM, INT, SIG, f("flags", Ty::U8)],
        "Query-TE Obj={obj},Rate={flags:l},Sig={sig},Tim={tim},Int={int},Flags=0x{flags:h}",
        "Query-TE|{sig} → {ao} in {tim}{int:e} rate {flags:l} flags 0x{flags:h}"),
    L::new(5, "QS_QUERY_DATA", "Query-AP", Answer, &[T, KIND], "Query-AP", "Query-AP|"),
    L::new(6, "QS_QUERY_DATA", "Query-SM_AO", Answer, &[T, KIND], "Query-SM_AO", "Query-SM_AO|"),
    L::new(7, "QS_QUERY_DATA", "Query-EP", Answer, &[T, KIND, f("pool", Ty::U8), USE16, FREE16, MIN16, SIZE16],
        "Query-EP Id={pool},Use={use},Free={free},Min={min},Size={size}",
        "Query-EP|pool {pool} use {use} free {free} min {min} size {size}"),
];

/// QS_QUERY_DATA for other kinds of objects: before 8.1, since 8.1.
#[rustfmt::skip]
pub(crate) static QUERY_OTHER: [Layout; 2] = [
    L::new(67, "QS_QUERY_DATA", "Query", Answer, &[T, KIND, OBJ], "", ""),
    L::new(67, "QS_QUERY_DATA", "Query", Answer, &[T, KIND], "", ""),
];
