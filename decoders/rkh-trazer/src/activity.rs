//! What a record means, in the verbs that every view understands. Dictionaries, configuration and unit-test records
//! mean nothing here.

use spytui_plugin_api::{Act, ActFlags as F, Out, Row, Verb as V, info::space::KINDS};

use crate::{
    layout::{Group, Layout, NO_FIELD},
    names::space::{FUNCTIONS, OBJECTS, POOLS, SIGNALS, STATES},
    record::Values,
};

/// Pushes the activity of a user event, before its row.
pub(crate) fn user(row: Row, out: &mut Out<'_>) {
    if out.wants_acts() && row.flags & spytui_plugin_api::row::flag::APP != 0 {
        out.act(Act { lane: row.lane, ..Act::new(V::INSTANT).sub(KINDS, row.kind.into()) });
    }
}

/// Pushes the activities of an event whose arguments fit, before its row.
#[inline(never)]
pub(crate) fn record(layout: &Layout, values: &Values<'_>, row: Row, out: &mut Out<'_>) {
    let mut record = Record { layout, values, lane: row.lane, out };
    match layout.group {
        Group::Mp => record.pool(),
        Group::Rq => record.queue(),
        Group::Sma => record.object(),
        Group::Sm => record.machine(),
        Group::Tim => record.timer(),
        Group::Fwk => record.framework(),
        Group::Usr | Group::Ut => {}
    }
}

/// A record with its fields by name.
struct Record<'r, 'p, 'o, 'b> {
    layout: &'r Layout,
    values: &'r Values<'p>,
    lane: u16,
    out: &'o mut Out<'b>,
}

impl Record<'_, '_, '_, '_> {
    fn field(&self, name: &str) -> u64 {
        self.values.number(self.layout.place(name))
    }

    fn has(&self, name: &str) -> bool {
        self.layout.place(name) != NO_FIELD
    }

    fn push(&mut self, act: Act) {
        self.out.act(Act { lane: self.lane, ..act });
    }

    /// An activity of the record's active object.
    fn of_object(&self, verb: u16) -> Act {
        Act::new(verb).sub(OBJECTS, self.field("ao"))
    }

    /// With the record's signal, where it has one.
    fn signal(&self, act: Act) -> Act {
        if self.has("sig") { act.item(SIGNALS, self.field("sig")) } else { act }
    }

    /// With the low watermark, where the record has one.
    fn marked(&self, act: Act) -> Act {
        if self.field("nmin") > 0 || self.has("nmin") { act.aux(self.field("nmin")).with(F::MARKED) } else { act }
    }

    fn pool(&mut self) {
        let free = if self.layout.event == "INIT" { "nb" } else { "nfree" };
        let act = Act::new(V::LEVEL).obj(OBJECTS, self.field("mp")).val(self.field(free)).with(F::FREE);
        self.push(if self.layout.event == "GET" { self.marked(act) } else { act });
    }

    fn queue(&mut self) {
        let act = |verb: u16| Act::new(verb).obj(OBJECTS, self.field("q"));
        let level = act(V::LEVEL).val(self.field("nelem"));
        let act = match self.layout.event {
            "INIT" | "DPT" => act(V::CLEARED),
            "GET" => level,
            "FIFO" | "LIFO" => self.marked(level),
            "FULL" => act(V::FULL),
            _ => act(V::EMPTY),
        };
        self.push(act);
    }

    fn object(&mut self) {
        let act = match self.layout.event {
            "FIFO" => return self.post(0),
            "LIFO" => return self.post(F::LIFO),
            "GET" => {
                let object = self.field("ao");
                let get = self.signal(self.of_object(V::GET).obj(OBJECTS, object));
                self.push(get);
                return self.level();
            }
            "ACT" => self.of_object(V::CREATE),
            "TERM" => self.of_object(V::DELETE),
            "REG" => self.of_object(V::PRIO).val(self.field("prio")),
            "UNREG" => self.of_object(V::INFO),
            "DEFER" => self.deferred(),
            "DCH" => self.dispatch(),
            _ => self.signal(self.of_object(V::RECALL)),
        };
        self.push(act);
    }

    fn post(&mut self, flags: u16) {
        let act = self.signal(Act::new(V::POST).obj(OBJECTS, self.field("ao"))).with(flags);
        let sender = self.field("snr");
        self.push(if sender == 0 { act } else { act.sub(OBJECTS, sender) });
        self.level();
    }

    /// Elements in the queue of the record's object, where the record tells.
    fn level(&mut self) {
        if self.has("nelem") {
            let act = Act::new(V::LEVEL).obj(OBJECTS, self.field("ao")).val(self.field("nelem"));
            let act = self.marked(act);
            self.push(act);
        }
    }

    fn deferred(&self) -> Act {
        self.signal(Act::new(V::DEFER).obj(OBJECTS, self.field("q")))
    }

    fn dispatch(&self) -> Act {
        let act = self.signal(self.of_object(V::DISPATCH));
        if self.has("st") { act.obj(STATES, self.field("st")) } else { act }
    }

    fn machine(&mut self) {
        let act = |verb: u16| self.of_object(verb);
        let state = |verb: u16, field: &str| self.of_object(verb).item(STATES, self.field(field));
        let act = match self.layout.event {
            "INIT" => state(V::INIT, "ist"),
            "TRN" if self.field("tst") == 0 => act(V::INTERNAL).obj(STATES, self.field("sst")),
            "TRN" => act(V::TRAN).obj(STATES, self.field("sst")).aux(self.field("tst")),
            "STATE" => state(V::REST, "nxtst"),
            "ENSTATE" => state(V::ENTER, "st"),
            "EXSTATE" => state(V::EXIT, "st"),
            "TS_STATE" | "CSTATE" => state(V::INFO, "st"),
            "CLRH" => state(V::INFO, "h"),
            "EVT_PROC" => act(V::DONE),
            "EVT_NFOUND" => self.signal(act(V::UNHANDLED)),
            "DCH" => self.dispatch(),
            "EXE_ACT" => act(V::ACTION).obj(STATES, self.field("st")).item(FUNCTIONS, self.field("fn")),
            "NENEX" => act(V::INFO).val(self.field("nen")).aux(self.field("nex")),
            "NTRNACT" => act(V::INFO).val(self.field("nta")).aux(self.field("nts")),
            // A guard that is false, and what is an error of the machine.
            _ => act(V::IGNORED).with(F::FAILED),
        };
        self.push(act);
    }

    fn timer(&mut self) {
        let act = |verb: u16| Act::new(verb).sub(OBJECTS, self.field("t"));
        let receiver = |act: Act| if self.has("ao") { act.obj(OBJECTS, self.field("ao")) } else { act };
        let timed = |act: Act| act.val(self.field("nt")).aux(self.field("per"));
        let act = match self.layout.event {
            "INIT" => self.signal(act(V::INFO)),
            "START" => timed(receiver(act(V::ARM))),
            "STOP" => timed(act(V::DISARM)),
            "TOUT" => self.signal(receiver(act(V::FIRE))),
            _ => act(V::DISARM),
        };
        self.push(act);
    }

    fn framework(&mut self) {
        match self.layout.event {
            "EN" | "EX" => self.push(Act::new(V::INFO)),
            "EPREG" => self.push(Act::new(V::INFO).obj(POOLS, self.field("ep")).val(self.field("es"))),
            "AE" | "GC" | "GCR" => self.event(),
            "DEFER" => self.push(self.deferred()),
            "RCALL" => self.push(self.signal(self.of_object(V::RECALL))),
            "EXE_FUN" => self.push(Act::new(V::ACTION).item(FUNCTIONS, self.field("fn"))),
            "SYNC_EVT" => {
                let act = Act::new(V::SEND).item(FUNCTIONS, self.field("fn"));
                let (sender, receiver) = (self.field("snr"), self.field("ao"));
                let act = if sender == 0 { act } else { act.sub(OBJECTS, sender) };
                self.push(if receiver == 0 { act } else { act.obj(OBJECTS, receiver) });
            }
            "ASSERT" => self.push(Act::new(V::ASSERT).val(self.field("line"))),
            _ => {}
        }
    }

    /// An event of a pool: allocated, a reference less, given back.
    fn event(&mut self) {
        let from_zero = self.layout.event == "AE" || self.has("nb");
        let pool = self.field("pid") + u64::from(from_zero && self.has("pid"));
        let act = |verb: u16| {
            let act = self.signal(Act::new(verb));
            let act = if pool == 0 { act } else { act.obj(POOLS, pool) };
            if self.has("actor") { act.sub(OBJECTS, self.field("actor")) } else { act }
        };
        let act = match self.layout.event {
            "AE" => act(V::ALLOC).val(self.field("es")),
            "GC" => act(V::UNREF).val(self.field("rc")),
            _ => act(V::COLLECT).val(self.field("rc")),
        };
        self.push(act);
        if self.has("nb") {
            let level = Act::new(V::LEVEL).obj(POOLS, pool).val(self.field("nb"));
            self.push(level);
        }
    }
}
