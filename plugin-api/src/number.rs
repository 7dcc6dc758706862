//! Numbers with names. They cross the library boundary as plain integers, so that unknown values are valid; in code,
//! each kind has its own type.

/// Defines a `#[repr(transparent)]` number with named values; `Debug` prints the names.
macro_rules! named_numbers {
    (
        $(#[$meta:meta])*
        pub struct $name:ident($repr:ty) {
            $($(#[$value_meta:meta])* $value:ident = $number:expr,)*
        }
    ) => {
        $(#[$meta])*
        #[repr(transparent)]
        #[derive(abi_stable::StableAbi, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $repr);

        impl $name {
            $($(#[$value_meta])* pub const $value: $name = $name($number);)*
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match *self {
                    $($name::$value => f.write_str(stringify!($value)),)*
                    $name(other) => write!(f, concat!(stringify!($name), "({:#x})"), other),
                }
            }
        }
    };
}

/// Defines a `#[repr(transparent)]` set of flags; `Debug` prints the names. Unnamed bits are kept.
macro_rules! named_flags {
    (
        $(#[$($meta:tt)*])*
        pub struct $name:ident($repr:ty) {
            $($(#[$($flag_meta:tt)*])* $flag:ident = $bits:expr,)*
        }
    ) => {
        $(#[$($meta)*])*
        #[repr(transparent)]
        #[derive(abi_stable::StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name($repr);

        bitflags::bitflags! {
            impl $name: $repr {
                $($(#[$($flag_meta)*])* const $flag = $bits;)*
                const _ = !0;
            }
        }
    };
}

pub(crate) use {named_flags, named_numbers};
