//! What a record means, in the verbs that every view understands. Dictionaries, configuration and unit-test records
//! mean nothing here.

use spytui_plugin_api::{Activity, ActivityFlags as F, Output, Row, RowFlags, Verb as V, info::space::KINDS};

use crate::{
    layout::{
        Group, Layout, NO_FIELD,
        space::{FUNCTIONS, OBJECTS, POOLS, SIGNALS, STATES},
    },
    record::Values,
};

/// Pushes the activity of a user event, before its row.
pub(crate) fn user(row: Row, out: &mut Output<'_>) {
    if out.wants_activities() && row.flags.contains(RowFlags::APPLICATION) {
        out.activity(Activity { core: row.core, ..Activity::new(V::INSTANT).sub(KINDS, row.kind.0.into()) });
    }
}

/// Pushes the activities of an event whose arguments fit, before its row.
#[inline(never)]
pub(crate) fn record(layout: &Layout, values: &Values<'_>, row: Row, out: &mut Output<'_>) {
    let mut record = Record { layout, values, core: row.core, out };
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
    core: u16,
    out: &'o mut Output<'b>,
}

impl Record<'_, '_, '_, '_> {
    fn field(&self, name: &str) -> u64 {
        self.values.number(self.layout.place(name))
    }

    fn has(&self, name: &str) -> bool {
        self.layout.place(name) != NO_FIELD
    }

    fn push(&mut self, activity: Activity) {
        self.out.activity(Activity { core: self.core, ..activity });
    }

    /// An activity of the record's active object.
    fn of_object(&self, verb: V) -> Activity {
        Activity::new(verb).sub(OBJECTS, self.field("ao"))
    }

    /// With the record's signal, where it has one.
    fn signal(&self, activity: Activity) -> Activity {
        if self.has("sig") { activity.item(SIGNALS, self.field("sig")) } else { activity }
    }

    /// With the low watermark, where the record has one.
    fn marked(&self, activity: Activity) -> Activity {
        if self.field("nmin") > 0 || self.has("nmin") {
            activity.second(self.field("nmin")).with(F::MARKED)
        } else {
            activity
        }
    }

    fn pool(&mut self) {
        let free = if self.layout.event == "INIT" { "nb" } else { "nfree" };
        let activity = Activity::new(V::LEVEL).obj(OBJECTS, self.field("mp")).val(self.field(free)).with(F::FREE);
        self.push(if self.layout.event == "GET" { self.marked(activity) } else { activity });
    }

    fn queue(&mut self) {
        let activity = |verb: V| Activity::new(verb).obj(OBJECTS, self.field("q"));
        let level = activity(V::LEVEL).val(self.field("nelem"));
        let activity = match self.layout.event {
            "INIT" | "DPT" => activity(V::CLEARED),
            "GET" => level,
            "FIFO" | "LIFO" => self.marked(level),
            "FULL" => activity(V::FULL),
            _ => activity(V::EMPTY),
        };
        self.push(activity);
    }

    fn object(&mut self) {
        let activity = match self.layout.event {
            "FIFO" => return self.post(F::empty()),
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
        self.push(activity);
    }

    fn post(&mut self, flags: F) {
        let activity = self.signal(Activity::new(V::POST).obj(OBJECTS, self.field("ao"))).with(flags);
        let sender = self.field("snr");
        self.push(if sender == 0 { activity } else { activity.sub(OBJECTS, sender) });
        self.level();
    }

    /// Elements in the queue of the record's object, where the record tells.
    fn level(&mut self) {
        if self.has("nelem") {
            let activity = Activity::new(V::LEVEL).obj(OBJECTS, self.field("ao")).val(self.field("nelem"));
            let activity = self.marked(activity);
            self.push(activity);
        }
    }

    fn deferred(&self) -> Activity {
        self.signal(Activity::new(V::DEFER).obj(OBJECTS, self.field("q")))
    }

    fn dispatch(&self) -> Activity {
        let activity = self.signal(self.of_object(V::DISPATCH));
        if self.has("st") { activity.obj(STATES, self.field("st")) } else { activity }
    }

    fn machine(&mut self) {
        let activity = |verb: V| self.of_object(verb);
        let state = |verb: V, field: &str| self.of_object(verb).item(STATES, self.field(field));
        let activity = match self.layout.event {
            "INIT" => state(V::INIT, "ist"),
            "TRN" if self.field("tst") == 0 => activity(V::INTERNAL).obj(STATES, self.field("sst")),
            "TRN" => activity(V::TRAN).obj(STATES, self.field("sst")).second(self.field("tst")),
            "STATE" => state(V::REST, "nxtst"),
            "ENSTATE" => state(V::ENTER, "st"),
            "EXSTATE" => state(V::EXIT, "st"),
            "TS_STATE" | "CSTATE" => state(V::INFO, "st"),
            "CLRH" => state(V::INFO, "h"),
            "EVT_PROC" => activity(V::DONE),
            "EVT_NFOUND" => self.signal(activity(V::UNHANDLED)),
            "DCH" => self.dispatch(),
            "EXE_ACT" => activity(V::ACTION).obj(STATES, self.field("st")).item(FUNCTIONS, self.field("fn")),
            "NENEX" => activity(V::INFO).val(self.field("nen")).second(self.field("nex")),
            "NTRNACT" => activity(V::INFO).val(self.field("nta")).second(self.field("nts")),
            // A guard that is false, and what is an error of the machine.
            _ => activity(V::IGNORED).with(F::FAILED),
        };
        self.push(activity);
    }

    fn timer(&mut self) {
        let activity = |verb: V| Activity::new(verb).sub(OBJECTS, self.field("t"));
        let receiver =
            |activity: Activity| if self.has("ao") { activity.obj(OBJECTS, self.field("ao")) } else { activity };
        let timed = |activity: Activity| activity.val(self.field("nt")).second(self.field("per"));
        let activity = match self.layout.event {
            "INIT" => self.signal(activity(V::INFO)),
            "START" => timed(receiver(activity(V::ARM))),
            "STOP" => timed(activity(V::DISARM)),
            "TOUT" => self.signal(receiver(activity(V::FIRE))),
            _ => activity(V::DISARM),
        };
        self.push(activity);
    }

    fn framework(&mut self) {
        match self.layout.event {
            "EN" | "EX" => self.push(Activity::new(V::INFO)),
            "EPREG" => self.push(Activity::new(V::INFO).obj(POOLS, self.field("ep")).val(self.field("es"))),
            "AE" | "GC" | "GCR" => self.event(),
            "DEFER" => self.push(self.deferred()),
            "RCALL" => self.push(self.signal(self.of_object(V::RECALL))),
            "EXE_FUN" => self.push(Activity::new(V::ACTION).item(FUNCTIONS, self.field("fn"))),
            "SYNC_EVT" => {
                let activity = Activity::new(V::SEND).item(FUNCTIONS, self.field("fn"));
                let (sender, receiver) = (self.field("snr"), self.field("ao"));
                let activity = if sender == 0 { activity } else { activity.sub(OBJECTS, sender) };
                self.push(if receiver == 0 { activity } else { activity.obj(OBJECTS, receiver) });
            }
            "ASSERT" => self.push(Activity::new(V::ASSERT).val(self.field("line"))),
            _ => {}
        }
    }

    /// An event of a pool: allocated, a reference less, given back.
    fn event(&mut self) {
        let from_zero = self.layout.event == "AE" || self.has("nb");
        let pool = self.field("pid") + u64::from(from_zero && self.has("pid"));
        let activity = |verb: V| {
            let activity = self.signal(Activity::new(verb));
            let activity = if pool == 0 { activity } else { activity.obj(POOLS, pool) };
            if self.has("actor") { activity.sub(OBJECTS, self.field("actor")) } else { activity }
        };
        let activity = match self.layout.event {
            "AE" => activity(V::ALLOC).val(self.field("es")),
            "GC" => activity(V::UNREF).val(self.field("rc")),
            _ => activity(V::COLLECT).val(self.field("rc")),
        };
        self.push(activity);
        if self.has("nb") {
            let level = Activity::new(V::LEVEL).obj(POOLS, pool).val(self.field("nb"));
            self.push(level);
        }
    }
}
