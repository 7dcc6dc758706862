//! What a record means, in the verbs that every view understands. Dictionaries, info, test and reply records mean
//! nothing here, but for a reset.

use spytui_plugin_api::{Activity, ActivityFlags as F, Output, Row, Verb as V, row::RowFlags};

use crate::{
    config::Config,
    fast::Plan,
    layout::{
        self, Layout, Name, Values, id,
        space::{FUNCTIONS, ISRS, OBJECTS, POOLS, RATES, SIGNALS, TASKS},
    },
    record,
};

/// Key of the only critical-section track.
const CRITICAL: u64 = 0;

/// Pushes the activities of a good frame, before its row.
#[inline(never)]
pub(crate) fn record(config: &Config, plan: &Plan, row: Row, frame: &[u8], out: &mut Output<'_>) {
    if row.flags.intersects(RowFlags::MALFORMED) {
        return;
    }
    let &[_, id, ref payload @ .., _] = frame else { return };
    if row.flags.intersects(RowFlags::APPLICATION) {
        let sub = Activity::new(V::INSTANT).sub(spytui_plugin_api::info::space::KINDS, row.kind.0.into());
        return out.activity(Activity { core: row.core, ..sub });
    }
    if id == id::INFO && row.flags.intersects(RowFlags::EPOCH) {
        return out.activity(Activity { core: row.core, ..Activity::new(V::RESET) });
    }
    let found = match id {
        id::QUERY => record::query(config, payload),
        _ => plan.layout.and_then(|layout| Some((layout, record::values(plan, &config.sizes, frame)?))),
    };
    if let Some((layout, values)) = found {
        Record { layout, values: &values, core: row.core, out }.activities(id);
    }
}

/// A record with its fields by name.
struct Record<'r, 'p, 'o, 'b> {
    layout: &'static Layout,
    values: &'r Values<'p>,
    core: u16,
    out: &'o mut Output<'b>,
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

    fn push(&mut self, activity: Activity) {
        self.out.activity(Activity { core: self.core, ..activity });
    }

    fn activities(mut self, id: u8) {
        match id {
            1..=9 | 55..=57 => self.machine(id),
            10 | 11 | 18 | 81 if self.has(Name::Que) => self.deferred(id),
            12 | 13 => {
                let verb = if id == 12 { V::SUBSCRIBE } else { V::UNSUBSCRIBE };
                self.push(Activity::new(verb).sub(OBJECTS, self.field(Name::Obj)).item(SIGNALS, self.field(Name::Sig)));
            }
            14 | 15 | 45 | 19 | 20 | 46 => self.post(id),
            16 | 17 | 21 | 22 => self.get(id),
            23 | 26..=30 | 38 => self.event(id),
            24 | 25 | 47 if self.has(Name::Free) => self.level(id == 47, id != 25),
            31 => {
                let activity = Activity::new(V::TICK).item(RATES, self.field(Name::Rate));
                self.push(activity.val(self.field(Name::Ctr)));
            }
            32..=37 => self.timer(id),
            39..=42 => self.interrupt(id),
            48..=53 => self.scheduler(id),
            67 => self.query(),
            69 => self.push(Activity::new(V::ASSERT).val(self.field(Name::Loc))),
            71..=80 => self.lock(id),
            _ => {}
        }
    }

    fn machine(&mut self, id: u8) {
        let activity = |verb: V| Activity::new(verb).sub(OBJECTS, self.field(Name::Obj));
        let handled =
            |verb: V| activity(verb).obj(FUNCTIONS, self.field(Name::State)).item(SIGNALS, self.field(Name::Sig));
        let activity = match id {
            1 => activity(V::ENTER).item(FUNCTIONS, self.field(Name::State)),
            2 => activity(V::EXIT).item(FUNCTIONS, self.field(Name::State)),
            4 => activity(V::INIT).item(FUNCTIONS, self.field(Name::State)),
            5 => handled(V::INTERNAL),
            6 => {
                let tran =
                    activity(V::TRAN).obj(FUNCTIONS, self.field(Name::Source)).item(SIGNALS, self.field(Name::Sig));
                tran.second(self.field(Name::Target))
            }
            7 => handled(V::IGNORED),
            8 => handled(V::DISPATCH),
            9 => handled(V::UNHANDLED),
            _ => activity(V::INIT).obj(FUNCTIONS, self.field(Name::Source)).item(FUNCTIONS, self.field(Name::Target)),
        };
        self.push(activity);
        if id == 4 {
            self.push(Activity { verb: V::REST, ..activity });
        }
    }

    fn deferred(&mut self, id: u8) {
        let verb = if matches!(id, 10 | 81) { V::DEFER } else { V::RECALL };
        let activity = Activity::new(verb).sub(OBJECTS, self.field(Name::Obj)).obj(OBJECTS, self.field(Name::Que));
        let activity = if self.has(Name::Sig) { activity.item(SIGNALS, self.field(Name::Sig)) } else { activity };
        self.push(activity.with(if matches!(id, 18 | 81) { F::FAILED } else { F::empty() }));
    }

    fn post(&mut self, id: u8) {
        let failed = matches!(id, 45 | 46);
        let flags =
            if matches!(id, 15 | 20) { F::LIFO } else { F::empty() } | if failed { F::FAILED } else { F::empty() };
        let activity =
            Activity::new(V::POST).obj(OBJECTS, self.field(Name::Obj)).item(SIGNALS, self.field(Name::Sig)).with(flags);
        let sender = self.field(Name::Sdr);
        self.push(if sender == 0 { activity } else { activity.sub(OBJECTS, sender) });
        self.level(failed, true);
    }

    fn get(&mut self, id: u8) {
        let obj = self.field(Name::Obj);
        self.push(Activity::new(V::GET).sub(OBJECTS, obj).obj(OBJECTS, obj).item(SIGNALS, self.field(Name::Sig)));
        match id {
            16 | 21 => self.level(false, false),
            _ => self.push(Activity::new(V::EMPTY).obj(OBJECTS, obj)),
        }
    }

    /// Free entries of the record's queue or pool.
    fn level(&mut self, failed: bool, marked: bool) {
        let activity =
            Activity::new(V::LEVEL).obj(OBJECTS, self.field(Name::Obj)).val(self.field(Name::Free)).with(F::FREE);
        let mark = self.field(if failed { Name::Mar } else { Name::Min });
        let activity = if marked { activity.second(mark).with(F::MARKED) } else { activity };
        self.push(activity.with(if failed { F::FAILED } else { F::empty() }));
    }

    fn event(&mut self, id: u8) {
        let activity = |verb: V| Activity::new(verb).item(SIGNALS, self.field(Name::Sig));
        let (pool, refs) = (self.field(Name::Pool), self.field(Name::Ref));
        let of_pool =
            |activity: Activity| if pool == 0 { activity.val(refs) } else { activity.obj(POOLS, pool).val(refs) };
        self.push(match id {
            23 => activity(V::ALLOC).val(self.field(Name::Size)).with(F::FAILED),
            28 => activity(V::ALLOC).val(self.field(Name::Size)),
            26 if self.field(Name::Sdr) == 0 => activity(V::PUBLISH),
            26 => activity(V::PUBLISH).sub(OBJECTS, self.field(Name::Sdr)),
            27 => of_pool(activity(V::REF)),
            30 => of_pool(activity(V::COLLECT)),
            _ => of_pool(activity(V::UNREF)),
        });
    }

    fn timer(&mut self, id: u8) {
        let activity =
            |verb: V| Activity::new(verb).sub(OBJECTS, self.field(Name::Obj)).obj(OBJECTS, self.field(Name::Ao));
        let armed = |activity: Activity| activity.val(self.field(Name::Tim)).second(self.field(Name::Int));
        self.push(match id {
            32 | 36 => armed(activity(V::ARM)),
            33 => activity(V::DISARM),
            34 => activity(V::DISARM).with(F::FAILED),
            35 => armed(activity(V::DISARM)),
            _ => activity(V::FIRE).item(SIGNALS, self.field(Name::Sig)),
        });
    }

    fn interrupt(&mut self, id: u8) {
        let (verb, key) = match id {
            39 => (V::CRIT_IN, CRITICAL),
            40 => (V::CRIT_OUT, CRITICAL),
            41 => (V::ISR_IN, self.field(Name::Pri)),
            _ => (V::ISR_OUT, self.field(Name::Pri)),
        };
        self.push(Activity::new(verb).sub(ISRS, key).val(self.field(Name::Nest)));
    }

    fn scheduler(&mut self, id: u8) {
        let activity = match id {
            // Mutexes of 7.0 and before, without a key.
            48 | 49 if !self.has(Name::Pri) => return,
            48 | 49 | 52 => Activity::new(V::RUN).sub(TASKS, self.field(Name::Pri)),
            50 => Activity::new(V::SCHED_LOCK).val(self.field(Name::Ceil)),
            51 => Activity::new(V::SCHED_UNLOCK).val(self.field(Name::Ceil)),
            _ => Activity::new(V::IDLE),
        };
        self.push(activity);
    }

    fn lock(&mut self, id: u8) {
        let (verb, flags) = match id {
            71 | 75 => (V::TAKE, F::empty()),
            73 | 77 => (V::GIVE, F::empty()),
            72 | 76 => (V::BLOCK, F::empty()),
            74 | 79 => (V::BLOCK, F::FAILED),
            78 => (V::TAKE, F::FAILED),
            _ => (V::GIVE, F::FAILED),
        };
        let task =
            if self.has(Name::Hldr) && !self.has(Name::Thr) { self.field(Name::Hldr) } else { self.field(Name::Thr) };
        let count = self.field(if self.has(Name::Cnt) { Name::Cnt } else { Name::Nest });
        self.push(Activity::new(verb).sub(TASKS, task).obj(OBJECTS, self.field(Name::Obj)).val(count).with(flags));
    }

    /// The answer to a query confirms a state or a level.
    fn query(&mut self) {
        if self.has(Name::State) {
            let activity = Activity::new(V::REST).sub(OBJECTS, self.field(Name::Obj));
            self.push(activity.item(FUNCTIONS, self.field(Name::State)));
        } else if self.has(Name::Free) && self.layout.obj != layout::NO_FIELD {
            self.level(false, true);
        }
    }
}
