//! Names of slices.

use spytui_plugin_api::{Activity, TextWriter, Verb, render::label};

use super::{
    Context, number,
    words::{self, put},
};
use crate::layout::Group;

/// Writes the name of an activity's slice, or nothing if the host's default will do.
pub(crate) fn label(ctx: &Context<'_, '_>, activity: &Activity, asked: u16, line: &mut TextWriter<'_>) {
    if asked != label::SLICE {
        return;
    }
    match activity.verb {
        Verb::BEGIN | Verb::END => call(ctx, line),
        Verb::STATE => {
            put(line, "Blocked (");
            put(line, ctx.layout.name.trim_start_matches("TH"));
            line.byte(b')');
        }
        Verb::INSTANT => {
            put(line, "User event ");
            number::decimal(line, ctx.number().into());
            if let Some(text) = words::user(ctx.words).filter(|text| text.clone().next().is_some()) {
                line.put(b": ");
                words::bytes(line, text);
            }
        }
        _ if ctx.layout.group == Group::Comm => put(line, ctx.layout.name),
        _ => {}
    }
}

/// The name of a kernel call, or its number.
fn call(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    match ctx.layout.name {
        "" => {
            line.byte(b'?');
            number::decimal(line, ctx.call().into());
        }
        name => put(line, name),
    }
}
