//! Rows to text and fields, our own wording: `native` for events, `notes` for other rows, `label` for names of slices
//! and tracks, `fields` for values, `cause` for the cause of damage.

pub(crate) mod cause;
pub(crate) mod fields;
pub(crate) mod label;
pub(crate) mod native;
pub(crate) mod notes;

pub(crate) use spytui_decoder_kit::number;

use spytui_plugin_api::{Dict, RowIn};

use crate::{
    config::Config,
    layout::space,
    record::{self, Cause, Record},
};

/// Everything besides its event that the text of a row depends on.
pub(crate) struct Context<'a, 'd> {
    pub(crate) config: Config,
    pub(crate) row: &'a RowIn<'a>,
    pub(crate) names: &'a Dict<'d>,
}

impl<'d> Context<'_, 'd> {
    /// Name of a key in a row; scoped by core or task, depending on the space.
    pub(crate) fn name(&self, space: u16, key: u64) -> Option<&'d [u8]> {
        self.names.name(space, key, self.scope(space))
    }

    /// Scope of a key in this row: the core for interrupts, the running task for its markers.
    pub(crate) fn scope(&self, space: u16) -> u64 {
        match space {
            space::ISRS => self.row.row.core.into(),
            space::TASK_MARKERS | space::TASK_VALUES => self.row.row.obj,
            _ => 0,
        }
    }
}

impl<'a> Context<'a, '_> {
    /// The event in the row's bytes, or why there is none.
    #[inline]
    pub(crate) fn read(&self, room: &'a mut Vec<u8>) -> Result<Record<'a>, Cause> {
        record::read(self.row.raw.as_slice(), self.config.rtos, room)
    }
}
