//! The description: kinds, spaces, options.

use spytui_plugin_api::{
    CounterId, Info, KeyFormat, NONE, RString, RowKind, Severity,
    info::{Class, CounterInfo, GroupInfo, KindInfo, Opt, SpaceInfo, space},
};

/// Space of the stimulus ports.
pub const PORTS: u16 = space::OWN;
/// Space of the exceptions, by number.
pub const EXCEPTIONS: u16 = space::OWN + 1;
/// Space of the DWT's comparators.
pub const COMPARATORS: u16 = space::OWN + 2;

/// Counter of overflows.
pub const OVERFLOWS: CounterId = CounterId(64);

/// Option: clock rate of local time stamps.
pub const CLOCK: Opt<u64> =
    Opt::int("clock", 0..=10_000_000_000, "rate of the local time stamps in Hz, before the prescaler; 0 = unknown")
        .with_default("0")
        .never_guessed();
/// Option: the prescaler of that clock.
pub const PRESCALER: Opt<u64> = Opt::new(
    "prescaler",
    spytui_plugin_api::info::OptType::IntChoice(&[("1", 1), ("4", 4), ("16", 16), ("64", 64)]),
    "prescaler of the local time stamps",
)
.with_default("1")
.never_guessed();
/// Option: bit mask of the ports that carry text.
pub const TEXT: Opt<u32> =
    Opt::text("text", text_ports, "ports with text, such as 0,1; - = none").with_default("0").never_guessed();
/// Option: packets of two and four bytes on these ports also contain text.
pub const TEXT_WORDS: Opt<bool> =
    Opt::flag("text-words", "packets of 2 and 4 bytes on ports with text are characters, too").with_default("no");
/// Option: names of ports.
pub const PORT_NAMES: Opt<Vec<(u8, String)>> =
    Opt::text("ports", port_names, "names of ports, such as 1=adc,2=state").never_guessed();

/// Kinds of records.
pub mod kind {
    use spytui_plugin_api::RowKind;

    /// A line of text.
    pub const TEXT: RowKind = RowKind(1);
    /// A number that software wrote to a port.
    pub const VALUE: RowKind = RowKind(2);
    /// An exception was entered.
    pub const ENTER: RowKind = RowKind(3);
    /// An exception was left.
    pub const EXIT: RowKind = RowKind(4);
    /// The processor returned to an exception or to thread mode.
    pub const RETURN: RowKind = RowKind(5);
    /// Program counter.
    pub const PC: RowKind = RowKind(6);
    /// The processor sleeps.
    pub const SLEEP: RowKind = RowKind(7);
    /// Counters that wrapped.
    pub const EVENTS: RowKind = RowKind(8);
    /// Instruction address matched by a comparator.
    pub const DATA_PC: RowKind = RowKind(9);
    /// Data address matched by a comparator.
    pub const DATA_ADDRESS: RowKind = RowKind(10);
    /// A value was read.
    pub const READ: RowKind = RowKind(11);
    /// A value was written.
    pub const WRITE: RowKind = RowKind(12);
    /// A local time stamp without a packet.
    pub const TIME: RowKind = RowKind(13);
    /// A global time stamp, or its high half.
    pub const GLOBAL: RowKind = RowKind(14);
    /// Synchronisation.
    pub const SYNC: RowKind = RowKind(15);
    /// Page of ports, or another extension packet.
    pub const EXTENSION: RowKind = RowKind(16);
}

/// Id, name, title of a group.
const GROUPS: [(u8, &str, &str); 4] = [
    (0, "SW", "stimulus ports"),
    (1, "EXC", "exceptions"),
    (2, "DWT", "data watchpoint and trace"),
    (3, "PRO", "protocol"),
];

/// Kind, name, group, space of the object, fields.
type Spec = (RowKind, &'static str, u8, u16, &'static [&'static str]);

const KINDS: [Spec; 16] = [
    (kind::TEXT, "TEXT", 0, PORTS, &["text"]),
    (kind::VALUE, "VALUE", 0, PORTS, &["value", "size"]),
    (kind::ENTER, "ENTER", 1, EXCEPTIONS, &[]),
    (kind::EXIT, "EXIT", 1, EXCEPTIONS, &[]),
    (kind::RETURN, "RETURN", 1, EXCEPTIONS, &[]),
    (kind::PC, "PC", 2, NONE, &["pc"]),
    (kind::SLEEP, "SLEEP", 2, NONE, &[]),
    (kind::EVENTS, "EVENTS", 2, NONE, &["counters"]),
    (kind::DATA_PC, "DATA_PC", 2, COMPARATORS, &["pc"]),
    (kind::DATA_ADDRESS, "DATA_ADDR", 2, COMPARATORS, &["address"]),
    (kind::READ, "READ", 2, COMPARATORS, &["value", "size"]),
    (kind::WRITE, "WRITE", 2, COMPARATORS, &["value", "size"]),
    (kind::TIME, "TIME", 3, NONE, &["delta"]),
    (kind::GLOBAL, "GLOBAL", 3, NONE, &["low", "high", "wrapped", "clock_changed"]),
    (kind::SYNC, "SYNC", 3, NONE, &[]),
    (kind::EXTENSION, "EXTENSION", 3, NONE, &["page", "bits"]),
];

/// Name of the key field of a space.
pub fn key_name(space: u16) -> Option<&'static str> {
    match space {
        PORTS => Some("port"),
        EXCEPTIONS => Some("exception"),
        COMPARATORS => Some("comp"),
        _ => None,
    }
}

/// The space of a kind's object.
pub fn object_space(kind: RowKind) -> u16 {
    KINDS.iter().find(|spec| spec.0 == kind).map_or(NONE, |spec| spec.3)
}

/// The group of a kind.
pub fn group(kind: RowKind) -> u8 {
    KINDS.iter().find(|spec| spec.0 == kind).map_or(3, |spec| spec.2)
}

/// The description.
pub fn info() -> Info {
    let kinds = KINDS.iter().map(|&(kind, name, group, obj_space, fields)| KindInfo {
        obj_space,
        fields: fields.iter().copied().chain(key_name(obj_space)).map(RString::from).collect(),
        spaces: Some(obj_space).filter(|space| *space != NONE).into_iter().collect(),
        ..KindInfo::new(kind, name, group)
    });
    let spaces = [
        SpaceInfo::new(PORTS, "port", "Ports", Class::CHANNEL, KeyFormat::DECIMAL),
        SpaceInfo::new(EXCEPTIONS, "exception", "Exceptions", Class::ISR, KeyFormat::DECIMAL),
        SpaceInfo::new(COMPARATORS, "comp", "Comparators", Class::VALUE, KeyFormat::DECIMAL),
    ];
    // An overflow loses an unknown number of packets, so it does not count drops.
    let overflows = CounterInfo { header: "overflows".into(), ..CounterInfo::new(OVERFLOWS, "overflows", "overflows") };
    Info {
        id: "itm".into(),
        title: "ARM ITM".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        aliases: ["swo".into()].into_iter().collect(),
        kinds: kinds.collect(),
        groups: GROUPS.iter().map(|&(id, name, title)| GroupInfo::new(id, name, title)).collect(),
        spaces: spaces.into_iter().collect(),
        counters: [overflows].into_iter().collect(),
        options: [CLOCK.spec(), PRESCALER.spec(), TEXT.spec(), TEXT_WORDS.spec(), PORT_NAMES.spec()]
            .into_iter()
            .collect(),
        max_pending: crate::hold::MAX_PENDING,
        ..Info::default()
    }
}

/// The architecture's name of an exception; interrupts are numbered.
pub fn exception_name(number: u16) -> String {
    match number {
        0 => "Thread".to_owned(),
        1 => "Reset".to_owned(),
        2 => "NMI".to_owned(),
        3 => "HardFault".to_owned(),
        4 => "MemManage".to_owned(),
        5 => "BusFault".to_owned(),
        6 => "UsageFault".to_owned(),
        11 => "SVCall".to_owned(),
        12 => "DebugMonitor".to_owned(),
        14 => "PendSV".to_owned(),
        15 => "SysTick".to_owned(),
        7..=10 | 13 => format!("Reserved {number}"),
        _ => format!("IRQ {}", number - 16),
    }
}

/// Severity of entering an exception.
pub fn exception_severity(number: u64) -> Severity {
    match number {
        3..=6 => Severity::ERROR,
        1 | 2 => Severity::WARNING,
        _ => Severity::NORMAL,
    }
}

fn text_ports(text: &str) -> Result<u32, String> {
    if text == "-" {
        return Ok(0);
    }
    let port = |word: &str| word.trim().parse().ok().filter(|port| *port < 32).map(|port: u32| 1 << port);
    let ports: Option<u32> = text.split(',').try_fold(0, |all, word| Some(all | port(word)?));
    ports.ok_or_else(|| "must be numbers from 0 to 31 with commas between, or - for none".to_owned())
}

fn port_names(text: &str) -> Result<Vec<(u8, String)>, String> {
    let one = |word: &str| {
        let (port, name) = word.split_once('=')?;
        let name = name.trim();
        Some((port.trim().parse().ok()?, name.to_owned())).filter(|_| !name.is_empty())
    };
    text.split(',').map(one).collect::<Option<_>>().ok_or_else(|| "must look like 1=adc,2=state".to_owned())
}
