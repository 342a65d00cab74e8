use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

#[test]
fn a_list_of_zod_says_what_and_where() {
    let null = r#"[
  {
    "code": "invalid_type",
    "expected": "object",
    "received": "null",
    "path": [
      "tools",
      0,
      "annotations"
    ],
    "message": "Expected object, received null"
  }
]"#;
    assert_eq!(in_short(null), "Expected object, received null (at tools/0/annotations)");
    let after_words = format!("Invalid result for tools/list: {null}");
    assert_eq!(
        in_short(&after_words),
        "Invalid result for tools/list: Expected object, received null (at tools/0/annotations)"
    );
    let at_the_root =
        r#"[{"code":"invalid_type","expected":"object","path":[],"message":"Invalid input: expected object"}]"#;
    assert_eq!(in_short(at_the_root), "Invalid input: expected object");
}

#[test]
fn a_union_of_zod_is_told_by_the_branch_that_was_meant() {
    let known = r#""text", "image", "audio", "resource_link" or "resource""#;
    let third = in_short(include_str!("samples/zod-3-union.txt"));
    assert_eq!(third, r#"Expected "text", "image", "audio" or "resource", received "json" (at content/0/type)"#);
    let fourth = in_short(include_str!("samples/zod-4-union.txt"));
    assert_eq!(fourth, format!("Expected {known} (at content/0/type)"));
    let fits_one = r#"[{"code":"invalid_union","path":["content",3],"message":"Invalid input","errors":[
        [{"code":"invalid_value","values":["text"],"path":["type"],"message":"Invalid input: expected \"text\""}],
        [{"code":"invalid_type","path":["size"],"message":"Invalid input: expected number"},
         {"code":"invalid_format","path":["uri"],"message":"Invalid URL"}]]}]"#;
    assert_eq!(
        in_short(fits_one),
        "Invalid input: expected number (at content/3/size); Invalid URL (at content/3/uri)"
    );
    let within = r#"[{"code":"invalid_union","path":["a"],"message":"Invalid input","unionErrors":[{"name":"ZodError",
        "issues":[{"code":"invalid_union","path":["a","b"],"message":"Invalid input","unionErrors":[
            {"issues":[{"code":"too_small","path":["a","b","c"],"message":"Too small"}]},
            {"issues":[{"code":"custom","path":["a","b"],"message":"Wrong"}]}]}]}]}]"#;
    assert_eq!(in_short(within), "Too small (at a/b/c)");
}

#[test]
fn errors_of_pydantic_say_where_and_what() {
    let two = "2 validation errors for ListToolsResult\ntools.0.outputSchema.type\n  Input should be 'object' \
               [type=literal_error, input_value='array', input_type=str]\n    For further information visit \
               https://errors.pydantic.dev/2.14/v/literal_error\ntools.1.name\n  Field required [type=missing, \
               input_value={'inputSchema': {}}, input_type=dict]\n    For further information visit \
               https://errors.pydantic.dev/2.14/v/missing";
    assert_eq!(
        in_short(two),
        "tools/0/outputSchema/type: Input should be 'object', not 'array'; tools/1/name: Field required"
    );
    let of_all = "Failed to parse JSON response: 1 validation error for union[JSONRPCRequest,JSONRPCError]\n  Invalid JSON: \
                  recursion limit exceeded at line 1 column 1254 [type=json_invalid, input_value=b'{\"json', \
                  input_type=bytes]\n    For further information visit https://errors.pydantic.dev/2.14/v/json_invalid";
    assert_eq!(
        in_short(of_all),
        "Failed to parse JSON response: Invalid JSON: recursion limit exceeded at line 1 column 1254"
    );
}

#[test]
fn a_union_of_pydantic_is_told_by_the_branch_that_was_meant() {
    assert_eq!(
        in_short(include_str!("samples/pydantic-url.txt")),
        "content/0/uri: Input should be a valid URL, relative URL without a base, not '/records/5'"
    );
    assert_eq!(
        in_short(include_str!("samples/pydantic-union.txt")),
        "content/0/annotations/priority: Input should be less than or equal to 1, not 5"
    );
    let of_no_branch = "4 validation errors for Pet\nanimals.2.Cat.type\n  Input should be 'cat' [type=literal_error, \
                        input_value='cow', input_type=str]\nanimals.2.Cat.lives\n  Field required [type=missing, \
                        input_value={'type': 'cow'}, input_type=dict]\nanimals.2.Dog.type\n  Input should be 'dog' or 'hound' \
                        [type=literal_error, input_value='cow', input_type=str]\nanimals.2.Dog\n  Value error, no dog \
                        [type=value_error, input_value={'type': 'cow'}, input_type=dict]";
    assert_eq!(in_short(of_no_branch), "animals/2/type: Input should be 'cat', 'dog' or 'hound', not 'cow'");
}

#[test]
fn a_member_with_the_name_of_a_type_is_no_branch() {
    let members = "2 validation errors for AddressResult\nCity\n  Field required [type=missing, input_value={}, \
                   input_type=dict]\nhome.Zip\n  Input should be a valid string [type=string_type, input_value=1, \
                   input_type=int]\nhome.Street\n  Field required [type=missing, input_value={}, input_type=dict]";
    assert_eq!(
        in_short(members),
        "City: Field required; home/Zip: Input should be a valid string, not 1; home/Street: Field required"
    );
}

#[test]
fn more_issues_than_fit_are_counted() {
    let mut many = "12 validation errors for ListToolsResult\n".to_owned();
    for number in 0..12 {
        let _ = writeln!(many, "tools.{number}.description\n  Input should be a valid string [type=string_type, x]");
    }
    let told = in_short(&many);
    assert!(told.starts_with("tools/0/description: Input should be a valid string; tools/1/"), "{told}");
    assert!(told.ends_with(" (and 10 more)") && told.chars().count() <= WORDS, "{told}");
}

#[test]
fn the_transport_of_rmcp_is_left_out() {
    let transport = "Transport [rmcp::transport::worker::WorkerTransport<rmcp::transport::streamable_http_client::\
                     StreamableHttpClientWorker<reqwest::async_impl::client::Client>>] error: ";
    let error = "unexpected server response: could not parse JSON response as ServerJsonRpcMessage: number out of range at \
                 line 1 column 68";
    assert_eq!(in_short(&format!("Transport send error: {transport}{error}")), error);
    assert_eq!(in_short(&format!("Send message error {transport}Client error")), "Client error");
    assert_eq!(in_short("Transport [car] error: flat tyre"), "Transport [car] error: flat tyre");
}

#[test]
fn a_chain_of_go_keeps_its_end() {
    let chain = "connection closed: calling \"tools/call\": client is closing: sending \"tools/call\": failed to decode event: \
                 unmarshaling jsonrpc message: json: invalid character 'i' looking for beginning of value: info] connected";
    let told = in_short(chain);
    assert!(
        told.starts_with("… ")
            && told.ends_with("invalid character 'i' looking for beginning of value: info] connected")
    );
    let members = r#"calling "tools/call": json: cannot unmarshal "{\"type\":\"text\",\"text\":\"11:49\"}}" into Go struct field struct { mcp.res; Content []*mcp.wireContent "json:\"content\"" }.content of type []*mcp.wireContent"#;
    assert!(in_short(members).ends_with(" into Go struct field struct{}.content of type []*mcp.wireContent"));
    let short = "calling \"tools/call\": session not found";
    assert_eq!(in_short(short), short);
}

#[test]
fn any_other_text_is_only_shortened() {
    for text in [
        "",
        "[]",
        "[{}]",
        "[ { not quite",
        r#"[{"code": "invalid_type"}]"#,
        r#"the tool said [{"message": "sold out", "path": "seats"}]"#,
        "1 validation error for X",
        "many validation errors for X\nfield\n  message",
        "2 validation errors for X\n\n\n",
        "validating tool output: validating root: validating /properties/id: type: 4 has type \"string\", want \"integer\"",
    ] {
        assert_eq!(in_short(text), excerpt(text));
    }
    let long = "no such seat. ".repeat(40);
    assert_eq!(in_short(&long), excerpt(&long));
}

#[test]
fn hostile_texts_end_within_the_bound() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(3_000), close.repeat(3_000));
    let union = r#"[{"code":"invalid_union","path":["a"],"message":"m","errors":["#;
    let nested = format!("{}[]{}", union.repeat(100), "]}]".repeat(100));
    let wide = format!("[{}]", vec![r#"{"code":"c","path":["a"],"message":"m"}"#; 1_500].join(","));
    let long_path = format!(r#"[{{"code":"c","path":[{}],"message":"m"}}]"#, vec!["\"x\""; 9_000].join(","));
    let branches: String = (0..2_000).fold("9 validation errors for union[A, B]\n".to_owned(), |mut text, number| {
        let _ = writeln!(text, "T{}.T{}.T{}\n  m [type=value_error]", number % 7, number % 5, number % 3);
        text
    });
    let places = format!("1 validation error for X\n{}\n  m [type=t]", "A.".repeat(20_000));
    let chain = format!("calling \"{}", ": a b".repeat(12_000));
    let structs = format!("calling \"x\": {}", "struct { ".repeat(6_000));
    let huge = format!("[{}]", "{".repeat(1_000_000));
    for text in [deep("[", "]"), deep("[{", "}]"), nested, wide, long_path, branches, places, chain, structs, huge] {
        let told = in_short(&text);
        assert!(told.chars().count() <= WORDS, "{told}");
    }
}

proptest! {
    #[test]
    fn no_text_breaks_it(text in "([\\[\\]{}\":,. \n]|code|path|message|invalid_union|errors|2 validation errors for |A|\\PC){0,80}") {
        prop_assert!(in_short(&text).chars().count() <= WORDS);
    }

    #[test]
    fn no_part_of_a_text_of_an_sdk_breaks_it(from in 0usize..4_200, to in 0usize..4_200) {
        for sample in [include_str!("samples/zod-3-union.txt"), include_str!("samples/pydantic-union.txt")] {
            let part: String = sample.chars().take(to).skip(from).collect();
            prop_assert!(in_short(&part).chars().count() <= WORDS);
        }
    }
}
