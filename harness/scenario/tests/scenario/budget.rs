//! Limits on the size of a file's scenarios: a file at the limit is loaded; beyond it, the first excess is reported.

use mcp_compat_model::peer_contract::Reply;

use crate::given::{HEAD, PATH, TOOL, accepted, plain};

/// The first mistake, as lines without the excerpt.
fn first(text: &str) -> (usize, String, String) {
    let mistakes = mcp_compat_scenario::load(PATH, text, &beside).expect_err("it is too much");
    let first = mistakes.iter().next().expect("a mistake");
    (mistakes.len(), first.message.clone(), first.label.clone())
}

fn beside(_: &str) -> Option<Vec<u8>> {
    Some(vec![b'x'; 10 << 20])
}

fn mistake(count: usize, message: &str, label: &str) -> (usize, String, String) {
    (count, message.to_owned(), label.to_owned())
}

fn cases(count: usize) -> String {
    (0..count).map(|at| format!("[[case]]\ncase = \"c{at}\"\ntitle = \"Case {at}\"\n")).collect()
}

fn tools(count: usize) -> String {
    (0..count).map(|at| TOOL.replace("count", &format!("count{at}"))).collect()
}

#[test]
fn lists_have_bounds() {
    let steps = |count| format!("{}{}", plain(), "[[step]]\ncall = \"count\"\n".repeat(count));
    assert_eq!(accepted(&steps(5_000)).len(), 1);
    assert_eq!(first(&steps(5_001)), mistake(1, "`step` has 5,001 entries", "expected at most 5,000"));
    assert_eq!(accepted(&format!("{HEAD}{}", tools(5_000))).len(), 1);
    assert_eq!(
        first(&format!("{HEAD}{}", tools(5_001))),
        mistake(1, "`tool` has 5,001 entries", "expected at most 5,000")
    );
    assert_eq!(accepted(&format!("{}{}", plain(), cases(1_000))).len(), 1_000);
    let refused = first(&format!("{}{}", plain(), cases(1_001)));
    assert_eq!(refused, mistake(1, "`case` has 1,001 entries", "expected at most 1,000"));
    let fed = (0..1_001).map(|at| format!("\"/k{at}\" = \"\"\n")).collect::<String>();
    let refused =
        first(&format!("{}[[step]]\ncall = \"count\"\n[[step]]\ncall = \"count\"\n[step.args-from]\n{fed}", plain()));
    assert_eq!(refused, mistake(1, "`args-from` has 1,001 entries", "expected at most 1,000"));
    let parts = (0..1_001).map(|at| format!("[part.p{at}]\nrepeat = 'x'\ntimes = 1\n")).collect::<String>();
    assert_eq!(first(&format!("{}{parts}", plain())).1, "`part` has 1,001 entries");
}

const TOO_LARGE: &str = "the scenarios of this file become too large";
const BYTES: &str = "expected at most 128 MiB in all scenarios of this file together";
const VALUES: &str = "expected at most 1,000,000 JSON values in all scenarios of this file together";

#[test]
fn parts_cannot_fill_the_memory() {
    let part = "[part.long]\nrepeat = '0123456789abcdef'\ntimes = 800_000\n";
    let filled =
        |count| format!("{HEAD}{}{part}", tools(count).replace("\"content\": []", "\"content\": [\"{{long}}\"]"));
    assert_eq!(accepted(&filled(8)).len(), 1);
    assert_eq!(first(&filled(12)), mistake(1, TOO_LARGE, BYTES));
    let part = "[part.zeros]\nrepeat = '0'\nbetween = ','\ntimes = 1_100_000\n";
    let text = format!("{}{part}", plain().replace("\"content\": []", "\"content\": [{{zeros}}]"));
    assert_eq!(first(&text), mistake(1, TOO_LARGE, VALUES));
}

#[test]
fn a_family_cannot_fill_the_memory() {
    let why = "w".repeat(400);
    let cases_of_some_size =
        |count| -> String { (0..count).map(|at| format!("[[case]]\ncase = \"c{at}\"\nwhy = \"{why}\"\n")).collect() };
    assert_eq!(accepted(&format!("{}{}", plain(), cases_of_some_size(1_000))).len(), 1_000);
    let part = "[part.long]\nrepeat = '0123456789abcdef'\ntimes = 100_000\n";
    let long = plain().replace("\"content\": []", "\"content\": [\"{{long}}\"]");
    assert_eq!(accepted(&format!("{long}{part}{}", cases(50))).len(), 50);
    assert_eq!(first(&format!("{long}{part}{}", cases(100))), mistake(1, TOO_LARGE, BYTES));
    let lists = "[[step]]\nlist = true\n".repeat(2_000);
    let steps = format!("[[step]]\ncall = \"count\"\n{lists}");
    assert_eq!(first(&format!("{}{steps}{}", plain(), cases(100))), mistake(1, TOO_LARGE, BYTES));
    let long = plain().replace("[]", &format!("[{{\"type\": \"text\", \"text\": \"{}\"}}]", "x".repeat(200_000)));
    assert_eq!(accepted(&format!("{long}{}", cases(100))).len(), 100);
    assert_eq!(first(&format!("{long}{}", cases(1_000))), mistake(1, TOO_LARGE, BYTES));
    let raw = plain()
        .replace("returns = '{\"structuredContent\": 3, \"content\": []}'", "means = \"invalid\"\nraw-file = \"x\"");
    assert_eq!(first(&format!("{raw}{}", cases(20))), mistake(1, TOO_LARGE, BYTES));
}

#[test]
fn what_calls_mean_cannot_fill_the_memory() {
    let zeros = vec!["0"; 10_000].join(",");
    let tool = TOOL
        .replace("integer", "array")
        .replace("\"structuredContent\": 3", &format!("\"structuredContent\": [{zeros}]"));
    let text = |count| format!("{HEAD}{tool}{}", "[[step]]\ncall = \"count\"\n".repeat(count));
    assert_eq!(accepted(&text(90)).len(), 1);
    assert_eq!(first(&text(110)), mistake(1, TOO_LARGE, VALUES));
    let blocks = vec!["{\"type\": \"text\"}"; 4_000].join(",");
    let tool = TOOL.replace("\"content\": []", &format!("\"content\": [{blocks}]"));
    let text = |count| {
        format!("{HEAD}{tool}also-expect.blocks = '[{blocks}]'\n{}", "[[step]]\ncall = \"count\"\n".repeat(count))
    };
    assert_eq!(accepted(&text(100)).len(), 1);
    assert_eq!(first(&text(150)), mistake(1, TOO_LARGE, VALUES));
}

#[test]
fn what_calls_send_cannot_fill_the_memory() {
    let arguments = format!("arguments = '{{\"a\": \"{}\"}}'\n", "x".repeat(100_000));
    let text = |count| format!("{}{arguments}{}", plain(), "[[step]]\ncall = \"count\"\n".repeat(count));
    assert_eq!(accepted(&text(1_000)).len(), 1);
    assert_eq!(first(&text(1_500)), mistake(1, TOO_LARGE, BYTES));
}

#[test]
fn a_part_brings_in_a_later_one_and_never_itself() {
    let with = |a: &str, b: &str| {
        format!(
            "{}[part.a]\nrepeat = '{a}'\ntimes = 1\n[part.b]\nrepeat = '{b}'\ntimes = 1\n",
            plain().replace("\"content\": []", "\"content\": [\"{{a}}{{b}}\"]")
        )
    };
    let sent = |text: &str| match &accepted(text)[0].stages[0].tools[0].reply {
        Reply::Result(result) => result.get().to_owned(),
        Reply::Error(_) | Reply::Raw(_) | Reply::Hang {} | Reply::Exit { .. } | Reply::Evolve {} => String::new(),
    };
    assert!(sent(&with("<{{b}}>", "x")).contains("\"<x>x\""));
    assert!(sent(&with("x", "<{{a}}{{b}}>")).contains("\"x<{{a}}{{b}}>\""));
}

#[test]
fn of_very_many_names_the_first_are_shown() {
    let text = format!("{HEAD}{}[[step]]\ncall = \"zzzzzzzzzz\"\n", tools(40));
    let mistakes = mcp_compat_scenario::load(PATH, &text, &beside).unwrap_err();
    let help = &mistakes.iter().next().unwrap().help[0];
    assert!(help.starts_with("on offer: `count0`, `count1`, ") && help.ends_with(", `count29` and 10 more"), "{help}");
}

#[test]
fn very_many_slips_are_counted_and_the_first_ones_get_a_suggestion() {
    let text = format!("{}{}", plain(), "[[step]]\ncal = \"count\"\n".repeat(5_000));
    let mistakes = mcp_compat_scenario::load(PATH, &text, &beside).unwrap_err();
    assert_eq!(mistakes.len(), 5_000);
    let suggests = |help: &String| help == "the nearest key is `call`";
    let mut suggested = mistakes.iter().map(|mistake| mistake.help.iter().any(suggests));
    assert!(suggested.next() == Some(true) && suggested.last() == Some(false));
}
