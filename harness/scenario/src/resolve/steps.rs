//! Steps: as given, or by default a list and calls of everything.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_json::{Json, MAX_DEPTH};
use mcp_compat_model::Revision;
use mcp_compat_model::peer_contract::{BYSTANDER_TOOL, EVOLVE_TOOL};
use mcp_compat_model::verdict::Outcome;

use super::answer::Session;
use super::expectation::Asked;
use super::family::Member;
use super::stage::{Offered, Stage};
use super::{answer, effect};
use crate::budget::Size;
use crate::file;
use crate::file::step::Step as Written;
use crate::file::table::{At, Field};
use crate::scenario::{AlsoExpect, BYSTANDER_TEXT, Call, Expect, Means, Purpose, Step};
use crate::sink::{Sink, Span};
use crate::words::both;

/// Returns the steps of a member with these stages.
pub(super) fn steps(
    member: &Member<'_>,
    stages: &[Stage<'_>],
    since: Revision,
    session: Session,
    sink: &mut Sink<'_>,
) -> Option<Vec<Step>> {
    let author = Author { member, stages, since, session };
    match &member.file.step {
        Field::Absent => author.default_steps(sink),
        Field::Broken => None,
        Field::Given(steps) => author.written_steps(&steps.value, &steps.span, sink),
    }
}

/// Input for the steps of a member.
struct Author<'a> {
    member: &'a Member<'a>,
    stages: &'a [Stage<'a>],
    since: Revision,
    session: Session,
}

impl Author<'_> {
    fn default_steps(&self, sink: &mut Sink<'_>) -> Option<Vec<Step>> {
        let mut steps = vec![Some(Step::List)];
        for offered in self.stages.iter().take(1).flat_map(|stage| &stage.tools) {
            let made =
                [Some(self.subject(offered, None, sink)), offered.control.is_some().then(|| control(offered, None))];
            for made in made.into_iter().flatten() {
                if made.as_ref().is_some_and(|made| !sink.fits_budget(size(made), offered.header)) {
                    return None;
                }
                steps.push(made);
            }
        }
        steps.push(bystander(None));
        steps.into_iter().collect()
    }

    fn written_steps(&self, written: &[At<Written>], place: &Span, sink: &mut Sink<'_>) -> Option<Vec<Step>> {
        let mut stage = 0;
        let mut steps = Vec::new();
        for At { value: step, span, .. } in written {
            let made = if let Field::Given(name) = &step.call {
                match self.call(name, step, stage, sink) {
                    Some(Step::Call(call)) => linked(call, step, &steps, sink),
                    other => other,
                }
            } else if step.evolve.is_absent() {
                Some(Step::List)
            } else {
                stage += 1;
                self.stages.get(stage).map(|to| Step::Evolve { notified: to.notified })
            };
            if made.as_ref().is_some_and(|made| !sink.fits_budget(size(made), span)) {
                return None;
            }
            steps.push(made);
        }
        let mut steps: Vec<Step> = steps.into_iter().collect::<Option<_>>()?;
        if !steps.iter().any(|step| purpose(step) == Some(Purpose::Subject)) {
            let mistake = sink
                .mistake(written.first().map_or(place, |step| &step.span), "no step calls a tool of this scenario")
                .label("expected a step with `call` among these")
                .help(format!("on offer: {}", both(self.stages.iter().flat_map(Stage::names))));
            sink.report(mistake);
            return None;
        }
        self.controls_are_called(&steps, sink)?;
        if !steps.iter().any(|step| purpose(step) == Some(Purpose::Bystander)) {
            steps.extend(bystander(None));
        }
        Some(steps)
    }

    fn call(&self, name: &At<String>, step: &Written, stage: usize, sink: &mut Sink<'_>) -> Option<Step> {
        let current = self.stages.get(stage)?;
        if let Some(offered) = current.tool(&name.value) {
            return self.subject(offered, Some((step, &name.key)), sink);
        }
        if let Some(offered) = current.controlled_by(&name.value) {
            if !leaves_expectations_alone(step, "a control means nothing valid and must be caught", sink) {
                return None;
            }
            return control(offered, Some(step));
        }
        if name.value == BYSTANDER_TOOL {
            if !leaves_expectations_alone(step, "the bystander always answers alike", sink) {
                return None;
            }
            return bystander(Some(step));
        }
        let gone = self.stages.get(..stage)?.iter().rev().find_map(|stage| stage.tool(&name.value));
        match gone {
            Some(gone) => self.gone(gone, name, step, sink),
            None => {
                self.refuse_unknown(name, stage, sink);
                None
            }
        }
    }

    /// Resolves a call of a tool that the server offers.
    fn subject(&self, offered: &Offered<'_>, step: Option<(&Written, &Span)>, sink: &mut Sink<'_>) -> Option<Step> {
        let place = step.map_or(offered.header, |(_, key)| key);
        let given = match step.map(|(step, _)| &step.means) {
            Some(Field::Given(meaning)) => Some(answer::given_meaning(&meaning.value)),
            Some(Field::Broken) => return None,
            Some(Field::Absent) | None => None,
        };
        let Some(means) = given.as_ref().or(offered.means.as_ref()) else {
            let mistake = sink
                .mistake(place, format!("what does `{}` mean to return?", offered.tool.name))
                .label("its answer does not show it")
                .help("say it with `means`: `\"invalid\"`, or `means.value`, `means.text` or `means.tool-error`");
            sink.report(mistake);
            return None;
        };
        let written = [step.map_or(&Field::Absent, |(step, _)| &step.expect), offered.expect, &self.member.file.expect];
        let asked =
            Asked { means, reply: Some(&offered.tool.reply), since: self.since, session: self.session, written, place };
        let expect = asked.expect(sink)?;
        let arguments = arguments(offered, step.map(|(step, _)| step))?;
        if step.is_some_and(|(step, _)| !effect::also_expect_is_sent(&step.also_expect, offered.sent.as_ref(), sink)) {
            return None;
        }
        let also_expect =
            also_expect([step.map_or(&Field::Absent, |(step, _)| &step.also_expect), offered.also_expect])?;
        Some(Step::Call(Call {
            arguments,
            also_expect,
            ..Call::new(&offered.tool.name, Purpose::Subject, means.clone(), expect)
        }))
    }

    /// Resolves a call of a tool that an evolution has removed.
    fn gone(&self, gone: &Offered<'_>, name: &At<String>, step: &Written, sink: &mut Sink<'_>) -> Option<Step> {
        let means = match &step.means {
            Field::Given(meaning) => Some(answer::given_meaning(&meaning.value)),
            Field::Broken => return None,
            Field::Absent => None,
        };
        let Some(means @ Means::ToolError(_)) = means else {
            let mistake = sink
                .mistake(&name.span, format!("`{}` is gone at this step", name.value))
                .label("an evolution before it has taken the tool away")
                .help("if that is intended, name the error that the client must report: `means.tool-error = \"…\"`");
            sink.report(mistake);
            return None;
        };
        let written = [&step.expect, &Field::Absent, &Field::Absent];
        let asked =
            Asked { means: &means, reply: None, since: self.since, session: self.session, written, place: &name.key };
        let expect = asked.expect(sink)?;
        let arguments = arguments(gone, Some(step))?;
        Some(Step::Call(Call { arguments, ..Call::new(&gone.tool.name, Purpose::Subject, means, expect) }))
    }

    fn refuse_unknown(&self, name: &At<String>, stage: usize, sink: &mut Sink<'_>) {
        let later = self.stages.iter().skip(stage + 1).any(|stage| stage.tool(&name.value).is_some());
        let Some(current) = self.stages.get(stage) else { return };
        let help = match sink.nearest(&name.value, current.names()) {
            _ if name.value == EVOLVE_TOOL => "tools are changed by a step with `evolve`".to_owned(),
            _ if later => "it only comes with a later `evolve`".to_owned(),
            Some(near) => format!("the nearest tool is `{near}`"),
            None if current.tools.is_empty() => "no tool is left at this step".to_owned(),
            None => format!("on offer: {}", current.on_offer),
        };
        let mistake = sink
            .mistake(&name.span, format!("no tool is named `{}` at this step", name.value))
            .label("expected a tool that is on offer")
            .help(help);
        sink.report(mistake);
    }

    /// Reports controls that are never called: they would prove nothing.
    fn controls_are_called(&self, steps: &[Step], sink: &mut Sink<'_>) -> Option<()> {
        let mut all = Some(());
        let called: BTreeSet<&str> = steps.iter().filter_map(called).collect();
        let controls = self.stages.iter().flat_map(|stage| &stage.tools).filter_map(|tool| tool.control.as_ref());
        for control in controls {
            let name = &control.tool.name;
            if !called.contains(name.as_str()) {
                let mistake = sink
                    .mistake(control.key, format!("no step calls the control `{name}`"))
                    .label("it would prove nothing")
                    .help(format!("add a step with `call = \"{name}\"`, or leave the control out"));
                sink.report(mistake);
                all = None;
            }
        }
        all
    }
}

/// Reports `means`, `expect` and `also-expect` in a step that cannot have them; returns whether it has none.
fn leaves_expectations_alone(step: &Written, why: &str, sink: &mut Sink<'_>) -> bool {
    let places = [
        step.means.given().map(|at| ("means", &at.key)),
        step.expect.given().map(|at| ("expect", &at.key)),
        step.also_expect.given().map(|at| ("also-expect", &at.key)),
    ];
    let mut nothing = !step.means.is_broken() && !step.expect.is_broken() && !step.also_expect.is_broken();
    for (name, place) in places.into_iter().flatten() {
        let mistake = sink.mistake(place, format!("`{name}` has no place in this step"));
        sink.report(mistake.label(why));
        nothing = false;
    }
    nothing
}

/// Returns the size of a step with its copies of its tool's data.
fn size(step: &Step) -> Size {
    let Step::Call(call) = step else { return Size::of_entry() };
    let means = match &call.means {
        Means::Value(value) => Size::of_json(value),
        Means::Text(text) | Means::ToolError(text) => Size::of_bytes(text.len()),
        Means::Invalid => Size::default(),
    };
    let also = call.also_expect.blocks.iter().chain(&call.also_expect.value).map(Size::of_json).sum();
    Size::of_entry() + Size::of_bytes(call.tool.len() + call.arguments.len()) + means + also
}

/// Returns the name of the tool that a step calls.
fn called(step: &Step) -> Option<&str> {
    match step {
        Step::Call(call) => Some(&call.tool),
        Step::List | Step::Evolve { .. } => None,
    }
}

/// Returns the nearest `also-expect`.
fn also_expect(written: [&Field<file::extras::AlsoExpect>; 2]) -> Option<AlsoExpect> {
    for also in written {
        match also {
            Field::Absent => {}
            Field::Broken => return None,
            Field::Given(also) => {
                return Some(AlsoExpect {
                    blocks: also.value.blocks.given().map(|blocks| blocks.value.0.clone()).unwrap_or_default(),
                    value: also.value.value.given().map(|value| value.value.value.clone()),
                });
            }
        }
    }
    Some(AlsoExpect::default())
}

/// Returns the arguments of the step, or else the tool's.
fn arguments(offered: &Offered<'_>, step: Option<&Written>) -> Option<String> {
    match step.map(|step| &step.arguments) {
        Some(Field::Given(arguments)) => Some(arguments.value.text.get().to_owned()),
        Some(Field::Broken) => None,
        Some(Field::Absent) | None => Some(offered.arguments.clone()),
    }
}

fn control(offered: &Offered<'_>, step: Option<&Written>) -> Option<Step> {
    let name = &offered.control.as_ref()?.tool.name;
    Some(Step::Call(Call {
        arguments: arguments(offered, step)?,
        ..Call::new(name, Purpose::Control, Means::Invalid, Expect::both(Outcome::Caught))
    }))
}

fn bystander(step: Option<&Written>) -> Option<Step> {
    let arguments = match step.map(|step| &step.arguments) {
        Some(Field::Given(arguments)) => arguments.value.text.get().to_owned(),
        Some(Field::Broken) => return None,
        Some(Field::Absent) | None => "{}".to_owned(),
    };
    let still_here = Means::Text(BYSTANDER_TEXT.to_owned());
    Some(Step::Call(Call {
        arguments,
        ..Call::new(BYSTANDER_TOOL, Purpose::Bystander, still_here, Expect::both(Outcome::Intact))
    }))
}

fn purpose(step: &Step) -> Option<Purpose> {
    match step {
        Step::Call(call) => Some(call.purpose),
        Step::List | Step::Evolve { .. } => None,
    }
}

/// Adds a step's links to its call; `earlier` are the steps so far.
pub(super) fn linked(call: Call, written: &Written, earlier: &[Option<Step>], sink: &mut Sink<'_>) -> Option<Step> {
    let concurrent = is_concurrent(written, earlier, sink)?;
    let args_from = args_from(written, &call.arguments, earlier, sink)?;
    Some(Step::Call(Call { concurrent, args_from, ..call }))
}

fn is_concurrent(written: &Written, earlier: &[Option<Step>], sink: &mut Sink<'_>) -> Option<bool> {
    let flag = match &written.concurrent {
        Field::Absent => return Some(false),
        Field::Broken => return None,
        Field::Given(flag) => flag,
    };
    match earlier.last() {
        Some(Some(Step::Call(_))) => Some(true),
        // The step before is broken, which is reported already.
        Some(None) => None,
        Some(Some(Step::List | Step::Evolve { .. })) | None => {
            let mistake = sink.mistake(&flag.key, "`concurrent` needs a call right before it");
            sink.report(mistake.label("the step before this one is not a `call`"));
            None
        }
    }
}

fn args_from(
    written: &Written,
    arguments: &str,
    earlier: &[Option<Step>],
    sink: &mut Sink<'_>,
) -> Option<BTreeMap<String, String>> {
    let feed = match &written.args_from {
        Field::Absent => return Some(BTreeMap::new()),
        Field::Broken => return None,
        Field::Given(feed) => feed,
    };
    if let Field::Given(flag) = &written.concurrent {
        let mistake = sink
            .mistake(&feed.key, "a call cannot have both `concurrent` and `args-from`")
            .label("the value of the call before is not known yet")
            .context(flag.key.clone(), "the call is sent without waiting for that value");
        sink.report(mistake);
        return None;
    }
    let value = match earlier.iter().rev().find(|step| !matches!(step, Some(Step::List | Step::Evolve { .. }))) {
        Some(None) => return None,
        Some(Some(Step::Call(Call { means: Means::Value(value), .. }))) => value,
        Some(Some(_)) | None => {
            let mistake = sink
                .mistake(&feed.key, "`args-from` needs a call that returns a value before it")
                .label("no call before this one returns a value");
            sink.report(mistake);
            return None;
        }
    };
    let arguments = Json::parse(arguments).ok()?;
    let mut pointers = Some(BTreeMap::new());
    let mut brought = BTreeSet::new();
    for (into, from) in &feed.value.0 {
        if value.pointer(&from.value).is_none() {
            let mistake = sink
                .mistake(&from.span, format!("the value of the call before has nothing at `{}`", from.value))
                .label("no such member or element");
            sink.report(mistake);
            pointers = None;
        }
        // An entry before it may create the object.
        let brings = |(slash, _)| brought.contains(&into.value[..slash]);
        let is_brought = into.value.match_indices('/').skip(1).take(MAX_DEPTH).any(brings);
        if !is_brought && !effect::has_place(&arguments, into, sink) {
            pointers = None;
        }
        brought.insert(into.value.as_str());
        pointers.as_mut().map(|pointers| pointers.insert(into.value.clone(), from.value.clone()));
    }
    pointers
}
