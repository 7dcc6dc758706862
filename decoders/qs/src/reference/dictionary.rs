//! The reference host's dictionary file, byte for byte.

use spytui_decoder_kit::number;
use spytui_plugin_api::{TextWriter, info::space as host_space};

use super::{
    names::HostNames,
    text::{address, signal_number},
};
use crate::{
    config::{Config, SIZES, Style},
    layout::space,
    names::SECTIONS,
    record,
};

/// The file for the present names; `framework` = type and date of the framework.
pub(super) fn file(config: &Config, build: [u8; 6], (framework, date): (u8, u32), names: &HostNames) -> Vec<u8> {
    TextWriter::text_of(|out| {
        let is_new = config.style == Style::Qspy813;
        if is_new {
            option(out, b"-d", format!("{date:06}").as_bytes());
        }
        option(out, b"-v", format!("{:03}", config.version).as_bytes());
        if is_new {
            option(out, b"-q", framework.to_string().as_bytes());
        }
        for spec in &SIZES {
            option(out, &[b'-', spec.letter], spec.get(config.sizes).to_string().as_bytes());
        }
        option(out, b"-t", record::build_id(build).as_bytes());
        out.byte(b'\n');
        let widths = config.key_widths;
        // Each with its key size, and its entries by key.
        for (heading, space) in SECTIONS {
            let size = match space {
                space::OBJECTS => widths.obj,
                space::FUNCTIONS => widths.fun,
                host_space::KINDS => 1,
                _ => widths.sig,
            };
            out.put(heading.as_bytes());
            number::labelled(out, b"\n", size.into());
            out.byte(b'\n');
            for (key, scope, name) in names.list(space) {
                if space == space::SIGNALS {
                    signal_number(out, key);
                    out.byte(b' ');
                    address(out, scope, size);
                } else {
                    address(out, key, size);
                }
                out.byte(b' ');
                out.put(name);
                out.byte(b'\n');
            }
            out.put(b"***\n");
        }
    })
}

fn option(out: &mut TextWriter<'_>, option: &[u8], value: &[u8]) {
    out.put(option);
    out.put(value);
    out.byte(b'\n');
}
