//! Names of slices.

use spytui_plugin_api::{Activity, TextWriter, Verb};

use super::{
    Context, number,
    words::{self, put},
};
use crate::{layout::Group, record::Content};

/// Writes the name of an activity's slice, or nothing if the host's default will do.
pub(crate) fn label(ctx: &Context<'_, '_>, activity: &Activity, line: &mut TextWriter<'_>) {
    match activity.verb {
        Verb::BEGIN | Verb::END => words::call(&ctx.whole, line),
        Verb::STATE => {
            put(line, "Blocked (");
            put(line, ctx.whole.layout.name.trim_start_matches("TH"));
            line.byte(b')');
        }
        Verb::INSTANT => {
            put(line, "User event ");
            number::decimal(line, ctx.whole.number().into());
            if let Content::User(Some(text @ [_, ..])) = ctx.whole.content() {
                line.put(b": ");
                line.put(text);
            }
        }
        _ if ctx.whole.layout.group == Group::Comm => put(line, ctx.whole.layout.name),
        _ => {}
    }
}
