//! The details of a row: every field with its raw value, meaning and origin of its name, the bytes, and the cause and
//! effects, which can be followed.

use std::sync::Arc;

use spytui_engine::{
    analysis::{Cause, Entities, Why},
    present::{
        self,
        clock::{date_text, grouped},
        sanitise,
        words::{counted, given_name, group_name, key_number, key_word, kind_name, tag_of, wire_id},
    },
    row::{GivenText, RowView},
    store::{Shape, View, dictionary::NameOrigin},
    trace::{
        list::{Direction, RenderRequest, RowList, RowRenderer, find_shape, row_list::number_text, walk::worded},
        session::{Decoding, decoding::CauseRange},
    },
};
use spytui_plugin_api::{
    Activity, ActivityFlags as F, Attachment, Class, Field, Info, KeyFormat, LossCause, NONE, Verb as V,
    batch::{AttachmentId, lost},
    render::{FieldFlags, Tag, Want},
    row::{RowFlags, RowKind},
};

use super::{
    Model, incident, jump,
    list::name_role,
    loss_words::{counts_drops, unit_word},
};
use crate::term::Role;

/// The meaning of a key without a name.
const NO_NAME: &str = "no name";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetailField {
    pub name: String,
    pub value: String,
    /// The meaning of the value, such as the name of a key.
    pub meaning: String,
    pub origin: String,
    pub role: Role,
}

impl DetailField {
    /// A self-explanatory value.
    fn plain(name: &str, value: String) -> DetailField {
        let (meaning, origin) = (String::new(), String::new());
        DetailField { name: name.to_owned(), value, meaning, origin, role: Role::Plain }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    pub row: u64,
    /// Value of [`changes`] when this was made.
    pub changes: u64,
    pub title: String,
    pub fields: Vec<DetailField>,
    /// Cause and effects.
    pub links: Vec<DetailField>,
    pub bytes: Vec<u8>,
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

/// Number of loss rows examined before and after the cursor.
const ROWS_OF_LOSS: u64 = 1_000;

/// First and last row of the loss that `row` belongs to, within a line of the list: neighbouring loss rows, which are
/// damaged frames and the resulting gap. A line may contain several losses, with hidden rows between them.
pub fn loss_at(rows: &RowList, row: u64, (first, last): (u64, u64)) -> (u64, u64) {
    let is_loss =
        |row: &u64| rows.ensure_loaded(*row) && rows.shape(*row).is_some_and(|shape| shape.row.kind.is_loss());
    let before = (first.max(row.saturating_sub(ROWS_OF_LOSS))..row).rev().take_while(is_loss);
    let after = (row + 1..=last.min(row.saturating_add(ROWS_OF_LOSS))).take_while(is_loss);
    (before.last().unwrap_or(row), after.last().unwrap_or(row))
}

impl Details {
    /// Shows the bytes of the damaged frame that caused a loss; a gap has none of its own.
    pub fn add_frame(&mut self, frame: Details) {
        if !self.bytes.is_empty() || frame.bytes.is_empty() {
            return;
        }
        let own = "  0 B";
        self.title.truncate(self.title.strip_suffix(own).unwrap_or(&self.title).len());
        self.title.push_str(&format!("  damaged frame, {} B", grouped(frame.len)));
        self.bytes = frame.bytes;
    }

    /// Adds what the record means for its object, and the lines on cause and effects.
    pub fn add_links(&mut self, rows: &RowList) {
        let meaning = Here::of(rows, self.row).and_then(|here| here.level());
        self.fields.splice(0..0, meaning.map(|text| DetailField::plain("means", text)));
        let lines = lines(rows, self.row).into_iter();
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
            // The number that the word before it stands for.
            Some(word) if own.flags.contains(FieldFlags::VALUE) => {
                let unit = sanitise(own.text.of(item.rendered.blob));
                word.meaning = format!("{} {unit}", field(item, name, own).value).trim_end().to_owned();
            }
            _ => fields.push(field(item, name, own)),
        }
    }
    let core = item.core().filter(|_| item.info.has_cores && item.row.is_record());
    fields.extend(core.map(|core| DetailField::plain("core", core.to_string())));
    // The fields of a note may already contain it.
    let is_new = |field: &DetailField| fields.iter().all(|reported| reported.name != field.name);
    let measured: Vec<DetailField> = measured(item).into_iter().filter(is_new).collect();
    fields.extend(measured);
    fields.extend(losses(item));
    let mut bytes = Vec::new();
    if item.row.len > 0 {
        // Bytes dropped from the log are not shown.
        let _ = decoding.log.read_into(item.row.pos, item.row.len.min(4096) as usize, &mut bytes);
    }
    let word = given.and_then(|given| given.word);
    let title = title(item, word.as_deref(), item.row.pos >= decoding.log.first());
    Details { row, changes, title, fields, links: Vec::new(), bytes, len: item.wire_len() }
}

/// `word` = the formatter's word for it; `kept` = its bytes can still be read.
fn title(item: &RowView<'_>, word: Option<&[u8]>, kept: bool) -> String {
    let kind = kind_name(item.info, item.row.kind);
    // A kind that only this stream has is only known by name.
    let own_name = given_name(item.row, item.names, 0).filter(|_| item.info.kind(item.row.kind).is_none());
    let mut title = match item.n {
        Some(n) if own_name.is_some() => {
            format!("{}   {}", own_name.map_or(kind, sanitise), number_text(item.source, n))
        }
        Some(n) => {
            let id = wire_id(item.info, item.row.kind).to_string();
            // Kinds in an unnamed range are named by number.
            let kind = if kind == id { group_name(item.info, item.row.group) } else { &kind };
            format!("{kind} {id}   {}", number_text(item.source, n))
        }
        None => kind,
    };
    if let Some(word) = word.filter(|word| !word.is_empty() && own_name.is_none()) {
        title = format!("{}  {title}", sanitise(word));
    }
    title.push_str(&format!(" @0x{:x}  {} B", item.pos(), grouped(item.wire_len())));
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

/// Date and time, if the target reports them.
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

/// A signed number in groups of digits.
fn signed(n: i64) -> String {
    format!("{}{}", if n < 0 { "-" } else { "" }, grouped(n.unsigned_abs()))
}

/// The unit of a number in a note: that of dropped things, or ticks, with the time if the rate is known.
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

/// Name of a key with its scope, and the origin of the name.
fn meaning(item: &RowView<'_>, f: &Field) -> (String, String) {
    if matches!(f.tag, Tag::UNSIGNED | Tag::SIGNED) || f.flags.contains(FieldFlags::UNIT) {
        // The unit of the number, or its meaning if the decoder declares it.
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

/// Values measured by the decoder, such as a response time.
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
                list.push(field("dropped", counted(e.a, "record")));
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

/// A number of lost records with its source, and other possible numbers if short sequence numbers may have wrapped.
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

/// Number of effects named in a line.
const NAMED: usize = 4;

/// Goes to the cause of the row under the cursor, or forward to its effect.
pub fn go(model: &mut Model, direction: Direction) {
    let loss = model.list.cursor_entry().filter(|entry| entry.line.role == present::RowRole::Loss);
    if let Some(rows) = loss.map(|entry| (entry.first, entry.last)) {
        return beside_loss(model, rows, direction);
    }
    let target = Here::of(&model.list.rows, model.list.page.cursor).and_then(|here| here.target(direction));
    let Some((row, sure)) = target else {
        let row = model.list.page.cursor;
        if direction == Direction::Backward && incident::is_failed(model, row) {
            return incident::open(model, row);
        }
        return model.say(match direction {
            Direction::Backward => "no known cause",
            Direction::Forward => "no known effect",
        });
    };
    if jump::to_row(model, row) && !sure {
        model.say("~ uncertain: records were lost in between");
    }
}

/// The causes and effects of a loss are lost with it: goes to the last record before it, or the first one after it.
fn beside_loss(model: &mut Model, (first, last): (u64, u64), direction: Direction) {
    let (from, said) = match direction {
        Direction::Forward => (last, "the first record after the loss"),
        Direction::Backward => (first, "the last record before it"),
    };
    let record = find_shape(&model.list.rows, Some(from), direction, |shape: &Shape| shape.row.is_record());
    let Some(row) = record else { return model.say("no record there") };
    if jump::to_row(model, row) {
        model.say(said);
    }
}

/// Names and texts of the lines on cause and effects of a row.
pub fn lines(rows: &RowList, row: u64) -> Vec<(&'static str, String)> {
    let Some(here) = Here::of(rows, row) else { return Vec::new() };
    let mut lines = Vec::new();
    if let Some(cause) = here.range.causes.cause(here.index) {
        lines.extend(here.why(cause).map(|text| ("why", text)));
    }
    if let Some(text) = here.range.causes.meaning(here.index).and_then(|own| here.ignored(own)) {
        lines.push(("what", text));
    }
    let effects = here.range.causes.main_effects(here.index).take(NAMED);
    let effects: Vec<String> = effects.filter_map(|effect| here.then(effect)).collect();
    if !effects.is_empty() {
        lines.push(("then", effects.join(" · ")));
    }
    lines
}

/// A row within the causes and effects around it.
struct Here<'a> {
    rows: &'a RowList,
    source: usize,
    range: Arc<CauseRange>,
    index: usize,
}

impl Here<'_> {
    fn of(rows: &RowList, row: u64) -> Option<Here<'_>> {
        let (source, own) = rows.locate(row)?;
        let range = rows.source(source).causes(own)?;
        let index = usize::try_from(own.checked_sub(range.first)?).ok()?;
        Some(Here { rows, source, range, index })
    }

    /// The list row of the cause, or forward of the main effect, and whether it is certain.
    fn target(&self, direction: Direction) -> Option<(u64, bool)> {
        let causes = &self.range.causes;
        let (to, sure) = match direction {
            Direction::Backward => causes.cause(self.index).map(|cause| (cause.row as usize, cause.sure))?,
            Direction::Forward => {
                let effect = causes.main_effects(self.index).next()?;
                (effect, causes.cause(effect).is_some_and(|cause| cause.sure))
            }
        };
        Some((self.listed(to)?, sure))
    }

    fn listed(&self, index: usize) -> Option<u64> {
        self.rows.place(self.source, self.range.first + index as u64)
    }

    /// What the row makes of the level of its queue or pool, if that follows for certain from it and the one before.
    fn level(&self) -> Option<String> {
        let own = self.range.causes.activities(self.index);
        let is_level = |a: &&Activity| matches!(a.verb, V::LEVEL | V::EMPTY | V::FULL) && !a.flags.contains(F::FAILED);
        let now = own.iter().find(is_level)?;
        let word = match self.rows.source(self.source).decoder.info.space(now.obj_space)?.class {
            Class::POOL => "pool",
            Class::LOCK => return None,
            _ => "queue",
        };
        let has = |verb: V| own.iter().any(|activity| activity.verb == verb);
        let was_empty = || {
            let is_of = |a: &&Activity| is_level(a) && (a.obj_space, a.obj) == (now.obj_space, now.obj);
            let level = |at: usize| self.range.causes.activities(at).iter().find(is_of).map(|level| (at, level.verb));
            let before = (0..self.index).rev().find_map(level);
            let breaks = |shape: &Shape| shape.row.kind.is_loss() || shape.row.flags.contains(RowFlags::EPOCH);
            let broken = find_shape(self.rows, self.listed(self.index), Direction::Backward, breaks);
            before.is_some_and(|(at, verb)| verb == V::EMPTY && broken < self.listed(at))
        };
        match now.verb {
            V::EMPTY if has(V::GET) => Some(format!("took the last event; {word} now empty")),
            V::FULL => Some(format!("{word} now full")),
            V::LEVEL if now.val == 0 && now.flags.contains(F::FREE) => Some(format!("{word} now full")),
            V::LEVEL if has(V::POST) && was_empty() => Some(format!("posted to an empty {word}")),
            _ => None,
        }
    }

    /// `#409`, marked if the connection is uncertain.
    fn number(&self, index: usize, sure: bool) -> Option<String> {
        let row = self.listed(index)?;
        self.rows.ensure_loaded(row);
        let number = self.rows.number(row)?;
        Some(if sure { number } else { format!("~{number}") })
    }

    /// Time between two rows; empty if either has no time stamp.
    fn between(&self, from: usize, to: usize) -> Option<String> {
        let time = |index: usize| {
            let row = self.listed(index)?;
            self.rows.ensure_loaded(row);
            self.rows.row(row).filter(|row| row.has_time()).map(|row| row.time)
        };
        Some(self.rows.clock_of(self.listed(to)?).lasted_text(time(from)?, time(to)?))
    }

    /// Name of a key as seen by the row, or the key.
    fn name(&self, activity: &Activity, space: u16, key: u64) -> String {
        let row = self.listed(self.index).unwrap_or_default();
        worded(self.rows, row, true, |wording| {
            wording.name_or_key(Entities::new(wording.info, 0).named(activity, space, key))
        })
    }

    fn subject(&self, activity: &Activity) -> Option<String> {
        (activity.sub_space != NONE).then(|| self.name(activity, activity.sub_space, activity.sub))
    }

    fn why(&self, cause: Cause) -> Option<String> {
        let at = cause.row as usize;
        let number = self.number(at, cause.sure)?;
        let who = self.range.causes.meaning(at).and_then(|meaning| self.subject(meaning));
        let what = match (cause.why, who) {
            (Why::Posted, Some(who)) => format!("{who} posted it"),
            (Why::Posted, None) => "posted".to_owned(),
            (Why::Step, Some(who)) => format!("{who}'s step,"),
            (Why::Step, None) => "step,".to_owned(),
            (Why::Expired, Some(who)) => format!("{who} expired"),
            (Why::Expired, None) => "expired".to_owned(),
            (Why::Armed, _) => "armed".to_owned(),
            (Why::Ready, _) => "made ready".to_owned(),
            (Why::Began, _) => "began".to_owned(),
        };
        Some(match self.between(at, self.index) {
            Some(time) => format!("{number}: {what} {time} ago"),
            None => format!("{number}: {}", what.trim_end_matches(',')),
        })
    }

    fn then(&self, effect: usize) -> Option<String> {
        let causes = &self.range.causes;
        let number = self.number(effect, causes.cause(effect)?.sure)?;
        let meaning = causes.meaning(effect)?;
        let word = self.word(effect, meaning)?;
        let waited = (meaning.verb == V::GET).then(|| self.between(self.index, effect)).flatten();
        Some(match (waited, self.ignored(meaning)) {
            (Some(time), _) => format!("{number} {word}, waited {time}"),
            (None, Some(why)) => format!("{number} {word}: {why}"),
            (None, None) => format!("{number} {word}"),
        })
    }

    fn word(&self, index: usize, meaning: &Activity) -> Option<String> {
        Some(match meaning.verb {
            V::GET => "Get".to_owned(),
            V::POST => "Post".to_owned(),
            V::DISPATCH => "Disp".to_owned(),
            V::TRAN => "Tran".to_owned(),
            V::INTERNAL => "Intern".to_owned(),
            V::IGNORED => "Ignored".to_owned(),
            V::UNHANDLED => "Unhandled".to_owned(),
            _ => {
                let info = &self.rows.source(self.source).decoder.info;
                tag_of(info, self.rows.row(self.listed(index)?)?.kind)
            }
        })
    }

    fn ignored(&self, meaning: &Activity) -> Option<String> {
        let ignored = matches!(meaning.verb, V::IGNORED | V::UNHANDLED) && meaning.item_space != NONE;
        ignored.then(|| {
            let signal = self.name(meaning, meaning.item_space, meaning.item);
            match meaning.obj_space {
                NONE => format!("no handler for {signal}"),
                space => format!("{} has no handler for {signal}", self.name(meaning, space, meaning.obj)),
            }
        })
    }
}
