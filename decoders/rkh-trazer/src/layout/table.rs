//! The event table: name, severity, role and activity of each event, and its layouts with ids and arguments by version.

use spytui_decoder_kit::{ActivityMeaning, pattern::field as f};
use spytui_plugin_api::{ActivityFlags as F, NONE, RowKind, Verb as V, batch::AttrId, row::Severity};

use super::{
    Era, Field, Layout, OldEvent, Ty, e,
    space::{FUNCTIONS, OBJECTS, POOLS, SIGNALS, STATES},
};

const AO: Field = f("ao", Ty::Sym);
const MP: Field = f("mp", Ty::Sym);
const Q: Field = f("q", Ty::Sym);
const T: Field = f("t", Ty::Sym);
const OBJ: Field = f("obj", Ty::Sym);
const ST: Field = f("st", Ty::Sym);
const ACTOR: Field = f("actor", Ty::Sym);
const SNR: Field = f("snr", Ty::Sndr);
const SIG: Field = f("sig", Ty::Sig);
const FN: Field = f("fn", Ty::Fun);
/// Function in a dictionary record, which has the size of an object pointer.
const FN_NAMED: Field = f("fn", Ty::Sym);
const NELEM: Field = f("nelem", Ty::Ne);
const QMIN: Field = f("nmin", Ty::Qmin);
const NFREE: Field = f("nfree", Ty::Nblk);
const NB: Field = f("nb", Ty::Nblk);
const MPMIN: Field = f("nmin", Ty::Mpmin);
const ES: Field = f("es", Ty::Es);
const PRIO: Field = f("prio", Ty::U8);
const PID: Field = f("pid", Ty::U8);
const RC: Field = f("rc", Ty::U8);
const EP: Field = f("ep", Ty::U8);
const SS: Field = f("ss", Ty::U32);
const NT: Field = f("nt", Ty::Tick);
const PER: Field = f("per", Ty::Tick);
const NM: Field = f("nm", Ty::Str);
const LINE: Field = f("line", Ty::U32);

const AO_ONLY: &[Field] = &[AO];
const AO_SIG: &[Field] = &[AO, SIG];
const AO_PRIO: &[Field] = &[AO, PRIO];
const Q_ONLY: &[Field] = &[Q];
const Q_NELEM: &[Field] = &[Q, NELEM];
const Q_SIG: &[Field] = &[Q, SIG];
const T_ONLY: &[Field] = &[T];
const MP_NFREE: &[Field] = &[MP, NFREE];
const QUE_POST: &[Field] = &[Q, NELEM, QMIN];
const AO_ST: &[Field] = &[AO, ST];
const GET: &[Field] = &[AO, SIG, PID, RC, NELEM, QMIN];
const POST: &[Field] = &[AO, SIG, SNR, PID, RC, NELEM, QMIN];
const TRN: &[Field] = &[AO, f("sst", Ty::Sym), f("tst", Ty::Sym)];
const NENEX: &[Field] = &[AO, f("nen", Ty::U8), f("nex", Ty::U8)];
const NTRNACT: &[Field] = &[AO, f("nta", Ty::U8), f("nts", Ty::U8)];
const DCH: &[Field] = &[AO, SIG, ST];
const GCR: &[Field] = &[SIG, PID, RC, NB, MPMIN, ACTOR];
const GC: &[Field] = &[SIG, PID, RC];
const NAMED: &[Field] = &[OBJ, NM];
const NAMED_STATE: &[Field] = &[AO, OBJ, NM];
const ASSERT: &[Field] = &[f("file", Ty::Str), f("line", Ty::U16)];

const POST_LINE: &str = "ao={ao}, sig={sig}, snr={snr}, pid={pid:p}, rc={rc}, nelem={nelem}, nmin={nmin}";
const POST_WHAT: &str = "{sig}{snr:n} used {nelem} min {nmin}{pid:q}{rc:r}";
const GET_WHAT: &str = "{sig} left {nelem} min {nmin}{pid:q}{rc:r}";
const STATE_LINE: &str = "ao={ao}, obj={obj:x}, nm={nm}";
const NAMED_LINE: &str = "obj={obj:x}, nm={nm}";

#[rustfmt::skip]
pub(crate) static TABLE: [Layout; 73] = [
    e(0, MP_INIT, &[MP, NB, f("bs", Ty::Bsize)], "mp={mp}, nb={nb}, bs={bs}", "blocks {nb} size {bs}"),
    e(1, MP_GET, &[MP, NFREE, MPMIN], "mp={mp}, nfree={nfree}, nmin={nmin}", "free {nfree} min {nmin}"),
    e(2, event("PUT", FREE.val("nfree")), MP_NFREE, "mp={mp}, nfree={nfree}", "free {nfree}"),

    e(32, RQ_INIT, &[Q, AO, NELEM], "q={q}, ao={ao}, nelem={nelem}", "size {nelem}{ao:o}"),
    e(33, event("GET", USED).role(Role::QueueLevel), Q_NELEM, "q={q}, nelem={nelem}", "left {nelem}"),
    e(34, RQ_FIFO, QUE_POST, "q={q}, nelem={nelem}, nmin={nmin}", "used {nelem} min {nmin}"),
    e(35, RQ_LIFO, QUE_POST, "q={q}, nelem={nelem}, nmin={nmin}", "used {nelem} min {nmin}"),
    e(36, event("FULL", M::new(V::FULL).obj(OBJECTS, "q")).severity(Severity::WARNING), Q_ONLY, "q={q}", ""),
    e(37, event("DPT", CLEARED).role(Role::QueueCleared), Q_ONLY, "q={q}", ""),
    e(38, event("GET_LAST", M::new(V::EMPTY).obj(OBJECTS, "q")).role(Role::QueueEmpty), Q_ONLY, "q={q}", "empty"),

    e(64, SMA_ACT, &[AO, PRIO, f("size", Ty::U8)], "ao={ao}, prio={prio}, size={size}", "prio {prio} queue {size}"),
    e(65, SMA_TERM, AO_PRIO, "ao={ao}, prio={prio}", "prio {prio}"),
    e(66, SMA_GET, GET, "ao={ao}, sig={sig}, pid={pid:p}, rc={rc}, nelem={nelem}, nmin={nmin}", GET_WHAT),
    e(67, SMA_FIFO, POST, POST_LINE, POST_WHAT),
    e(68, SMA_LIFO, POST, POST_LINE, POST_WHAT),
    e(69, SMA_REG, AO_PRIO, "ao={ao}, prio={prio}", "prio {prio}"),
    e(70, event("UNREG", of_ao(V::INFO)), AO_PRIO, "ao={ao}, prio={prio}", "prio {prio}"),
    e(71, event("DEFER", M::new(V::DEFER).obj(OBJECTS, "q").item(SIGNALS, "sig")), Q_SIG, "q={q}, sig={sig}", "{sig}"),
    e(72, event("RCALL", of_ao(V::RECALL).item(SIGNALS, "sig")), AO_SIG, "ao={ao}, sig={sig}", "{sig}"),

    e(96, event("INIT", of_ao(V::INIT).item(STATES, "ist")), &[AO, f("ist", Ty::Sym)], "ao={ao}, ist={ist}", "{ist:s}"),
    e(97, event("CLRH", of_ao(V::INFO).item(STATES, "h")), &[AO, f("h", Ty::Sym)], "ao={ao}, h={h}", "{h:s}"),
    e(98, SM_TRN, TRN, "ao={ao}, sst={sst}, tst={tst:t}", "{sst:s}{tst:t}"),
    e(99, SM_STATE, &[AO, f("nxtst", Ty::Sym)], "ao={ao}, nxtst={nxtst}", "{nxtst:s}"),
    e(100, event("ENSTATE", of_ao(V::ENTER).item(STATES, "st")), AO_ST, "ao={ao}, st={st}", "{st:s}"),
    e(101, event("EXSTATE", of_ao(V::EXIT).item(STATES, "st")), AO_ST, "ao={ao}, st={st}", "{st:s}"),
    e(102, SM_NENEX, NENEX, "ao={ao}, nen={nen}, nex={nex}", "entered {nen} left {nex}"),
    e(103, SM_NTRNACT, NTRNACT, "ao={ao}, nta={nta}, nts={nts}", "actions {nta} segments {nts}"),
    e(104, event("TS_STATE", of_ao(V::INFO).item(STATES, "st")), AO_ST, "ao={ao}, st={st}", "{st:s}"),
    e(105, event("EVT_PROC", of_ao(V::DONE)), AO_ONLY, "ao={ao}", ""),
    e(106, SM_EVT_NFOUND, AO_SIG, "ao={ao}, sig={sig}", "{sig}"),
    e(107, SM_GRD_FALSE, AO_ONLY, "ao={ao}", ""),
    e(108, ignored("CND_NFOUND", Severity::WARNING), AO_ONLY, "ao={ao}", ""),
    e(109, ignored("UNKN_STATE", Severity::WARNING), AO_ONLY, "ao={ao}", ""),
    e(110, ignored("EX_HLEVEL", Severity::WARNING), AO_ONLY, "ao={ao}", ""),
    e(111, ignored("EX_TSEG", Severity::WARNING), AO_ONLY, "ao={ao}", ""),
    e(112, SM_EXE_ACT, &[f("type", Ty::U8), AO, ST, FN],
        "{type:k}, ao={ao}, st={st}, fn={fn}", "{type:k} {fn} in {st:s}"),
    e(113, SM_DCH, DCH, "ao={ao}, sig={sig}, st={st}", "{sig} in {st:s}"),

    e(128, event("INIT", TIMER.item(SIGNALS, "sig")), &[T, SIG], "t={t}, sig={sig}", "{sig}"),
    e(129, TIM_START, &[T, AO, NT, PER], "t={t}, ao={ao}, nt={nt}, per={per}", "{ao} in {nt}{per:e}"),
    e(130, TIM_STOP, &[T, NT, PER], "t={t}, nt={nt}, per={per}", "left {nt}{per:e}"),
    e(131, TIM_TOUT, &[T, SIG, AO], "t={t}, sig={sig}, ao={ao}", "{sig} for {ao}"),
    e(132, event("REM", TIMER.verb(V::DISARM)), T_ONLY, "t={t}", ""),

    e(160, event("EN", M::new(V::INFO)), &[], " ", ""),
    e(161, event("EX", M::new(V::INFO)), &[], " ", ""),
    e(162, FWK_EPREG, &[EP, SS, ES, f("ps", Ty::Nblk)], "ep={ep}, ss={ss}, es={es}, ps={ps}",
        "{ep:p} storage {ss} block {es} blocks {ps}"),
    e(163, FWK_AE, &[ES, SIG, PID, RC, NB, MPMIN, ACTOR],
        "es={es}, sig={sig}, pid={pid:z}, rc={rc}, nb={nb}, nmin={nmin}, actor={actor}",
        "{sig} size {es} from {pid:z} used {nb} min {nmin}{rc:r}"),
    e(164, FWK_GC, GC, "sig={sig}, pid={pid:p}, rc={rc}", "{sig} of {pid:p} rc {rc}"),
    e(165, FWK_GCR, GCR, "sig={sig}, pid={pid:z}, rc={rc}, nb={nb}, nmin={nmin}, actor={actor}",
        "{sig} to {pid:z} used {nb} min {nmin}{rc:r}"),
    e(166, name("OBJ", NamedEntity::Object), NAMED, NAMED_LINE, "{obj:x} {nm}"),
    e(167, name("SIG", NamedEntity::Signal), &[SIG, NM], "sig={sig:d}, nm={nm}", "{sig:d} {nm}"),
    e(168, name("FUN", NamedEntity::Function), &[FN_NAMED, NM], "fn={fn:x}, nm={nm}", "{fn:x} {nm}"),
    e(169, event("EXE_FUN", M::new(V::ACTION).item(FUNCTIONS, "fn")).role(Role::Function), &[FN], "fn={fn}", "{fn}"),
    e(170, FWK_SYNC_EVT, &[FN, SNR, f("ao", Ty::Sndr)], "fn={fn}, snr={snr}, ao={ao}", "{fn}{snr:n}"),
    e(171, name("TUSR", NamedEntity::User), &[f("ut", Ty::U8), NM], "ut={ut}, nm={nm}", "{ut} {nm}"),
    e(172, silent("TCFG").role(Role::Tcfg), &[f("config", Ty::Rest)], "", ""),
    e(173, FWK_ASSERT, ASSERT, "({line}), {file}.c", "{file}:{line}"),
    e(174, name("AO", NamedEntity::Object), NAMED, NAMED_LINE, "{obj:x} {nm}"),
    e(175, name("STATE", NamedEntity::State), NAMED_STATE, STATE_LINE, "{obj:x} {nm}"),
    e(176, name("PSTATE", NamedEntity::State), NAMED_STATE, STATE_LINE, "{obj:x} {nm}"),
    e(177, name("TIMER", NamedEntity::Object), NAMED, NAMED_LINE, "{obj:x} {nm}"),
    e(178, name("EPOOL", NamedEntity::Pool), &[EP, NM], "ep={ep}, nm={nm}", "{ep} {nm}"),
    e(179, name("QUEUE", NamedEntity::Object), NAMED, NAMED_LINE, "{obj:x} {nm}"),
    e(180, name("ACTOR", NamedEntity::Object), NAMED, NAMED_LINE, "{obj:x} {nm}"),

    e(224, silent("INIT"), &[LINE], "line={line}", "line {line}"),
    e(225, silent("CLEANUP"), &[LINE], "line={line}", "line {line}"),
    e(226, silent("VERIFY"), &[LINE], "line={line}", "line {line}"),
    e(227, silent("IGN_GROUP"), &[LINE, f("group", Ty::U8)], "line={line}, group={group}", "line {line} group {group}"),
    e(228, silent("EXPECT"), &[LINE, f("event", Ty::Sig), f("args", Ty::Rest)],
        "line={line}, event={event}", "line {line} event {event}{args:b}"),
    e(229, silent("EXP_ANY"), &[LINE, f("event", Ty::Sig)], "line={line}, event={event}", "line {line} event {event}"),
    e(230, silent("IGNORE"), &[LINE, f("event", Ty::Sig)], "line={line}, event={event}", "line {line} event {event}"),
    e(231, silent("IGN_ARG"), &[LINE, f("event", Ty::Sig), f("arg", Ty::U8)],
        "line={line}, event={event}, arg={arg}", "line {line} event {event} arg {arg}"),
    e(232, silent("SUCCESS"), &[LINE, f("msg", Ty::Str)], "line={line}, {msg}", "line {line} {msg}"),
    e(233, UT_FAIL, &[LINE, f("msg", Ty::Str)], "line={line}, {msg}", "line {line} {msg}"),
];

const R23: u8 = Era::R23.bit();
const R243: u8 = Era::R243.bit();
const R244: u8 = Era::R244.bit();
const R245: u8 = Era::R245.bit();
/// 2.3 to 2.4.3: ids of state-machine events are one higher.
const SHIFTED: u8 = R23 | R243;
const BEFORE_245: u8 = SHIFTED | R244;
const AFTER_23: u8 = R243 | R244 | R245;
const ALL: u8 = R23 | AFTER_23;

/// An event with the same id in these eras, but different arguments.
const fn other(eras: u8, layout: Layout) -> OldEvent {
    OldEvent { id: layout.id, eras, layout: Some(layout) }
}

/// An event whose id is reused in later eras; its kind gets a separate number.
const fn moved(eras: u8, mut layout: Layout) -> OldEvent {
    layout.kind = RowKind(layout.id as u16 | (1 + eras.trailing_zeros() as u16) << 8);
    other(eras, layout)
}

/// An event that has the id `now` since 3.0.
const fn renumbered(eras: u8, id: u8, now: u8) -> OldEvent {
    let mut i = 0;
    while TABLE[i].id != now {
        i += 1;
    }
    moved(eras, TABLE[i].with_id(id))
}

/// The id is unused in these eras.
const fn none(eras: u8, id: u8) -> OldEvent {
    OldEvent { id, eras, layout: None }
}

const GET_SHORT: &[Field] = &[AO, SIG, PID, RC];
const POST_SHORT: &[Field] = &[AO, SIG, SNR, PID, RC];
const AE_WHAT: &str = "{sig} size {es} from {pid:z}{rc:r}";
const ONE_SIG: &[Field] = &[SIG];

#[rustfmt::skip]
pub(crate) static OLD: [OldEvent; 86] = [
    other(R23, e(0, MP_INIT, &[MP, NB], "mp={mp}, nb={nb}", "blocks {nb}")),
    other(R23, e(1, MP_GET, MP_NFREE, "mp={mp}, nfree={nfree}", "free {nfree}")),
    other(R23, e(34, RQ_FIFO, Q_NELEM, "q={q}, nelem={nelem}", "used {nelem}")),
    other(R23, e(35, RQ_LIFO, Q_NELEM, "q={q}, nelem={nelem}", "used {nelem}")),

    other(R23, e(64, SMA_ACT, AO_ONLY, "ao={ao}", "")),
    other(AFTER_23, e(64, SMA_ACT, AO_PRIO, "ao={ao}, prio={prio}", "prio {prio}")),
    other(R23, e(65, SMA_TERM, AO_ONLY, "ao={ao}", "")),
    other(R23, e(66, SMA_GET, AO_SIG, "ao={ao}, sig={sig}", "{sig}")),
    other(AFTER_23, e(66, SMA_GET, GET_SHORT, "ao={ao}, sig={sig}, pid={pid:p}, rc={rc}", "{sig}{pid:q}{rc:r}")),
    other(R23, e(67, SMA_FIFO, AO_SIG, "ao={ao}, sig={sig}", "{sig}")),
    other(R243, e(67, SMA_FIFO, GET_SHORT, "ao={ao}, sig={sig}, pid={pid:p}, rc={rc}", "{sig}{pid:q}{rc:r}")),
    other(R244 | R245, e(67, SMA_FIFO, POST_SHORT,
        "ao={ao}, sig={sig}, snr={snr}, pid={pid:p}, rc={rc}", "{sig}{snr:n}{pid:q}{rc:r}")),
    other(R23, e(68, SMA_LIFO, AO_SIG, "ao={ao}, sig={sig}", "{sig}")),
    other(R243, e(68, SMA_LIFO, GET_SHORT, "ao={ao}, sig={sig}, pid={pid:p}, rc={rc}", "{sig}{pid:q}{rc:r}")),
    other(R244 | R245, e(68, SMA_LIFO, POST_SHORT,
        "ao={ao}, sig={sig}, snr={snr}, pid={pid:p}, rc={rc}", "{sig}{snr:n}{pid:q}{rc:r}")),
    none(SHIFTED, 71),
    renumbered(R244 | R245, 71, 113),
    none(ALL, 72),

    moved(SHIFTED, e(98, SM_DCH, AO_SIG, "ao={ao}, sig={sig}", "{sig}")),
    renumbered(SHIFTED, 99, 98), renumbered(SHIFTED, 100, 99), renumbered(SHIFTED, 101, 100),
    renumbered(SHIFTED, 102, 101), renumbered(SHIFTED, 103, 102), renumbered(SHIFTED, 104, 103),
    moved(R23, e(105, event("CSTATE", of_ao(V::INFO).item(STATES, "st")), AO_ST, "ao={ao}, st={st}", "{st:s}")),
    renumbered(R243, 105, 104), renumbered(SHIFTED, 106, 105),
    moved(SHIFTED, e(107, SM_EVT_NFOUND, AO_ONLY, "ao={ao}", "")),
    renumbered(SHIFTED, 108, 107), renumbered(SHIFTED, 109, 108), renumbered(SHIFTED, 110, 109),
    renumbered(SHIFTED, 111, 110), renumbered(SHIFTED, 112, 111),
    none(R244, 112),
    none(ALL, 113),

    other(R23, e(129, TIM_START, &[T, AO, NT], "t={t}, ao={ao}, nt={nt}", "{ao} in {nt}")),
    other(R23, e(130, TIM_STOP, T_ONLY, "t={t}", "")),
    other(R23, e(131, TIM_TOUT, T_ONLY, "t={t}", "")),

    other(ALL, e(162, FWK_EPREG, &[EP, SS, ES], "ep={ep}, ss={ss}, es={es}", "{ep:p} storage {ss} block {es}")),
    other(R23, e(163, FWK_AE, &[ES, SIG], "es={es}, sig={sig}", "{sig} size {es}")),
    other(AFTER_23, e(163, FWK_AE, &[ES, SIG, PID, RC], "es={es}, sig={sig}, pid={pid:z}, rc={rc}", AE_WHAT)),
    other(R23, e(164, FWK_GC, ONE_SIG, "sig={sig}", "{sig}")),
    other(R23, e(165, FWK_GCR_OLD, ONE_SIG, "sig={sig}", "{sig}")),
    // Pool numbers start at 1 here.
    other(AFTER_23, e(165, FWK_GCR_OLD, GC, "sig={sig}, pid={pid:p}, rc={rc}", "{sig} to {pid:p} rc {rc}")),
    renumbered(ALL, 166, 71), renumbered(ALL, 167, 72), renumbered(ALL, 168, 166), renumbered(ALL, 169, 167),
    renumbered(ALL, 170, 168), renumbered(ALL, 171, 169), renumbered(BEFORE_245, 172, 171),
    renumbered(R245, 172, 170), renumbered(BEFORE_245, 173, 172), renumbered(R245, 173, 171),
    renumbered(BEFORE_245, 174, 173), renumbered(R245, 174, 172),
    none(R23, 175), none(R23, 176), none(R23, 177), none(R23, 178), none(R23, 179), none(R23, 180),
    renumbered(R243 | R244, 175, 174), renumbered(R245, 175, 173),
    renumbered(R243 | R244, 176, 175), renumbered(R245, 176, 174),
    renumbered(R243 | R244, 177, 176), renumbered(R245, 177, 175),
    renumbered(R243 | R244, 178, 177), renumbered(R245, 178, 176),
    moved(R243 | R244, e(179, FWK_EPOOL_OLD, NAMED, NAMED_LINE, "{obj:x} {nm}")),
    renumbered(R245, 179, 177),
    renumbered(R243 | R244, 180, 179),
    moved(R245, e(180, FWK_EPOOL_OLD, NAMED, NAMED_LINE, "{obj:x} {nm}")),
    renumbered(R245, 181, 179),

    none(BEFORE_245, 224), none(BEFORE_245, 225), none(BEFORE_245, 226), none(BEFORE_245, 227),
    none(BEFORE_245, 228), none(BEFORE_245, 229), none(BEFORE_245, 230), none(BEFORE_245, 231),
    none(BEFORE_245, 232), none(BEFORE_245, 233),
];

/// The kind of entity that a naming record names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedEntity {
    Object,
    State,
    Function,
    Signal,
    /// An event pool by zero-based number.
    Pool,
    User,
}

/// A property of an object that a record reports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Property {
    pub(crate) attr: AttrId,
    pub(crate) field: &'static str,
    /// Space of the value if it is a key; key 0 = none.
    pub(crate) space: u16,
}

const fn number(attr: AttrId, field: &'static str) -> Property {
    Property { attr, field, space: NONE }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    /// An event is appended to an active object's queue.
    Fifo,
    /// An event is put at the front of the queue.
    Lifo,
    /// An active object takes an event.
    Get,
    /// A queue is created for an active object.
    QueueInit,
    /// Reports the number of elements in a queue.
    QueueLevel,
    /// The last element is taken.
    QueueEmpty,
    /// All elements are removed.
    QueueCleared,
    Property,
    Name(NamedEntity),
    /// Contains a function pointer, whose size no record reports.
    Function,
    Tcfg,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    /// Name as the reference host prints it.
    pub(crate) name: &'static str,
    pub(crate) severity: Severity,
    pub(crate) role: Role,
    pub(crate) properties: &'static [Property],
    pub(crate) meaning: Option<M>,
    /// A second activity: a fill level afterwards, if the version reports it.
    pub(crate) level: Option<M>,
}

impl Event {
    const fn role(self, role: Role) -> Event {
        Event { role, ..self }
    }

    const fn level(self, level: M) -> Event {
        Event { level: Some(level), ..self }
    }

    const fn severity(self, severity: Severity) -> Event {
        Event { severity, ..self }
    }

    const fn reports(self, properties: &'static [Property]) -> Event {
        Event { properties, ..self }
    }
}

const fn silent(name: &'static str) -> Event {
    Event { name, severity: Severity::NORMAL, role: Role::Plain, properties: &[], meaning: None, level: None }
}

const fn event(name: &'static str, meaning: M) -> Event {
    Event { meaning: Some(meaning), ..silent(name) }
}

const fn name(name: &'static str, named: NamedEntity) -> Event {
    silent(name).role(Role::Name(named))
}

const fn ignored(name: &'static str, severity: Severity) -> Event {
    event(name, of_ao(V::IGNORED).with(F::FAILED)).severity(severity)
}

type M = ActivityMeaning<&'static str>;

const fn of_ao(verb: V) -> M {
    M::new(verb).sub(OBJECTS, "ao")
}

const FREE: M = M::new(V::LEVEL).obj(OBJECTS, "mp").with(F::FREE);
const USED: M = M::new(V::LEVEL).obj(OBJECTS, "q").val("nelem");
const CLEARED: M = M::new(V::CLEARED).obj(OBJECTS, "q");
const POSTED: M = M::new(V::POST).obj(OBJECTS, "ao").item(SIGNALS, "sig").sub_or_none(OBJECTS, "snr");
/// Level of the queue of the record's active object, and of its pool.
const QUEUED: M = M::new(V::LEVEL).obj(OBJECTS, "ao").val("nelem").second("nmin");
const BLOCKS: M = M::new(V::LEVEL).obj_from_zero(POOLS, "pid").val("nb");
const TIMER: M = M::new(V::INFO).sub(OBJECTS, "t");

const MP_INIT: Event = event("INIT", FREE.val("nb"))
    .role(Role::Property)
    .reports(&[number(AttrId::CAPACITY, "nb"), number(AttrId::SIZE, "bs")]);
const MP_GET: Event = event("GET", FREE.val("nfree").second("nmin"));

const RQ_INIT: Event = event("INIT", CLEARED)
    .role(Role::QueueInit)
    .reports(&[Property { attr: AttrId::PARENT, field: "ao", space: OBJECTS }, number(AttrId::CAPACITY, "nelem")]);
const RQ_FIFO: Event = event("FIFO", USED.second("nmin")).role(Role::QueueLevel);
const RQ_LIFO: Event = event("LIFO", USED.second("nmin")).role(Role::QueueLevel);

const SMA_ACT: Event = event("ACT", of_ao(V::CREATE)).role(Role::Property).reports(&[number(AttrId::PRIORITY, "prio")]);
const SMA_TERM: Event = event("TERM", of_ao(V::DELETE));
const SMA_GET: Event =
    event("GET", of_ao(V::GET).obj(OBJECTS, "ao").item(SIGNALS, "sig")).level(QUEUED).role(Role::Get);
const SMA_FIFO: Event = event("FIFO", POSTED).level(QUEUED).role(Role::Fifo);
const SMA_LIFO: Event = event("LIFO", POSTED.with(F::LIFO)).level(QUEUED).role(Role::Lifo);
const SMA_REG: Event = event("REG", of_ao(V::PRIO).val("prio").with(F::LOWER_FIRST))
    .role(Role::Property)
    .reports(&[number(AttrId::PRIORITY, "prio")]);

const SM_TRN: Event =
    event("TRN", of_ao(V::TRAN).obj(STATES, "sst").second_key(STATES, "tst").without_second(V::INTERNAL));
const SM_STATE: Event = event("STATE", of_ao(V::REST).item(STATES, "nxtst"));
const SM_NENEX: Event = event("NENEX", of_ao(V::INFO).val("nen").second("nex"));
const SM_NTRNACT: Event = event("NTRNACT", of_ao(V::INFO).val("nta").second("nts"));
const SM_EVT_NFOUND: Event = event("EVT_NFOUND", of_ao(V::UNHANDLED).item(SIGNALS, "sig")).severity(Severity::WARNING);
/// A false guard is ordinary control flow; an event that is not handled as a result is an EVT_NFOUND.
const SM_GRD_FALSE: Event = ignored("GRD_FALSE", Severity::NORMAL);
const SM_EXE_ACT: Event =
    event("EXE_ACT", of_ao(V::ACTION).obj(STATES, "st").item(FUNCTIONS, "fn")).role(Role::Function);
const SM_DCH: Event = event("DCH", of_ao(V::DISPATCH).obj(STATES, "st").item(SIGNALS, "sig"));

const TIM_START: Event = event("START", TIMER.verb(V::ARM).obj(OBJECTS, "ao").val("nt").second("per"));
const TIM_STOP: Event = event("STOP", TIMER.verb(V::DISARM).val("nt").second("per"));
const TIM_TOUT: Event = event("TOUT", TIMER.verb(V::FIRE).obj(OBJECTS, "ao").item(SIGNALS, "sig"));

const FWK_EPREG: Event = event("EPREG", M::new(V::INFO).obj(POOLS, "ep").val("es"));
const FWK_AE: Event =
    event("AE", M::new(V::ALLOC).obj_from_zero(POOLS, "pid").sub(OBJECTS, "actor").item(SIGNALS, "sig").val("es"))
        .level(BLOCKS);
const FWK_GC: Event =
    event("GC", M::new(V::UNREF).obj_or_none(POOLS, "pid").sub(OBJECTS, "actor").item(SIGNALS, "sig").val("rc"));
const FWK_GCR: Event =
    event("GCR", M::new(V::COLLECT).obj_from_zero(POOLS, "pid").sub(OBJECTS, "actor").item(SIGNALS, "sig").val("rc"))
        .level(BLOCKS);
/// GCR before 3.0: pool numbers start at 1.
const FWK_GCR_OLD: Event = event("GCR", M::new(V::COLLECT).obj_or_none(POOLS, "pid").item(SIGNALS, "sig").val("rc"));
const FWK_SYNC_EVT: Event =
    event("SYNC_EVT", M::new(V::SEND).item(FUNCTIONS, "fn").sub_or_none(OBJECTS, "snr").obj_or_none(OBJECTS, "ao"))
        .role(Role::Function);
const FWK_ASSERT: Event = event("ASSERT", M::new(V::ASSERT).val("line")).severity(Severity::ERROR);
/// EPOOL before 3.0, which names a pool by address.
const FWK_EPOOL_OLD: Event = name("EPOOL", NamedEntity::Object);

const UT_FAIL: Event = silent("FAIL").severity(Severity::ERROR);
