//! A file of calls to fill in: arguments for each tool, as far as its schema offers them.

use mcp_compat_author::capture::CapturedTool;
use mcp_compat_json::{Json, Object};

use super::arguments::{NoArguments, guessed, offered};

/// A file of calls to fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSkeleton {
    /// The file: an object of tools with their arguments.
    pub json: Json,
    /// Tools with values that were made up or are missing, each with the names of the arguments.
    pub to_fill_in: Vec<(String, Vec<String>)>,
    /// Tools that are marked destructive: they are never called, so they are no part of the file.
    pub destructive: Vec<String>,
}

/// Makes a file of calls for the tools of a server, in the order listed.
pub fn call_skeleton<'t>(tools: impl IntoIterator<Item = &'t CapturedTool>) -> CallSkeleton {
    let mut calls = Object::new();
    let (mut to_fill_in, mut destructive) = (Vec::new(), Vec::new());
    for tool in tools {
        let definition = Json::parse(&tool.definition).unwrap_or(Json::Null);
        let destroys = definition.get("annotations").and_then(|annotations| annotations.get("destructiveHint"));
        if destroys.and_then(Json::as_bool) == Some(true) {
            destructive.push(tool.name.clone());
            continue;
        }
        let (arguments, missing) = match offered(&definition) {
            Ok(arguments) => (arguments, Vec::new()),
            Err(NoArguments::MissingValues(names)) => (made_up(&definition, &names), names),
            Err(NoArguments::Inconsistent(_)) => (Json::Object(Object::new()), vec!["all arguments".to_owned()]),
        };
        calls.push(tool.name.as_str(), arguments);
        if !missing.is_empty() {
            to_fill_in.push((tool.name.clone(), missing));
        }
    }
    CallSkeleton { json: calls.into(), to_fill_in, destructive }
}

/// Arguments with a made-up value for each missing one, or null where none can be made up.
fn made_up(definition: &Json, missing: &[String]) -> Json {
    guessed(definition).unwrap_or_else(|_| {
        let mut arguments = Object::new();
        missing.iter().filter(|name| !name.contains('.')).for_each(|name| arguments.push(name.as_str(), Json::Null));
        arguments.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, schema: &str, annotations: &str) -> CapturedTool {
        let definition = format!(r#"{{"name":"{name}","inputSchema":{schema},"annotations":{annotations}}}"#);
        CapturedTool { name: name.to_owned(), definition }
    }

    #[test]
    fn each_tool_has_arguments_and_what_is_missing_is_named() {
        let tools = [
            tool("look", r#"{"type":"object"}"#, "{}"),
            tool("page", r#"{"type":"object","required":["n"],"properties":{"n":{"default":7}}}"#, "{}"),
            tool("open", r#"{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}"#, "{}"),
            tool("odd", r#"{"type":"object","required":["x"]}"#, "{}"),
            tool("drop", r#"{"type":"object"}"#, r#"{"destructiveHint":true}"#),
        ];
        let CallSkeleton { json, to_fill_in, destructive } = call_skeleton(&tools);
        assert_eq!(json.get("look"), Some(&Json::Object(Object::new())));
        assert_eq!(json.get("page").unwrap().to_compact(), r#"{"n":7}"#);
        assert!(json.get("open").unwrap().get("path").unwrap().as_str().is_some(), "{}", json.to_compact());
        assert_eq!(json.get("odd").unwrap().to_compact(), r#"{"x":null}"#);
        assert_eq!(json.get("drop"), None);
        let named: Vec<&str> = to_fill_in.iter().map(|(tool, _)| tool.as_str()).collect();
        assert_eq!((named, destructive), (vec!["open", "odd"], vec!["drop".to_owned()]));
    }
}
