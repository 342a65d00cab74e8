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
    error: this `[[answer]]` is never given
      --> root-type/count.toml:13:1
       |
     9 | [[answer]]
       | ---------- answers `tools/list` already
    ...
    13 | [[answer]]
       | ^^^^^^^^^^ the first one that fits a request answers it
       |
       = help: give each a `page` of its own, the one for all pages last
    "#);
    assert_snapshot!(refused(&two(&answer("initialize", ""), &answer("initialize", ""))), @r#"
    error: this `[[answer]]` is never given
      --> root-type/count.toml:13:1
       |
     9 | [[answer]]
       | ---------- answers `initialize` already
    ...
    13 | [[answer]]
       | ^^^^^^^^^^ the first one that fits a request answers it
       |
       = help: leave one of the two out
    "#);
    assert!(refused(&two(&page(2), &page(2))).contains("this `[[answer]]` is never given"));
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
      = help: those that a server writes: `resultType`, `ttlMs`, `cacheScope`, `tools` and `nextCursor`
    "#);
    assert_snapshot!(refused(&plain_but(
        "returns = '{\"structuredContent\": 3, \"content\": []}'",
        "without = [\"resultType\"]\nmeans.text = \"\"\ndoes = \"hang\""
    )), @r#"
    error: `without` changes nothing beside `does`
     --> root-type/count.toml:7:1
      |
    7 | without = ["resultType"]
      | ^^^^^^^ only a result, which `returns` gives, has members to leave out
    "#);
}

#[test]
fn something_besides_that_is_not_sent() {
    accepted(&tool_with("also-expect.value = '3.0'"));
    assert_snapshot!(refused(&tool_with("also-expect.value = '4'")), @r#"
    error: the tool does not send this value
     --> root-type/count.toml:7:21
      |
    7 | also-expect.value = '4'
      |                     ^^^ its `structuredContent` is another one, or missing
      |
      = help: write it as it stands in `returns`
    "#);
    assert_snapshot!(refused(&tool_with("also-expect.blocks = '[{\"type\": \"image\"}]'")), @r#"
    error: the tool does not send this `image` block
     --> root-type/count.toml:7:22
      |
    7 | also-expect.blocks = '[{"type": "image"}]'
      |                      ^^^^^^^^^^^^^^^^^^^^^ no block of its `content` is equal to it
      |
      = help: write it as it stands in `returns`
    "#);
    let of_a_step = format!("{}\n[[step]]\ncall = \"count\"\nalso-expect.value = '4'\n", plain());
    assert!(refused(&of_a_step).contains("the tool does not send this value"));
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
       = help: write the object in `arguments`, empty if need be
    "#);
    assert!(refused(&second(r#"{"ids": []}"#, "/ids/0")).contains("no place for `/ids/0`"));
}

#[test]
fn a_placeholder_with_a_slip() {
    accepted(&tool_with("before = ['{{id}} {{progress-token}} {{canary}} {{user}}']"));
    assert_snapshot!(refused(&tool_with("before = ['{{progress_token}}']")), @r#"
    error: nothing takes the place of `{{progress_token}}`
     --> root-type/count.toml:7:11
      |
    7 | before = ['{{progress_token}}']
      |           ^^^^^^^^^^^^^^^^^^^^ sent as it is written
      |
      = help: the nearest placeholder is `{{progress-token}}`
    "#);
}

#[test]
fn a_control_that_is_an_error() {
    accepted(&tool_with("control = '{\"structuredContent\": \"x\", \"content\": []}'"));
    let failed = r#"control = '{"content": [], "isError": true}'"#;
    assert!(refused(&tool_with(failed)).contains("a control that is an error proves nothing"));
}
