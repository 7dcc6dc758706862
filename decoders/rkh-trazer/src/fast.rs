//! Plans for events of fixed length, compiled from the table. A property test compares them with the parsers in `record`.

use crate::{
    config::Config,
    layout::{self, Layout, MAX_FIELDS},
};

/// How frames with an id are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// `None` for user events and unknown ids.
    pub(crate) layout: Option<&'static Layout>,
    pub(crate) fixed: spytui_decoder_kit::Plan<MAX_FIELDS>,
}

/// The plans of the ids in a block of rows.
pub(crate) type BlockPlans = spytui_decoder_kit::BlockPlans<Config, Plan>;

impl Plan {
    pub(crate) fn new(id: u8, config: &Config) -> Plan {
        let layout = layout::layout(id, config.era);
        let fixed = |layout: &&Layout| layout.fixed();
        let plan = layout.filter(fixed).map(|layout| {
            let sizes = layout.fields.iter().map(|field| config.size(field.ty));
            spytui_decoder_kit::Plan::new(config.header(), sizes, config.trailer())
        });
        Plan { layout, fixed: plan.unwrap_or(spytui_decoder_kit::Plan::NONE) }
    }
}

/// The plans of all ids.
#[derive(Clone, Debug)]
pub(crate) struct Plans([Plan; 256]);

impl Plans {
    pub(crate) fn new(config: &Config) -> Plans {
        Plans(std::array::from_fn(|id| Plan::new(id as u8, config)))
    }

    #[inline]
    pub(crate) fn of(&self, id: u8) -> &Plan {
        // The array has an element for every id.
        &self.0[usize::from(id)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::{Key, Settings, Style},
        record::{Frame, Record},
    };
    use proptest::prelude::*;

    fn settings() -> impl Strategy<Value = Settings> {
        let size = || prop::sample::select(vec![1u16, 2, 4]);
        let switch = || 0u16..2;
        let version = prop::sample::select(vec![0x2300u16, 0x2403, 0x2404, 0x2406, 0x3400]);
        let pointer = || prop::sample::select(vec![1u16, 2, 4, 8]);
        let sizes = (size(), size(), size(), size(), size(), size(), size());
        let switches = (switch(), switch(), switch(), switch(), switch(), switch());
        (version, pointer(), pointer(), sizes, switches).prop_map(|(version, pointer, function, sizes, switches)| {
            Settings::default()
                .with(Key::Version, version)
                .with(Key::Pointer, pointer)
                .with(Key::Function, function)
                .with(Key::Signal, sizes.0)
                .with(Key::Timestamp, sizes.1)
                .with(Key::Ntimer, sizes.2)
                .with(Key::Nblock, sizes.3)
                .with(Key::Nelem, sizes.4)
                .with(Key::Esize, sizes.5)
                .with(Key::Bsize, sizes.6)
                .with(Key::Sender, switches.0)
                .with(Key::QueueLwm, switches.1)
                .with(Key::PoolLwm, switches.2)
                .with(Key::Nseq, switches.3)
                .with(Key::Checksum, switches.4)
                .with(Key::Tstamp, switches.5)
        })
    }

    proptest! {
        #[test]
        fn plans_read_what_the_definition_reads(
            settings in settings(),
            id in any::<u8>(),
            bytes in prop::collection::vec(any::<u8>(), 64),
            surplus in 0usize..3,
        ) {
            let config = settings.config(Style::Native);
            let plan = Plan::new(id, &config);
            let Some(len) = plan.fixed.frame_len() else { return Ok(()) };
            let mut frame = bytes;
            frame.truncate(len + surplus);
            frame[0] = id;
            let parsed = Frame::read(&config, None, &frame).unwrap();
            prop_assert_eq!(plan.fixed.fits(&frame), matches!(parsed.record, Record::Event(..)));
            if plan.fixed.fits(&frame) {
                let (read, parsed) = (plan.fixed.values(&frame), parsed.values().unwrap());
                prop_assert_eq!((read.numbers, read.ends, read.count), (parsed.numbers, parsed.ends, parsed.count));
            }
        }
    }
}
