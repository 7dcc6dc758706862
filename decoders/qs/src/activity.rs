//! What a record means, in the verbs that every view understands. Dictionaries, info, test and reply records mean
//! nothing here, but for a reset.

use spytui_plugin_api::{Act, ActFlags as F, Out, Row, Verb as V, row::flag};

use crate::{
    config::Config,
    layout::{self, Layout, Name, id},
    names::space::{FUNCTIONS, ISRS, OBJECTS, POOLS, RATES, SIGNALS, TASKS},
    record::{self, Values},
};

/// Key of the only critical-section track.
const CRITICAL: u64 = 0;

/// Pushes the activities of a good frame, before its row.
#[inline(never)]
pub(crate) fn record(config: &Config, row: Row, payload: &[u8], out: &mut Out<'_>) {
    if row.flags & flag::MALFORMED != 0 {
        return;
    }
    let id = row.kind as u8;
    if row.flags & flag::APP != 0 {
        let sub = Act::new(V::INSTANT).sub(spytui_plugin_api::info::space::KINDS, row.kind.into());
        return out.act(Act { lane: row.lane, ..sub });
    }
    if id == id::INFO && row.flags & flag::EPOCH != 0 {
        return out.act(Act { lane: row.lane, ..Act::new(V::RESET) });
    }
    let found = match id {
        id::QUERY => {
            let kind = payload.get(usize::from(config.sizes.time)).copied();
            kind.and_then(|k| layout::query(k, config.version, config.style))
        }
        id => layout::layout(id, config.version, config.style),
    };
    let Some(layout) = found else { return };
    let mut values = Values::new();
    if record::read(layout, &config.sizes, payload, &mut values) {
        Record { layout, values: &values, lane: row.lane, out }.acts(id);
    }
}

/// A record with its fields by name.
struct Record<'r, 'p, 'o, 'b> {
    layout: &'static Layout,
    values: &'r Values<'p>,
    lane: u16,
    out: &'o mut Out<'b>,
}

impl Record<'_, '_, '_, '_> {
    #[inline]
    fn field(&self, name: Name) -> u64 {
        self.values.number(self.layout.place(name))
    }

    #[inline]
    fn has(&self, name: Name) -> bool {
        self.layout.place(name) != layout::NO_FIELD
    }

    fn push(&mut self, act: Act) {
        self.out.act(Act { lane: self.lane, ..act });
    }

    fn acts(mut self, id: u8) {
        match id {
            1..=9 | 55..=57 => self.machine(id),
            10 | 11 | 18 | 81 if self.has(Name::Que) => self.deferred(id),
            12 | 13 => {
                let verb = if id == 12 { V::SUBSCRIBE } else { V::UNSUBSCRIBE };
                self.push(Act::new(verb).sub(OBJECTS, self.field(Name::Obj)).item(SIGNALS, self.field(Name::Sig)));
            }
            14 | 15 | 45 | 19 | 20 | 46 => self.post(id),
            16 | 17 | 21 | 22 => self.get(id),
            23 | 26..=30 | 38 => self.event(id),
            24 | 25 | 47 if self.has(Name::Free) => self.level(id == 47, id != 25),
            31 => {
                let act = Act::new(V::TICK).item(RATES, self.field(Name::Rate));
                self.push(act.val(self.field(Name::Ctr)));
            }
            32..=37 => self.timer(id),
            39..=42 => self.interrupt(id),
            48..=53 => self.scheduler(id),
            67 => self.query(),
            69 => self.push(Act::new(V::ASSERT).val(self.field(Name::Loc))),
            71..=80 => self.lock(id),
            _ => {}
        }
    }

    fn machine(&mut self, id: u8) {
        let act = |verb: u16| Act::new(verb).sub(OBJECTS, self.field(Name::Obj));
        let handled =
            |verb: u16| act(verb).obj(FUNCTIONS, self.field(Name::State)).item(SIGNALS, self.field(Name::Sig));
        let act = match id {
            1 => act(V::ENTER).item(FUNCTIONS, self.field(Name::State)),
            2 => act(V::EXIT).item(FUNCTIONS, self.field(Name::State)),
            4 => act(V::INIT).item(FUNCTIONS, self.field(Name::State)),
            5 => handled(V::INTERNAL),
            6 => {
                let tran = act(V::TRAN).obj(FUNCTIONS, self.field(Name::Source)).item(SIGNALS, self.field(Name::Sig));
                tran.aux(self.field(Name::Target))
            }
            7 => handled(V::IGNORED),
            8 => handled(V::DISPATCH),
            9 => handled(V::UNHANDLED),
            _ => act(V::INIT).obj(FUNCTIONS, self.field(Name::Source)).item(FUNCTIONS, self.field(Name::Target)),
        };
        self.push(act);
        if id == 4 {
            self.push(Act { verb: V::REST, ..act });
        }
    }

    fn deferred(&mut self, id: u8) {
        let verb = if matches!(id, 10 | 81) { V::DEFER } else { V::RECALL };
        let act = Act::new(verb).sub(OBJECTS, self.field(Name::Obj)).obj(OBJECTS, self.field(Name::Que));
        let act = if self.has(Name::Sig) { act.item(SIGNALS, self.field(Name::Sig)) } else { act };
        self.push(act.with(if matches!(id, 18 | 81) { F::FAILED } else { 0 }));
    }

    fn post(&mut self, id: u8) {
        let failed = matches!(id, 45 | 46);
        let flags = if matches!(id, 15 | 20) { F::LIFO } else { 0 } | if failed { F::FAILED } else { 0 };
        let act =
            Act::new(V::POST).obj(OBJECTS, self.field(Name::Obj)).item(SIGNALS, self.field(Name::Sig)).with(flags);
        let sender = self.field(Name::Sdr);
        self.push(if sender == 0 { act } else { act.sub(OBJECTS, sender) });
        self.level(failed, true);
    }

    fn get(&mut self, id: u8) {
        let obj = self.field(Name::Obj);
        self.push(Act::new(V::GET).sub(OBJECTS, obj).obj(OBJECTS, obj).item(SIGNALS, self.field(Name::Sig)));
        match id {
            16 | 21 => self.level(false, false),
            _ => self.push(Act::new(V::EMPTY).obj(OBJECTS, obj)),
        }
    }

    /// Free entries of the record's queue or pool.
    fn level(&mut self, failed: bool, marked: bool) {
        let act = Act::new(V::LEVEL).obj(OBJECTS, self.field(Name::Obj)).val(self.field(Name::Free)).with(F::FREE);
        let mark = self.field(if failed { Name::Mar } else { Name::Min });
        let act = if marked { act.aux(mark).with(F::MARKED) } else { act };
        self.push(act.with(if failed { F::FAILED } else { 0 }));
    }

    fn event(&mut self, id: u8) {
        let act = |verb: u16| Act::new(verb).item(SIGNALS, self.field(Name::Sig));
        let (pool, refs) = (self.field(Name::Pool), self.field(Name::Ref));
        let of_pool = |act: Act| if pool == 0 { act.val(refs) } else { act.obj(POOLS, pool).val(refs) };
        self.push(match id {
            23 => act(V::ALLOC).val(self.field(Name::Size)).with(F::FAILED),
            28 => act(V::ALLOC).val(self.field(Name::Size)),
            26 if self.field(Name::Sdr) == 0 => act(V::PUBLISH),
            26 => act(V::PUBLISH).sub(OBJECTS, self.field(Name::Sdr)),
            27 => of_pool(act(V::REF)),
            30 => of_pool(act(V::COLLECT)),
            _ => of_pool(act(V::UNREF)),
        });
    }

    fn timer(&mut self, id: u8) {
        let act = |verb: u16| Act::new(verb).sub(OBJECTS, self.field(Name::Obj)).obj(OBJECTS, self.field(Name::Ao));
        let armed = |act: Act| act.val(self.field(Name::Tim)).aux(self.field(Name::Int));
        self.push(match id {
            32 | 36 => armed(act(V::ARM)),
            33 => act(V::DISARM),
            34 => act(V::DISARM).with(F::FAILED),
            35 => armed(act(V::DISARM)),
            _ => act(V::FIRE).item(SIGNALS, self.field(Name::Sig)),
        });
    }

    fn interrupt(&mut self, id: u8) {
        let (verb, key) = match id {
            39 => (V::CRIT_IN, CRITICAL),
            40 => (V::CRIT_OUT, CRITICAL),
            41 => (V::ISR_IN, self.field(Name::Pri)),
            _ => (V::ISR_OUT, self.field(Name::Pri)),
        };
        self.push(Act::new(verb).sub(ISRS, key).val(self.field(Name::Nest)));
    }

    fn scheduler(&mut self, id: u8) {
        let act = match id {
            // Mutexes of 7.0 and before, without a key.
            48 | 49 if !self.has(Name::Pri) => return,
            48 | 49 | 52 => Act::new(V::RUN).sub(TASKS, self.field(Name::Pri)),
            50 => Act::new(V::SCHED_LOCK).val(self.field(Name::Ceil)),
            51 => Act::new(V::SCHED_UNLOCK).val(self.field(Name::Ceil)),
            _ => Act::new(V::IDLE),
        };
        self.push(act);
    }

    fn lock(&mut self, id: u8) {
        let (verb, flags) = match id {
            71 | 75 => (V::TAKE, 0),
            73 | 77 => (V::GIVE, 0),
            72 | 76 => (V::BLOCK, 0),
            74 | 79 => (V::BLOCK, F::FAILED),
            78 => (V::TAKE, F::FAILED),
            _ => (V::GIVE, F::FAILED),
        };
        let task =
            if self.has(Name::Hldr) && !self.has(Name::Thr) { self.field(Name::Hldr) } else { self.field(Name::Thr) };
        let count = self.field(if self.has(Name::Cnt) { Name::Cnt } else { Name::Nest });
        self.push(Act::new(verb).sub(TASKS, task).obj(OBJECTS, self.field(Name::Obj)).val(count).with(flags));
    }

    /// The answer to a query confirms a state or a level.
    fn query(&mut self) {
        if self.has(Name::State) {
            let act = Act::new(V::REST).sub(OBJECTS, self.field(Name::Obj));
            self.push(act.item(FUNCTIONS, self.field(Name::State)));
        } else if self.has(Name::Free) && self.layout.obj != layout::NO_FIELD {
            self.level(false, true);
        }
    }
}
