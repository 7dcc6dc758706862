//! The events, independent of ids and arguments in a version: name, severity, role, activity.

use spytui_plugin_api::{ActivityFlags as F, NONE, Verb as V, batch::AttrId, row::Severity};

use spytui_decoder_kit::Meaning;

use super::space::{FUNCTIONS, OBJECTS, POOLS, SIGNALS, STATES};

/// The kind of entity named by a naming record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Object,
    State,
    Function,
    Signal,
    /// An event pool by its number, counted from 0.
    Pool,
    User,
}

/// A property of an object that a record reports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Property {
    /// Attribute of the dictionary.
    pub(crate) attr: AttrId,
    pub(crate) field: &'static str,
    /// Space of the value if it is a key; a key of 0 means none.
    pub(crate) space: u16,
}

const fn number(attr: AttrId, field: &'static str) -> Property {
    Property { attr, field, space: NONE }
}

/// Effect of an event besides its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    /// An event is appended to the queue of an active object.
    Fifo,
    /// An event is put in front of the queue.
    Lifo,
    /// An active object takes an event.
    Get,
    /// A queue is created for an active object.
    QueueInit,
    /// Reports the number of elements of a queue.
    QueueLevel,
    /// The last element is taken.
    QueueEmpty,
    /// All elements are removed.
    QueueCleared,
    /// Reports properties of an object.
    Property,
    /// Gives a name.
    Name(Named),
    /// Holds a function pointer, whose size no record reports.
    Function,
    /// The configuration record.
    Tcfg,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    /// As the reference host prints it.
    pub(crate) name: &'static str,
    pub(crate) severity: Severity,
    pub(crate) role: Role,
    pub(crate) properties: &'static [Property],
    pub(crate) meaning: Option<M>,
    /// A second activity: a fill level afterwards, if the version has it.
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

/// An event without activity.
const fn silent(name: &'static str) -> Event {
    Event { name, severity: Severity::NORMAL, role: Role::Plain, properties: &[], meaning: None, level: None }
}

const fn event(name: &'static str, meaning: M) -> Event {
    Event { meaning: Some(meaning), ..silent(name) }
}

/// A naming record.
const fn name(name: &'static str, named: Named) -> Event {
    silent(name).role(Role::Name(named))
}

/// An event that a state machine rejects.
const fn ignored(name: &'static str, severity: Severity) -> Event {
    event(name, of_ao(V::IGNORED).with(F::FAILED)).severity(severity)
}

type M = Meaning<&'static str>;

/// A verb of the record's active object.
const fn of_ao(verb: V) -> M {
    M::new(verb).sub(OBJECTS, "ao")
}

const FREE: M = M::new(V::LEVEL).obj(OBJECTS, "mp").with(F::FREE);
const USED: M = M::new(V::LEVEL).obj(OBJECTS, "q").val("nelem");
const CLEARED: M = M::new(V::CLEARED).obj(OBJECTS, "q");
const POST: M = M::new(V::POST).obj(OBJECTS, "ao").item(SIGNALS, "sig").sub_or_none(OBJECTS, "snr");
/// Of the queue of the record's active object, and of its pool.
const QUEUED: M = M::new(V::LEVEL).obj(OBJECTS, "ao").val("nelem").second("nmin");
const BLOCKS: M = M::new(V::LEVEL).obj_from_zero(POOLS, "pid").val("nb");
const TIMER: M = M::new(V::INFO).sub(OBJECTS, "t");

pub(super) const MP_INIT: Event = event("INIT", FREE.val("nb"))
    .role(Role::Property)
    .reports(&[number(AttrId::CAPACITY, "nb"), number(AttrId::SIZE, "bs")]);
pub(super) const MP_GET: Event = event("GET", FREE.val("nfree").second("nmin"));
pub(super) const MP_PUT: Event = event("PUT", FREE.val("nfree"));

pub(super) const RQ_INIT: Event = event("INIT", CLEARED)
    .role(Role::QueueInit)
    .reports(&[Property { attr: AttrId::PARENT, field: "ao", space: OBJECTS }, number(AttrId::CAPACITY, "nelem")]);
pub(super) const RQ_GET: Event = event("GET", USED).role(Role::QueueLevel);
pub(super) const RQ_FIFO: Event = event("FIFO", USED.second("nmin")).role(Role::QueueLevel);
pub(super) const RQ_LIFO: Event = event("LIFO", USED.second("nmin")).role(Role::QueueLevel);
pub(super) const RQ_FULL: Event = event("FULL", M::new(V::FULL).obj(OBJECTS, "q")).severity(Severity::WARNING);
pub(super) const RQ_DPT: Event = event("DPT", CLEARED).role(Role::QueueCleared);
pub(super) const RQ_GET_LAST: Event = event("GET_LAST", M::new(V::EMPTY).obj(OBJECTS, "q")).role(Role::QueueEmpty);

pub(super) const SMA_ACT: Event =
    event("ACT", of_ao(V::CREATE)).role(Role::Property).reports(&[number(AttrId::PRIORITY, "prio")]);
pub(super) const SMA_TERM: Event = event("TERM", of_ao(V::DELETE));
pub(super) const SMA_GET: Event =
    event("GET", of_ao(V::GET).obj(OBJECTS, "ao").item(SIGNALS, "sig")).level(QUEUED).role(Role::Get);
pub(super) const SMA_FIFO: Event = event("FIFO", POST).level(QUEUED).role(Role::Fifo);
pub(super) const SMA_LIFO: Event = event("LIFO", POST.with(F::LIFO)).level(QUEUED).role(Role::Lifo);
pub(super) const SMA_REG: Event = event("REG", of_ao(V::PRIO).val("prio").with(F::LOWER_FIRST))
    .role(Role::Property)
    .reports(&[number(AttrId::PRIORITY, "prio")]);
pub(super) const SMA_UNREG: Event = event("UNREG", of_ao(V::INFO));
pub(super) const SMA_DEFER: Event = event("DEFER", M::new(V::DEFER).obj(OBJECTS, "q").item(SIGNALS, "sig"));
pub(super) const SMA_RCALL: Event = event("RCALL", of_ao(V::RECALL).item(SIGNALS, "sig"));
pub(super) const SMA_DCH: Event = SM_DCH;

pub(super) const SM_INIT: Event = event("INIT", of_ao(V::INIT).item(STATES, "ist"));
pub(super) const SM_CLRH: Event = event("CLRH", of_ao(V::INFO).item(STATES, "h"));
pub(super) const SM_TRN: Event =
    event("TRN", of_ao(V::TRAN).obj(STATES, "sst").second_key(STATES, "tst").without_second(V::INTERNAL));
pub(super) const SM_STATE: Event = event("STATE", of_ao(V::REST).item(STATES, "nxtst"));
pub(super) const SM_ENSTATE: Event = event("ENSTATE", of_ao(V::ENTER).item(STATES, "st"));
pub(super) const SM_EXSTATE: Event = event("EXSTATE", of_ao(V::EXIT).item(STATES, "st"));
pub(super) const SM_NENEX: Event = event("NENEX", of_ao(V::INFO).val("nen").second("nex"));
pub(super) const SM_NTRNACT: Event = event("NTRNACT", of_ao(V::INFO).val("nta").second("nts"));
pub(super) const SM_TS_STATE: Event = event("TS_STATE", of_ao(V::INFO).item(STATES, "st"));
pub(super) const SM_CSTATE: Event = event("CSTATE", of_ao(V::INFO).item(STATES, "st"));
pub(super) const SM_EVT_PROC: Event = event("EVT_PROC", of_ao(V::DONE));
pub(super) const SM_EVT_NFOUND: Event =
    event("EVT_NFOUND", of_ao(V::UNHANDLED).item(SIGNALS, "sig")).severity(Severity::WARNING);
/// A guard that is false is ordinary control flow; an event that nothing takes then is EVT_NFOUND.
pub(super) const SM_GRD_FALSE: Event = ignored("GRD_FALSE", Severity::NORMAL);
pub(super) const SM_CND_NFOUND: Event = ignored("CND_NFOUND", Severity::WARNING);
pub(super) const SM_UNKN_STATE: Event = ignored("UNKN_STATE", Severity::WARNING);
pub(super) const SM_EX_HLEVEL: Event = ignored("EX_HLEVEL", Severity::WARNING);
pub(super) const SM_EX_TSEG: Event = ignored("EX_TSEG", Severity::WARNING);
pub(super) const SM_EXE_ACT: Event =
    event("EXE_ACT", of_ao(V::ACTION).obj(STATES, "st").item(FUNCTIONS, "fn")).role(Role::Function);
pub(super) const SM_DCH: Event = event("DCH", of_ao(V::DISPATCH).obj(STATES, "st").item(SIGNALS, "sig"));

pub(super) const TIM_INIT: Event = event("INIT", TIMER.item(SIGNALS, "sig"));
pub(super) const TIM_START: Event = event("START", TIMER.verb(V::ARM).obj(OBJECTS, "ao").val("nt").second("per"));
pub(super) const TIM_STOP: Event = event("STOP", TIMER.verb(V::DISARM).val("nt").second("per"));
pub(super) const TIM_TOUT: Event = event("TOUT", TIMER.verb(V::FIRE).obj(OBJECTS, "ao").item(SIGNALS, "sig"));
pub(super) const TIM_REM: Event = event("REM", TIMER.verb(V::DISARM));

pub(super) const FWK_EN: Event = event("EN", M::new(V::INFO));
pub(super) const FWK_EX: Event = event("EX", M::new(V::INFO));
pub(super) const FWK_EPREG: Event = event("EPREG", M::new(V::INFO).obj(POOLS, "ep").val("es"));
pub(super) const FWK_AE: Event =
    event("AE", M::new(V::ALLOC).obj_from_zero(POOLS, "pid").sub(OBJECTS, "actor").item(SIGNALS, "sig").val("es"))
        .level(BLOCKS);
pub(super) const FWK_GC: Event =
    event("GC", M::new(V::UNREF).obj_or_none(POOLS, "pid").sub(OBJECTS, "actor").item(SIGNALS, "sig").val("rc"));
pub(super) const FWK_GCR: Event =
    event("GCR", M::new(V::COLLECT).obj_from_zero(POOLS, "pid").sub(OBJECTS, "actor").item(SIGNALS, "sig").val("rc"))
        .level(BLOCKS);
/// GCR before 3.0: pool numbers start at 1.
pub(super) const FWK_GCR_OLD: Event =
    event("GCR", M::new(V::COLLECT).obj_or_none(POOLS, "pid").item(SIGNALS, "sig").val("rc"));
pub(super) const FWK_DEFER: Event = SMA_DEFER;
pub(super) const FWK_RCALL: Event = SMA_RCALL;
pub(super) const FWK_EXE_FUN: Event = event("EXE_FUN", M::new(V::ACTION).item(FUNCTIONS, "fn")).role(Role::Function);
pub(super) const FWK_SYNC_EVT: Event =
    event("SYNC_EVT", M::new(V::SEND).item(FUNCTIONS, "fn").sub_or_none(OBJECTS, "snr").obj_or_none(OBJECTS, "ao"))
        .role(Role::Function);
pub(super) const FWK_ASSERT: Event = event("ASSERT", M::new(V::ASSERT).val("line")).severity(Severity::ERROR);
pub(super) const FWK_TCFG: Event = silent("TCFG").role(Role::Tcfg);
pub(super) const FWK_OBJ: Event = name("OBJ", Named::Object);
pub(super) const FWK_SIG: Event = name("SIG", Named::Signal);
pub(super) const FWK_FUN: Event = name("FUN", Named::Function);
pub(super) const FWK_TUSR: Event = name("TUSR", Named::User);
pub(super) const FWK_AO: Event = name("AO", Named::Object);
pub(super) const FWK_STATE: Event = name("STATE", Named::State);
pub(super) const FWK_PSTATE: Event = name("PSTATE", Named::State);
pub(super) const FWK_TIMER: Event = name("TIMER", Named::Object);
pub(super) const FWK_EPOOL: Event = name("EPOOL", Named::Pool);
/// EPOOL before 3.0, which names the pool's address.
pub(super) const FWK_EPOOL_OLD: Event = name("EPOOL", Named::Object);
pub(super) const FWK_QUEUE: Event = name("QUEUE", Named::Object);
pub(super) const FWK_ACTOR: Event = name("ACTOR", Named::Object);

pub(super) const UT_INIT: Event = silent("INIT");
pub(super) const UT_CLEANUP: Event = silent("CLEANUP");
pub(super) const UT_VERIFY: Event = silent("VERIFY");
pub(super) const UT_IGN_GROUP: Event = silent("IGN_GROUP");
pub(super) const UT_EXPECT: Event = silent("EXPECT");
pub(super) const UT_EXP_ANY: Event = silent("EXP_ANY");
pub(super) const UT_IGNORE: Event = silent("IGNORE");
pub(super) const UT_IGN_ARG: Event = silent("IGN_ARG");
pub(super) const UT_SUCCESS: Event = silent("SUCCESS");
pub(super) const UT_FAIL: Event = silent("FAIL").severity(Severity::ERROR);
