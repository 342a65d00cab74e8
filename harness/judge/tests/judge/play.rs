//! A session of one tool, `report`, beside the bystander: right in every respect, until a test says otherwise.

use mcp_compat_json::Json;
use mcp_compat_judge::Judge;
use mcp_compat_model::observation::{CallResult, End, Layer, Observation, PeerError, Seen, SeenTool};
use mcp_compat_model::peer_contract::{BYSTANDER_TOOL, EVOLVE_TOOL, Reply};
use mcp_compat_model::transcript::{Entry, Event, Head, Raw, Start, Transcript};
use mcp_compat_model::verdict::{Outcome, Verdict};
use mcp_compat_model::{Cell, Era, PeerId, Revision, Role, ScenarioId, Transport};
use mcp_compat_scenario::scenario::{
    AlsoExpect, BYSTANDER_TEXT, Call, Expect, Means, Purpose, Scenario, ScenarioStage, SpecStance, Step, Tool,
};

use crate::wire::{Edit, Line, Wire};

/// A session, to be told in few words.
#[derive(Clone, Debug)]
pub(crate) struct Play {
    revision: Revision,
    transport: Transport,
    client: &'static str,
    server: &'static str,
    spec: SpecStance,
    since: Option<Revision>,
    schema: Option<String>,
    listed_schema: Option<Option<String>>,
    result: String,
    reply: Option<Reply>,
    means: Option<Means>,
    also: AlsoExpect,
    expect: Option<Expect>,
    control: Option<(String, Seen)>,
    list: Option<String>,
    evolves: Option<bool>,
    /// The tool is gone from the server when it is called.
    removed: bool,
    /// The user asks for no list and calls only the tool.
    unlisted: bool,
    seen_list: Option<Seen>,
    seen_later_list: Option<Seen>,
    seen_call: Option<Seen>,
    seen_bystander: Option<Seen>,
    end: End,
    steps_seen: Option<usize>,
    fetches: bool,
    gets: Option<Option<u16>>,
    accepts_with: Option<u16>,
    /// After how many microseconds that GET is answered.
    gets_after: u64,
    /// The revision that its head names.
    gets_as: Option<&'static str>,
    edits: Vec<Edit>,
}

pub(crate) fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

pub(crate) fn failed(layer: Layer, message: &str) -> Seen {
    Seen::Failed(PeerError { layer, code: None, message: message.to_owned() })
}

pub(crate) fn called(structured: Option<&str>, texts: &[&str], is_error: bool) -> Seen {
    let block = |text: &&str| json(&format!(r#"{{"type":"text","text":{}}}"#, Json::from(*text)));
    Seen::Called(CallResult { structured: structured.map(json), content: texts.iter().map(block).collect(), is_error })
}

/// The exchange of the GET.
const GET: u32 = 1000;

impl Play {
    pub(crate) fn at(revision: &str) -> Self {
        Self {
            revision: revision.parse().unwrap(),
            transport: Transport::Stdio,
            client: "rmcp@3.9.0",
            server: "typescript@2.4.0",
            spec: SpecStance::Clear,
            since: None,
            schema: Some(r#"{"type":"object","required":["id"]}"#.to_owned()),
            listed_schema: None,
            result: r#"{"structuredContent":{"id":1},"content":[{"type":"text","text":"{\"id\":1}"}]}"#.to_owned(),
            reply: None,
            means: None,
            also: AlsoExpect::default(),
            expect: None,
            control: None,
            list: None,
            evolves: None,
            removed: false,
            unlisted: false,
            seen_list: None,
            seen_later_list: None,
            seen_call: None,
            seen_bystander: None,
            end: End::Answered {},
            steps_seen: None,
            fetches: false,
            gets: None,
            accepts_with: None,
            gets_after: 0,
            gets_as: None,
            edits: Vec::new(),
        }
    }

    /// The list of users of the design: an array at the root.
    pub(crate) fn array_at(revision: &str) -> Self {
        Self::at(revision)
            .schema(r#"{"type":"array"}"#)
            .result(r#"{"structuredContent":[{"id":1}],"content":[{"type":"text","text":"[{\"id\":1}]"}]}"#)
            .expect(Expect { modern: Outcome::Intact, legacy: Outcome::Text })
    }

    pub(crate) fn over_http(self) -> Self {
        Self { transport: Transport::Http, ..self }
    }

    pub(crate) fn peers(self, client: &'static str, server: &'static str) -> Self {
        Self { client, server, ..self }
    }

    pub(crate) fn spec(self, spec: SpecStance) -> Self {
        Self { spec, ..self }
    }

    /// The first revision in which the server may do this.
    pub(crate) fn since(self, revision: &str) -> Self {
        Self { since: Some(revision.parse().unwrap()), ..self }
    }

    pub(crate) fn schema(self, schema: &str) -> Self {
        Self { schema: Some(schema.to_owned()), ..self }
    }

    pub(crate) fn no_schema(self) -> Self {
        Self { schema: None, ..self }
    }

    /// What the server lists instead of the scenario's schema.
    pub(crate) fn lists_schema(self, schema: Option<&str>) -> Self {
        Self { listed_schema: Some(schema.map(str::to_owned)), ..self }
    }

    /// What the server sends, without what the revision adds.
    pub(crate) fn result(self, result: &str) -> Self {
        Self { result: result.to_owned(), ..self }
    }

    pub(crate) fn reply(self, reply: Reply) -> Self {
        Self { reply: Some(reply), ..self }
    }

    pub(crate) fn means(self, means: Means) -> Self {
        Self { means: Some(means), ..self }
    }

    /// What must come besides.
    pub(crate) fn also(self, also: AlsoExpect) -> Self {
        Self { also, ..self }
    }

    pub(crate) fn expect(self, expect: Expect) -> Self {
        Self { expect: Some(expect), ..self }
    }

    pub(crate) fn control(self, result: &str, seen: Seen) -> Self {
        Self { control: Some((result.to_owned(), seen)), ..self }
    }

    /// Members of the list's result that the scenario prescribes.
    pub(crate) fn list(self, members: &str) -> Self {
        Self { list: Some(members.to_owned()), ..self }
    }

    pub(crate) fn evolves(self, told: bool) -> Self {
        Self { evolves: Some(told), ..self }
    }

    pub(crate) fn removed(self) -> Self {
        Self { removed: true, ..self }
    }

    /// The user calls the tool and does nothing else. The client asks for the list by itself.
    pub(crate) fn unlisted(self) -> Self {
        Self { unlisted: true, ..self }
    }

    pub(crate) fn sees_list(self, seen: Seen) -> Self {
        Self { seen_list: Some(seen), ..self }
    }

    /// What the user sees of the list after the tools changed.
    pub(crate) fn sees_later_list(self, seen: Seen) -> Self {
        Self { seen_later_list: Some(seen), ..self }
    }

    pub(crate) fn sees(self, seen: Seen) -> Self {
        Self { seen_call: Some(seen), ..self }
    }

    pub(crate) fn sees_bystander(self, seen: Seen) -> Self {
        Self { seen_bystander: Some(seen), ..self }
    }

    pub(crate) fn ends(self, end: End) -> Self {
        Self { end, steps_seen: Some(0), ..self }
    }

    pub(crate) fn sees_only(self, steps: usize) -> Self {
        Self { steps_seen: Some(steps), ..self }
    }

    /// Puts one text for another, wherever it stands on the wire.
    pub(crate) fn swap(self, from: &str, to: &str) -> Self {
        self.edit(Edit::Swap(from.to_owned(), to.to_owned()))
    }

    /// Takes out the lines that hold a text.
    pub(crate) fn without(self, needle: &str) -> Self {
        self.edit(Edit::Drop(needle.to_owned()))
    }

    /// Has the client open with another line.
    pub(crate) fn opens(self, text: &str) -> Self {
        self.edit(Edit::First(text.to_owned()))
    }

    /// Adds a line after the first that holds a text.
    pub(crate) fn after(self, needle: &str, from: Role, text: &str) -> Self {
        self.edit(Edit::After(needle.to_owned(), from, text.to_owned()))
    }

    /// Sets, or takes away, a header of the lines that hold a text.
    pub(crate) fn header(self, needle: &str, name: &str, value: Option<&str>) -> Self {
        self.edit(Edit::Header(needle.to_owned(), name.to_owned(), value.map(str::to_owned)))
    }

    pub(crate) fn status(self, needle: &str, status: u16) -> Self {
        self.edit(Edit::Status(needle.to_owned(), status))
    }

    /// Cuts the wire off before the first line that holds a text.
    pub(crate) fn cut(self, needle: &str) -> Self {
        self.edit(Edit::From(needle.to_owned()))
    }

    /// The client fetches what a schema names.
    pub(crate) fn fetches(self) -> Self {
        Self { fetches: true, ..self }
    }

    /// The server sends lines with this text on a stream that a GET opened.
    pub(crate) fn aside(self, needle: &str) -> Self {
        self.edit(Edit::Aside(needle.to_owned())).gets(None)
    }

    /// The server answers the first notification with this status.
    pub(crate) fn accepts_with(self, status: u16) -> Self {
        Self { accepts_with: Some(status), ..self }
    }

    /// The client sends a GET at last, and gets that status or nothing.
    pub(crate) fn gets(self, status: Option<u16>) -> Self {
        Self { gets: Some(status), ..self }
    }

    /// The client sends a GET at last, and gets that status after so many microseconds.
    pub(crate) fn gets_late(self, status: u16, gets_after: u64) -> Self {
        Self { gets_after, ..self.gets(Some(status)) }
    }

    /// The client sends a GET at last, whose head names that revision.
    pub(crate) fn gets_as(self, revision: &'static str) -> Self {
        Self { gets_as: Some(revision), ..self.gets(Some(405)) }
    }

    fn edit(mut self, edit: Edit) -> Self {
        self.edits.push(edit);
        self
    }

    pub(crate) fn verdict(&self) -> Verdict {
        let (scenario, cell, transcript, observation) = self.parts();
        Judge::new().judge(&scenario, &cell, &transcript, &observation)
    }

    /// The ids of the rules that are violated.
    pub(crate) fn violated(&self) -> Vec<String> {
        self.verdict().findings.into_iter().map(|finding| finding.rule).collect()
    }

    pub(crate) fn parts(&self) -> (Scenario, Cell, Transcript, Observation) {
        let cell = Cell {
            scenario: ScenarioId::new("root-type/array").unwrap(),
            client: PeerId::new(self.client).unwrap(),
            server: PeerId::new(self.server).unwrap(),
            transport: self.transport,
        };
        (self.scenario(), cell, self.transcript(), self.observation())
    }

    fn tool(&self, name: &str, schema: Option<&str>) -> String {
        let output = schema.map_or_else(String::new, |schema| format!(r#","outputSchema":{schema}"#));
        format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}{output}}}"#)
    }

    fn meant(&self) -> Means {
        let meant = || {
            let result = json(&self.result);
            Means::Value(result.get("structuredContent").cloned().unwrap_or(Json::Null))
        };
        self.means.clone().unwrap_or_else(meant)
    }

    fn scenario(&self) -> Scenario {
        let best = match self.meant() {
            Means::Value(_) | Means::Text(_) => Outcome::Intact,
            Means::ToolError(_) => Outcome::Told,
            Means::Invalid => Outcome::Caught,
        };
        let call = |tool: &str, purpose, means, expect| Step::Call(Call::new(tool, purpose, means, expect));
        let scripted = |name: &str, result: &str| {
            let reply = self.reply.clone().unwrap_or_else(|| Reply::Result(serde_json::from_str(result).unwrap()));
            Tool::new(name, self.tool(name, self.schema.as_deref()), reply)
        };
        let mut tools = vec![scripted("report", &self.result)];
        let mut steps = vec![Step::List];
        if self.removed {
            tools.clear();
        }
        if let Some(notified) = self.evolves {
            steps.push(Step::Evolve { notified });
            steps.push(Step::List);
        }
        let subject = Call::new("report", Purpose::Subject, self.meant(), self.expect.unwrap_or(Expect::both(best)));
        steps.push(Step::Call(Call { also_expect: self.also.clone(), ..subject }));
        if let Some((result, _)) = &self.control {
            tools.push(scripted("report_control", result));
            steps.push(call("report_control", Purpose::Control, Means::Invalid, Expect::both(Outcome::Caught)));
        }
        let still_here = Means::Text(BYSTANDER_TEXT.to_owned());
        steps.push(call(BYSTANDER_TOOL, Purpose::Bystander, still_here, Expect::both(Outcome::Intact)));
        if self.unlisted {
            steps.retain(|step| matches!(step, Step::Call(call) if call.tool == "report"));
        }
        let stages = match self.evolves {
            None => vec![ScenarioStage { tools, notified: false }],
            Some(notified) => {
                vec![ScenarioStage { tools: Vec::new(), notified: false }, ScenarioStage { tools, notified }]
            }
        };
        Scenario {
            id: ScenarioId::new("root-type/array").unwrap(),
            title: String::new(),
            why: String::new(),
            since: self.since.unwrap_or(self.revision),
            sources: Vec::new(),
            spec: self.spec.clone(),
            stages,
            steps,
            is_smoke: false,
            page_size: None,
            list: self.list.clone(),
            list_without: Vec::new(),
            answers: Vec::new(),
        }
    }

    fn observation(&self) -> Observation {
        let tool = |name: &str| SeenTool {
            name: name.to_owned(),
            output_schema: None,
            input_schema: None,
            refused: None,
            found: false,
        };
        let all = || Seen::Listed { tools: vec![tool("report"), tool("report_control"), tool(BYSTANDER_TOOL)] };
        let mut steps = vec![self.seen_list.clone().unwrap_or_else(all)];
        if let Some(notified) = self.evolves {
            steps.extend([Seen::Evolved { told: notified }, self.seen_later_list.clone().unwrap_or_else(all)]);
        }
        let honest = || {
            let result = json(&self.result);
            Seen::Called(CallResult {
                structured: result.get("structuredContent").cloned(),
                content: result.get("content").and_then(Json::as_array).unwrap_or_default().to_vec(),
                is_error: result.get("isError").and_then(Json::as_bool) == Some(true),
            })
        };
        steps.push(self.seen_call.clone().unwrap_or_else(honest));
        steps.extend(self.control.iter().map(|(_, seen)| seen.clone()));
        steps.push(self.seen_bystander.clone().unwrap_or_else(|| called(None, &[BYSTANDER_TEXT], false)));
        if self.unlisted {
            steps = steps[1..2].to_vec();
        }
        steps.truncate(self.steps_seen.unwrap_or(usize::MAX));
        Observation { negotiated: None, steps, end: self.end.clone() }
    }

    fn transcript(&self) -> Transcript {
        let mut lines = self.lines();
        self.edits.iter().for_each(|edit| edit.apply(&mut lines));
        self.entries(&lines)
    }

    fn entries(&self, lines: &[Line]) -> Transcript {
        let mut exchange = 0;
        let mut entry = |(at, line): (usize, &Line)| {
            if line.from == Role::Client {
                exchange += 1;
            }
            let start = match line.from {
                Role::Client => Start::Request { method: "POST".to_owned() },
                Role::Server => Start::Response { status: line.status },
            };
            let exchange = if line.is_aside { GET } else { exchange };
            let http =
                (self.transport == Transport::Http).then(|| Head { exchange, start, headers: line.headers.clone() });
            let event = Event::Message { raw: Raw::from_bytes(line.text.as_bytes()), http };
            Entry { seq: u32::try_from(at).unwrap(), at_us: 0, from: line.from, event }
        };
        let mut entries: Vec<Entry> = lines.iter().enumerate().map(&mut entry).collect();
        let notified = entries.iter().find_map(|entry| {
            let Event::Message { raw, http: Some(head) } = &entry.event else { return None };
            raw.as_text()?.contains("notifications/").then_some(head.exchange)
        });
        if let (Some(exchange), Some(status)) = (notified, self.accepts_with) {
            let seq = u32::try_from(entries.len()).unwrap();
            let http = Head { exchange, start: Start::Response { status }, headers: Vec::new() };
            entries.push(Entry { seq, at_us: 0, from: Role::Server, event: Event::Head { http } });
        }
        if self.fetches {
            let seq = u32::try_from(entries.len()).unwrap();
            let event = Event::Fetched { path: "/customer.json".to_owned() };
            entries.push(Entry { seq, at_us: 0, from: Role::Client, event });
        }
        if let Some(status) = self.gets {
            let get = (Role::Client, Start::Request { method: "GET".to_owned() });
            let response = status.map(|status| (Role::Server, Start::Response { status }));
            for (from, start) in [Some(get), response].into_iter().flatten() {
                let seq = u32::try_from(entries.len()).unwrap();
                let named = self.gets_as.filter(|_| from == Role::Client);
                let named = named.map(|revision| ("mcp-protocol-version".to_owned(), revision.to_owned()));
                let session = ("mcp-session-id".to_owned(), "s1".to_owned());
                let stream = ("content-type".to_owned(), "text/event-stream".to_owned());
                let headers = named.into_iter().chain([session, stream]).collect();
                let event = Event::Head { http: Head { exchange: GET, start, headers } };
                let at_us = if from == Role::Server { self.gets_after } else { 0 };
                entries.push(Entry { seq, at_us, from, event });
            }
        }
        Transcript { entries }
    }

    fn lines(&self) -> Vec<Line> {
        let mut wire = Wire::opened(self.revision);
        let schema = self.listed_schema.clone().unwrap_or_else(|| self.schema.clone());
        let mut tools = vec![self.tool("report", schema.as_deref())];
        tools.extend(self.control.iter().map(|_| self.tool("report_control", schema.as_deref())));
        tools.push(self.tool(BYSTANDER_TOOL, None));
        let hints = match (&self.list, self.revision.era()) {
            (Some(members), _) => format!(",{}", &members[1..members.len() - 1]),
            (None, Era::Modern) => r#","ttlMs":0,"cacheScope":"private""#.to_owned(),
            (None, Era::Legacy) => String::new(),
        };
        let list = format!(r#"{{"tools":[{}]{hints}}}"#, tools.join(","));
        wire.exchange("tools/list", "", &list);
        if let Some(notified) = self.evolves {
            wire.request("tools/call", &format!(r#""name":"{EVOLVE_TOOL}","arguments":{{}}"#));
            if notified {
                wire.line(Role::Server, r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#.to_owned());
            }
            wire.result(r#"{"content":[{"type":"text","text":"evolved"}]}"#);
            wire.exchange("tools/list", "", &list);
        }
        wire.exchange("tools/call", r#""name":"report","arguments":{}"#, &self.result);
        if let Some((result, _)) = &self.control {
            wire.exchange("tools/call", r#""name":"report_control","arguments":{}"#, result);
        }
        let here = format!(r#"{{"content":[{{"type":"text","text":"{BYSTANDER_TEXT}"}}]}}"#);
        wire.exchange("tools/call", &format!(r#""name":"{BYSTANDER_TOOL}","arguments":{{}}"#), &here);
        wire.lines
    }
}
