//! The reference host's text, byte for byte where it is correct; its name tables, and how it prints names.

use std::{io::Write, sync::Arc};

use rustc_hash::FxHashMap;
use spytui_decoder_kit::{Element, Elements, Value};
use spytui_plugin_api::{Output, RowIn, TextWriter, info::space as host_space, row::RowKind};

use crate::{
    config::{Key, Tcfg},
    layout::{ACTIONS, Form, HEAD, Layout, Role, Values, private_attachment, space},
    record::{Record, RecordFrame, X32},
    text::{Context, number, user_number},
};

#[inline]
pub(crate) fn record(ctx: &Context<'_, '_>, frame: &RecordFrame<'_>, line: &mut TextWriter<'_>) {
    match &frame.record {
        Record::Event(layout, values) | Record::Misfit { layout, values, .. } => {
            header(ctx, frame.stamp(&ctx.config).unwrap_or(0), frame.nseq(&ctx.config).unwrap_or(0), line);
            event(ctx, layout, values, line);
        }
        Record::Tcfg(layout) => tcfg(ctx, layout, frame.bytes, line),
        Record::User => {
            header(ctx, frame.stamp(&ctx.config).unwrap_or(0), frame.nseq(&ctx.config).unwrap_or(0), line);
            user(ctx, frame.id(), frame.args(&ctx.config), line);
        }
        Record::Unknown => {
            number::labelled(line, b"***** Unknown trace event = (", frame.id().into());
            line.byte(b')');
            line.end_line();
        }
    }
}

#[inline]
fn event(ctx: &Context<'_, '_>, layout: &'static Layout, values: &Values<'_>, line: &mut TextWriter<'_>) {
    line.put_block(&layout.head, HEAD);
    for piece in layout.line.pieces() {
        let (form, ty) = piece.form;
        if form != Form::Nothing && form != Form::Text && ctx.config.size(ty) == 0 {
            continue;
        }
        line.put_block(&piece.literal, piece.len.into());
        let number = values.number(piece.field);
        match form {
            Form::Object | Form::Function => symbol(ctx, line, number),
            Form::Number => count(line, number),
            Form::Signal => signal(ctx, line, number),
            Form::Nothing => {}
            form => formed(ctx, form, number, values, line),
        }
    }
    match layout.role {
        Role::Fifo | Role::Lifo | Role::Get => post(ctx.row, layout.role, line),
        _ => {}
    }
    line.end_line();
}

/// The host prints numbers as signed 32-bit integers.
#[inline]
fn count(line: &mut TextWriter<'_>, number: u64) {
    match i32::try_from(number) {
        Ok(_) => number::decimal(line, number),
        Err(_) => number::signed(line, (number as u32 as i32).into(), 0),
    }
}

#[inline(never)]
fn formed(ctx: &Context<'_, '_>, form: Form, number: u64, values: &Values<'_>, line: &mut TextWriter<'_>) {
    match form {
        // An internal transition stays in its state.
        Form::Target => symbol(ctx, line, if number == 0 { values.number(1) } else { number }),
        Form::Pool => pool(ctx, line, number),
        Form::PoolFromZero => pool(ctx, line, number + 1),
        Form::Address => number::prefixed_hex(line, number, 8),
        Form::Action => {
            number::name_or(line, ACTIONS.get(number as usize).map(|kind| kind.as_bytes()), b"", number);
        }
        Form::Text => line.put(crate::names::plain(values.bytes)),
        _ => {}
    }
}

/// Writes time stamp and sequence number, if the target sends them.
#[inline]
fn header(ctx: &Context<'_, '_>, stamp: u64, seq: u8, line: &mut TextWriter<'_>) {
    let width = match ctx.config.stamp {
        0 => 0,
        1 => 3,
        4 => 10,
        _ => 5,
    };
    if width > 0 {
        line.byte(b' ');
        number::unsigned(line, stamp, width);
        line.byte(b'|');
    }
    if ctx.config.nseq {
        let digit = |from: u8| if seq < from { b' ' } else { b'0' + seq / from % 10 };
        let (a, b, c) = (digit(100), digit(10), b'0' + seq % 10);
        line.put_block(&[b' ', b'[', a, b, c, b']', b' ', b'|'], 8);
    }
}

/// Writes the numbers that the host adds to posts and gets.
#[inline]
fn post(row: &RowIn<'_>, role: Role, line: &mut TextWriter<'_>) {
    if role == Role::Get {
        let (rt, number) = row.attachment(private_attachment::HOST_RT).map_or((-1, 0), |e| (e.a as i64, e.b));
        line.put(b", rt=");
        number::signed(line, rt, 0);
        line.put(b", nseq=");
        return number::decimal(line, number);
    }
    number::labelled(line, b", nseq=", row.attachment(private_attachment::POST).map_or(0, |e| e.a));
}

const PAD: &[u8] = b"                                  | ";
const WIDE_PAD: &[u8] = b"                                      | ";

fn user(ctx: &Context<'_, '_>, id: u8, args: &[u8], line: &mut TextWriter<'_>) {
    line.put(b" USR | ");
    let mut name = Vec::new();
    match ctx.user(id) {
        Some(known) => name.extend_from_slice(known),
        None => name.extend_from_slice(format!("USR#{}", user_number(id)).as_bytes()),
    }
    line.put(&name);
    number::blanks(line, 10usize.saturating_sub(name.len()));
    line.put(b" : User trace information");
    line.end_line();
    for found in Elements::new(args, &ctx.config) {
        line.put(PAD);
        element(ctx, &found, line);
        line.end_line();
    }
}

fn element(ctx: &Context<'_, '_>, element: &Element<'_>, line: &mut TextWriter<'_>) {
    let width = usize::from(element.width);
    match element.value {
        Value::Signed(n) => number::signed_filled(line, n, width),
        Value::Unsigned(n) if element.ty == X32 => number::prefixed_hex(line, n, width),
        Value::Unsigned(n) => number::zero_filled(line, n, width),
        Value::Text(text) => line.put(text),
        Value::Memory(bytes) => memory(bytes, line),
        Value::Object(key) => {
            line.put(b"obj=");
            symbol(ctx, line, key);
        }
        Value::Function(key) => {
            line.put(b"func=");
            symbol(ctx, line, key);
        }
        Value::Signal { sig, .. } => {
            line.put(b"event=");
            signal(ctx, line, sig);
        }
        Value::Float(_) | Value::Double(_) | Value::Enum { .. } => {}
    }
}

/// Writes memory: every ten bytes, the host writes the indentation of a new line, but no line break.
fn memory(bytes: &[u8], line: &mut TextWriter<'_>) {
    line.put(b"[ ");
    for (i, &byte) in bytes.iter().enumerate() {
        if i > 0 && i % 10 == 0 {
            number::blanks(line, 25);
            number::blanks(line, 25);
        }
        number::byte(line, byte);
        line.byte(b' ');
    }
    line.byte(b']');
}

#[inline(never)]
fn tcfg(ctx: &Context<'_, '_>, layout: &Layout, frame: &[u8], line: &mut TextWriter<'_>) {
    header(ctx, 0, 0, line);
    line.put_block(&layout.head, HEAD);
    line.put(b"Update RKH Configuration from client");
    line.end_line();
    let Some(tcfg) = Tcfg::of_host(frame) else { return };
    for (name, value) in lines(&tcfg) {
        line.put(WIDE_PAD);
        line.put(name.as_bytes());
        number::blanks(line, 30usize.saturating_sub(name.len()));
        line.put(b"= ");
        line.put(value.as_bytes());
        line.end_line();
    }
    line.end_line();
    line.end_line();
}

/// Writes the reference host's lines for a damaged frame or a gap; nothing for other notes.
pub(crate) fn note(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    match row.row.kind {
        RowKind::GAP => line.put(b"\n***** May be have lost trace info, sequence are not correlatives\n"),
        RowKind::BAD_CHECK => line.put(b"\n***** Stream Checksum Error\n"),
        _ => {}
    }
}

/// Names and values as the reference host lists them: sizes in bits, switches as 0 or 1.
pub(crate) fn lines(tcfg: &Tcfg) -> Vec<(&'static str, String)> {
    let settings = &tcfg.settings;
    let bits = |key| (settings.get(key) * 8).to_string();
    let switch = |key| settings.get(key).to_string();
    let flag = |bit: u32| (tcfg.flags >> bit & 1).to_string();
    vec![
        ("RKH_VERSION", tcfg.dotted()),
        ("TRZ_RKH_CFGPORT_TRC_SIZEOF_TSTAMP", bits(Key::Timestamp)),
        ("TRZ_RKH_CFGPORT_TRC_SIZEOF_PTR", bits(Key::Pointer)),
        ("TRZ_RKH_CFG_FWK_SIZEOF_EVT", bits(Key::Signal)),
        ("TRZ_RKH_CFG_FWK_SIZEOF_EVT_SIZE", bits(Key::Esize)),
        ("TRZ_RKH_CFG_FWK_MAX_EVT_POOL", tcfg.max_pools.to_string()),
        ("TRZ_RKH_CFG_RQ_GET_LWMARK_EN", switch(Key::QueueLwm)),
        ("TRZ_RKH_CFG_RQ_SIZEOF_NELEM", bits(Key::Nelem)),
        ("TRZ_RKH_CFG_MP_GET_LWM_EN", switch(Key::PoolLwm)),
        ("TRZ_RKH_CFG_MP_SIZEOF_NBLOCK", bits(Key::Nblock)),
        ("TRZ_RKH_CFG_MP_SIZEOF_BSIZE", bits(Key::Bsize)),
        ("TRZ_RKH_CFG_SMA_TRC_SNDR_EN", switch(Key::Sender)),
        ("TRZ_RKH_CFG_TMR_SIZEOF_NTIMER", bits(Key::Ntimer)),
        ("TRZ_RKH_CFG_TRC_RTFIL_EN", flag(1)),
        ("TRZ_RKH_CFG_TRC_USER_TRACE_EN", flag(2)),
        ("TRZ_RKH_CFG_TRC_ALL_EN", flag(3)),
        ("TRZ_RKH_CFG_TRC_MP_EN", flag(4)),
        ("TRZ_RKH_CFG_TRC_RQ_EN", flag(5)),
        ("TRZ_RKH_CFG_TRC_SMA_EN", flag(6)),
        ("TRZ_RKH_CFG_TRC_TMR_EN", flag(7)),
        ("TRZ_RKH_CFG_TRC_SM_EN", flag(8)),
        ("TRZ_RKH_CFG_TRC_FWK_EN", flag(9)),
        ("TRZ_RKH_CFG_TRC_ASSERT_EN", flag(10)),
        ("TRZ_RKH_CFG_TRC_RTFIL_SMA_EN", flag(13)),
        ("TRZ_RKH_CFG_TRC_RTFIL_SIGNAL_EN", flag(14)),
        ("TRZ_RKH_CFG_TRC_NSEQ_EN", switch(Key::Nseq)),
        ("TRZ_RKH_CFG_TRC_TSTAMP_EN", switch(Key::Tstamp)),
        ("TRZ_RKH_CFG_TRC_CHK_EN", switch(Key::Checksum)),
        ("tstamp_tick_hz", tcfg.hz.to_string()),
    ]
}

/// Maximum number of entries in a table.
const MOST: usize = 1 << 20;

/// A table of the reference host: entries in order of creation.
#[derive(Clone, Debug, Default)]
struct Table {
    entries: Vec<(u64, Box<[u8]>)>,
    /// Indexes of the entries with a key, and with a name, in order.
    keys: FxHashMap<u64, Vec<u32>>,
    names: FxHashMap<Box<[u8]>, Vec<u32>>,
}

impl Table {
    /// Enters a name: the first entry with this key is renamed, or the first with this name gets the key, whichever
    /// comes first. Returns the key that lost its first entry.
    fn enter(&mut self, key: u64, name: &[u8]) -> Option<u64> {
        let by_key = self.keys.get(&key).and_then(|places| places.first()).copied();
        let by_name = self.names.get(name).and_then(|places| places.first()).copied();
        match (by_key, by_name) {
            (None, None) => self.push(key, name),
            (key_at, Some(at)) if key_at.is_none_or(|key_at| at < key_at) => return self.move_to(at, key),
            (Some(at), _) => self.rename(at, name),
            (None, Some(_)) => {}
        }
        None
    }

    fn push(&mut self, key: u64, name: &[u8]) {
        if self.entries.len() < MOST {
            let at = self.entries.len() as u32;
            self.entries.push((key, name.into()));
            self.keys.entry(key).or_default().push(at);
            self.names.entry(name.into()).or_default().push(at);
        }
    }

    fn move_to(&mut self, at: u32, key: u64) -> Option<u64> {
        let entry = self.entries.get_mut(at as usize)?;
        let before = std::mem::replace(&mut entry.0, key);
        leave(&mut self.keys, &before, at);
        join(self.keys.entry(key).or_default(), at);
        Some(before)
    }

    fn rename(&mut self, at: u32, name: &[u8]) {
        let Some(entry) = self.entries.get_mut(at as usize).filter(|entry| *entry.1 != *name) else { return };
        let before = std::mem::replace(&mut entry.1, name.into());
        leave(&mut self.names, &before, at);
        join(self.names.entry(name.into()).or_default(), at);
    }

    /// The name that the host finds for a key.
    fn name(&self, key: u64) -> Option<&[u8]> {
        let at = *self.keys.get(&key)?.first()?;
        self.entries.get(at as usize).map(|entry| &*entry.1)
    }
}

fn join(places: &mut Vec<u32>, at: u32) {
    places.insert(places.partition_point(|place| *place < at), at);
}

fn leave<K: std::hash::Hash + Eq + Clone>(map: &mut FxHashMap<K, Vec<u32>>, key: &K, at: u32) {
    if let Some(places) = map.get_mut(key) {
        places.retain(|place| *place != at);
        if places.is_empty() {
            map.remove(key);
        }
    }
}

/// Looks up a key like the host: an unknown key is entered under its own text.
#[inline]
fn look_up(table: &mut Arc<Table>, space: u16, key: u64, out: &mut Output<'_>) {
    if table.name(key).is_none() {
        place(Arc::make_mut(table), space, key, out);
    }
}

#[cold]
fn place(table: &mut Table, space: u16, key: u64, out: &mut Output<'_>) {
    let mut own = Vec::new();
    // Writing to memory never fails.
    let _ = if space == space::POOLS { write!(own, "{key}") } else { write!(own, "0X{key:X}") };
    if let Some(before) = table.enter(key, &own) {
        report(table, space, before, out);
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ReferenceNames {
    objects: Arc<Table>,
    signals: Arc<Table>,
    users: Arc<Table>,
    pools: Arc<Table>,
}

impl ReferenceNames {
    pub(crate) fn enter(&mut self, space: u16, key: u64, name: &[u8], out: &mut Output<'_>) {
        let (table, space) = match space {
            space::SIGNALS => (&mut self.signals, space),
            space::POOLS => (&mut self.pools, space),
            host_space::KINDS => (&mut self.users, space),
            // A single table for everything with an address.
            _ => (&mut self.objects, space::OBJECTS),
        };
        let table = Arc::make_mut(table);
        let known = table.name(key).is_some_and(|known| known == name);
        if let Some(before) = table.enter(key, name) {
            report(table, space, before, out);
        }
        if !known {
            report(table, space, key, out);
        }
    }

    /// Looks up an address; 0 = none.
    #[inline]
    pub(crate) fn look_up(&mut self, key: u64, out: &mut Output<'_>) {
        if key > 0 {
            look_up(&mut self.objects, space::OBJECTS, key, out);
        }
    }

    #[inline]
    pub(crate) fn look_up_signal(&mut self, key: u64, out: &mut Output<'_>) {
        look_up(&mut self.signals, space::SIGNALS, key, out);
    }

    /// Looks up a one-based pool; 0 = none.
    #[inline]
    pub(crate) fn look_up_pool(&mut self, key: u64, out: &mut Output<'_>) {
        if key > 0 {
            look_up(&mut self.pools, space::POOLS, key, out);
        }
    }

    /// Clears objects and pools, like a configuration record.
    pub(crate) fn clear(&mut self, out: &mut Output<'_>) {
        if !self.objects.entries.is_empty() {
            out.clear(space::OBJECTS);
        }
        out.clear(space::POOLS);
        (self.objects, self.pools) = Default::default();
    }
}

/// Reports the name that the host now finds for a key.
fn report(table: &Table, space: u16, key: u64, out: &mut Output<'_>) {
    match table.name(key) {
        Some(name) => out.name(space, key, 0, name),
        None => out.remove(space, key, 0),
    }
}

/// Writes an address like the host: from a single table for all objects.
#[inline]
pub(super) fn symbol(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>, key: u64) {
    if key == 0 {
        return line.byte(b'?');
    }
    match ctx.names.name(space::OBJECTS, key, 0) {
        Some(name) => line.put(name),
        None => hex(line, key),
    }
}

#[inline]
pub(super) fn signal(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>, signal: u64) {
    match ctx.names.name(space::SIGNALS, signal, 0) {
        Some(name) => line.put(name),
        None => hex(line, signal),
    }
}

/// Writes an event pool like the host, by one-based number.
#[inline]
pub(super) fn pool(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>, pool: u64) {
    match pool {
        0 => line.put(b"static"),
        pool => number::name_or(line, ctx.names.name(space::POOLS, pool, 0), b"", pool),
    }
}

fn hex(line: &mut TextWriter<'_>, key: u64) {
    line.put(b"0X");
    number::hex(line, key, 1);
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::{Batch, batch::DictOp};

    use super::*;

    /// The dictionary changes caused by entering these names.
    fn changes(entries: &[(u64, &[u8])], looked_up: &[u64]) -> Vec<(DictOp, u64)> {
        let (mut names, mut batch) = (ReferenceNames::default(), Batch::default());
        let mut out = Output::new(&mut batch, false);
        looked_up.iter().for_each(|key| names.look_up(*key, &mut out));
        entries.iter().for_each(|(key, name)| names.enter(space::OBJECTS, *key, name, &mut out));
        batch.dict.iter().map(|e| (e.op, e.key)).collect()
    }

    const SET: DictOp = DictOp::SET;
    const REMOVE: DictOp = DictOp::REMOVE;

    #[test]
    fn a_name_in_use_moves() {
        let events = changes(&[(1, b"a"), (1, b"a"), (2, b"a"), (2, b"b"), (3, b"a")], &[]);
        assert_eq!(events, [(SET, 1), (REMOVE, 1), (SET, 2), (SET, 2), (SET, 3)]);
    }

    #[test]
    fn two_keys_share_a_name_if_the_entry_of_the_new_one_comes_first() {
        assert_eq!(changes(&[(2, b"x"), (1, b"a"), (2, b"a")], &[]), [(SET, 2), (SET, 1), (SET, 2)]);
        assert_eq!(changes(&[(1, b"a"), (2, b"x"), (2, b"a")], &[]), [(SET, 1), (SET, 2), (REMOVE, 1), (SET, 2)]);
    }

    #[test]
    fn an_address_has_its_place_from_its_first_look_up_on() {
        assert_eq!(changes(&[(1, b"a"), (2, b"a")], &[2, 1]), [(SET, 1), (SET, 2)]);
        assert_eq!(changes(&[(1, b"a"), (2, b"a")], &[1, 2]), [(SET, 1), (REMOVE, 1), (SET, 2)]);
    }

    #[test]
    fn signals_and_pools_have_their_places_from_their_first_look_up_on_too() {
        for space in [space::SIGNALS, space::POOLS] {
            let (mut names, mut batch) = (ReferenceNames::default(), Batch::default());
            let mut out = Output::new(&mut batch, false);
            match space {
                space::POOLS => names.look_up_pool(2, &mut out),
                _ => names.look_up_signal(2, &mut out),
            }
            names.enter(space, 9, b"x", &mut out);
            names.enter(space, 2, b"x", &mut out);
            assert_eq!(batch.dict.iter().map(|e| (e.op, e.key)).collect::<Vec<_>>(), [(SET, 9), (SET, 2)]);
        }
    }

    #[test]
    fn a_name_that_is_the_text_of_another_key_moves_with_its_look_up() {
        let (mut names, mut batch) = (ReferenceNames::default(), Batch::default());
        let mut out = Output::new(&mut batch, false);
        names.enter(space::POOLS, 1, b"2", &mut out);
        names.look_up_pool(2, &mut out);
        assert_eq!(batch.dict.iter().map(|e| (e.op, e.key)).collect::<Vec<_>>(), [(SET, 1), (REMOVE, 1)]);
    }
}
