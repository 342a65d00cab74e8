//! The page that says what each profile does, made of the data: `PROFILES.md`.

use std::fmt::Write as _;

use mcp_compat_model::{Mode, Revision};

use super::{ClientProfile, ServerProfile, clients, servers};
use crate::client::{Policy, Preference, Typing, Validation};
use crate::deviations::Trait;
use crate::server::Answering;

const HEAD: &str = "\
# Profiles

Mocks that stand in for released SDKs: `mcp-compat run --client 'profile/*'` plays them, without Node, Python or anything
else to install. They are no reference, and play only when they are named.

A profile has the revisions of its SDK, its modes, and its *traits*: what the SDK was seen to do otherwise than a peer that
keeps to the specification, each with the line of its source that explains it. Each trait is a quirk of the mocks, and
can be seen alone as `sabotaged/<trait>`. Nothing stands here that was not observed.

Where a profile and the real peer differ, the real peer is right. To see where they do:

```sh
mcp-compat fidelity profile/rmcp@3 rmcp@3.9.0
```

What was measured last, and the differences that are left, are in [the notes](../peers/NOTES.md#profiles-how-far-they-hold).

This page is made of `src/profile/`; after a change there, run `UPDATE_GENERATED=1 cargo test -p mcp-compat-mocks`.
";

/// The page.
#[must_use]
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
        profile.traits.iter().map(|known| (row(known, known.quirk.as_str(), known.quirk.about()), known.source)),
    );
}

fn write_server(page: &mut String, profile: &ServerProfile) {
    heading(page, "server", profile.name, profile.sdk, profile.measured);
    let answering = match profile.answering {
        Answering::Json => "one JSON object",
        Answering::Sse => "an event stream",
    };
    let (revisions, conduct) = (revisions(profile.revisions), profile.conduct.about());
    line(page, &format!("Speaks {revisions}; {conduct}; answers over HTTP as {answering}."));
    table(
        page,
        profile.traits.iter().map(|known| (row(known, known.quirk.as_str(), known.quirk.about()), known.source)),
    );
}

fn heading(page: &mut String, role: &str, name: &str, sdk: &str, measured: &str) {
    line(page, &format!("\n## {role} `profile/{name}`\n\n{sdk}, as measured at {measured}."));
}

fn table(page: &mut String, rows: impl Iterator<Item = ([String; 3], &'static str)>) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        line(page, "\nNothing else was seen to differ from an honest peer.");
        return;
    }
    line(page, "\n| trait | what it does | what in the SDK does it |\n|---|---|---|");
    for ([name, about, cause], source) in rows {
        line(page, &format!("| {name} | {about} | [{cause}]({source}) |"));
    }
}

fn row<Q>(known: &Trait<Q>, name: &str, about: &str) -> [String; 3] {
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
    format!("{validation}, {preference}, {typing}")
}

fn line(page: &mut String, text: &str) {
    // Writing into a string cannot fail.
    let _ = writeln!(page, "{text}");
}
