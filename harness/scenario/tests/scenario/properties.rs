//! What is sent is what was written, whatever JSON that is.

use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_scenario::scenario::Means;
use proptest::prelude::*;

use crate::given::{HEAD, only};

/// White space between tokens.
fn space() -> impl Strategy<Value = String> {
    "[ \n\t]{0,2}"
}

/// Numbers as nobody writes them.
fn number() -> impl Strategy<Value = String> {
    "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?"
}

/// A JSON text without the quote that would end its TOML literal, with white space everywhere.
pub(crate) fn json() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        number(),
        Just("null".to_owned()),
        Just("true".to_owned()),
        "\"([ a-zé,:{}\\[\\]]|\\\\\"|\\\\\\\\|\\\\ud800|\\\\u00e9){0,6}\"",
    ];
    scalar.prop_recursive(3, 16, 4, |value| {
        let element = (space(), value, space()).prop_map(|(before, value, after)| format!("{before}{value}{after}"));
        let elements = proptest::collection::vec(element, 0..4).boxed();
        let keys = "[a-z]{0,2}";
        prop_oneof![
            elements.clone().prop_map(|elements| format!("[{}]", elements.join(","))),
            (elements, keys).prop_map(|(values, key)| {
                let members: Vec<_> = values.iter().map(|value| format!(" \"{key}\"\n:{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// The number lexemes of a text, in order.
fn lexemes(value: &Json, found: &mut Vec<String>) {
    match value {
        Json::Null | Json::Bool(_) | Json::String(_) => {}
        Json::Number(number) => found.push(number.lexeme().to_owned()),
        Json::Array(elements) => elements.iter().for_each(|element| lexemes(element, found)),
        Json::Object(object) => object.iter().for_each(|(_, value)| lexemes(value, found)),
    }
}

proptest! {
    #[test]
    fn a_definition_and_its_control_keep_every_lexeme(value in json(), before in space(), after in space()) {
        let written = format!("{before}{{\"x\":{value},{after}\"name\"{after}:{before}\"a\", \"outputSchema\":{value}}}{after}");
        let text = format!(
            "{HEAD}[[tool]]\ndefinition = '''\n{written}'''\nreturns = '''\n{{\"structuredContent\":{value}}}'''\ncontrol = '{{}}'\n"
        );
        let scenario = only(&text);
        let tools = &scenario.stages[0].tools;

        let original = Json::parse(&written).unwrap();
        let sent = Json::parse(&tools[0].definition).unwrap();
        prop_assert_eq!(&sent, &original);
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        lexemes(&original, &mut expected);
        lexemes(&sent, &mut found);
        prop_assert_eq!(&found, &expected);

        prop_assert_eq!(tools[1].definition.replacen("\"a_control\"", "\"a\"", 1), tools[0].definition.clone());
        let Reply::Result(result) = &tools[0].reply else { panic!("a result") };
        let means = Json::parse(&value).unwrap();
        let result = Json::parse(result.get()).unwrap();
        prop_assert_eq!(result.get("structuredContent"), Some(&means));
        let (_, call) = scenario.calls().next().unwrap();
        prop_assert_eq!(&call.means, &Means::Value(means));
    }
}
