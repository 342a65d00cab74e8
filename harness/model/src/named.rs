//! Enums whose values have names: one table gives the variants, the names in files and reports, and the way back.

/// Defines an enum of named values.
macro_rules! named {
    (
        $(#[$attribute:meta])*
        $vis:vis enum $Enum:ident {
            $($(#[$documentation:meta])* $variant:ident = $name:literal,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
            schemars::JsonSchema,
        )]
        $vis enum $Enum {
            $($(#[$documentation])* #[serde(rename = $name)] $variant,)*
        }

        impl $Enum {
            /// Every value, in order.
            $vis const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name used in files and reports.
            #[must_use]
            $vis const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The value of that name.
            #[must_use]
            $vis fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.as_str() == name)
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

pub(crate) use named;

#[cfg(test)]
mod tests {
    use crate::diff::Class;

    #[test]
    fn the_name_is_the_one_in_files_and_leads_back() {
        for class in Class::ALL {
            assert_eq!(serde_json::to_string(&class).unwrap(), format!("\"{class}\""));
            assert_eq!(Class::named(class.as_str()), Some(class));
        }
        assert_eq!(Class::named("Worse"), None);
    }
}
