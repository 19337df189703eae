//! Names: closed sets written once as a table, and ids that are a checked text.

/// Gives an enum `ALL`, in the order of the table, the `name` of each variant as files and commands write it, and
/// `named`, which finds a variant by that name.
macro_rules! named {
    ($kind:ty { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl $kind {
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|it| it.name() == name)
            }
        }
    };
}

/// What an id that is a checked text can do. `$read` checks a `String`; the id has `as_str`.
macro_rules! text_id {
    ($($id:ident by $read:expr),+ $(,)?) => {$(
        impl TryFrom<alloc::string::String> for $id {
            type Error = crate::IdError;

            fn try_from(text: alloc::string::String) -> Result<Self, crate::IdError> {
                $read(text)
            }
        }

        impl core::str::FromStr for $id {
            type Err = crate::IdError;

            fn from_str(text: &str) -> Result<Self, crate::IdError> {
                $read(alloc::string::String::from(text))
            }
        }

        impl From<$id> for alloc::string::String {
            fn from(id: $id) -> Self {
                id.as_str().into()
            }
        }

        impl core::fmt::Display for $id {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )+};
}
