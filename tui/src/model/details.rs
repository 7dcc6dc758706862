//! The details of one row: every field with its raw value, meaning and the origin of its name, and its bytes.

use spytui_engine::{
    present::{
        clock::date_text,
        clock::grouped,
        sanitise,
        words::{given_name, group_name, key_number, key_word, kind_name, wire_id},
    },
    row::{GivenText, RowView},
    store::{View, dictionary::NameOrigin},
    trace::list::{RenderRequest, RowList, RowRenderer, row_list::number_text},
    trace::session::Decoding,
};
use spytui_plugin_api::{
    Attachment, Field, Info, KeyFormat, LossCause, NONE,
    batch::{AttachmentId, lost},
    render::{FieldFlags, Tag, Want},
    row::{RowFlags, RowKind},
};

use super::{
    causes,
    list::name_role,
    loss_words::{counts_drops, unit_word, units},
};
use crate::term::Role;

/// The meaning of a key without a name.
const NO_NAME: &str = "no name";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetailField {
    pub name: String,
    pub value: String,
    /// Its meaning: the name of a key.
    pub meaning: String,
    pub origin: String,
    pub role: Role,
}

impl DetailField {
    /// A value that says all.
    fn plain(name: &str, value: String) -> DetailField {
        let (meaning, origin) = (String::new(), String::new());
        DetailField { name: name.to_owned(), value, meaning, origin, role: Role::Plain }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    pub row: u64,
    /// See [`changes`], when this was made.
    pub changes: u64,
    pub title: String,
    pub fields: Vec<DetailField>,
    /// Its cause and its effects.
    pub links: Vec<DetailField>,
    pub bytes: Vec<u8>,
    /// Number of all its bytes.
    len: u64,
}

/// Number of changes of what rows show.
pub fn changes(rows: &RowList) -> u64 {
    rows.name_changes() + rows.grown().iter().sum::<usize>() as u64
}

pub fn details(rows: &RowList, row: u64) -> Option<Details> {
    let ask = RenderRequest { want: Want::TEXT | Want::FIELDS, view: View::Effective, short: false, before: None };
    let mut made = None;
    let names = changes(rows);
    let decoding = rows.source(rows.locate(row)?.0);
    RowRenderer::default().views(rows, [row], ask, |row, item| {
        made = Some(of_item(decoding, row, names, item));
        false
    });
    made
}

/// Rows of a loss that are looked at, before the cursor and after it.
const ROWS_OF_LOSS: u64 = 1_000;

/// First and last row of the loss that `row` belongs to, within a line of the list: neighbouring rows of losses, which
/// are damaged frames and the gap that they leave. A line may hold several losses, with hidden rows between them.
pub fn loss_at(rows: &RowList, row: u64, (first, last): (u64, u64)) -> (u64, u64) {
    let is_loss = |row: &u64| rows.ensure_loaded(*row) && rows.shape(*row).is_some_and(|shape| shape.kind.is_loss());
    let before = (first.max(row.saturating_sub(ROWS_OF_LOSS))..row).rev().take_while(is_loss);
    let after = (row + 1..=last.min(row.saturating_add(ROWS_OF_LOSS))).take_while(is_loss);
    (before.last().unwrap_or(row), after.last().unwrap_or(row))
}

impl Details {
    /// Shows the bytes of the damaged frame that a loss comes from; a gap has none of its own.
    pub fn add_frame(&mut self, frame: Details) {
        if !self.bytes.is_empty() || frame.bytes.is_empty() {
            return;
        }
        let own = "  0 B";
        self.title.truncate(self.title.strip_suffix(own).unwrap_or(&self.title).len());
        self.title.push_str(&format!("  damaged frame, {} B", grouped(frame.len)));
        self.bytes = frame.bytes;
    }

    /// Adds the lines on cause and effect.
    pub fn add_links(&mut self, rows: &RowList) {
        let lines = causes::lines(rows, self.row).into_iter();
        self.links = lines.map(|(name, text)| DetailField::plain(name, text)).collect();
    }
}

fn of_item(decoding: &Decoding, row: u64, changes: u64, item: &RowView<'_>) -> Details {
    let given = GivenText::of(item, &decoding.renderer, item.names.plain());
    let text = given.as_ref().map(|given| sanitise(&given.text)).filter(|text| !text.is_empty());
    let text = text.map(|text| DetailField::plain("text", text));
    let mut fields: Vec<DetailField> = text.into_iter().chain(date(item)).collect();
    for (name, own) in item.fields() {
        match fields.last_mut() {
            Some(word) if own.flags.contains(FieldFlags::VALUE) => word.meaning = with_unit(item, name, own),
            _ => fields.push(field(item, name, own)),
        }
    }
    fields.extend(core(item));
    // The fields of a note may have it already.
    let is_new = |field: &DetailField| fields.iter().all(|reported| reported.name != field.name);
    let measured: Vec<DetailField> = measured(item).into_iter().filter(is_new).collect();
    fields.extend(measured);
    fields.extend(losses(item));
    let mut bytes = Vec::new();
    if item.row.len > 0 {
        // What the log no longer has is not shown.
        let _ = decoding.log.read_into(item.row.pos, item.row.len.min(4096) as usize, &mut bytes);
    }
    let word = given.and_then(|given| given.word);
    let title = title(item, word.as_deref(), item.row.pos >= decoding.log.first());
    Details { row, changes, title, fields, links: Vec::new(), bytes, len: item.len() }
}

/// `word`: what a formatter calls it. `kept`: its bytes can still be read.
fn title(item: &RowView<'_>, word: Option<&[u8]>, kept: bool) -> String {
    let kind = kind_name(item.info, item.row.kind);
    // A kind that only this stream has is known by its name alone.
    let own_name = given_name(item.row, item.names, 0).filter(|_| item.info.kind(item.row.kind).is_none());
    let mut title = match item.n {
        Some(n) if own_name.is_some() => {
            format!("{}   {}", own_name.map_or(kind, sanitise), number_text(item.source, n))
        }
        Some(n) => {
            let id = wire_id(item.info, item.row.kind).to_string();
            // Kinds of a range without a name are called by their numbers.
            let kind = if kind == id { group_name(item.info, item.row.group) } else { &kind };
            format!("{kind} {id}   {}", number_text(item.source, n))
        }
        None => kind,
    };
    if let Some(word) = word.filter(|word| !word.is_empty() && own_name.is_none()) {
        title = format!("{}  {title}", sanitise(word));
    }
    title.push_str(&format!(" @0x{:x}  {} B", item.pos(), grouped(item.len())));
    if let Some(seq) = item.seq() {
        title.push_str(&format!("  seq {seq}"));
    }
    if !kept && item.row.len > 0 {
        title.push_str("  bytes gone");
    } else if item.info.has_checksum && item.n.is_some() {
        title.push_str("  checksum ok");
    }
    if item.row.has(RowFlags::MALFORMED) {
        title.push_str("  payload does not fit");
    }
    title
}

/// The core, where the protocol has several.
fn core(item: &RowView<'_>) -> Option<DetailField> {
    let core = item.core().filter(|_| item.info.has_cores && item.row.is_record())?;
    Some(DetailField::plain("core", core.to_string()))
}

/// Date and time, where the target reports them.
fn date(item: &RowView<'_>) -> Option<DetailField> {
    let unix = item.clock.unix_ns(item.row.time).filter(|_| item.row.has(RowFlags::TIME_OWN))?;
    Some(DetailField::plain("date", format!("{} UTC", date_text(unix)?)))
}

fn field(item: &RowView<'_>, name: &[u8], f: &Field) -> DetailField {
    let blob = item.rendered.blob;
    let value = match f.tag {
        Tag::SIGNED => signed(f.num as i64),
        Tag::F64 => f.digits(blob).map_or_else(|| format!("{:?}", f64::from_bits(f.num)), str::to_owned),
        Tag::BOOL => if f.num == 0 { "no" } else { "yes" }.to_owned(),
        Tag::BYTES => f.text.of(blob).iter().map(|b| format!("{b:02x} ")).collect::<String>().trim_end().to_owned(),
        Tag::TEXT if f.text.of(blob).is_empty() => "''".to_owned(),
        Tag::TEXT => sanitise(f.text.of(blob)),
        Tag::KEY | Tag::POINTER | Tag::ENUM => key_value(item, f),
        _ if f.flags.contains(FieldFlags::HEX) => format!("0x{:x}", f.num),
        _ => grouped(f.num),
    };
    let (meaning, origin) = match unit_in_note(item, name, f.num) {
        Some(unit) => (unit, String::new()),
        None => meaning(item, f),
    };
    let label = match f.flags {
        flags if flags.contains(FieldFlags::ELEMENT) => format!("[{}]", sanitise(name)),
        flags if flags.contains(FieldFlags::OWNER) => format!("owner {}", sanitise(name)),
        _ => sanitise(name),
    };
    let named = item.info.space(f.space).filter(|_| f.space != NONE).and_then(|space| name_role(space.class));
    let role = if meaning == NO_NAME { Role::Warning } else { named.unwrap_or(Role::Plain) };
    DetailField { name: label, value, meaning, origin, role }
}

/// The number that a word stands for.
fn with_unit(item: &RowView<'_>, name: &[u8], number: &Field) -> String {
    let unit = sanitise(number.text.of(item.rendered.blob));
    format!("{} {unit}", field(item, name, number).value).trim_end().to_owned()
}

/// A number with its sign, in groups.
fn signed(n: i64) -> String {
    format!("{}{}", if n < 0 { "-" } else { "" }, grouped(n.unsigned_abs()))
}

/// The unit of a number in a note: of what was dropped, or ticks, with the time where the rate is known.
fn unit_in_note(item: &RowView<'_>, name: &[u8], number: u64) -> Option<String> {
    if !item.row.kind.is_note() {
        return None;
    }
    match name {
        b"total" => Some(format!("{} in all", unit_word(item.info, number))),
        b"from" | b"to" if item.clock.shows_seconds() => Some(format!("ticks = {} s", item.clock.time_text(number))),
        b"from" | b"to" => Some("ticks".to_owned()),
        _ => None,
    }
}

fn key_value(item: &RowView<'_>, f: &Field) -> String {
    let space = item.info.space(f.space);
    match space {
        Some(s) if s.key_format != KeyFormat::HEX => key_number(space, f.num),
        _ if f.space == NONE => format!("0x{:X}", f.num),
        _ => key_word(space, f.num),
    }
}

/// Name of a key, its scope, and where the name comes from.
fn meaning(item: &RowView<'_>, f: &Field) -> (String, String) {
    if matches!(f.tag, Tag::UNSIGNED | Tag::SIGNED) {
        // What the number stands for, if the decoder says so.
        return (sanitise(f.text.of(item.rendered.blob)), String::new());
    }
    if !matches!(f.tag, Tag::KEY | Tag::ENUM | Tag::POINTER) || f.space == NONE {
        return (String::new(), String::new());
    }
    let Some(name) = item.names.get(0, f.space, f.num, f.scope) else {
        return (NO_NAME.to_owned(), String::new());
    };
    let names = item.names.plain();
    let (own, row) = (names.dictionary, names.row);
    let named = own.effective_among(names.others, row, (f.space, f.num, f.scope));
    let origin = named.map(|(_, n)| match (n.origin, item.source) {
        (NameOrigin::Stream(pos), Some(_)) => format!("stream {} @0x{pos:x}", n.source),
        (origin, _) => origin_text(origin),
    });
    let origin = origin.unwrap_or_default();
    let earlier = named.is_some_and(|(_, n)| n.epoch != item.epoch);
    (sanitise(name), if earlier { format!("{origin}, carried over") } else { origin })
}

pub fn origin_text(origin: NameOrigin) -> String {
    match origin {
        NameOrigin::Stream(pos) => format!("stream @0x{pos:x}"),
        NameOrigin::User => "user".to_owned(),
        NameOrigin::File => "file".to_owned(),
        NameOrigin::Decoder => "decoder".to_owned(),
    }
}

/// Values that the decoder measured, such as a response time.
fn measured(item: &RowView<'_>) -> Vec<DetailField> {
    let own = item.attachments.iter().filter(|e| e.id.is_own() && !e.is_bytes);
    let spec = |id: AttachmentId| item.info.attachments.iter().find(move |spec| spec.id == id && !spec.unit.is_empty());
    let field = |e: &Attachment| {
        let spec = spec(e.id)?;
        Some(DetailField { meaning: spec.unit.to_string(), ..DetailField::plain(&spec.name, signed(e.a as i64)) })
    };
    own.filter_map(field).collect()
}

/// Fields from the attachments of a loss.
fn losses(item: &RowView<'_>) -> Vec<DetailField> {
    let field = DetailField::plain;
    let mut list = Vec::new();
    for e in item.attachments {
        match e.id {
            AttachmentId::LOST if item.row.kind == RowKind::DROP && !counts_drops(item.info) => {
                list.push(field("dropped", units(e.a, "record")));
            }
            AttachmentId::LOST => {
                list.push(field("lost", count(e.a, e.b, item.info)));
            }
            AttachmentId::EXPECTED => {
                list.push(field("seq", format!("expected {}, got {}", grouped(e.a), grouped(e.b))))
            }
            AttachmentId::CAUSE => list.push(field("cause", cause(LossCause(e.a)).to_owned())),
            _ => {}
        }
    }
    if item.row.kind.is_loss() || item.row.kind.is_note() {
        list.push(field("what", item.line().what));
    }
    list
}

/// A number of lost records: by whom, or what else it can be, as numbers of so many bits begin anew.
fn count(number: u64, sure: u64, info: &Info) -> String {
    let bits = info.sequence_bits;
    let text = format!("{} {}", grouped(number), unit_word(info, number));
    match 1_u64.checked_shl(bits.into()).filter(|_| bits > 0) {
        _ if sure == lost::BY_TARGET => format!("{text}, by the target's own count"),
        _ if sure == lost::IN_SUM => format!("{text}, by the target's own count, perhaps not all of them here"),
        _ if sure == lost::PART_OF_SUM => format!("{text}, at least; the sum is that of a later gap"),
        _ if sure != lost::AT_LEAST => format!("{text}, exactly"),
        Some(round) => {
            format!("{} (or {} …; {bits}-bit counter)", grouped(number), grouped(number.saturating_add(round)))
        }
        None => format!("{text}, at least"),
    }
}

fn cause(cause: LossCause) -> &'static str {
    match cause {
        LossCause::TARGET => "target",
        LossCause::LINE => "line",
        LossCause::HOST => "this host",
        _ => "unknown",
    }
}
