//! Short words for the kinds of a list, where the group is beside them.

use super::{Group, Layout};

impl Layout {
    /// The short word; empty = its name.
    pub(crate) fn tag(&self) -> String {
        let tag = match (self.group, self.name) {
            (Group::Thread, name) => return name.trim_start_matches("TH").to_lowercase(),
            (Group::VThread, name) => return name.trim_start_matches("VTH").to_lowercase(),
            (Group::IntEnter, _) | (Group::Int, "ENTRY_64") => "enter",
            (Group::IntExit, _) => "exit",
            (Group::HandlerEnter, _) | (Group::Int, "HANDLER_ENTRY_64") => "handler",
            (Group::HandlerExit, _) => "handled",
            (Group::Int, "DELIVER") => "deliver",
            (Group::Process, "PROCCREATE" | "PROCCREATE_NAME") => "create",
            (Group::Process, "PROCDESTROY" | "PROCDESTROY_NAME") => "destroy",
            (Group::Process, "PROCTHREAD_NAME") => "name",
            (Group::Comm, "SND_MESSAGE") => "SND",
            (Group::Comm, "REC_MESSAGE") => "REC",
            (Group::Comm, "REPLY_MESSAGE") => "REPLY",
            (Group::Comm, "MSG_ERROR") => "ERROR",
            _ => "",
        };
        tag.to_owned()
    }
}
