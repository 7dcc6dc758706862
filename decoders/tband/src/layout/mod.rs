//! The layout of every event: one table (`table`), from which decoding, texts, fields, activities (`meaning`) and the
//! description are derived.

mod meaning;
mod private;
mod queue_kind;
pub(crate) mod space;
mod table;

pub(crate) use meaning::{Meaning, Operand, REASONS, reason, state};
pub(crate) use private::{private_attachment, private_flag};
pub(crate) use queue_kind::{QUEUE_KINDS, queue_kind};
pub(crate) use table::TABLE;

use spytui_plugin_api::NONE;

/// Most fields of one event.
pub(crate) const MAX_FIELDS: usize = 3;

/// Type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    U32,
    U64,
    S64,
    /// Kind of a queue, one byte.
    QueueKind,
    /// The rest of the event.
    Text,
}

/// A field of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) ty: Ty,
    /// Space that it is a key of.
    pub(crate) space: u16,
}

/// Groups of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Group {
    Stream = 0,
    Isr = 1,
    Marker = 2,
    Value = 3,
    Task = 4,
    Queue = 5,
    TaskMarker = 6,
}

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Nothing,
    /// The key in its first field.
    First,
    /// The task that runs on its core.
    Current,
    /// The task in its second field, which may stand for the one that runs.
    Owner,
}

/// The second key of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Second {
    Nothing,
    /// The key in its first field.
    First,
    /// The code of an application record: the key in its first field, with a bit for task-local ones.
    Code,
}

/// Our text of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Kind and object say all.
    Nothing,
    /// The core.
    Core,
    /// Dropped so far.
    Total,
    Resolution,
    /// What the first field's key is called.
    Naming,
    IdleOf,
    Timer,
    KindOf,
    /// Text of a marker.
    Message,
    /// The same behind the name of the marker.
    LocalMessage,
    Number,
    LocalNumber,
    ForTicks,
    UntilTick,
    Priority,
    Fill,
    /// The same behind the name of the queue.
    QueueFill,
    QueueEmptied,
    /// Queue, and for how long.
    Wait,
}

/// What receiving does with an event besides making its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    /// The core that later events are of.
    Core,
    /// Count of dropped events.
    Dropped,
    /// Resolution of the time stamps.
    Resolution,
    /// A task runs.
    SwitchedIn,
    /// Names its first key.
    Name,
    /// Marks an idle task.
    IdleTask,
    /// Marks the timer service task.
    TimerTask,
    /// Gives the kind of a queue.
    QueueKind,
}

impl Role {
    /// Whether it only feeds the dictionary.
    #[inline]
    pub(crate) fn is_naming(self) -> bool {
        matches!(self, Role::Name | Role::IdleTask | Role::TimerTask | Role::QueueKind)
    }
}

/// One event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) id: u8,
    pub(crate) name: &'static str,
    /// The name as the reference tool writes it.
    pub(crate) pascal: &'static str,
    pub(crate) tag: &'static str,
    pub(crate) group: Group,
    /// Known to FreeRTOS targets only.
    pub(crate) rtos: bool,
    /// It begins with a time stamp; metadata does not.
    pub(crate) timed: bool,
    pub(crate) fields: &'static [Field],
    /// Fields that may not be left out; those behind them may, the last one first.
    pub(crate) required: usize,
    pub(crate) subject: Subject,
    pub(crate) second: Second,
    pub(crate) what: What,
    pub(crate) role: Role,
    /// Its activity.
    pub(crate) meaning: Option<Meaning>,
}

impl Layout {
    /// Whether it is an application's: a marker with its text or value.
    pub(crate) fn is_application(&self) -> bool {
        matches!(self.second, Second::Code)
    }

    /// Whether it is a marker of the task that runs.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.group, Group::TaskMarker)
    }

    /// Space of the key in its first field.
    #[inline]
    pub(crate) fn first_space(&self) -> u16 {
        self.fields.first().map_or(NONE, |f| f.space)
    }

    /// Space of what its rows are about.
    pub(crate) fn subject_space(&self) -> u16 {
        match self.subject {
            Subject::Nothing => NONE,
            Subject::First => self.first_space(),
            Subject::Current | Subject::Owner => space::TASKS,
        }
    }
}

const NO_EVENT: u8 = 0xFF;

/// Index of each id in the table.
const INDEX: [u8; 256] = {
    let mut index = [NO_EVENT; 256];
    let mut i = 0;
    while i < TABLE.len() {
        index[TABLE[i].id as usize] = i as u8;
        i += 1;
    }
    index
};

/// The layout of an event.
#[inline]
pub(crate) fn layout(id: u8) -> Option<&'static Layout> {
    TABLE.get(index(id))
}

/// Index of an event in the table; beyond its end for ids that no event has.
#[inline]
pub(crate) fn index(id: u8) -> usize {
    // An array of 256 has a place for every id.
    usize::from(INDEX[usize::from(id)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_event_once() {
        assert_eq!(TABLE.len(), 47);
        assert!(TABLE.windows(2).all(|pair| pair[0].id < pair[1].id));
        let group = |range: std::ops::RangeInclusive<u8>, rtos: bool| {
            range.filter(|id| layout(*id).is_some_and(|l| l.rtos == rtos)).count()
        };
        assert_eq!((group(0..=0x0B, false), group(0x54..=0x70, true), group(0x7A..=0x7F, true)), (12, 29, 6));
        assert!([0x0C, 0x53, 0x71, 0x79, 0x80, 0xFF].iter().all(|id| layout(*id).is_none()));
    }

    #[test]
    fn names_and_texts_agree_with_each_other() {
        for layout in &TABLE {
            let pascal: String = layout.name.split('_').map(|w| w[..1].to_uppercase() + &w[1..]).collect();
            assert_eq!(pascal, layout.pascal);
            assert!(layout.fields.len() <= MAX_FIELDS && layout.required == layout.fields.len());
            let texts = layout.fields.iter().filter(|f| f.ty == Ty::Text).count();
            let last = layout.fields.last().is_some_and(|f| f.ty == Ty::Text);
            assert_eq!(texts, usize::from(last), "{}", layout.name);
            assert!(layout.tag.len() <= 8, "{}", layout.tag);
        }
    }

    #[test]
    fn metadata_has_no_stamp() {
        let metadata: Vec<u8> = TABLE.iter().filter(|l| !l.timed).map(|l| l.id).collect();
        assert_eq!(metadata, [0x02, 0x03, 0x06, 0x0A, 0x5F, 0x60, 0x61, 0x64, 0x65, 0x7A, 0x7E]);
    }
}
