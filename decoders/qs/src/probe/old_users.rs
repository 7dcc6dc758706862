//! Whether a target whose version is not known is one before 6.6: there the ids from 70 on are application records; later
//! they are semaphores and mutexes, or reserved.

use std::{collections::HashSet, ops::RangeInclusive};

use spytui_decoder_kit::number::grouped_text;
use spytui_plugin_api::Clock;

use crate::{
    config::{Config, NEWEST_VERSION},
    layout::{self, Layout, Subject, USER_BASE, id},
    receive::Base,
    record,
};

/// Ids that are application records before 6.6 only.
pub(super) const IDS: RangeInclusive<u8> = 70..=USER_BASE - 1;
/// Version to read such a target with: the last before 6.6.
pub(super) const VERSION: u16 = 650;
/// Minimum number of records that speak against a later version.
const FEWEST: u32 = 3;
/// How many times as many of them there must be as of others.
const TIMES: u32 = 4;
/// Greatest priority of a thread.
const LAST_PRIORITY: u64 = 64;

/// Number of the disputed records that must be of the application; `None` if a later version explains them.
pub(super) fn count(frames: &[Vec<u8>], disputed: &[Vec<u8>], config: &Config) -> Option<u32> {
    let later =
        [config.version, NEWEST_VERSION].map(|version| Base::new(Config { version, ..*config }, 0, Clock::new(0)));
    let known = regions(frames, &later[0]);
    let (mut old, mut new) = (0, 0);
    for frame in disputed {
        let [_, id, payload @ .., _] = frame.as_slice() else { continue };
        if later.iter().any(|base| is_plausible(base, *id, payload, &known)) {
            new += 1;
        } else if record::whole(payload, &config.sizes) {
            old += 1;
        }
    }
    (old >= FEWEST && old >= new * TIMES).then_some(old)
}

/// The reason for the version, before the others.
pub(super) fn why(count: u64) -> String {
    let count = grouped_text(count);
    format!("{count} ids from 70 on are application records, as before QP 6.6, -o version= sets the target's; ")
}

/// Whether a payload makes sense as a predefined record: its length, its object and its numbers of threads.
fn is_plausible(base: &Base, id: u8, payload: &[u8], known: &HashSet<u64>) -> bool {
    let Some(layout) = layout::layout(id, base.config.version, base.config.style) else { return false };
    let Some(values) = record::exact(layout, &base.config.sizes, payload) else { return false };
    let size = base.config.sizes.obj;
    layout.fields.iter().zip(values.numbers).all(|(field, number)| match field.name {
        "obj" => is_aligned(number, size) && (known.is_empty() || known.contains(&region(number, size))),
        "thr" | "hldr" => number <= LAST_PRIORITY,
        _ => true,
    })
}

/// Objects have counters and pointers in them, so none begins at an odd place.
fn is_aligned(address: u64, size: u8) -> bool {
    address.trailing_zeros()
        >= match size {
            4.. => 2,
            2.. => 1,
            _ => 0,
        }
}

/// The part of memory that an object lies in: the upper byte or half of its address.
fn region(address: u64, size: u8) -> u64 {
    match size {
        8.. => address >> 32,
        4.. => address >> 24,
        _ => 0,
    }
}

/// Where the objects of all other records lie.
fn regions(frames: &[Vec<u8>], base: &Base) -> HashSet<u64> {
    let object = |frame: &Vec<u8>| {
        let [_, id, payload @ .., _] = frame.as_slice() else { return None };
        let layout: &Layout = base.plans.of(*id).layout.filter(|_| *id < *IDS.start())?;
        let has_object = layout.subject == Subject::Object || *id == id::OBJ_DICT;
        let values = record::exact(layout, &base.config.sizes, payload).filter(|_| has_object)?;
        Some(values.number(layout.obj)).filter(|address| *address != 0)
    };
    frames.iter().filter_map(object).map(|address| region(address, base.config.sizes.obj)).collect()
}
