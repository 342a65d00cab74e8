//! The list of tools that a client has: read from pages, used until it is stale.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::wire::jsonrpc::present;
use crate::wire::object::Object;
use mcp_compat_json::Json;
use mcp_compat_model::observation::{Layer, PeerError};
use mcp_compat_model::peer_contract::ToolAnswer;
use mcp_compat_model::shapes::{LIST, TOOL};
use mcp_compat_model::{Era, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::client::call_result::no_null_members;
use crate::client::client_error::undecodable;
use crate::client::dialect::Dialect;
use crate::client::header_params::{HeaderParam, header_params};
use crate::client::policy::{Types, Typing};
use crate::client::quirk::ClientQuirk;
use crate::client::schema::compiled;
use crate::client::spec::ClientSpec;
use crate::client::types::{self, is_count_to_pydantic};
use crate::client::{meta_names, value};

/// The largest integer up to which doubles are exact.
const SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// The tools of a server, as the latest list had them.
pub(crate) struct ToolCache {
    pages: Vec<Arc<PageTools>>,
    freshness: Freshness,
    /// Tells whether a later page is missing.
    incomplete: bool,
    /// End of the freshness that the first page declares.
    held_until: Option<Instant>,
}

/// A tool, as far as a client needs it to call it.
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) output_schema: Option<Box<RawValue>>,
    pub(crate) header_params: Vec<HeaderParam>,
}

/// Freshness of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Freshness {
    /// Until the server reports a change.
    UntilChanged,
    /// Until this time, or until the server reports a change.
    Until(Instant),
    /// No longer.
    Stale,
}

/// Page of the list. It depends only on the text of the result, so that a repeated page need not be read again.
#[derive(Clone)]
pub(crate) struct Page {
    tools: Arc<PageTools>,
    pub(crate) cursor: Option<String>,
    /// For how many milliseconds the server says that the list may be used.
    ttl_ms: Option<f64>,
    revision: Revision,
}

struct PageTools {
    tools: Vec<Tool>,
    /// Index of the tool of each name: the last one, if a page has two.
    by_name: HashMap<String, usize>,
}

/// Settings for reading a page.
pub(crate) struct PageReader<'a> {
    pub(crate) spec: &'a ClientSpec,
    pub(crate) revision: Revision,
    /// Tells whether parameters of calls are repeated in headers on this wire.
    pub(crate) sends_header_params: bool,
}

#[derive(Deserialize)]
struct PageMembers<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    tools: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "nextCursor", deserialize_with = "present")]
    next_cursor: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "ttlMs", deserialize_with = "present")]
    ttl_ms: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "cacheScope", deserialize_with = "present")]
    cache_scope: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ToolMembers<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    name: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "inputSchema", deserialize_with = "present")]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "outputSchema", deserialize_with = "present")]
    output_schema: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct SchemaRoot<'a> {
    #[serde(borrow, default, rename = "type", deserialize_with = "present")]
    kind: Option<&'a RawValue>,
}

impl ToolCache {
    pub(crate) fn new() -> Self {
        let freshness = Freshness::UntilChanged;
        Self { pages: Vec::new(), freshness, incomplete: false, held_until: None }
    }

    pub(crate) fn add(&mut self, page: Page) {
        if self.len() == 0 {
            self.held_until = page.held_until();
        }
        let freshness = page.freshness();
        self.pages.push(page.tools);
        self.freshness = match (self.freshness, freshness) {
            (Freshness::Stale, _) | (_, Freshness::Stale) => Freshness::Stale,
            (Freshness::Until(a), Freshness::Until(b)) => Freshness::Until(a.min(b)),
            (Freshness::Until(until), Freshness::UntilChanged) | (Freshness::UntilChanged, Freshness::Until(until)) => {
                Freshness::Until(until)
            }
            (Freshness::UntilChanged, Freshness::UntilChanged) => Freshness::UntilChanged,
        };
    }

    /// The tool of this name. The last one, if a server has two.
    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        self.pages.iter().rev().find_map(|page| page.tools.get(*page.by_name.get(name)?))
    }

    /// Returns whether a tool of this list came with its last page.
    pub(crate) fn has_on_last_page(&self, tool: &Tool) -> bool {
        self.pages.last().is_some_and(|page| page.tools.iter().any(|listed| std::ptr::eq(listed, tool)))
    }

    pub(crate) fn len(&self) -> usize {
        self.pages.iter().map(|page| page.tools.len()).sum()
    }

    /// Records that the list could not be read to its end.
    pub(crate) const fn mark_incomplete(&mut self) {
        self.incomplete = true;
    }

    pub(crate) const fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    pub(crate) fn invalidate(&mut self) {
        self.freshness = Freshness::Stale;
        self.held_until = None;
    }

    /// Returns whether the hint of the list says that it still holds.
    pub(crate) fn is_held(&self) -> bool {
        !self.incomplete && self.held_until.is_some_and(|until| Instant::now() < until)
    }

    pub(crate) fn is_stale(&self) -> bool {
        match self.freshness {
            Freshness::UntilChanged => false,
            Freshness::Until(until) => Instant::now() >= until,
            Freshness::Stale => true,
        }
    }

    /// The list as the user of the client gets it.
    pub(crate) fn answer(&self) -> Vec<ToolAnswer> {
        let answer = |tool: &Tool| ToolAnswer {
            name: tool.name.clone(),
            output_schema: tool.output_schema.clone(),
            input_schema: None,
            refused: None,
            found: false,
        };
        self.pages.iter().flat_map(|page| &page.tools).map(answer).collect()
    }
}

impl Page {
    /// Legacy lists are fresh until the server reports a change. Modern lists say for how long; without `ttlMs` they are stale.
    fn freshness(&self) -> Freshness {
        if self.revision < Revision::V2026_07_28 {
            return Freshness::UntilChanged;
        }
        // A negative or absurd time counts as zero, and so does something that is not a number.
        match Duration::try_from_secs_f64(self.ttl_ms.unwrap_or_default() / 1000.0) {
            Ok(Duration::ZERO) | Err(_) => Freshness::Stale,
            Ok(time) => Instant::now().checked_add(time).map_or(Freshness::UntilChanged, Freshness::Until),
        }
    }

    /// Returns the time for which the page stays fresh.
    fn held_until(&self) -> Option<Instant> {
        let time = Duration::try_from_secs_f64(self.ttl_ms? / 1000.0).ok()?;
        Instant::now().checked_add(time)
    }
}

impl PageTools {
    fn new(tools: Vec<Tool>) -> Self {
        let by_name = tools.iter().enumerate().map(|(place, tool)| (tool.name.clone(), place)).collect();
        Self { tools, by_name }
    }
}

impl PageReader<'_> {
    /// Reads the result of one `tools/list`.
    ///
    /// # Errors
    /// When it is not such a result, or has a tool that this client's types cannot hold.
    pub(crate) fn page(&self, result: &RawValue) -> Result<Page, PeerError> {
        let page: PageMembers<'_> = serde_json::from_str(result.get())
            .map_err(|error| undecodable(format!("the result of tools/list cannot be read: {error}")))?;
        types::require(self.spec.policy.types, self.revision, &LIST, result.get(), "the result of tools/list")?;
        let cursor = match page.next_cursor {
            None => None,
            Some(raw) if raw.get() == "null" && !self.spec.does(ClientQuirk::RefusesNulls) => None,
            Some(raw) => match value::string(raw) {
                Some(cursor) => Some(cursor.into_owned()),
                None => return Err(undecodable("nextCursor is not a string".to_owned())),
            },
        };
        if self.spec.does(ClientQuirk::RefusesOddHints) {
            refuse_odd_hints(&page)?;
        }
        if self.revision.era() == Era::Modern && self.spec.does(ClientQuirk::RequiresHints) {
            require_hints(&page, self.spec)?;
        }
        if self.spec.does(ClientQuirk::WantsIntegerTtl) && page.ttl_ms.is_some_and(|time| !is_word(time)) {
            return Err(undecodable("ttlMs is not a 64-bit integer".to_owned()));
        }
        let listed = self.listed(page.tools)?;
        let mut tools = Vec::with_capacity(listed.len());
        for (index, tool) in listed.into_iter().enumerate() {
            tools.extend(self.tool(tool, index)?);
        }
        let ttl_ms = page.ttl_ms.and_then(|time| time.get().parse::<f64>().ok());
        Ok(Page { tools: Arc::new(PageTools::new(tools)), cursor, ttl_ms, revision: self.revision })
    }

    fn listed<'p>(&self, tools: Option<&'p RawValue>) -> Result<Vec<&'p RawValue>, PeerError> {
        match tools.map(RawValue::get) {
            None | Some("null") if self.spec.does(ClientQuirk::CompletesLists) => Ok(Vec::new()),
            None => Err(undecodable("the result of tools/list has no tools".to_owned())),
            Some(tools) => serde_json::from_str(tools)
                .map_err(|error| undecodable(format!("the tools of tools/list cannot be read: {error}"))),
        }
    }

    fn name(&self, name: Option<&RawValue>, index: usize) -> Result<String, PeerError> {
        match name {
            None => self.spec.does(ClientQuirk::CompletesLists).then(String::new),
            Some(name) if name.get() == "null" => self.spec.does(ClientQuirk::CompletesLists).then(String::new),
            Some(name) => value::string(name).map(Cow::into_owned),
        }
        .ok_or_else(|| undecodable(format!("tools[{index}].name is not a string")))
    }

    /// Reads one tool. None when it has to be left out, for what it wants in headers.
    fn tool(&self, raw: &RawValue, index: usize) -> Result<Option<Tool>, PeerError> {
        if self.spec.does(ClientQuirk::StrictMeta) {
            meta_names::require_names(raw.get(), &format!("tools[{index}]"))?;
        }
        if self.spec.does(ClientQuirk::RefusesNulls) {
            let members = ["title", "description", "outputSchema", "annotations", "_meta"];
            no_null_members(raw.get(), &members, &format!("tools[{index}]"))?;
        }
        types::require(self.spec.policy.types, self.revision, &TOOL, raw.get(), &format!("tools[{index}]"))?;
        let tool: ToolMembers<'_> = serde_json::from_str(raw.get())
            .map_err(|error| undecodable(format!("tools[{index}] cannot be read: {error}")))?;
        let name = self.name(tool.name, index)?;
        let of_objects = self.spec.policy.typing.is_of_objects(self.revision);
        if of_objects || self.spec.does(ClientQuirk::WantsObjectInput) {
            self.require_object(tool.input_schema, index, "inputSchema")?;
        }
        // Before the revision that has it, it is a member like any unknown one.
        let output_schema = if self.spec.reads_output(self.revision) { tool.output_schema } else { None };
        let strict = self.spec.policy.typing == Typing::StrictObject;
        let output_schema = output_schema.filter(|schema| strict || schema.get() != "null");
        if of_objects && output_schema.is_some() {
            self.require_object(output_schema, index, "outputSchema")?;
        }
        if self.spec.does(ClientQuirk::WantsObjectSchemas) && output_schema.is_some_and(|it| !it.get().starts_with('{'))
        {
            return Err(undecodable(format!("tools[{index}].outputSchema is no object")));
        }
        for (member, schema) in [("inputSchema", tool.input_schema), ("outputSchema", output_schema)] {
            self.require_object_properties(schema, index, member)?;
            let roots = self.spec.policy.roots;
            let root = schema.map_or(Ok(()), |schema| roots.require(self.revision, schema.get()));
            root.map_err(|problem| undecodable(format!("tools[{index}].{member}: {problem}")))?;
        }
        let header_params =
            match if self.sends_header_params { header_params(tool.input_schema) } else { Ok(Vec::new()) } {
                Ok(header_params) => header_params,
                Err(problem) => {
                    tracing::warn!(tool = name, problem, "left out of the list");
                    return Ok(None);
                }
            };
        let loses_list = self.spec.does(ClientQuirk::LosesListOnBadSchema)
            || self.spec.does(ClientQuirk::ForgetsSchemasOnFailedList);
        if loses_list
            && let Some(schema) = output_schema
            && let Err(error) = compiled(schema.get(), Dialect::of(self.spec))
        {
            return Err(PeerError { layer: Layer::Validate, code: None, message: format!("tool {name}: {error}") });
        }
        Ok(Some(Tool { name, output_schema: output_schema.map(ToOwned::to_owned), header_params }))
    }

    /// Rejects a schema whose properties this client's types cannot hold.
    fn require_object_properties(
        &self,
        schema: Option<&RawValue>,
        index: usize,
        member: &str,
    ) -> Result<(), PeerError> {
        if !self.spec.does(ClientQuirk::WantsObjectProperties) {
            return Ok(());
        }
        let schema = schema.and_then(|schema| Object::read(schema.get()));
        let properties = schema.as_ref().and_then(|schema| schema.get("properties"));
        let objects = properties.is_none_or(|properties| {
            Object::read(properties)
                .is_some_and(|mut named| named.members_mut().all(|member| member.value.starts_with(['{', '['])))
        });
        if objects {
            return Ok(());
        }
        Err(undecodable(format!("tools[{index}].{member}.properties holds what is no object")))
    }

    fn require_object(&self, schema: Option<&RawValue>, index: usize, member: &str) -> Result<(), PeerError> {
        let root = schema.and_then(|schema| serde_json::from_str::<SchemaRoot<'_>>(schema.get()).ok());
        let kind = root.and_then(|root| root.kind);
        if kind.is_some_and(|kind| kind.get() == r#""object""#) {
            return Ok(());
        }
        let found = kind.map_or("none", RawValue::get);
        Err(undecodable(format!("tools[{index}].{member} has to have type \"object\" at its root, found {found}")))
    }
}

/// Returns whether a number is a 64-bit integer, or null.
fn is_word(number: &RawValue) -> bool {
    number.get() == "null" || number.get().parse::<i64>().is_ok()
}

/// Rejects invalid hints: a `ttlMs` that is not a 64-bit integer, or an unknown `cacheScope`.
fn refuse_odd_hints(page: &PageMembers<'_>) -> Result<(), PeerError> {
    let odd_time = page.ttl_ms.is_some_and(|time| !is_word(time));
    let known = [r#""public""#, r#""private""#, r#""""#, "null"];
    let odd_scope = page.cache_scope.is_some_and(|scope| !known.contains(&scope.get()));
    if odd_time || odd_scope {
        return Err(undecodable("ttlMs or cacheScope has a value that this client does not know".to_owned()));
    }
    Ok(())
}

/// Rejects a list without valid hints: a whole number that is not negative, and one of the two scopes. For a client whose
/// numbers are doubles, a number is whole only where doubles are exact.
fn require_hints(page: &PageMembers<'_>, spec: &ClientSpec) -> Result<(), PeerError> {
    let most = if spec.does(ClientQuirk::RoundsNumbers) { SAFE_INTEGER } else { f64::MAX };
    let whole = |time: f64| time.fract() == 0.0 && (0.0..=most).contains(&time);
    let time = page.ttl_ms.is_some_and(|time| match spec.policy.types {
        Types::Pydantic2 => Json::parse(time.get()).is_ok_and(|time| is_count_to_pydantic(&time)),
        Types::Open | Types::Zod1 | Types::Zod2 | Types::Pydantic1 | Types::Go | Types::Jackson | Types::Serde => {
            time.get().parse().is_ok_and(whole)
        }
    });
    let scope = page.cache_scope.is_some_and(|scope| [r#""public""#, r#""private""#].contains(&scope.get()));
    if time && scope { Ok(()) } else { Err(undecodable("the list has no ttlMs or no cacheScope".to_owned())) }
}
