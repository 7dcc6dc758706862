//! What the aliases in the file of a project may do: it came with a folder that somebody else may have made.

use super::exec;
use crate::{
    commands::COMMANDS,
    config::{Config, Origin},
    input::{CommandSpec, family},
};

/// Commands that change nothing but what is shown.
const SHOWING: [&str; 9] = ["filter", "find", "formats", "goto", "help", "mark", "proto", "show", "stats"];

/// What is wrong with the first alias of a project that hides a command, or does more than show something; with its
/// place.
pub(super) fn objection(config: &Config) -> Option<String> {
    let commands: Vec<&'static CommandSpec> =
        exec::OWN.into_iter().chain(COMMANDS.iter().map(|command| &command.spec)).collect();
    let named = |word: &str| family(word, &commands).ok();
    config.below("alias").find_map(|(name, _, origin)| {
        let Origin::Project(..) = origin else { return None };
        if let Some(command) = named(name) {
            return Some(format!("{origin}: alias {name} would hide the command {command}; give it another name"));
        }
        let text = config.text(&format!("alias.{name}"));
        let first = text.split_whitespace().next().unwrap_or_default();
        if named(first).is_some_and(|command| SHOWING.contains(&command)) {
            return None;
        }
        let all = SHOWING.join(" ");
        Some(format!(
            "{origin}: alias {name}: a project's alias may begin with {all}; put it into your own spytui.toml"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Trust;

    fn objection_to(alias: &str) -> Option<String> {
        let mut config = Config::built_in();
        let text = format!("[alias]\n{alias}\n");
        config.overlay(".spytui.toml", &text, Trust::Project).expect("configuration");
        objection(&config)
    }

    #[test]
    fn aliases_of_a_project_only_show() {
        assert_eq!(objection_to("quiet = \"filter -kind:Tick\"\nlate = \"f dt>1ms\""), None);
        for reaching in ["target reset!", "t reset!", "ta reset!", "plugin load ./x.so", "set record.dir=/", "other"] {
            let said = objection_to(&format!("mine = \"{reaching}\"")).expect(reaching);
            assert!(said.starts_with(".spytui.toml:2: alias mine: a project's alias may begin with filter "), "{said}");
        }
    }

    #[test]
    fn aliases_of_a_project_hide_no_command() {
        for hiding in ["q", "quit", "filt", "f", "expect", "target"] {
            let said = objection_to(&format!("{hiding} = \"filter kind:Tran\"")).expect(hiding);
            assert!(said.contains(&format!("alias {hiding} would hide the command ")), "{said}");
        }
    }

    #[test]
    fn ones_own_aliases_may_do_anything() {
        let mut config = Config::built_in();
        config.overlay("spytui.toml", "[alias]\nq = \"target reset!\"\n", Trust::Own).expect("configuration");
        assert_eq!(objection(&config), None);
    }
}
