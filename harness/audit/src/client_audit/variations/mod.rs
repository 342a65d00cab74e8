//! Variations: a plain server, and the same server with one legal thing changed. A client that works with the plain one has to
//! work with each of the others, and a failure names the change.
//!
//! ```text
//! plain server ─ play ─> Played ─┐
//! Row ─ change ─> Behaviour ─ play ─> Played ─ verdict ─> Failure ─ conclusion ─> Conclusion
//! ```
//!
//! A new variation is a [`Row`] in `rows_of_*.rs`. Rows of a joint group are played at once, and one by one only if the client
//! does not bear them together. What may have failed because the machine was busy is played once more.

mod arguments;
mod conclusion;
mod left_out;
mod of_plain;
mod played;
mod row;
mod rows_of_before;
mod rows_of_http;
mod rows_of_lists;
mod rows_of_results;
mod rows_of_schemas;
mod rows_of_stdio;
mod stage;
mod verdict;
mod words;

use std::io;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream;
use mcp_compat_json::Json;
use mcp_compat_mocks::server::varied::{Behaviour, Verb};
use mcp_compat_model::client_audit::{Conclusion, Variation};
use mcp_compat_model::{Era, Revision};
use mcp_compat_run::black_box::ClientCommand;
use mcp_compat_run::request::Request;
use tokio_util::sync::CancellationToken;

use left_out::{LeftOut, left_out};
use played::Played;
use row::{Due, Group, Lack, Row};
use stage::Stage;
use verdict::{Failure, failure};

/// Time limit of a client whose steps have the default limit.
const STEP: Duration = Duration::from_secs(5);

/// Number of steps in which a client connects, lists and calls.
const STEPS: u32 = 3;

/// Factor by which a client may take longer than with the plain server.
const SLOWER: u32 = 8;

/// Factor by which a client may take longer whose call is given up.
const GIVE_UP_SLOWER: u32 = 3;

/// Factor of the time of a client that is played once more.
const EXTENDED: u32 = 4;

/// Number of variations in a row after which a client that ended in none of them is played no more.
const HUNG: usize = 4;

/// Number of times that a busy machine is waited for.
const WAITS: usize = 3;

/// Number of variations without an end that are played once more, unless it was the machine.
const HUNG_AGAIN: usize = 2;

/// All variations, in the order of the report.
fn groups() -> impl Iterator<Item = &'static Group> {
    let of_lists = rows_of_lists::GROUPS.iter().chain(&rows_of_schemas::GROUPS);
    let of_calls = rows_of_results::GROUPS.iter().chain(&rows_of_before::GROUPS);
    of_lists.chain(of_calls).chain(&rows_of_stdio::GROUPS).chain(&rows_of_http::GROUPS)
}

/// Result of all variations.
#[derive(Default)]
pub(super) struct Varied {
    /// The variations that were played.
    pub(super) variations: Vec<Variation>,
    /// Number of those that were to be played.
    pub(super) planned: usize,
    pub(super) conclusions: Vec<Conclusion>,
    /// The revision at which the client works with the plain server, if it does.
    pub(super) worked_at: Option<Revision>,
    /// True if the client works with the plain server, but did not bear a variation of the list.
    pub(super) explains_lists: bool,
    /// True if the client does not ask for the second page of the list.
    pub(super) misses_pages: bool,
    /// True if the client resolves no reference of an outputSchema.
    pub(super) resolves_nothing: bool,
    /// True if the client asks for what was not declared, and gives up when that is refused.
    pub(super) is_undeclared: bool,
}

/// A variation that the client did not bear.
struct Failed {
    group: &'static str,
    row: &'static Row,
    failure: Failure,
    seen: Played,
    /// Line of an error that the client did not write with the plain server.
    told: Option<String>,
}

impl Failed {
    fn id(&self) -> String {
        format!("{}/{}", self.group, self.row.id)
    }
}

/// Faults of a client in all variations.
struct Tried {
    failed: Vec<Failed>,
    left_out: Option<LeftOut>,
}

/// Rows that are played at once, and what the client did.
struct Play {
    group: &'static Group,
    rows: Vec<&'static Row>,
}

/// Plays a client with the plain server, and with each variation. Nothing is concluded if it does not work with the plain
/// one.
pub(super) async fn play(command: &ClientCommand, limits: &Request, stop: CancellationToken) -> io::Result<Varied> {
    let mut stage = Stage::of(command, limits, stop).await?;
    let mut varied = Varied::default();
    let began = Instant::now();
    // No variation has shown yet how long this client takes.
    let Some(mut plain) = stage.client(&[], stage.time_limit * EXTENDED).await else { return Ok(varied) };
    // On a busy machine, the plain server shows how long this client takes.
    stage.time_limit = stage.time_limit.max(began.elapsed() * SLOWER);
    varied.conclusions.extend(of_plain::unread(&plain));
    if !plain.works() {
        let undeclared = of_plain::undeclared(&plain);
        let is_probe = plain.exchanges.iter().any(|it| it.is_request("server/discover"));
        if undeclared.is_some() {
            stage.base = |server| server.lenient = true;
        } else if is_probe {
            // The answer of the plain server to the probe may be why. The rows about that tell it.
            stage.base = rows_of_http::undiscovered;
        }
        let is_changed = undeclared.is_some() || is_probe;
        let other = if is_changed { stage.client(&[], stage.time_limit).await } else { None };
        let Some(other) = other.filter(Played::works) else {
            let left = of_plain::left_at_revision(&plain);
            if left.is_none() && !plain.listed() {
                varied.conclusions.push(of_plain::unplayed(&plain));
            }
            varied.conclusions.extend(left);
            return Ok(varied);
        };
        plain = other;
        varied.is_undeclared = undeclared.is_some();
        varied.conclusions.extend(undeclared);
    }
    stage.give_up = plain.took * GIVE_UP_SLOWER + verdict::GIVE_UP;
    let revision = spoken(&plain);
    varied.conclusions.extend(of_plain::arguments(&plain));
    varied.conclusions.extend(of_plain::no_arguments(&plain));
    varied.conclusions.extend(of_plain::one_id(&plain));
    let Tried { failed, left_out } = stage.all(&plain, revision, &mut varied).await;
    varied.worked_at = Some(revision);
    varied.resolves_nothing = failed.iter().any(|it| it.row.lacks == Some(Lack::References));
    let is_second_page = |it: &Failed| std::ptr::eq(it.row, &raw const rows_of_lists::PAGED[0]);
    varied.misses_pages = failed.iter().any(|it| is_second_page(it) && it.failure == Failure::PagesMissed);
    varied.explains_lists = failed.iter().any(|it| it.failure == Failure::NoCall);
    varied.conclusions.extend(conclusion::conclusions(&failed, left_out.as_ref()));
    let skipped = varied.planned - varied.variations.len();
    varied.conclusions.extend(of_plain::skipped(skipped).filter(|_| !stage.is_stopped()));
    Ok(varied)
}

/// The revision that the client speaks with a server that answers with the one that was asked for.
fn spoken(plain: &Played) -> Revision {
    let opening = plain.exchanges.iter().rev().find(|it| it.is_request("initialize"));
    let params = opening.and_then(|opening| Json::parse(opening.params.as_deref()?).ok());
    let asked = params.and_then(|params| params.get("protocolVersion")?.as_str()?.parse().ok());
    asked.filter(|revision: &Revision| revision.era() == Era::Legacy).unwrap_or(Revision::NEWEST_LEGACY)
}

/// The capabilities that the client declares.
fn capabilities(plain: &Played) -> Option<Json> {
    let opening = plain.exchanges.iter().rev().find(|it| it.is_request("initialize"))?;
    Json::parse(opening.params.as_deref()?).ok()?.get("capabilities").cloned()
}

impl Stage<'_> {
    /// Plays all variations that are legal at a revision, and notes them. Returns those that the client did not bear twice.
    async fn all(&self, plain: &Played, revision: Revision, varied: &mut Varied) -> Tried {
        let asks = |method: &str| plain.exchanges.iter().any(|it| it.is_request(method));
        let gets = plain.exchanges.iter().any(|it| it.verb == Verb::Get);
        let transport = self.command.transport();
        let declared = capabilities(plain);
        let declares = |capability: &str| declared.as_ref().is_some_and(|it| it.get(capability).is_some());
        let is_played = |row: &Row| {
            row.since <= revision && row.over.is_none_or(|only| only == transport) && row.declared.is_none_or(declares)
        };
        let rows = |group: &'static Group| -> Vec<&'static Row> {
            let is_asked = group.asks.is_none_or(asks) && (gets || !group.of_gets);
            let is_asked = is_asked && group.over.is_none_or(|only| only == transport);
            group.rows.iter().filter(|row| is_asked && is_played(row)).collect()
        };
        let first = groups().flat_map(|group| {
            let rows = rows(group);
            let plays = if group.is_joint { vec![rows] } else { rows.into_iter().map(|row| vec![row]).collect() };
            plays.into_iter().filter(|rows| !rows.is_empty()).map(move |rows| Play { group, rows })
        });
        let first: Vec<Play> = first.collect();
        varied.planned = first.iter().map(|play| play.rows.len()).sum();
        let mut seen = self.plays(first).await;
        let is_whole =
            |(play, seen): &&(Play, Played)| play.rows.len() > 1 && self.fails(play, plain, None, seen).is_none();
        let mut left_out = left_out(seen.iter().filter(is_whole).map(|(_, seen)| seen));
        let again =
            seen.iter().filter(|(play, seen)| play.rows.len() > 1 && self.fails(play, plain, None, seen).is_some());
        let one_by_one =
            again.flat_map(|(play, _)| play.rows.iter().map(|row| Play { group: play.group, rows: vec![*row] }));
        let one_by_one: Vec<Play> = one_by_one.collect();
        seen.extend(self.plays(one_by_one).await);
        let failure_of = |(play, of_play): &(Play, Played)| {
            let failure = (play.rows.len() == 1).then(|| self.fails(play, plain, of_first(&seen, play), of_play))??;
            let told = of_play.told(plain);
            Some(Failed { group: play.group.id, row: play.rows[0], failure, seen: of_play.clone(), told })
        };
        let mut failed: Vec<Failed> = seen.iter().filter_map(failure_of).collect();
        // A busy machine can make a client wait in vain. One that hangs costs much time, so the first ones show whether it was
        // the machine.
        let is_again = |it: &&(Play, Played)| failure_of(it).is_some_and(|failed| failed.failure.may_be_load());
        let is_slow = |(play, seen): &&(Play, Played)| seen.has_hung() && play.rows[0].due != Due::GiveUp;
        let (hung, ended): (Vec<_>, Vec<_>) = seen.iter().filter(is_again).partition(is_slow);
        let (first, rest) = hung.split_at(hung.len().min(HUNG_AGAIN));
        let mut later = self.once_more(&[&ended[..], first].concat()).await;
        let was_busy = later.iter().any(|(play, seen)| {
            !seen.has_hung() && first.iter().any(|(known, _)| std::ptr::eq(known.rows[0], play.rows[0]))
        });
        if was_busy {
            later.extend(self.once_more(rest).await);
        }
        for later in later {
            failed.retain(|known| !std::ptr::eq(known.row, later.0.rows[0]));
            failed.extend(failure_of(&later));
        }
        // Without a second play, nothing tells a client that waits from a busy machine. One that never got to its call, which
        // the server would have given up, shows nothing.
        let is_open = |it: &Failed| it.row.due == Due::GiveUp && it.failure != Failure::NotGivenUp;
        failed.retain(|it| !(it.failure.may_be_load() && (self.is_stopped() || is_open(it))));
        for failed in &mut failed {
            note_limit(&mut failed.failure, &seen);
        }
        let place = |it: &Failed| groups().flat_map(|group| group.rows).position(|row| std::ptr::eq(row, it.row));
        failed.sort_by_key(place);
        let is_seen = |row: &Row| seen.iter().any(|(play, _)| play.rows.iter().any(|it| std::ptr::eq(*it, row)));
        for group in groups() {
            for row in rows(group).into_iter().filter(|row| is_seen(row)) {
                let id = format!("{}/{}", group.id, row.id);
                let is_left_out = left_out.as_mut().is_some_and(|left_out| note_row(left_out, row, &id));
                let fails = is_left_out || failed.iter().any(|it| it.group == group.id && std::ptr::eq(it.row, row));
                varied.variations.push(Variation { id, does: row.does.to_owned(), passes: !fails });
            }
        }
        // What the first row of a group shows explains the others.
        let is_first = |it: &Failed, group: &Group| std::ptr::eq(&raw const group.rows[0], it.row);
        let has_row = |group: &Group, it: &Failed| group.rows.iter().any(|row| std::ptr::eq(row, it.row));
        let explained: Vec<&Group> = groups().filter(|group| failed.iter().any(|it| is_first(it, group))).collect();
        failed.retain(|it| !explained.iter().any(|group| has_row(group, it) && !is_first(it, group)));
        Tried { failed, left_out }
    }

    fn fails(&self, play: &Play, plain: &Played, first: Option<&Played>, seen: &Played) -> Option<Failure> {
        // Rows at once each have their own due. The first one that is not met says that they have to be played apart.
        play.rows.iter().find_map(|row| failure(row.due, plain, first, seen))
    }

    async fn once_more(&self, of: &[&(Play, Played)]) -> Vec<(Play, Played)> {
        let plays = of.iter().map(|(play, _)| Play { group: play.group, rows: play.rows.clone() });
        self.plays_within(EXTENDED, 1, plays.collect()).await
    }

    /// Returns true if the client takes long with the plain server, too.
    async fn is_busy(&self) -> bool {
        let plain = self.client(&[], self.time_limit * EXTENDED).await;
        plain.is_some_and(|plain| plain.has_hung() || plain.took > self.time_limit / EXTENDED)
    }

    async fn plays(&self, plays: Vec<Play>) -> Vec<(Play, Played)> {
        self.plays_within(1, self.jobs, plays).await
    }

    /// Plays with so many times the time limit.
    async fn plays_within(&self, times: u32, jobs: usize, plays: Vec<Play>) -> Vec<(Play, Played)> {
        let of = |play: &Play| times * if play.rows[0].due == Due::GiveUp { self.give_up } else { self.time_limit };
        let played = stream::iter(plays).map(|play| async { (self.client(&play.rows, of(&play)).await, play) });
        let mut played = std::pin::pin!(played.buffered(jobs));
        let (mut all, mut hung, mut waits) = (Vec::new(), 0, 0);
        while let Some((seen, play)) = played.next().await {
            let Some(seen) = seen else { continue };
            hung = if seen.has_hung() { hung + 1 } else { 0 };
            all.push((play, seen));
            if hung == HUNG {
                waits += 1;
                if waits > WAITS || !self.is_busy().await {
                    break;
                }
                hung = 0;
            }
        }
        all
    }
}

/// Notes whether a client that calls some tools calls as many of each list that has more.
fn note_limit(failure: &mut Failure, seen: &[(Play, Played)]) {
    let Failure::ToolsMissed { called, is_limit, .. } = failure else { return };
    let longer =
        seen.iter().filter(|(play, seen)| play.rows.len() > 1 && seen.tools.len() > *called && !seen.has_hung());
    let numbers: Vec<usize> = longer.map(|(_, seen)| seen.tools_called().len()).collect();
    *is_limit = numbers.len() > 1 && numbers.iter().all(|number| number == called);
}

/// Notes a variation that lists a tool which the client left out. Returns false if it lists none.
fn note_row(left_out: &mut LeftOut, row: &Row, id: &str) -> bool {
    let mut server = Behaviour::plain("");
    (row.change)(&mut server);
    let is_listed = played::tools(&server).iter().any(|tool| {
        let name = tool.get("name").and_then(Json::as_str);
        left_out.tools().any(|left_out| Some(left_out.as_str()) == name)
    });
    left_out.variations.extend(is_listed.then(|| id.to_owned()));
    is_listed
}

/// Behaviour of the client in the first row of the group of a play, if that is another row.
fn of_first<'s>(seen: &'s [(Play, Played)], play: &Play) -> Option<&'s Played> {
    let is_first = |(known, _): &&(Play, Played)| {
        known.group.id == play.group.id
            && known.rows.len() == 1
            && std::ptr::eq(known.rows[0], &raw const play.group.rows[0])
            && !std::ptr::eq(known.rows[0], play.rows[0])
    };
    seen.iter().find(is_first).map(|(_, seen)| seen)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_row_is_complete() {
        let mut ids = BTreeSet::new();
        for group in groups() {
            for row in group.rows {
                let id = format!("{}/{}", group.id, row.id);
                assert!(ids.insert(id.clone()), "{id} twice");
                assert!(!row.remedy.is_empty() && !row.remedy.ends_with('.') && !row.does.ends_with('.'), "{id}");
                match row.basis {
                    row::Basis::Rule(rule) => assert!(mcp_compat_judge::rules::find(rule).is_some(), "{id}: {rule}"),
                    row::Basis::Section(section) => assert!(!section.is_empty(), "{id}"),
                    row::Basis::Address(address) => assert!(address.starts_with("https://"), "{id}"),
                }
                assert!(
                    !group.is_joint
                        || !matches!(
                            row.due,
                            Due::Tell(_)
                                | Due::Pages(_)
                                | Due::Follow(_)
                                | Due::Reopen
                                | Due::Leave
                                | Due::Fill(_)
                                | Due::Only(_)
                                | Due::CallEach(_)
                                | Due::Mention
                                | Due::GiveUp
                        ),
                    "{id}"
                );
            }
        }
    }
}
