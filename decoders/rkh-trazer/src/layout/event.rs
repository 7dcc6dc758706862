//! The events, independent of ids and arguments in a version: name, severity, role, activity.

use spytui_plugin_api::{
    ActivityFlags as F, NONE, Verb as V,
    batch::attr::{CAPACITY, PARENT, PRIORITY, SIZE},
    row::Severity,
};

use super::{Meaning, space};

/// What naming records name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Object,
    State,
    Function,
    Signal,
    /// An event pool by its number, counted from 0.
    Pool,
    /// A user event.
    User,
}

/// A property of an object that a record tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Property {
    /// Attribute of the dictionary.
    pub(crate) attr: u8,
    pub(crate) field: &'static str,
    /// Space of the value where it is a key; a key of 0 tells nothing.
    pub(crate) space: u16,
}

const fn number(attr: u8, field: &'static str) -> Property {
    Property { attr, field, space: NONE }
}

/// What receiving does with an event besides making its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    /// An event was put into the queue of an active object, at its end.
    Fifo,
    /// The same, in front.
    Lifo,
    /// An active object took an event.
    Get,
    /// A queue was made for an active object.
    QueueInit,
    /// A queue has so many elements.
    QueueLevel,
    /// The last element was taken.
    QueueEmpty,
    /// All elements were dropped.
    QueueCleared,
    /// Tells properties of an object.
    Property,
    /// Gives a name.
    Name(Named),
    /// Holds a function pointer, whose size is told nowhere.
    Function,
    /// The configuration record.
    Tcfg,
}

/// One event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    /// As the reference host prints it.
    pub(crate) name: &'static str,
    pub(crate) severity: Severity,
    pub(crate) role: Role,
    pub(crate) properties: &'static [Property],
    pub(crate) meaning: Option<Meaning<&'static str>>,
}

impl Event {
    const fn role(self, role: Role) -> Event {
        Event { role, ..self }
    }

    const fn severity(self, severity: Severity) -> Event {
        Event { severity, ..self }
    }

    const fn tells(self, properties: &'static [Property]) -> Event {
        Event { properties, ..self }
    }
}

/// An event that means nothing to the views.
const fn silent(name: &'static str) -> Event {
    Event { name, severity: Severity::NORMAL, role: Role::Plain, properties: &[], meaning: None }
}

const fn event(name: &'static str, meaning: Meaning<&'static str>) -> Event {
    Event { meaning: Some(meaning), ..silent(name) }
}

/// A naming record.
const fn name(name: &'static str, named: Named) -> Event {
    silent(name).role(Role::Name(named))
}

/// An event that a state machine does not take.
const fn ignored(name: &'static str, severity: Severity) -> Event {
    event(name, Meaning::of_ao(V::IGNORED).with(F::FAILED)).severity(severity)
}

const FREE: Meaning<&str> = Meaning::new(V::LEVEL).to("mp").with(F::FREE);
const USED: Meaning<&str> = Meaning::new(V::LEVEL).to("q").val("nelem");
const CLEARED: Meaning<&str> = Meaning::new(V::CLEARED).to("q");
const POST: Meaning<&str> = Meaning::new(V::POST).to("ao").signal().sub_or_none("snr").level("nelem").low();
const TIMER: Meaning<&str> = Meaning::new(V::INFO).sub("t");

pub(super) const MP_INIT: Event =
    event("INIT", FREE.val("nb")).role(Role::Property).tells(&[number(CAPACITY, "nb"), number(SIZE, "bs")]);
pub(super) const MP_GET: Event = event("GET", FREE.val("nfree").low());
pub(super) const MP_PUT: Event = event("PUT", FREE.val("nfree"));

pub(super) const RQ_INIT: Event = event("INIT", CLEARED)
    .role(Role::QueueInit)
    .tells(&[Property { attr: PARENT, field: "ao", space: space::OBJECTS }, number(CAPACITY, "nelem")]);
pub(super) const RQ_GET: Event = event("GET", USED).role(Role::QueueLevel);
pub(super) const RQ_FIFO: Event = event("FIFO", USED.low()).role(Role::QueueLevel);
pub(super) const RQ_LIFO: Event = event("LIFO", USED.low()).role(Role::QueueLevel);
pub(super) const RQ_FULL: Event = event("FULL", Meaning::new(V::FULL).to("q")).severity(Severity::WARNING);
pub(super) const RQ_DPT: Event = event("DPT", CLEARED).role(Role::QueueCleared);
pub(super) const RQ_GET_LAST: Event = event("GET_LAST", Meaning::new(V::EMPTY).to("q")).role(Role::QueueEmpty);

pub(super) const SMA_ACT: Event =
    event("ACT", Meaning::of_ao(V::CREATE)).role(Role::Property).tells(&[number(PRIORITY, "prio")]);
pub(super) const SMA_TERM: Event = event("TERM", Meaning::of_ao(V::DELETE));
pub(super) const SMA_GET: Event =
    event("GET", Meaning::of_ao(V::GET).to("ao").signal().level("nelem").low()).role(Role::Get);
pub(super) const SMA_FIFO: Event = event("FIFO", POST).role(Role::Fifo);
pub(super) const SMA_LIFO: Event = event("LIFO", POST.with(F::LIFO)).role(Role::Lifo);
pub(super) const SMA_REG: Event =
    event("REG", Meaning::of_ao(V::PRIO).val("prio")).role(Role::Property).tells(&[number(PRIORITY, "prio")]);
pub(super) const SMA_UNREG: Event = event("UNREG", Meaning::of_ao(V::INFO));
pub(super) const SMA_DEFER: Event = event("DEFER", Meaning::new(V::DEFER).to("q").signal());
pub(super) const SMA_RCALL: Event = event("RCALL", Meaning::of_ao(V::RECALL).signal());
pub(super) const SMA_DCH: Event = SM_DCH;

pub(super) const SM_INIT: Event = event("INIT", Meaning::of_ao(V::INIT).state("ist"));
pub(super) const SM_CLRH: Event = event("CLRH", Meaning::of_ao(V::INFO).state("h"));
pub(super) const SM_TRN: Event =
    event("TRN", Meaning::of_ao(V::TRAN).in_state("sst").second("tst").without_second(V::INTERNAL));
pub(super) const SM_STATE: Event = event("STATE", Meaning::of_ao(V::REST).state("nxtst"));
pub(super) const SM_ENSTATE: Event = event("ENSTATE", Meaning::of_ao(V::ENTER).state("st"));
pub(super) const SM_EXSTATE: Event = event("EXSTATE", Meaning::of_ao(V::EXIT).state("st"));
pub(super) const SM_NENEX: Event = event("NENEX", Meaning::of_ao(V::INFO).val("nen").second("nex"));
pub(super) const SM_NTRNACT: Event = event("NTRNACT", Meaning::of_ao(V::INFO).val("nta").second("nts"));
pub(super) const SM_TS_STATE: Event = event("TS_STATE", Meaning::of_ao(V::INFO).state("st"));
pub(super) const SM_CSTATE: Event = event("CSTATE", Meaning::of_ao(V::INFO).state("st"));
pub(super) const SM_EVT_PROC: Event = event("EVT_PROC", Meaning::of_ao(V::DONE));
pub(super) const SM_EVT_NFOUND: Event =
    event("EVT_NFOUND", Meaning::of_ao(V::UNHANDLED).signal()).severity(Severity::INFO);
pub(super) const SM_GRD_FALSE: Event = ignored("GRD_FALSE", Severity::INFO);
pub(super) const SM_CND_NFOUND: Event = ignored("CND_NFOUND", Severity::WARNING);
pub(super) const SM_UNKN_STATE: Event = ignored("UNKN_STATE", Severity::WARNING);
pub(super) const SM_EX_HLEVEL: Event = ignored("EX_HLEVEL", Severity::WARNING);
pub(super) const SM_EX_TSEG: Event = ignored("EX_TSEG", Severity::WARNING);
pub(super) const SM_EXE_ACT: Event =
    event("EXE_ACT", Meaning::of_ao(V::ACTION).in_state("st").function("fn")).role(Role::Function);
pub(super) const SM_DCH: Event = event("DCH", Meaning::of_ao(V::DISPATCH).in_state("st").signal());

pub(super) const TIM_INIT: Event = event("INIT", TIMER.signal());
pub(super) const TIM_START: Event = event("START", Meaning { verb: V::ARM, ..TIMER.to("ao").val("nt").second("per") });
pub(super) const TIM_STOP: Event = event("STOP", Meaning { verb: V::DISARM, ..TIMER.val("nt").second("per") });
pub(super) const TIM_TOUT: Event = event("TOUT", Meaning { verb: V::FIRE, ..TIMER.to("ao").signal() });
pub(super) const TIM_REM: Event = event("REM", Meaning { verb: V::DISARM, ..TIMER });

pub(super) const FWK_EN: Event = event("EN", Meaning::new(V::INFO));
pub(super) const FWK_EX: Event = event("EX", Meaning::new(V::INFO));
pub(super) const FWK_EPREG: Event = event("EPREG", Meaning::new(V::INFO).pool_number("ep").val("es"));
pub(super) const FWK_AE: Event =
    event("AE", Meaning::new(V::ALLOC).pool("pid", 1).sub("actor").signal().val("es").level("nb"));
pub(super) const FWK_GC: Event = event("GC", Meaning::new(V::UNREF).pool("pid", 0).sub("actor").signal().val("rc"));
pub(super) const FWK_GCR: Event =
    event("GCR", Meaning::new(V::COLLECT).pool("pid", 1).sub("actor").signal().val("rc").level("nb"));
/// The same of targets before 3.0: the pool's number counts from 1.
pub(super) const FWK_GCR_OLD: Event = event("GCR", Meaning::new(V::COLLECT).pool("pid", 0).signal().val("rc"));
pub(super) const FWK_DEFER: Event = SMA_DEFER;
pub(super) const FWK_RCALL: Event = SMA_RCALL;
pub(super) const FWK_EXE_FUN: Event = event("EXE_FUN", Meaning::new(V::ACTION).function("fn")).role(Role::Function);
pub(super) const FWK_SYNC_EVT: Event =
    event("SYNC_EVT", Meaning::new(V::SEND).function("fn").sub_or_none("snr").to_or_none("ao")).role(Role::Function);
pub(super) const FWK_ASSERT: Event = event("ASSERT", Meaning::new(V::ASSERT).val("line")).severity(Severity::ERROR);
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
/// The same of targets before 3.0, which name its address.
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
