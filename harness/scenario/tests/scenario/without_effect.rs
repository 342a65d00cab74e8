//! What changes nothing on the wire, or asks for what cannot come, is refused; the same with an effect is not.

use insta::assert_snapshot;

use crate::given::{accepted, plain, plain_but, refused};

fn answer(to: &str, more: &str) -> String {
    format!("\n[[answer]]\nto = \"{to}\"\n{more}does = \"hang\"\n")
}

/// The file with this before its answer.
fn tool_with(more: &str) -> String {
    plain_but("returns =", &format!("{more}\nreturns ="))
}

#[test]
fn an_answer_that_another_one_hides() {
    let two = |first: &str, second: &str| format!("{}{first}{second}", plain());
    let page = |number: u32| answer("tools/list", &format!("page = {number}\n"));
    let every = answer("tools/list", "");
    accepted(&two(&page(1), &page(2)));
    accepted(&two(&page(2), &every));
    accepted(&two(&answer("initialize", ""), &answer("server/discover", "")));
    assert_snapshot!(refused(&two(&every, &page(2))), @r#"
    error: this `[[answer]]` is never used
      --> root-type/count.toml:13:1
       |
     9 | [[answer]]
       | ---------- answers `tools/list` already
    ...
    13 | [[answer]]
       | ^^^^^^^^^^ the first one that matches is used
       |
       = help: give each a `page` of its own, and put the one without `page` last
    "#);
    assert_snapshot!(refused(&two(&answer("initialize", ""), &answer("initialize", ""))), @r#"
    error: this `[[answer]]` is never used
      --> root-type/count.toml:13:1
       |
     9 | [[answer]]
       | ---------- answers `initialize` already
    ...
    13 | [[answer]]
       | ^^^^^^^^^^ the first one that matches is used
       |
       = help: leave one of the two out
    "#);
    assert!(refused(&two(&page(2), &page(2))).contains("this `[[answer]]` is never used"));
}

#[test]
fn a_member_to_leave_out_that_is_not_there() {
    accepted(&tool_with("without = [\"resultType\", \"structuredContent\"]"));
    accepted(&format!("list-without = [\"ttlMs\", \"nextCursor\"]\n{}", plain()));
    accepted(&format!("list = '{{\"own\": 1}}'\nlist-without = [\"own\"]\n{}", plain()));
    assert_snapshot!(refused(&tool_with("without = [\"resultTyp\"]")), @r#"
    error: the result has no member `resultTyp`
     --> root-type/count.toml:7:12
      |
    7 | without = ["resultTyp"]
      |            ^^^^^^^^^^^ nothing to leave out
      |
      = help: the nearest member is `resultType`
    "#);
    assert_snapshot!(refused(&format!("list-without = [\"pages\"]\n{}", plain())), @r#"
    error: the list has no member `pages`
     --> root-type/count.toml:1:17
      |
    1 | list-without = ["pages"]
      |                 ^^^^^^^ nothing to leave out
      |
      = help: the server adds `resultType`, `ttlMs`, `cacheScope`, `tools` and `nextCursor`
    "#);
    let misspelt = refused(&tool_with("without = [\"structuredContnt\"]"));
    assert!(misspelt.contains("the nearest member is `structuredContent`"), "{misspelt}");
    accepted(&plain_but(
        "returns = '{\"structuredContent\": 3, \"content\": []}'",
        "without = [\"resultType\"]\nmeans.text = \"\"\ndoes = \"hang\"",
    ));
}

#[test]
fn something_besides_that_is_not_sent() {
    let image = |also: &str| {
        let sent = r#"{"type": "image", "mimeType": "image/gif", "data": "R0lG"}"#;
        tool_with(&format!("also-expect.{also}")).replace(r#""content": []"#, &format!(r#""content": [{sent}]"#))
    };
    accepted(&image("value = '3.0'"));
    accepted(&image(r#"blocks = '[{"type": "image", "data": "R0lG"}]'"#));
    assert_snapshot!(refused(&tool_with("also-expect.blocks = '[{\"type\": \"image\"}]'")), @r#"
    error: the tool sends no `image` block
     --> root-type/count.toml:7:22
      |
    7 | also-expect.blocks = '[{"type": "image"}]'
      |                      ^^^^^^^^^^^^^^^^^^^^^ its `content` has no block of this type
    "#);
    let text = r#"{"content": [{"type": "text", "text": "3"}]}"#;
    let plain = plain_but(r#"{"structuredContent": 3, "content": []}"#, text);
    let of_a_step = format!("{plain}\n[[step]]\ncall = \"count\"\nalso-expect.value = '4'\n");
    assert!(refused(&of_a_step).contains("the tool sends no `structuredContent`"));
}

#[test]
fn an_argument_without_a_place() {
    let second = |arguments: &str, into: &str| {
        let calls = "[[step]]\ncall = \"count\"\n\n[[step]]\ncall = \"count\"";
        format!("{}\n{calls}\narguments = '{arguments}'\nargs-from.\"{into}\" = \"\"\n", plain())
    };
    accepted(&second("{}", "/id"));
    accepted(&second(r#"{"filters": [{}]}"#, "/filters/0/id"));
    assert_snapshot!(refused(&second("{}", "/filter/id")), @r#"
    error: the arguments have no place for `/filter/id`
      --> root-type/count.toml:15:11
       |
    15 | args-from."/filter/id" = ""
       |           ^^^^^^^^^^^^ expected an object at `/filter` in `arguments`
       |
       = help: add that object to `arguments`; it may be empty
    "#);
    assert!(refused(&second(r#"{"ids": []}"#, "/ids/0")).contains("no place for `/ids/0`"));
}

#[test]
fn a_placeholder_with_a_slip() {
    accepted(&tool_with("before = ['{{id}} {{progress-token}} {{canary}} {{user}} {{i}} {{ids}} {{{id}}}']"));
    assert_snapshot!(refused(&tool_with("before = ['{{progress_token}}']")), @r#"
    error: `{{progress_token}}` is not a placeholder
     --> root-type/count.toml:7:11
      |
    7 | before = ['{{progress_token}}']
      |           ^^^^^^^^^^^^^^^^^^^^ it would be sent as it is written
      |
      = help: write `{{progress-token}}`
    "#);
}

#[test]
fn a_control_that_is_an_error() {
    accepted(&tool_with("control = '{\"structuredContent\": \"x\", \"content\": []}'"));
    let failed = r#"control = '{"content": [], "isError": true}'"#;
    assert!(refused(&tool_with(failed)).contains("a control that is an error proves nothing"));
}
