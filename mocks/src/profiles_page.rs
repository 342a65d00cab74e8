//! The page that describes each profile, generated from the data: `PROFILES.md`.

use std::fmt::Write as _;

use crate::client::profiles::{ClientProfile, clients};
use crate::client::{Lists, Policy, Preference, Roots, Types, Typing, Validation};
use crate::server::profiles::{ServerProfile, servers};
use crate::server::{ResponseFormat, ServerQuirk};
use crate::wire::deviations::ObservedQuirk;
use mcp_compat_model::{Mode, Revision};

const HEAD: &str = "\
# Profiles

A profile is a mock that emulates a released SDK. `mcp-compat run --client 'profile/*'` plays them, without Node, Python
or anything else to install. Profiles are not reference peers, and run only when they are named.

A profile has the revisions of its SDK, its modes, and its *observed quirks*: where the SDK was seen to differ from a peer
that follows the specification, each with the line of its source that explains it. Each quirk can be run alone as
`sabotaged/<quirk>`. The page lists only what was observed.

If a profile and the real SDK differ, the real SDK is right. To compare them:

```sh
cargo run -p mcp-compat-lab -- fidelity profile/rmcp@3 rmcp@3.11.0
```

The last measurement, and the differences that remain, are in [the notes](../peers/NOTES.md#profiles-how-far-they-hold).

This page is generated from `src/client/profiles/` and `src/server/profiles.rs`. After a change there, run
`UPDATE_GENERATED=1 cargo test -p mcp-compat-mocks`.
";

pub fn page() -> String {
    let mut page = HEAD.to_owned();
    for profile in clients() {
        write_client(&mut page, profile);
    }
    for profile in servers() {
        write_server(&mut page, profile);
    }
    page
}

fn write_client(page: &mut String, profile: &ClientProfile) {
    heading(page, "client", profile.name, profile.sdk, profile.measured);
    let modes = match profile.modes {
        [_] => String::new(),
        modes => format!("; modes {}", words(modes.iter().copied().map(Mode::as_str))),
    };
    line(page, &format!("Speaks {}{modes}; {}.", revisions(profile.revisions), policy(profile.policy)));
    table(
        page,
        profile.observed.iter().map(|known| (row(known, known.quirk.as_str(), known.quirk.about()), known.source)),
    );
}

fn write_server(page: &mut String, profile: &ServerProfile) {
    heading(page, "server", profile.name, profile.sdk, profile.measured);
    let response_format = match profile.response_format {
        ResponseFormat::Json => "one JSON object",
        ResponseFormat::Sse => "an event stream",
    };
    let is_of_downgrade = |quirk| {
        matches!(quirk, ServerQuirk::StripsForeignOutput | ServerQuirk::WrapsApart | ServerQuirk::FailsOnForeignOutput)
    };
    // A quirk says more.
    let downgrade = if profile.observed.iter().any(|known| is_of_downgrade(known.quirk)) {
        String::new()
    } else {
        format!("{}; ", profile.downgrade.about())
    };
    let revisions = revisions(profile.revisions);
    line(page, &format!("Speaks {revisions}; {downgrade}answers over HTTP as {response_format}."));
    table(
        page,
        profile.observed.iter().map(|known| (row(known, known.quirk.as_str(), known.quirk.about()), known.source)),
    );
}

fn heading(page: &mut String, role: &str, name: &str, sdk: &str, measured: &str) {
    line(page, &format!("\n## {role} `profile/{name}`\n\n{sdk}, as measured at {measured}."));
}

fn table(page: &mut String, rows: impl Iterator<Item = ([String; 3], &'static str)>) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        line(page, "\nNo other difference from an honest peer was observed.");
        return;
    }
    line(page, "\n| quirk | what it does | what causes it in the SDK |\n|---|---|---|");
    for ([name, about, cause], source) in rows {
        line(page, &format!("| {name} | {about} | [{cause}]({source}) |"));
    }
}

fn row<Q>(known: &ObservedQuirk<Q>, name: &str, about: &str) -> [String; 3] {
    let over = known.over.map(|carrier| format!(", over {carrier}")).unwrap_or_default();
    [format!("`{name}`{over}"), about.replace('|', "\\|"), known.cause.replace('|', "\\|")]
}

fn revisions(revisions: &[Revision]) -> String {
    words(revisions.iter().copied().map(Revision::as_str))
}

fn words<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

fn policy(policy: Policy) -> String {
    let validation = match policy.validation {
        Validation::Reject => "refuses what violates its schema",
        Validation::Warn => "hands out what violates its schema with a warning",
        Validation::Skip => "does not validate",
    };
    let preference = match policy.preference {
        Preference::Both => "hands out values and blocks",
        Preference::Structured => "hands out the value alone where there is one",
        Preference::Content => "hands out blocks alone",
    };
    let typing = match policy.typing {
        Typing::StrictObject => "holds objects only",
        Typing::Any => "holds any value",
        Typing::AsSpoken => "holds objects only in the legacy era, and any value in the modern one",
    };
    let roots = match policy.roots {
        Roots::Open => "",
        Roots::Zod => {
            "; loses a list if the root of a schema has `properties` or `required` (legacy era) or `$schema` (modern era) of \
             another type than the specification says"
        }
        Roots::Pydantic => {
            "; loses a list if the root of a schema has `properties` or `required` (legacy era) or `$schema` (both eras) of \
             another type than the specification says, unless it is null"
        }
    };
    let lists = match policy.lists {
        Lists::Afresh => "",
        Lists::WhileFresh => "; returns a list again while its `ttlMs` holds",
        Lists::WhileFreshIfModern => "; returns a list again while its `ttlMs` holds, in the modern era",
    };
    format!("{validation}, {preference}, {typing}{roots}{lists}; {}", of_types(policy.types))
}

fn of_types(types: Types) -> &'static str {
    match types {
        Types::Open => "looks only at the members that it needs",
        Types::Zod1 | Types::Zod2 => "loses a list or a result with a member of the wrong type, null included",
        Types::Pydantic1 => {
            "loses a list or a result with a member of the wrong type, but takes words for booleans and digits for numbers, \
             and wants a scheme in the `uri` of a block"
        }
        Types::Pydantic2 => {
            "loses a list or a result with a member of the wrong type, but takes words for booleans and digits for numbers"
        }
        Types::Go => {
            "loses a list or a result with a member of the wrong type, but misses none, and wants base64 with its padding"
        }
        Types::Jackson => {
            "loses a list or a result with a member of the wrong type, but misses none, and takes numbers for strings and digits \
             for numbers"
        }
        Types::Serde => "loses a list or a result with a member of the wrong type, but takes any number and any base64",
    }
}

fn line(page: &mut String, text: &str) {
    // Writing into a string cannot fail.
    let _ = writeln!(page, "{text}");
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::{env, fs};

    use super::*;

    #[test]
    fn the_page_is_what_the_data_says() {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("PROFILES.md");
        if env::var_os("UPDATE_GENERATED").is_some() {
            fs::write(&path, page()).unwrap();
        }
        assert!(
            fs::read_to_string(&path).unwrap_or_default() == page(),
            "PROFILES.md is out of date; run with UPDATE_GENERATED=1"
        );
    }
}
