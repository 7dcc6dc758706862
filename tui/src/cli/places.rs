//! Where the manual page and the completions go.

/// Where the manual page goes.
pub const MAN_GOES: &str = "\
For example:
  mkdir -p ~/.cargo/share/man/man1
  spytui man > ~/.cargo/share/man/man1/spytui.1

man finds it there if ~/.cargo/bin is in PATH; beside another bin folder it is ../share/man/man1.";

/// Where the completions go.
pub const COMPLETIONS_GO: &str = "\
For example, in folders that exist:
  spytui completions bash > ~/.local/share/bash-completion/completions/spytui
  spytui completions elvish > ~/.config/elvish/lib/spytui.elv   # with `use spytui` in rc.elv
  spytui completions fish > ~/.config/fish/completions/spytui.fish
  spytui completions powershell >> $PROFILE
  spytui completions zsh > ~/.zfunc/_spytui                     # a folder of $fpath, before compinit";
