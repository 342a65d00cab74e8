//! Which tools are called, and with what.
//!
//! A tool is called if it is marked read-only or if the user named it, alone or with others by a glob; never if it is
//! marked destructive.

use std::collections::{HashMap, HashSet};

use mcp_compat_author::capture::CapturedTool;
use mcp_compat_drive::shell_word;
use mcp_compat_json::{Json, JsonString};
use mcp_compat_model::audit::CallState;
use mcp_compat_model::peer_contract::JobStep;
use mcp_compat_run::glob::{Glob, SelectError, nothing, select};
use mcp_compat_run::peer::ClientPeer;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::AuditError;
use super::arguments::{NoArguments, guessed, offered};

/// Number of tools that an audit covers if none are selected: the first ones, in the order listed.
pub const MOST_TOOLS: usize = 500;

#[derive(Clone, Debug, Default)]
pub struct AuditOptions {
    /// The tools to audit, as globs. If empty, all tools up to [`MOST_TOOLS`].
    pub tools: Vec<String>,
    /// The tools to call, whatever their annotations say.
    pub calls: Vec<AskedCall>,
    /// Call only these tools, and none because it is marked read-only.
    pub only_asked_calls: bool,
    /// True if a call may name a tool that this server does not have.
    pub calls_may_be_unknown: bool,
    /// Make up arguments that the schema of a tool does not offer.
    pub guess: bool,
    /// The clients to replay the tools to, as globs; the reference clients, all profiles and the real clients if empty.
    pub clients: Vec<String>,
    /// The real clients to replay the tools to, beside the others. `None` if they are not asked for.
    pub real_clients: Option<Vec<ClientPeer>>,
    /// When it is cancelled, the audit ends with what it has.
    pub stop: CancellationToken,
}

/// The tools of a server, sorted by what an audit does with them.
#[derive(Clone, Debug, Default)]
pub(super) struct CallPlan {
    /// The tools to audit, in the order listed.
    pub(super) planned: Vec<Planned>,
    /// Names of the other tools.
    pub(super) passed_over: Vec<String>,
    /// [`MOST_TOOLS`], if the server lists more tools and none were selected.
    pub(super) tool_limit: Option<usize>,
}

/// Decision of the audit about one tool.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) name: String,
    pub(super) call: Decision,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// It is called with these arguments, and again if a second call changes nothing.
    Call {
        arguments: String,
        claim: Claim,
        /// True if the audit made values up.
        guessed: bool,
    },
    /// It is not called, for this reason. The option makes the audit call it.
    Leave { why: String, option: Option<String> },
}

/// Effect of the calls of a tool, by its annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// A call changes nothing: `readOnlyHint`.
    ReadOnly,
    /// A second call changes nothing: `idempotentHint`.
    Idempotent,
    Nothing,
}

impl Planned {
    pub(super) fn step(&self) -> Option<JobStep> {
        match &self.call {
            Decision::Call { arguments, .. } => {
                let arguments = RawValue::from_string(arguments.clone()).ok()?;
                Some(JobStep::call(self.name.clone(), arguments))
            }
            Decision::Leave { .. } => None,
        }
    }

    /// Returns whether it is called with values that the audit made up.
    pub(super) const fn is_guessed(&self) -> bool {
        matches!(self.call, Decision::Call { guessed: true, .. })
    }

    /// Returns whether it is called twice.
    pub(super) fn is_called_again(&self) -> bool {
        matches!(self.call, Decision::Call { claim: Claim::ReadOnly | Claim::Idempotent, .. })
    }

    /// Returns whether nothing is changed by its call, if it is called.
    pub(super) fn changes_nothing(&self) -> bool {
        match self.call {
            Decision::Call { claim, .. } => claim == Claim::ReadOnly,
            Decision::Leave { .. } => true,
        }
    }

    /// The state of a tool that is not called.
    pub(super) fn left(&self) -> Option<CallState> {
        match &self.call {
            Decision::Leave { why, option } => Some(CallState::NotCalled { why: why.clone(), option: option.clone() }),
            Decision::Call { .. } => None,
        }
    }
}

/// Decides which tools are audited, and which of them are called.
///
/// # Errors
/// When a glob or a call names no tool, two calls differ for a tool, the user wants a destructive tool called, or
/// arguments are not an object.
pub(super) fn plan(tools: &[CapturedTool], options: &AuditOptions) -> Result<CallPlan, AuditError> {
    let mut selected = select("tool", &options.tools, tools, |tool| &tool.name)?;
    let tool_limit = (options.tools.is_empty() && tools.len() > MOST_TOOLS).then_some(MOST_TOOLS);
    selected.truncate(tool_limit.unwrap_or(usize::MAX));
    let is_name = |call: &&AskedCall| tools.iter().any(|tool| tool.name == call.tool);
    let (calls, others): (Vec<_>, Vec<_>) = options.calls.iter().partition(is_name);
    let (globs, unknown): (Vec<_>, Vec<_>) = others.into_iter().partition(|call| call.is_glob());
    if let Some(call) = unknown.first().filter(|_| !options.calls_may_be_unknown) {
        let names = tools.iter().map(|tool| tool.name.as_str());
        return Err(SelectError::from(nothing("tool", &call.tool, names)).into());
    }
    let in_globs = by_globs(&globs, tools, options.calls_may_be_unknown)?;
    let mut asked: HashMap<&str, &AskedCall> = HashMap::new();
    for call in calls {
        if *asked.entry(&call.tool).or_insert(call) != call {
            return Err(AuditError::CalledInTwoWays { tool: call.tool.clone() });
        }
    }
    let selected: HashSet<&str> = selected.iter().map(|tool| tool.name.as_str()).collect();
    // A glob asks for calls of the tools that are audited, a name for its tool whatever else is audited.
    for (name, call) in in_globs.into_iter().filter(|(name, _)| selected.contains(name)) {
        asked.entry(name).or_insert(call);
    }
    let wanted = |tool: &&CapturedTool| selected.contains(tool.name.as_str()) || asked.contains_key(tool.name.as_str());
    let (looked_at, passed_over): (Vec<_>, Vec<_>) = tools.iter().partition(wanted);
    let planned = looked_at.into_iter().map(|tool| {
        let asked = asked.get(tool.name.as_str()).copied();
        Ok(Planned { name: tool.name.clone(), call: decide(tool, asked, options)? })
    });
    let planned = planned.collect::<Result<_, AuditError>>()?;
    let passed_over = passed_over.into_iter().map(|tool| tool.name.clone()).collect();
    Ok(CallPlan { planned, passed_over, tool_limit })
}

/// The tools that each glob selects.
///
/// # Errors
/// If a glob selects none, unless that is allowed.
fn by_globs<'t>(
    globs: &[&'t AskedCall],
    tools: &'t [CapturedTool],
    may_select_none: bool,
) -> Result<Vec<(&'t str, &'t AskedCall)>, AuditError> {
    let mut selected = Vec::new();
    for call in globs {
        let tools = match select("tool", std::slice::from_ref(&call.tool), tools, |tool| &tool.name) {
            Err(SelectError::Nothing(_)) if may_select_none => continue,
            tools => tools?,
        };
        selected.extend(tools.into_iter().map(|tool| (tool.name.as_str(), *call)));
    }
    Ok(selected)
}

fn decide(tool: &CapturedTool, asked: Option<&AskedCall>, options: &AuditOptions) -> Result<Decision, AuditError> {
    let Ok(definition) = Json::parse(&tool.definition) else {
        let why = "its definition is not valid JSON".to_owned();
        return Ok(Decision::Leave { why, option: None });
    };
    let hint = |name: &str| {
        let annotations = definition.get("annotations")?;
        annotations.get(name)?.as_bool()
    };
    let (reads, destroys, idempotent) = (hint("readOnlyHint"), hint("destructiveHint"), hint("idempotentHint"));
    if destroys == Some(true) {
        return match asked {
            Some(call) if call.tool == tool.name => Err(AuditError::Destructive { tool: tool.name.clone() }),
            Some(_) | None => Ok(Decision::Leave { why: "it is marked destructive".to_owned(), option: None }),
        };
    }
    let claim = match (reads, idempotent) {
        (Some(true), _) => Claim::ReadOnly,
        (_, Some(true)) => Claim::Idempotent,
        _ => Claim::Nothing,
    };
    if let Some(arguments) = asked.and_then(|asked| asked.arguments.as_deref()) {
        return match Json::parse(arguments) {
            Ok(Json::Object(_)) => Ok(Decision::Call { arguments: arguments.to_owned(), claim, guessed: false }),
            Ok(_) => Err(AuditError::arguments(tool, "expected a JSON object")),
            Err(error) => Err(AuditError::arguments(tool, &error.to_string())),
        };
    }
    let may_call = reads == Some(true) && !options.only_asked_calls || asked.is_some();
    let (arguments, was_guessed) = match offered(&definition) {
        // A made-up value is safe only for a tool that claims to change nothing, or that the user named.
        Err(missing) if options.guess => (guessed(&definition).map_err(|problem| (missing, problem)), true),
        offered => (offered.map_err(|problem| (problem.clone(), problem)), false),
    };
    let unmarked = if options.only_asked_calls { "no call was asked for" } else { "it is not marked read-only" };
    Ok(match arguments {
        Ok(arguments) if may_call => Decision::Call { arguments: arguments.to_compact(), claim, guessed: was_guessed },
        Ok(_) => Decision::Leave { why: unmarked.to_owned(), option: Some(option(&tool.name, None)) },
        Err((missing, problem)) => {
            let why = if was_guessed { why_not_guessed(&problem) } else { why_not_offered(&problem) };
            let why = if may_call { why } else { format!("{unmarked}, and {why}") };
            Decision::Leave { why, option: Some(option(&tool.name, Some(&missing))) }
        }
    })
}

fn why_not_offered(problem: &NoArguments) -> String {
    match problem {
        NoArguments::MissingValues(names) => format!("its inputSchema offers no value for {}", listed(names)),
        NoArguments::Inconsistent(problem) => {
            format!("the values that its inputSchema offers do not conform to it: {problem}")
        }
    }
}

fn why_not_guessed(problem: &NoArguments) -> String {
    match problem {
        NoArguments::MissingValues(names) => format!("no value can be guessed for {}", listed(names)),
        NoArguments::Inconsistent(problem) => {
            format!("the arguments that were guessed do not conform to its inputSchema: {problem}")
        }
    }
}

/// The option that makes the audit call a tool, with a place for each missing value.
pub(super) fn option(tool: &str, reason: Option<&NoArguments>) -> String {
    // A name that looks like an option is joined to the option.
    let tool = format!("{}{}", if tool.starts_with('-') { "=" } else { " " }, shell_word(tool));
    match reason {
        None => format!("--call{tool}"),
        Some(NoArguments::Inconsistent(_)) => format!("--call{tool}='{{…}}'"),
        Some(NoArguments::MissingValues(names)) => {
            let mut top: Vec<&str> = names.iter().filter_map(|name| name.split('.').next()).collect();
            top.dedup();
            let members: Vec<String> =
                top.into_iter().map(|name| format!("{}: …", Json::from(name).to_compact())).collect();
            format!("--call{tool}='{{{}}}'", members.join(", "))
        }
    }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl AuditError {
    fn arguments(tool: &CapturedTool, problem: &str) -> Self {
        Self::Arguments { tool: tool.name.clone(), problem: problem.to_owned() }
    }
}

/// A tool that the user wants called, or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedCall {
    /// Its name, or a glob without arguments, which stands for all that it selects and that are not marked destructive.
    pub tool: String,
    /// Its arguments, a JSON object. If absent, the values that its schema offers.
    pub arguments: Option<String>,
}

/// Reason why a file of calls cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}{problem}")]
pub struct CallsError {
    path: String,
    problem: String,
}

/// Expected content of a file of calls.
const EXPECTED: &str = r#"expected an object of tools with their arguments, as in {"read_file": {"path": "/tmp/a"}}"#;

impl AskedCall {
    /// Reads `tool`, or `tool={"json": 1}`.
    pub fn of_word(word: &str) -> Self {
        match word.split_once('=') {
            Some((tool, arguments)) => Self { tool: tool.to_owned(), arguments: Some(arguments.to_owned()) },
            None => Self { tool: word.to_owned(), arguments: None },
        }
    }

    /// Returns whether it may stand for several tools. Arguments are for one tool.
    pub fn is_glob(&self) -> bool {
        self.arguments.is_none() && Glob::is_pattern(&self.tool)
    }

    pub fn asks_for(&self, tool: &str) -> bool {
        self.tool == tool || self.is_glob() && Glob::new(&self.tool).is_ok_and(|glob| glob.matches(tool))
    }

    /// Reads the text of a file: a JSON object of tools, each with its arguments or with null.
    ///
    /// # Errors
    /// If the text is anything else.
    pub fn of_file(path: &str, text: &str) -> Result<Vec<Self>, CallsError> {
        let error = |problem: String| CallsError { path: path.to_owned(), problem };
        let calls = Json::parse(text).map_err(|why| error(format!(" is not JSON: {why}")))?;
        let Json::Object(calls) = calls else { return Err(error(format!(": {EXPECTED}"))) };
        let call = |(tool, arguments): (&JsonString, &Json)| {
            let tool =
                tool.as_str().ok_or_else(|| error(": a tool's name is not valid Unicode".to_owned()))?.to_owned();
            let arguments = match arguments {
                Json::Null => None,
                Json::Object(_) => Some(arguments.to_compact()),
                Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                    let kind = arguments.kind();
                    return Err(error(format!(
                        ", {tool:?}: its arguments are of type {kind}, not an object: {EXPECTED}"
                    )));
                }
            };
            Ok(Self { tool, arguments })
        };
        calls.iter().map(call).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, rest: &str) -> CapturedTool {
        CapturedTool { name: name.to_owned(), definition: format!(r#"{{"name":"{name}",{rest}}}"#) }
    }

    fn tools() -> Vec<CapturedTool> {
        let wanting = r#""inputSchema":{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}"#;
        vec![
            tool("look", r#""inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}"#),
            tool("open", &format!(r#"{wanting},"annotations":{{"readOnlyHint":true}}"#)),
            tool("make", r#""inputSchema":{"type":"object"}"#),
            tool("drop", r#""inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}"#),
        ]
    }

    fn decided(options: &AuditOptions) -> Vec<(String, Decision)> {
        let CallPlan { planned, .. } = plan(&tools(), options).unwrap();
        planned.into_iter().map(|planned| (planned.name, planned.call)).collect()
    }

    #[test]
    fn what_reads_is_called_and_the_rest_is_left_with_the_option_that_calls_it() {
        let decided = decided(&AuditOptions::default());
        assert_eq!(decided[0].1, Decision::Call { arguments: "{}".to_owned(), claim: Claim::ReadOnly, guessed: false });
        let left = |at: usize| match &decided[at].1 {
            Decision::Leave { why, option } => (why.as_str(), option.as_deref()),
            Decision::Call { .. } => unreachable!("{decided:?}"),
        };
        let unnamed = "its inputSchema offers no value for `path`";
        assert_eq!(left(1), (unnamed, Some(r#"--call open='{"path": …}'"#)));
        assert_eq!(left(2), ("it is not marked read-only", Some("--call make")));
        assert_eq!(left(3), ("it is marked destructive", None));
    }

    #[test]
    fn no_tool_is_called_for_its_mark_if_only_asked_calls_are_allowed() {
        let strict = AuditOptions { only_asked_calls: true, ..AuditOptions::default() };
        let left = |decided: &(String, Decision)| matches!(&decided.1, Decision::Leave { .. });
        let decided_strictly = decided(&strict);
        assert!(decided_strictly.iter().all(left), "{decided_strictly:?}");
        let calls = vec![AskedCall { tool: "look".to_owned(), arguments: None }];
        let asked = decided(&AuditOptions { calls, ..strict });
        assert_eq!(asked[0].1, Decision::Call { arguments: "{}".to_owned(), claim: Claim::ReadOnly, guessed: false });
    }

    #[test]
    fn what_is_named_is_called_unless_it_destroys() {
        let asked = |tool: &str, arguments: Option<&str>| AuditOptions {
            calls: vec![AskedCall { tool: tool.to_owned(), arguments: arguments.map(str::to_owned) }],
            ..AuditOptions::default()
        };
        let given = r#"{"path": "/"}"#;
        let open = decided(&asked("open", Some(given)));
        assert_eq!(open[1].1, Decision::Call { arguments: given.to_owned(), claim: Claim::ReadOnly, guessed: false });
        let make = decided(&asked("make", None));
        assert_eq!(make[2].1, Decision::Call { arguments: "{}".to_owned(), claim: Claim::Nothing, guessed: false });
        let refused = |options: &AuditOptions| plan(&tools(), options).unwrap_err().to_string();
        assert!(refused(&asked("drop", None)).contains("marked destructive"));
        assert!(refused(&asked("opne", None)).contains("did you mean open?"));
        assert!(refused(&asked("open", Some("[]"))).contains("expected a JSON object"));
        assert!(refused(&asked("open", Some("{"))).contains("open"));
    }

    #[test]
    fn a_glob_calls_all_but_what_is_marked_destructive_and_a_name_says_more_than_a_glob() {
        let call = |tool: &str, arguments: Option<&str>| AskedCall {
            tool: tool.to_owned(),
            arguments: arguments.map(str::to_owned),
        };
        let options = |calls: &[AskedCall]| AuditOptions { calls: calls.to_vec(), ..AuditOptions::default() };
        let all = decided(&options(&[call("*", None)]));
        assert_eq!(all[2].1, Decision::Call { arguments: "{}".to_owned(), claim: Claim::Nothing, guessed: false });
        assert!(matches!(&all[1].1, Decision::Leave { option: Some(_), .. }), "it has no value for `path`");
        assert_eq!(all[3].1, Decision::Leave { why: "it is marked destructive".to_owned(), option: None });

        let guessed = decided(&AuditOptions { guess: true, ..options(&[call("*", None)]) });
        assert!(matches!(guessed[1].1, Decision::Call { .. }));

        let given = r#"{"path": "/"}"#;
        let named = decided(&options(&[call("*", None), call("open", Some(given))]));
        assert!(matches!(&named[1].1, Decision::Call { arguments, .. } if arguments == given));
        let open = AuditOptions { tools: vec!["open".to_owned()], guess: true, ..options(&[call("*", None)]) };
        let CallPlan { planned, passed_over, .. } = plan(&tools(), &open).unwrap();
        assert_eq!(planned.len(), 1, "no tool is called that is not audited");
        assert_eq!(passed_over, ["look", "make", "drop"]);
        let error = plan(&tools(), &options(&[call("z*", None)])).unwrap_err().to_string();
        assert!(error.contains("no tool matches \"z*\""), "{error}");
        let error = plan(&tools(), &options(&[call("o*", Some("{}"))])).unwrap_err().to_string();
        assert!(error.contains("no tool matches \"o*\""), "arguments are for one tool: {error}");
    }

    #[test]
    fn a_tool_is_called_in_one_way() {
        let both = |one: Option<&str>, other: Option<&str>| {
            let calls = [one, other]
                .map(|arguments| AskedCall { tool: "open".to_owned(), arguments: arguments.map(str::to_owned) });
            plan(&tools(), &AuditOptions { calls: calls.to_vec(), ..AuditOptions::default() })
        };
        assert!(both(Some("{}"), Some("{}")).is_ok());
        let error = both(Some("{}"), Some(r#"{"path": "/"}"#)).unwrap_err().to_string();
        assert!(error.contains("`open` is named more than once"), "{error}");
    }

    #[test]
    fn a_filter_selects_and_one_that_selects_nothing_is_an_error() {
        let only = |glob: &str| AuditOptions { tools: vec![glob.to_owned()], ..AuditOptions::default() };
        let CallPlan { planned, passed_over, .. } = plan(&tools(), &only("o*")).unwrap();
        assert_eq!(planned.iter().map(|planned| planned.name.as_str()).collect::<Vec<_>>(), ["open"]);
        assert_eq!(passed_over, ["look", "make", "drop"]);
        let error = plan(&tools(), &only("z*")).unwrap_err().to_string();
        assert!(error.contains("z*") && error.contains("drop, look, make, open"), "{error}");
    }

    #[test]
    fn of_many_tools_the_first_are_audited_and_those_that_are_selected_or_called_by_name() {
        let tools: Vec<CapturedTool> =
            (0..MOST_TOOLS + 2).map(|at| tool(&format!("t{at}"), r#""inputSchema":{"type":"object"}"#)).collect();
        let (first, last) = ("t0".to_owned(), format!("t{}", MOST_TOOLS + 1));
        let of = |options: &AuditOptions| {
            let CallPlan { planned, passed_over, tool_limit } = plan(&tools, options).unwrap();
            let ends = (planned[0].name.clone(), planned[planned.len() - 1].name.clone());
            (planned.len(), ends, passed_over.len(), tool_limit)
        };
        let all = AuditOptions::default();
        assert_eq!(of(&all), (MOST_TOOLS, (first.clone(), format!("t{}", MOST_TOOLS - 1)), 2, Some(MOST_TOOLS)));
        let called = AuditOptions { calls: vec![AskedCall { tool: last.clone(), arguments: None }], ..all.clone() };
        assert_eq!(of(&called), (MOST_TOOLS + 1, (first.clone(), last.clone()), 1, Some(MOST_TOOLS)));
        let selected = AuditOptions { tools: vec!["t*".to_owned()], ..all };
        assert_eq!(of(&selected), (MOST_TOOLS + 2, (first, last), 0, None));
    }
}
