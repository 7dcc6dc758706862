//! The layout of every event: one table (`table`), from which decoding, texts, fields, activities (`meaning`) and the
//! description are derived.

mod meaning;
mod private;
mod queue_kind;
pub(crate) mod space;
mod table;

pub(crate) use meaning::{Meaning, Operand, REASONS, reason};
pub(crate) use private::private_flag;
pub(crate) use queue_kind::{QUEUE_KINDS, queue_kind};
pub(crate) use table::TABLE;

use spytui_plugin_api::NONE;

/// Maximum number of fields of an event.
pub(crate) const MAX_FIELDS: usize = 3;

/// Type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    U32,
    U64,
    S64,
    /// Kind of a queue, one byte.
    QueueKind,
    /// The remaining bytes.
    Text,
}

/// A field of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) ty: Ty,
    /// Space of a key field.
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

/// The object of an event's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Nothing,
    /// The key in its first field.
    First,
    /// The task running on its core.
    Current,
    /// The task in its second field, or the running one.
    Owner,
}

/// The item of an event's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Second {
    Nothing,
    /// The key in its first field.
    First,
    /// The code of an application record: the key in its first field, with a bit for task-local ones.
    Code,
}

/// Native text of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Nothing besides kind and object.
    Nothing,
    Core,
    /// Number of dropped events.
    Total,
    Resolution,
    /// Name of the key in the first field.
    Naming,
    IdleOf,
    Timer,
    KindOf,
    /// Text of a marker.
    Message,
    /// Text of a marker after its name.
    LocalMessage,
    Number,
    LocalNumber,
    ForTicks,
    UntilTick,
    Priority,
    Fill,
    /// The same after the name of the queue.
    QueueFill,
    QueueEmptied,
    /// Queue and waiting time.
    Wait,
}

/// Effect of an event besides its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    /// Switches the core of later events.
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
    /// Only sent by FreeRTOS targets.
    pub(crate) rtos: bool,
    /// Whether it begins with a time stamp; metadata does not.
    pub(crate) timed: bool,
    pub(crate) fields: &'static [Field],
    /// Number of required fields; further fields are optional, the last one first.
    pub(crate) required: usize,
    pub(crate) subject: Subject,
    pub(crate) second: Second,
    pub(crate) what: What,
    pub(crate) role: Role,
    /// Its activity.
    pub(crate) meaning: Option<Meaning>,
}

impl Layout {
    /// Whether it is an application record: a marker with text or value.
    pub(crate) fn is_application(&self) -> bool {
        matches!(self.second, Second::Code)
    }

    /// Whether it is a marker of the running task.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.group, Group::TaskMarker)
    }

    /// Space of the key in its first field.
    #[inline]
    pub(crate) fn first_space(&self) -> u16 {
        self.fields.first().map_or(NONE, |f| f.space)
    }

    /// Space of the object of its rows.
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

/// Index of an event in the table; past its end for unknown ids.
#[inline]
pub(crate) fn index(id: u8) -> usize {
    // The array has an element for every id.
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
