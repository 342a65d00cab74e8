//! Everything that the rules and the verdict look at. It is gathered once for a cell and never changed.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use mcp_compat_json::Json;
use mcp_compat_model::observation::{Layer, Observation, PeerError, Seen};
use mcp_compat_model::peer_contract::{EVOLVE_TOOL, Reply};
use mcp_compat_model::tool::{ToolDefinition, ToolResult};
use mcp_compat_model::transcript::{Event, Head, Transcript};
use mcp_compat_model::{Cell, Era, Revision, Role, Transport};
use mcp_compat_scenario::scenario::{Call, Purpose, Scenario, Step, Tool};

use crate::outcome::Sent;
use crate::wire::exchange::{Answer, Exchange, Exchanges, exchanges};
use crate::wire::message::{Message, Shape, messages};
use crate::wire::session::{META_VERSION, Session};
use mcp_compat_schema::inclusion::{Conformance, Schemas};

/// The events of one cell.
#[derive(Debug)]
pub struct Facts<'a> {
    pub scenario: &'a Scenario,
    /// The cell that it was played in.
    pub cell: &'a Cell,
    /// The observation of the client's user.
    pub observation: &'a Observation,
    pub messages: Vec<Message<'a>>,
    /// The raw transcript, for what is not a message.
    pub transcript: &'a Transcript,
    /// The client's requests and their answers.
    pub exchanges: Exchanges,
    /// The agreement of the two.
    pub session: Session,
    /// Every tool that the server listed, in the order listed.
    pub listings: Vec<Listing>,
    /// The scenario's calls, each with what became of it.
    pub calls: Vec<CallFacts<'a>>,
    /// Judges values by schemas.
    pub schemas: &'a Schemas,
    /// True if the client's user was refused a list.
    list_failed: bool,
}

/// A tool in a result of `tools/list`.
#[derive(Clone, Copy, Debug)]
pub struct Listing {
    /// The message that lists it, as its place among the messages.
    pub message: usize,
    /// Its place in the message's `tools`.
    pub index: usize,
    /// Number of earlier evolutions of the server.
    pub epoch: usize,
}

/// A call of the scenario.
#[derive(Clone, Debug)]
pub struct CallFacts<'a> {
    /// Its place among the scenario's steps.
    pub step: usize,
    pub call: &'a Call,
    /// The tool of the scenario; `None` if the stage does not have it.
    pub scripted: Option<&'a Tool>,
    pub reply: Option<&'a Reply>,
    /// The call on the wire, if it went out.
    pub exchange: Option<Exchange>,
    /// The tool as listed in the stage in which the call went out.
    pub listing: Option<Listing>,
    /// True if the client had not listed that stage yet, so that it goes by what the tool was before.
    pub is_stale: bool,
    /// The user's view of it, if the session got that far.
    pub seen: Option<&'a Seen>,
    /// The user's view of the last list before it, if there is one.
    list: Option<&'a Seen>,
    /// True if its value conforms, once a rule has asked: many do, and to check a long value takes long.
    conformance: OnceCell<Option<Conformance>>,
}

impl<'a> Facts<'a> {
    /// Gathers the facts of a cell.
    pub fn gather(
        scenario: &'a Scenario,
        cell: &'a Cell,
        transcript: &'a Transcript,
        observation: &'a Observation,
        schemas: &'a Schemas,
    ) -> Self {
        let messages = messages(transcript);
        let exchanges = exchanges(&messages, transcript);
        let session = Session::read(&messages, &exchanges, transcript);
        let mut steps = scenario.steps.iter().zip(&observation.steps);
        let list_failed = steps.any(|(step, seen)| matches!((step, seen), (Step::List, Seen::Failed(_))));
        let mut facts = Self {
            scenario,
            cell,
            observation,
            messages,
            transcript,
            exchanges,
            session,
            listings: Vec::new(),
            calls: Vec::new(),
            schemas,
            list_failed,
        };
        let evolutions = facts.evolutions();
        facts.read_listings(&evolutions);
        facts.match_calls(&evolutions);
        facts
    }

    pub fn revision(&self) -> Option<Revision> {
        self.session.revision
    }

    /// The revision of the modern era that every request of the client names in its `_meta`, if it is one that is known.
    pub(crate) fn revision_of_requests(&self) -> Option<Revision> {
        let requests = self.messages.iter().filter(|it| it.from == Role::Client && it.shape == Shape::Request);
        let mut named = requests.map(|request| request.meta(META_VERSION).and_then(Json::as_str));
        let first = named.next()??;
        let revision = first.parse().ok().filter(|revision: &Revision| revision.era() == Era::Modern)?;
        named.all(|other| other == Some(first)).then_some(revision)
    }

    pub fn era(&self) -> Option<Era> {
        self.session.revision.map(Revision::era)
    }

    /// Returns true if the client is a command of its own for this cell, as the conformance suite runs clients: the end
    /// of its process is in the transcript. An adapter serves many cells and does not end with one.
    pub fn client_is_command(&self) -> bool {
        let ended = |event: &Event| matches!(event, Event::Exited { .. } | Event::Stopped { .. });
        self.transcript.entries.iter().any(|entry| entry.from == Role::Client && ended(&entry.event))
    }

    /// Returns true if messages came over HTTP.
    pub fn over_http(&self) -> bool {
        self.cell.transport == Transport::Http
    }

    /// The heads of HTTP messages, with those that carry no message of the protocol.
    pub fn heads(&self) -> impl Iterator<Item = &Head> {
        self.transcript.entries.iter().filter_map(|entry| entry.event.head())
    }

    /// The exchanges of one method, with the request.
    pub fn exchanges_of<'s>(&'s self, method: &'s str) -> impl Iterator<Item = (&'s Message<'a>, Exchange)> {
        self.exchanges.all.iter().filter_map(move |exchange| {
            let request = &self.messages[exchange.request];
            (request.method() == Some(method)).then_some((request, *exchange))
        })
    }

    /// Returns true if the server declares a capability; `None` if it was not asked for its capabilities.
    pub fn declares(&self, capability: &str) -> Option<bool> {
        let asked = self.exchanges_of("initialize").chain(self.exchanges_of("server/discover"));
        let declared = asked.filter_map(|(_, exchange)| self.result_of(exchange)?.1.get("capabilities"));
        declared.map(|capabilities| capabilities.get(capability).is_some_and(|found| !found.is_null())).last()
    }

    /// The result of an exchange, with the message it came in.
    pub fn result_of(&self, exchange: Exchange) -> Option<(&Message<'a>, &Json)> {
        let Answer::Result(at) = exchange.answer else { return None };
        let message = &self.messages[at];
        message.result().map(|result| (message, result))
    }

    /// Returns true if a result asks for input and holds no value yet. Up to 2025-11-25 there are no such results.
    pub fn is_interim(&self, result: &Json) -> bool {
        self.era() != Some(Era::Legacy) && ToolResult::new(result).is_input_required()
    }

    /// The result of a call, with the message it came in.
    pub fn result_of_call(&self, call: &CallFacts<'_>) -> Option<(&Message<'a>, &Json)> {
        self.result_of(call.exchange?)
    }

    /// The definition that a listing stands for.
    pub fn definition(&self, listing: Listing) -> Option<ToolDefinition<'_>> {
        let tools = self.messages[listing.message].result()?.get("tools")?.as_array()?;
        tools.get(listing.index).map(ToolDefinition::new)
    }

    pub fn listed_name(&self, listing: Listing) -> Option<&str> {
        self.definition(listing)?.name()
    }

    /// Conformance of the value of a call to the schema that was declared for it. `None` without the one or the other.
    pub(crate) fn conformance<'c>(&self, call: &'c CallFacts<'_>) -> Option<&'c Conformance> {
        let checked = || {
            let (_, result) = self.result_of_call(call)?;
            Some(self.schemas.check(self.declared_schema(call)?, ToolResult::new(result).structured_content()?))
        };
        call.conformance.get_or_init(checked).as_ref()
    }

    /// Further violations of the value of a call, in words to stand behind the first.
    pub(crate) fn further_violations(&self, call: &CallFacts<'_>) -> String {
        let Some(Conformance::Violates { instance_pointer, message, .. }) = self.conformance(call) else {
            return String::new();
        };
        let value = self.result_of_call(call).and_then(|(_, result)| ToolResult::new(result).structured_content());
        let (Some(schema), Some(value)) = (self.declared_schema(call), value) else { return String::new() };
        mcp_compat_schema::inclusion::further_violations(schema, value, instance_pointer, message)
    }

    /// The output schema that the server had declared for a call.
    pub fn declared_schema(&self, call: &CallFacts<'_>) -> Option<&Json> {
        self.definition(call.listing?)?.output_schema()
    }

    /// The call of the scenario that an exchange plays, if any.
    pub fn call_of(&self, exchange: Exchange) -> Option<&CallFacts<'a>> {
        self.calls.iter().find(|call| call.exchange.is_some_and(|known| known.request == exchange.request))
    }

    /// The kind of answer that the server sent for a call.
    pub fn sent(&self, call: &CallFacts<'_>) -> Sent {
        let failure = || if returns_no_error(call) { Sent::Refusal } else { Sent::Failure };
        match call.exchange.map(|exchange| exchange.answer) {
            Some(Answer::Result(at)) => {
                if self.messages[at].result().is_some_and(is_error) {
                    failure()
                } else {
                    Sent::Success
                }
            }
            Some(Answer::Error(_)) => failure(),
            Some(Answer::Status { .. }) => Sent::Failure,
            Some(Answer::Unreadable(_)) => Sent::Garbage,
            Some(Answer::None) | None => Sent::Nothing,
        }
    }

    /// The tools that are twins of others, made to return an invalid result.
    pub fn controls(&self) -> BTreeSet<&str> {
        let called = self.calls.iter().map(|facts| facts.call);
        called.filter(|call| call.purpose == Purpose::Control).map(|call| call.tool.as_str()).collect()
    }

    /// Returns true if the client's user was refused a list.
    pub fn list_failed(&self) -> bool {
        self.list_failed
    }

    /// The error of the last list before a call, where the client's user did not get that list although the server
    /// answered.
    pub fn list_error(&self, call: &CallFacts<'a>) -> Option<&'a PeerError> {
        let Some(Seen::Failed(error)) = call.list else { return None };
        (error.layer != Layer::Timeout || self.list_answered()).then_some(error)
    }

    /// Returns true if a tool is missing in the list that the client's user got before its call. The server offers the
    /// tool: the client read it and left it out, or read too few pages. A list from before the tools changed says nothing.
    pub fn is_left_out(&self, call: &CallFacts<'a>, reads_every_page: bool) -> bool {
        let before = self.scenario.steps.iter().zip(&self.observation.steps).take(call.step).rev();
        let own = before.take_while(|(step, _)| !matches!(step, Step::Evolve { .. }));
        let list = own.into_iter().find(|(step, _)| matches!(step, Step::List));
        let Some((_, Seen::Listed { tools })) = list else { return false };
        let is_offered = match call.listing {
            Some(_) => !call.is_stale,
            None => call.scripted.is_some() && !reads_every_page,
        };
        is_offered && !tools.iter().any(|tool| tool.name == call.call.tool)
    }

    /// Returns true if every request for the list was answered, in whatever form, and there was one.
    fn list_answered(&self) -> bool {
        let mut lists = self.exchanges_of("tools/list").peekable();
        lists.peek().is_some() && lists.all(|(_, exchange)| !matches!(exchange.answer, Answer::None))
    }

    /// Returns true if the server itself answered a request for the list with an error.
    pub fn list_refused_by_server(&self) -> bool {
        let refuses = |answer: Answer| matches!(answer, Answer::Error(_) | Answer::Status { .. });
        self.exchanges_of("tools/list").any(|(_, exchange)| refuses(exchange.answer))
    }

    /// The places of the answers with which the server evolved, in order.
    fn evolutions(&self) -> Vec<usize> {
        if self.scenario.stages.len() < 2 {
            return Vec::new();
        }
        let evolved = self.exchanges_of("tools/call").filter_map(|(request, exchange)| {
            let Answer::Result(at) = exchange.answer else { return None };
            (request.param("name").and_then(Json::as_str) == Some(EVOLVE_TOOL)).then_some(at)
        });
        let mut evolutions: Vec<usize> = evolved.collect();
        evolutions.sort_unstable();
        evolutions
    }

    fn read_listings(&mut self, evolutions: &[usize]) {
        let mut listings = Vec::new();
        for (_, exchange) in self.exchanges_of("tools/list") {
            let Answer::Result(message) = exchange.answer else { continue };
            let Some((_, result)) = self.result_of(exchange) else { continue };
            let epoch = epoch_at(message, evolutions);
            let tools = result.get("tools").and_then(Json::as_array).map_or(0, <[Json]>::len);
            listings.extend((0..tools).map(|index| Listing { message, index, epoch }));
        }
        self.listings = listings;
    }

    /// Gives each call of the scenario the next call on the wire of the same tool, in the same stage.
    fn match_calls(&mut self, evolutions: &[usize]) {
        let mut sent: HashMap<(usize, &str), VecDeque<Exchange>> = HashMap::new();
        for (request, exchange) in self.exchanges_of("tools/call") {
            if let Some(name) = request.param("name").and_then(Json::as_str) {
                sent.entry((epoch_at(exchange.request, evolutions), name)).or_default().push_back(exchange);
            }
        }
        let (tools, listed, stale) = (self.tools(), self.listed(), self.stale_stages());
        let mut calls = Vec::with_capacity(self.scenario.steps.len());
        let (mut epoch, mut list) = (0, None);
        for (step, what) in self.scenario.steps.iter().enumerate() {
            let seen = self.observation.steps.get(step);
            let call = match what {
                Step::List => {
                    list = seen.or(list);
                    continue;
                }
                Step::Evolve { .. } => {
                    epoch += 1;
                    continue;
                }
                Step::Call(call) => call,
            };
            // Of calls sent at once, none need be the first: each is known by its arguments.
            let arguments = arguments(call);
            let meant = |exchange: &Exchange| {
                arguments.is_some() && self.messages[exchange.request].param("arguments") == arguments.as_ref()
            };
            let named = (epoch, call.tool.as_str());
            let exchange = sent.get_mut(&named).and_then(|sent| {
                let place = sent.iter().position(meant).unwrap_or_default();
                sent.remove(place)
            });
            let place = exchange.map_or(usize::MAX, |exchange| exchange.request);
            let listing = listing_before(place, listed.get(&named));
            let is_stale = stale.get(&epoch).is_some_and(|until| place <= *until);
            let scripted = tools.get(&named).copied();
            let reply = scripted.map(|tool| &tool.reply);
            let conformance = OnceCell::new();
            calls.push(CallFacts { step, call, scripted, reply, exchange, listing, is_stale, seen, list, conformance });
        }
        self.calls = calls;
    }

    /// The tools of each stage by their names.
    fn tools(&self) -> HashMap<(usize, &'a str), &'a Tool> {
        let mut tools = HashMap::new();
        for (epoch, stage) in self.scenario.stages.iter().enumerate() {
            for tool in &stage.tools {
                tools.entry((epoch, tool.name.as_str())).or_insert(tool);
            }
        }
        tools
    }

    /// The listings of each tool in each stage, in the order listed.
    fn listed(&self) -> HashMap<(usize, &str), Vec<Listing>> {
        let mut listed: HashMap<_, Vec<Listing>> = HashMap::new();
        for listing in &self.listings {
            if let Some(name) = self.listed_name(*listing) {
                listed.entry((listing.epoch, name)).or_default().push(*listing);
            }
        }
        listed
    }

    /// The stages, but for the first, that the client does not know at once, each with the place of the first list of it:
    /// calls up to there go by what the client knew before. A client whose user is refused each list of a stage never
    /// knows it.
    fn stale_stages(&self) -> BTreeMap<usize, usize> {
        let evolves = self.scenario.steps.iter().filter(|step| matches!(step, Step::Evolve { .. })).count();
        let mut stale: BTreeMap<usize, usize> = (1..=evolves).map(|epoch| (epoch, usize::MAX)).collect();
        let (mut epoch, mut refused) = (0, BTreeMap::new());
        for (step, seen) in self.scenario.steps.iter().zip(&self.observation.steps) {
            match step {
                Step::Evolve { .. } => epoch += 1,
                Step::List => *refused.entry(epoch).or_insert(true) &= matches!(seen, Seen::Failed(_)),
                Step::Call(_) => {}
            }
        }
        for Listing { message, epoch, .. } in &self.listings {
            if refused.get(epoch) != Some(&true)
                && let Some(first) = stale.get_mut(epoch)
            {
                *first = (*first).min(*message);
            }
        }
        stale
    }
}

/// Number of evolutions of the server before the message at that place.
fn epoch_at(place: usize, evolutions: &[usize]) -> usize {
    evolutions.partition_point(|at| *at < place)
}

/// The latest listing of a tool before the message at that place; or, where the client had not listed the stage yet,
/// the first one after it, which is then new to the client.
fn listing_before(place: usize, listings: Option<&Vec<Listing>>) -> Option<Listing> {
    let listings = listings?;
    listings.iter().rev().find(|listing| listing.message < place).or_else(|| listings.first()).copied()
}

fn is_error(result: &Json) -> bool {
    ToolResult::new(result).is_error()
}

/// Returns true if the scenario has the tool return a result that is no error.
fn returns_no_error(call: &CallFacts<'_>) -> bool {
    let Some(Reply::Result(result)) = call.reply else { return false };
    Json::parse(result.get()).is_ok_and(|result| !is_error(&result))
}

/// The value of the arguments that a call is to have, where they are known beforehand.
fn arguments(call: &Call) -> Option<Json> {
    if call.args_from.is_empty() { Json::parse(&call.arguments).ok() } else { None }
}
