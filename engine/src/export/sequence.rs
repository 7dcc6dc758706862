//! Sequence diagrams of a whole capture or of filtered rows, from activities alone, for any protocol.
//!
//! The lifelines are only known at the end, so lines go to a temporary file until then. Memory use grows with the
//! number of names, not with the length of the capture.

use std::{
    fmt::Write as _,
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Seek, Write},
    path::Path,
    sync::atomic::AtomicBool,
};

use spytui_plugin_api::{
    Info, RenderedRow, Row, Verb,
    render::Want,
    row::{RowFlags, RowKind},
};

use super::{
    capture::{ExportError, Inputs, into_file, unplaced},
    words::{EntityNames, push_text},
};
use crate::{
    analysis::{
        lifelines::{ChosenLifelines, Lifeline, LifelineNames, Lifelines},
        sequence::{Happening, How, SequenceStep, Sequencer},
    },
    present::words::{counted, kind_tag, short_form},
    query::Expr,
    replay::{Key, Reader},
    row::{RowFilter, RowTraits, RowView},
    store::Dictionary,
    trace::{list::row_list::number_text, stream::Sink},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedDiagram {
    pub lifelines: u64,
    /// Messages between the lifelines.
    pub messages: u64,
    pub notes: Vec<String>,
    pub fault: Option<String>,
}

impl ExportedDiagram {
    /// `5 lifelines, 210 messages`.
    pub fn counts(&self) -> String {
        format!("{}, {}", counted(self.lifelines, "lifeline"), counted(self.messages, "message"))
    }
}

/// Writes the diagram to a new file that appears only when complete. An existing file is replaced only with `replace`.
pub fn export_file(
    inputs: &Inputs<'_>,
    wanted: &DiagramRequest,
    (path, replace): (&Path, bool),
    stop: &AtomicBool,
) -> Result<ExportedDiagram, ExportError> {
    into_file(path, replace, |file| export(inputs, wanted, BufWriter::new(file), stop))
}

pub fn export(
    inputs: &Inputs<'_>,
    wanted: &DiagramRequest,
    out: impl Write,
    stop: &AtomicBool,
) -> Result<ExportedDiagram, ExportError> {
    let first = inputs.first_pass()?;
    let traits = inputs.decoder.renderer(inputs.options).traits();
    let diagram = Diagram::new(wanted, traits, &inputs.decoder.info, &first.found.names);
    let mut diagram = diagram.map_err(unplaced)?;
    let fault = inputs.second_pass(&first, &mut diagram, stop)?;
    let (lifelines, messages, notes) = diagram.finish(out).map_err(unplaced)?;
    Ok(ExportedDiagram { lifelines, messages, notes, fault })
}

/// Mermaid viewers refuse longer diagrams by default.
const MERMAID_TAKES: u64 = 50_000;

struct Diagram<'a> {
    wanted: &'a DiagramRequest,
    traits: RowTraits,
    words: EntityNames<'a>,
    filter: RowFilter,
    sequencer: Sequencer<Origin>,
    lifelines: Lifelines,
    /// Lines with steps, and lines across all lifelines with their sign.
    file: BufWriter<File>,
    /// A break that no shown step has followed yet.
    broken: Option<Break>,
    messages: u64,
    has_begun: bool,
    size: u64,
}

/// A loss or reset, combined with those that follow at once.
struct Break {
    is_reset: bool,
    text: String,
    further: u64,
}

#[derive(Debug, Clone, Default)]
struct Origin {
    /// Number and time.
    place: String,
    kind: RowKind,
    /// Text of a loss or reset row.
    text: Option<String>,
    passes: bool,
}

impl<'a> Diagram<'a> {
    /// An empty diagram, with the final names of the capture.
    pub(super) fn new(
        wanted: &'a DiagramRequest,
        traits: RowTraits,
        info: &'a Info,
        names: &'a Dictionary,
    ) -> io::Result<Diagram<'a>> {
        Ok(Diagram {
            wanted,
            traits,
            words: EntityNames::new(info, names),
            filter: RowFilter::midway(wanted.filter.clone()),
            sequencer: Sequencer::new(info),
            lifelines: Lifelines::new(wanted.lifelines.clone()),
            file: BufWriter::new(tempfile::tempfile()?),
            broken: None,
            messages: 0,
            has_begun: false,
            size: 0,
        })
    }

    /// Writes the diagram; returns the number of lifelines and messages, and notes for the user.
    pub(super) fn finish(mut self, out: impl Write) -> io::Result<(u64, u64, Vec<String>)> {
        while let Some(step) = self.sequencer.hand_out() {
            self.step(&step)?;
        }
        if self.filter.active().is_none() {
            self.break_off()?;
        }
        let notes = self.notes();
        let (lifelines, messages) = (self.lifelines.order().len() as u64, self.messages);
        self.assemble(out)?;
        Ok((lifelines, messages, notes))
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.has_begun {
            let is_narrow = !self.filter.expr.is_everything() || self.wanted.lifelines.is_some();
            let why = if is_narrow { "nothing selected" } else { "nothing here" };
            notes.push(format!("{why} sends a message or changes a state: the diagram is empty"));
        }
        if self.wanted.form == DiagramForm::Mermaid && self.size > MERMAID_TAKES {
            notes.push("Mermaid viewers accept 50 000 characters by default: use --filter or --lifelines".to_owned());
        }
        let refused = self.sequencer.refused();
        if refused > 0 {
            notes.push(format!("too many objects: {refused} activities are not shown"));
        }
        notes
    }

    fn passes(&mut self, view: &RowView<'_>) -> bool {
        let Some(filter) = self.filter.active() else { return true };
        let names = view.names.plain();
        filter.begin_block(names, view.epoch, self.traits);
        let unrendered = || RowView { rendered: RenderedRow::default(), ..*view };
        filter.decide((view.row, names.row), unrendered).unwrap_or_else(|| filter.matches(view))
    }

    fn step(&mut self, step: &SequenceStep<Origin>) -> io::Result<()> {
        match step.what {
            Happening::Loss | Happening::Reset => {
                let is_reset = step.what == Happening::Reset;
                // The first start of the target is not a reset.
                if self.has_begun || !is_reset {
                    self.broke(is_reset, &step.of);
                }
                Ok(())
            }
            _ if !step.of.passes => Ok(()),
            Happening::Mark { verb: Verb::GET, .. } if !self.wanted.taken => Ok(()),
            Happening::Message { from, to, how } => {
                let (words, sequencer) = (&self.words, &self.sequencer);
                let lines = self.lifelines.message((from, to), |id| called(words, sequencer.key(id)));
                let Some(lines) = lines else { return Ok(()) };
                self.messages += 1;
                let text = self.wanted.form.message(lines, how, step.failed, &self.text(step));
                self.write(step, &text)
            }
            Happening::Mark { on, verb } => {
                let (words, sequencer) = (&self.words, &self.sequencer);
                let all = verb == Verb::PUBLISH;
                let line = self.lifelines.mark(on, all, |id| called(words, sequencer.key(id)));
                let Some(line) = line else { return Ok(()) };
                let text = self.wanted.form.mark(line, &self.text(step));
                self.write(step, &text)
            }
        }
    }

    /// Keeps a loss or reset until a step follows.
    fn broke(&mut self, is_reset: bool, of: &Origin) {
        if let Some(broken) = &mut self.broken {
            broken.further += 1;
            return;
        }
        let text = of.text.as_deref().unwrap_or_default();
        let text = if is_reset { format!("target reset: {text}") } else { text.to_owned() };
        self.broken = Some(Break { is_reset, text, further: 0 });
    }

    fn write(&mut self, step: &SequenceStep<Origin>, text: &str) -> io::Result<()> {
        if self.has_begun || self.filter.active().is_none() {
            self.break_off()?;
        }
        (self.broken, self.has_begun) = (None, true);
        let comment = self.wanted.form.comment(&step.of.place);
        self.size += (comment.len() + text.len()) as u64;
        self.file.write_all(comment.as_bytes())?;
        self.file.write_all(text.as_bytes())
    }

    /// Writes the losses and resets since the last step.
    fn break_off(&mut self) -> io::Result<()> {
        let Some(Break { is_reset, text, further, .. }) = self.broken.take() else { return Ok(()) };
        let text = if further > 0 { format!("{text}, and {further} more") } else { text };
        self.size += text.len() as u64;
        let text = text.replace(char::is_control, " ");
        writeln!(self.file, "{}{text}", if is_reset { RESET } else { LOSS })
    }

    /// Writes all lines, below the lifelines.
    fn assemble(self, mut out: impl Write) -> io::Result<()> {
        let (form, order) = (self.wanted.form, self.lifelines.order());
        let ends = order.first().copied().zip(order.last().copied());
        out.write_all(form.head().as_bytes())?;
        for line in order {
            let name = self.lifelines.all.get(line).map(Lifeline::name).unwrap_or_default();
            out.write_all(form.lifeline(line, &name).as_bytes())?;
        }
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let mut lines = BufReader::new(file);
        let mut line = String::new();
        while lines.read_line(&mut line)? > 0 {
            let is_reset = line.starts_with(RESET);
            match line.strip_prefix([LOSS, RESET]) {
                Some(text) => out.write_all(form.across(ends, is_reset, text.trim_end()).as_bytes())?,
                None => out.write_all(line.as_bytes())?,
            }
            line.clear();
        }
        out.write_all(form.tail().as_bytes())?;
        out.flush()
    }

    fn text(&self, step: &SequenceStep<Origin>) -> String {
        let name = |key: Key| {
            let mut name = String::new();
            self.words.push_name(&mut name, key);
            name
        };
        let row = Row { kind: step.of.kind, ..Row::default() };
        let item = step.item.map_or_else(|| kind_tag(self.words.info, &row, &self.words.names(), 0), name);
        step.text(&item, step.within.map(name).as_deref())
    }
}

fn called(words: &EntityNames<'_>, key: Key) -> LifelineNames {
    let mut name = String::new();
    words.push_name(&mut name, key);
    let space = words.info.space(key.space);
    let short = space.and_then(|space| short_form(space, name.as_bytes()));
    let other = short.map_or_else(String::new, |short| String::from_utf8_lossy(short).into_owned());
    LifelineNames { name, other, class: space.map_or_else(String::new, |space| space.name.to_string()) }
}

impl Sink for Diagram<'_> {
    fn want(&self) -> Want {
        if self.filter.expr.is_everything() { Want::TEXT } else { Want::TEXT | Want::FIELDS }
    }

    fn activities(&self) -> bool {
        true
    }

    fn row(&mut self, view: &RowView<'_>) -> io::Result<()> {
        let row = view.row;
        let breaks = row.may_hide_records() || row.has(RowFlags::EPOCH);
        if view.activities.is_empty() && !breaks {
            return Ok(());
        }
        let text = breaks.then(|| {
            let mut text = String::new();
            push_text(&mut text, view.rendered.text);
            text
        });
        let place = view.n.map_or_else(String::new, |n| number_text(view.source, n));
        let time = if row.has_time() { format!(" at {}", view.clock.time_text(row.time)) } else { String::new() };
        let of =
            Origin { place: format!("{place}{}", time.trim_end()), kind: row.kind, text, passes: self.passes(view) };
        self.sequencer.add(row, view.epoch, view.activities, &of);
        while let Some(step) = self.sequencer.ready() {
            self.step(&step)?;
        }
        Ok(())
    }
}

/// What to draw, and how.
#[derive(Debug, Clone)]
pub struct DiagramRequest {
    pub form: DiagramForm,
    /// `None` = all, most used first.
    pub lifelines: Option<ChosenLifelines>,
    /// Rows to include. Losses among shown rows are always included.
    pub filter: Expr,
    /// Also shows when events are taken from queues.
    pub taken: bool,
}

/// Marks a line across all lifelines, which are only known at the end. Texts never contain it.
const LOSS: char = '\u{1}';
const RESET: char = '\u{2}';

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiagramForm {
    Mermaid,
    PlantUml,
}

const ENDINGS: [(&str, DiagramForm); 4] = [
    ("mmd", DiagramForm::Mermaid),
    ("mermaid", DiagramForm::Mermaid),
    ("puml", DiagramForm::PlantUml),
    ("plantuml", DiagramForm::PlantUml),
];

impl DiagramForm {
    /// The form for a file's extension; the error lists the known ones.
    pub fn of_file(path: &Path) -> Result<DiagramForm, String> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
        let form = ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, form)| *form);
        form.ok_or_else(|| {
            let name = path.display();
            format!("{name}: use the extension .mmd for Mermaid, .puml or .plantuml for PlantUML")
        })
    }

    pub(super) fn head(self) -> &'static str {
        match self {
            DiagramForm::Mermaid => "sequenceDiagram\n",
            DiagramForm::PlantUml => "@startuml\nhide footbox\n",
        }
    }

    pub(super) fn tail(self) -> &'static str {
        match self {
            DiagramForm::Mermaid => "",
            DiagramForm::PlantUml => "@enduml\n",
        }
    }

    pub(super) fn lifeline(self, number: usize, name: &str) -> String {
        let name = self.text(name);
        match self {
            DiagramForm::Mermaid => format!("    participant p{number} as {name}\n"),
            DiagramForm::PlantUml => format!("participant \"{name}\" as p{number}\n"),
        }
    }

    pub(super) fn message(self, (from, to): (usize, usize), how: How, failed: bool, what: &str) -> String {
        let (mermaid, plantuml) = match how {
            _ if failed => ("-x", "->x"),
            How::Posted | How::PostedInFront | How::Sent => ("-)", "->>"),
            How::Called | How::Element(_) => ("->>", "->"),
            How::Replied => ("-->>", "-->"),
        };
        let text = self.text(what);
        match self {
            DiagramForm::Mermaid => format!("    p{from}{mermaid}p{to}: {text}\n"),
            DiagramForm::PlantUml => format!("p{from} {plantuml} p{to} : {text}\n"),
        }
    }

    /// A note on a lifeline. PlantUML can't draw other note shapes as text.
    pub(super) fn mark(self, on: usize, what: &str) -> String {
        let text = self.text(what);
        match self {
            DiagramForm::Mermaid => format!("    Note over p{on}: {text}\n"),
            DiagramForm::PlantUml => format!("note over p{on} : {text}\n"),
        }
    }

    /// A line across all lifelines, given the first and the last. Without lifelines there is nothing to draw.
    pub(super) fn across(self, lifelines: Option<(usize, usize)>, is_reset: bool, what: &str) -> String {
        let text = self.text(what);
        match (self, lifelines) {
            (DiagramForm::PlantUml, _) if is_reset => format!("== {text} ==\n"),
            (DiagramForm::PlantUml, _) => format!("... {text} ...\n"),
            (DiagramForm::Mermaid, Some((first, last))) if first == last => self.mark(first, what),
            (DiagramForm::Mermaid, Some((first, last))) => format!("    Note over p{first},p{last}: {text}\n"),
            (DiagramForm::Mermaid, None) => self.comment(what),
        }
    }

    /// A comment. In Mermaid, braces would begin a directive.
    pub(super) fn comment(self, what: &str) -> String {
        let is_left_out = |c: char| c.is_control() || (self == DiagramForm::Mermaid && matches!(c, '{' | '}'));
        let plain: String = what.chars().map(|c| if is_left_out(c) { ' ' } else { c }).collect();
        match self {
            DiagramForm::Mermaid => format!("    %% {plain}\n"),
            DiagramForm::PlantUml => format!("' {plain}\n"),
        }
    }

    /// A name or text escaped for the form; an empty one would be a syntax error. Characters special in PlantUML only
    /// when doubled are left alone when single.
    fn text(self, what: &str) -> String {
        let mut out = String::with_capacity(what.len());
        let mut before = ' ';
        for c in what.chars() {
            let has_meaning = match self {
                DiagramForm::Mermaid => "#;:%<>\"\\&`{}$".contains(c),
                DiagramForm::PlantUml => "\"<>\\~&%$'|[]{};!@".contains(c) || (c == before && "*/_-.=#".contains(c)),
            };
            // Writing to a string never fails.
            let _ = match self {
                _ if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => write!(out, " "),
                _ if !has_meaning => write!(out, "{c}"),
                DiagramForm::Mermaid => write!(out, "#{};", u32::from(c)),
                DiagramForm::PlantUml => write!(out, "<U+{:04X}>", u32::from(c)),
            };
            before = c;
        }
        match self {
            _ if !out.trim().is_empty() => out,
            DiagramForm::Mermaid => "#8211;".to_owned(),
            DiagramForm::PlantUml => "<U+2013>".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_the_form() {
        let form = |name: &str| DiagramForm::of_file(Path::new(name));
        assert_eq!([form("a.mmd"), form("b/c.PUML")], [Ok(DiagramForm::Mermaid), Ok(DiagramForm::PlantUml)]);
        assert_eq!(form("x.plantuml"), Ok(DiagramForm::PlantUml));
        assert!(form("x.svg").unwrap_err().starts_with("x.svg: use the extension"));
        assert!(form("mmd").is_err());
    }

    #[test]
    fn what_has_a_meaning_in_mermaid_is_written_as_a_number() {
        assert_eq!(DiagramForm::Mermaid.text("A(b)_c-d+e,f.g[1]"), "A(b)_c-d+e,f.g[1]");
        assert_eq!(DiagramForm::Mermaid.text("a;b#c:d\ne"), "a#59;b#35;c#58;d e");
        assert_eq!(DiagramForm::Mermaid.text("%%{x}<br>\"&\\`$"), "#37;#37;#123;x#125;#60;br#62;#34;#38;#92;#96;#36;");
        assert_eq!(
            (DiagramForm::Mermaid.text(""), DiagramForm::Mermaid.text(" \t")),
            ("#8211;".into(), "#8211;".into())
        );
        assert_eq!(DiagramForm::Mermaid.comment("a\n{b}"), "    %% a  b \n");
    }

    #[test]
    fn arrows_say_how() {
        let arrow = |how, failed| DiagramForm::Mermaid.message((1, 2), how, failed, "x");
        assert_eq!(arrow(How::Posted, false), "    p1-)p2: x\n");
        assert_eq!(arrow(How::Posted, true), "    p1-xp2: x\n");
        assert_eq!(arrow(How::Called, false), "    p1->>p2: x\n");
        assert_eq!(arrow(How::Replied, false), "    p1-->>p2: x\n");
        assert_eq!(DiagramForm::Mermaid.across(Some((3, 5)), false, "lost"), "    Note over p3,p5: lost\n");
        assert_eq!(DiagramForm::Mermaid.across(Some((3, 3)), false, "lost"), "    Note over p3: lost\n");
    }

    #[test]
    fn what_has_a_meaning_in_plantuml_is_written_as_a_number() {
        assert_eq!(DiagramForm::PlantUml.text("AO(l_door).x:1 a-b/c"), "AO(l_door).x:1 a-b/c");
        assert_eq!(DiagramForm::PlantUml.text("a\"b\\n<b>"), "a<U+0022>b<U+005C>n<U+003C>b<U+003E>");
        assert_eq!(DiagramForm::PlantUml.text("a__b**c//d\r\n'e"), "a_<U+005F>b*<U+002A>c/<U+002F>d  <U+0027>e");
        assert_eq!(DiagramForm::PlantUml.text("%date() $x"), "<U+0025>date() <U+0024>x");
        assert_eq!(DiagramForm::PlantUml.text("\n"), "<U+2013>");
    }

    #[test]
    fn arrows_and_notes_say_what_they_are() {
        let arrow = |how, failed| DiagramForm::PlantUml.message((1, 2), how, failed, "x");
        assert_eq!(arrow(How::Posted, false), "p1 ->> p2 : x\n");
        assert_eq!(arrow(How::Posted, true), "p1 ->x p2 : x\n");
        assert_eq!(arrow(How::Called, false), "p1 -> p2 : x\n");
        assert_eq!(arrow(How::Replied, false), "p1 --> p2 : x\n");
        assert_eq!(DiagramForm::PlantUml.mark(1, "A ignored"), "note over p1 : A ignored\n");
        assert_eq!(
            [DiagramForm::PlantUml.across(None, true, "reset"), DiagramForm::PlantUml.across(None, false, "lost")],
            ["== reset ==\n", "... lost ...\n"]
        );
    }
}
