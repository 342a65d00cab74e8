// Views: elements are made of data as text, never as markup. `el("p.lead", {id: "a"}, "text", child)`: attributes may be absent.
function el(tag, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  const [first] = children;
  if (first && Object.getPrototypeOf(first) === Object.prototype) {
    for (const [name, value] of Object.entries(children.shift())) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Text with everything visible that is not: controls as their symbols, directions and joiners by their numbers.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]/g;
function seen(text) {
  return String(text).replace(UNSEEN, (c) => {
    const code = c.charCodeAt(0);
    return code < 32 ? String.fromCharCode(0x2400 + code) : `⟨${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

const GLYPH = { works: "✓", degraded: "◐", breaks: "✕", skipped: "–" };
const CLASS = { works: "w", degraded: "d", breaks: "b", skipped: "k" };
const OUTCOME = { told: "error shown", masked: "wrong error", swallowed: "error hidden" };
const outcome = (name) => OUTCOME[name] || name;
const LOST = { call: "the value (tool and server still usable)", tool: "the tool (other tools still usable)", server: "all tools of the server", session: "the session; the client cannot use this server" };
const FIX = { client: "client", server: "server", both: "both", spec: "unclear in the spec", harness: "mcp-compat" };

// A number with its thousands apart, and what it counts.
const number = (many) => (many < 1000 ? `${many}` : many.toLocaleString("en-US"));
const counted = (many, one) => `${number(many)} ${one}${many === 1 ? "" : "s"}`;

// Text that names the party that broke a rule.
const brokenBy = ({ level, party }) => (party === "spec" ? "the specification is ambiguous" : level === "MAY" ? `not followed by the ${party}, which is allowed` : `broken by the ${party}`);

const rated = (rating, silent) => [
  el("span", { class: `r ${CLASS[rating]}` }, el("span", { "aria-hidden": "true" }, GLYPH[rating]), ` ${rating}`),
  silent ? [" ", el("span.silent", "! silent")] : null,
];

// Ids stay readable in an address.
const plainly = (value) => encodeURIComponent(value).replace(/%(40|2F|3A|2B|2A|7C|5B|5D)/g, decodeURIComponent);
function hashOf(parameters) {
  const parts = Object.entries(parameters).filter(([, value]) => value);
  return `#${parts.map(([key, value]) => `${key}=${plainly(value)}`).join("&")}`;
}

function parameters() {
  const found = {};
  for (const part of location.hash.slice(1).split("&")) {
    const at = part.indexOf("=");
    if (at < 1) continue;
    try {
      found[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
    } catch {
      found[part.slice(0, at)] = part.slice(at + 1);
    }
  }
  return found;
}

// The release of a peer: without its mode and its flavour.
function product(id) {
  const name = id.replace(/\+(auto|legacy|modern)$/, "");
  const release = /^([^@/]+@[^/]+)\/.*$/.exec(name);
  return release ? release[1] : name;
}
const isPeer = (asked, id) => asked === id || asked === product(id);

function copying(button, text) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const done = await navigator.clipboard.writeText(text()).then(() => "Copied", () => "Not allowed");
    const words = button.textContent;
    button.textContent = done;
    setTimeout(() => (button.textContent = words), 1500);
  });
  return button;
}
const copyButton = (text, words = "Copy") => copying(el("button", { class: "copy", type: "button" }, words), () => text);
const commandLine = (text) => el("div.cmd", el("code", seen(text)), copyButton(text));

// A link to an address of the specification; any other is shown and leads nowhere.
function address(text) {
  const safe = /^https:\/\/(modelcontextprotocol\.io|github\.com\/modelcontextprotocol|json-schema\.org|www\.jsonrpc\.org|datatracker\.ietf\.org|www\.rfc-editor\.org)\/[\w\-.~:/?#@!$&*+,;=%]*$/.test(text);
  return safe ? el("a", { href: text, rel: "noreferrer" }, text) : el("span.addr", seen(text));
}

// A text of ours: names in it stand between backticks. The last of them may be cut off.
function prose(text) {
  const parts = seen(text).split("\x60");
  return parts.length % 2 || text.endsWith("…") ? parts.map((part, n) => (n % 2 ? el("code", part) : part)) : [seen(text)];
}

// JSON laid out: tokens keep their places in the text, so that marks stay where they are.
function laidOut(text) {
  const ends = new Map();
  const open = [];
  let at = 0;
  const string = (from) => {
    let end = from + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
    return Math.min(end + 1, text.length);
  };
  while (at < text.length) {
    const c = text[at];
    if (c === '"') {
      at = string(at);
      continue;
    }
    if (c === "{" || c === "[") open.push(at);
    if (c === "}" || c === "]") {
      if (!open.length) return null;
      ends.set(open.pop(), at);
    }
    if (open.length > 60) return null;
    at++;
  }
  if (open.length || !ends.size) return null;
  const pieces = [];
  const put = (words, from, to) => pieces.push([words, from, to]);
  const line = (depth) => put(`\n${"  ".repeat(depth)}`, -1, -1);
  const wide = [];
  at = 0;
  while (at < text.length) {
    const c = text[at];
    if (c === '"') {
      const end = string(at);
      put(text.slice(at, end), at, end);
      at = end;
      continue;
    }
    if (c === "{" || c === "[") {
      const end = ends.get(at);
      const breaks = end - at > 72;
      put(c, at, at + 1);
      wide.push(breaks);
      if (breaks) line(wide.filter(Boolean).length);
    } else if (c === "}" || c === "]") {
      if (wide.pop()) line(wide.filter(Boolean).length);
      put(c, at, at + 1);
    } else if (c === ",") {
      put(c, at, at + 1);
      if (wide[wide.length - 1]) line(wide.filter(Boolean).length);
      else put(" ", -1, -1);
    } else if (c === ":") {
      put(c, at, at + 1);
      put(" ", -1, -1);
    } else if (!/\s/.test(c)) {
      let end = at + 1;
      while (end < text.length && !/[\s,:{}[\]"]/.test(text[end])) end++;
      put(text.slice(at, end), at, end);
      at = end;
      continue;
    }
    at++;
  }
  return pieces;
}

// A body with its marked parts.
function body(text, marks) {
  const pieces = laidOut(text) || [[text, 0, text.length]];
  const pre = el("pre");
  const inside = (from, to) => marks.some(([start, end]) => from < end && to > start);
  let run = "";
  let marked = false;
  const flush = () => {
    if (run) pre.append(marked ? el("mark", seen(run)) : seen(run));
    run = "";
  };
  for (const [words, from, to] of pieces) {
    const parts = from < 0 || pieces.length > 1 ? [[words, from, to]] : split(text, marks);
    for (const [part, start, end] of parts) {
      const is = start < 0 ? marked && run !== "" : inside(start, end);
      if (is !== marked) {
        flush();
        marked = is;
      }
      run += part;
    }
  }
  flush();
  return pre;
}

function split(text, marks) {
  const cuts = [0, ...marks.flat(), text.length].filter((at) => at <= text.length).sort((a, b) => a - b);
  return cuts.slice(1).map((end, n) => [text.slice(cuts[n], end), cuts[n], end]).filter(([part]) => part);
}

const again = (cell) =>
  `mcp-compat run --scenario '${cell.scenario}' --client ${cell.client} --server ${cell.server} --transport ${cell.transport}`;

const fact = (name, ...value) => el("div", el("dt", name), el("dd", ...value));

const ONE_FILE = PAGE === "report";
const causeLink = ([slug, name], words = seen(name)) => (slug ? el("a", { href: ONE_FILE ? `#cause-${slug}` : `${ROOT}cause/${slug}.html` }, words) : words);

// The cells of a client with a server, or of what else the address asks for.
function pairCells(run, asked, selected) {
  const c = run.c;
  const clients = new Set(run.clients.flatMap((id, n) => (!asked.client || isPeer(asked.client, id) ? [n] : [])));
  const servers = new Set(run.servers.flatMap((id, n) => (!asked.server || isPeer(asked.server, id) ? [n] : [])));
  const scenario = asked.scenario ? run.scenarios.indexOf(asked.scenario) : -1;
  return selected.filter((n) => clients.has(c.client[n]) && servers.has(c.server[n]) && (!asked.scenario || c.scenario[n] === scenario));
}

// These cells, by class and scenario.
function pairView(run, asked, cells) {
  const c = run.c;
  const count = (rating) => cells.filter((n) => run.ratings[c.rating[n]] === rating).length;
  const title = `${asked.client || "All clients"} with ${asked.server || "all servers"}`;
  const shown = cells.slice(0, 1500);
  document.title = title;
  if (!cells.length) return [el("h1", seen(title)), el("p.warn", asked.q ? "No check of this pair is in the filter." : "This run has no check of this pair.")];
  const several = new Set(cells.map((n) => c.client[n])).size > 1 || new Set(cells.map((n) => c.server[n])).size > 1;
  const classes = new Map();
  for (const n of shown) {
    const of = run.scenarios[c.scenario[n]].split("/")[0];
    if (!classes.has(of)) classes.set(of, []);
    classes.get(of).push(n);
  }
  const before = run.before?.[0];
  const moved = new Map();
  for (const name of cells.map((n) => run.changed(n)).filter(Boolean)) moved.set(name, (moved.get(name) || 0) + 1);
  const head = ["Scenario", ...(several ? ["Client", "Server"] : []), "Over", "Outcome", ...(before ? ["Changed"] : []), "Expected", "Revision", "Cause"];
  let last = null;
  const row = (n) => {
    const cell = run.cell(n);
    const first = last !== cell.scenario;
    last = cell.scenario;
    return el("tr", { class: CLASS[cell.rating] },
      el("td", el("a", { href: hashOf({ cell: cell.id, run: asked.run }) }, cell.scenario.split("/").slice(1).join("/")), first ? el("small", prose(cell.title)) : null),
      several ? [el("td", cell.client), el("td", cell.server)] : null,
      el("td", cell.transport),
      el("td", rated(cell.rating, cell.silent), el("small", outcome(cell.outcome) + (cell.vacuous ? ", unproven" : "") + (cell.known ? ", known" : ""))),
      before ? el("td", { class: run.changed(n) || "" }, run.changed(n) || "–") : null,
      el("td", outcome(cell.expected || "")),
      el("td.nb", cell.negotiated || "none"),
      el("td", cell.cause ? causeLink(cell.cause) : ""));
  };
  return [
    el("h1", seen(title)),
    asked.scenario ? el("p.crumb", asked.scenario) : null,
    el("p.lead", `${counted(cells.length, "check")}: ${number(count("works"))} work, ${number(count("degraded"))} degraded, ${number(count("breaks"))} break, ${number(count("skipped"))} not supported.`),
    before ? el("p", `Since the run of ${before[1]}: `, moved.size ? [...moved].map(([name, many]) => `${number(many)} ${name}`).join(", ") : "nothing changed", ".") : null,
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Scenarios of this pair" },
      el("table.cells", el("caption.vh", "Scenarios by class"),
        el("thead", el("tr", head.map((words) => el("th", { scope: "col" }, words)))),
        [...classes].map(([of, members]) =>
          el("tbody", el("tr.class", el("th", { scope: "rowgroup", colspan: head.length }, of)), members.map(row))))),
    cells.length > shown.length ? el("p", `The first ${number(shown.length)} of ${counted(cells.length, "check")}. Narrow the filter to see others.`) : null,
  ].filter(Boolean);
}

// One cell, to the byte.
async function cellView(run, n, asked) {
  const cell = run.cell(n);
  document.title = cell.id;
  const told = await run.told(n).catch(() => null);
  const before = run.before?.[0];
  const moved = run.changed(n);
  const since = before ? run.c.since[n] : 0;
  const parts = [
    el("p.crumb", el("a", { href: hashOf({ client: cell.client, server: cell.server, run: asked.run }) }, `${cell.client} with ${cell.server}`), ` · ${cell.transport}`),
    el("h1.long", prose(cell.title || cell.scenario)),
    el("p", rated(cell.rating, cell.silent), ` · ${outcome(cell.outcome)}${cell.meaning ? `: ${cell.meaning}` : ""}`),
    told ? el("p.lead", prose(told.reason)) : null,
    el("dl.facts", {},
      fact("Scenario", PAGE === "pair" ? el("a", { href: `${ROOT}scenario/${cell.scenario.replace("[", ".").replace("]", "")}.html` }, cell.scenario) : cell.scenario),
      fact("Outcome", outcome(cell.outcome)),
      fact("Expected", outcome(cell.expected || "nothing in particular")),
      before ? fact("Changed", moved || "not", " since the ", el("a", { href: hashOf({ cell: cell.id, run: before[0] }) }, `run of ${before[1]}`)) : null,
      before ? fact("The same since", since ? `the run of ${run.before[since - 1][1]}, in ${since + 1} runs` : "this run") : null,
      fact("Revision", cell.negotiated || "no revision was agreed"),
      cell.radius ? fact("Lost", LOST[cell.radius]) : null,
      cell.fault ? fact("To fix", FIX[cell.fault]) : null,
      cell.cause ? fact("Cause", causeLink(cell.cause, cell.cause[3] ? prose(cell.cause[3]) : undefined), cell.cause[3] ? el("small", seen(cell.cause[1])) : null) : null,
      cell.vacuous && cell.rating !== "breaks" ? fact("Unproven", "this client accepts anything, so passing shows nothing") : null,
      told && told.more.missed ? fact("Missed", prose(told.more.missed)) : null,
      told && told.more.mocks ? fact("With mocks", prose(told.more.mocks)) : null,
      told && told.more.known ? fact("Known", prose(told.more.known[0]), told.more.known[1] ? [" ", address(told.more.known[1])] : null) : null),
    el("h2", "Play it again"),
    commandLine((told && told.more.again) || again(cell)),
    commandLine(`mcp-compat show '${cell.id}'`),
  ];
  if (told && told.findings.length) {
    parts.push(el("h2", told.findings.length > 1 ? "The rules" : "The rule"), told.findings.map((finding) =>
      el("div.rule", {},
        el("p", el("b", seen(finding.rule)), " · ", el("span.tag", finding.level), ` · ${brokenBy(finding)}`),
        el("p.rest", prose(finding.detail)),
        el("p.facts", address(finding.source)))));
  }
  const happened = told && told.happened;
  if (!happened) {
    parts.push(el("p.warn", "The messages of this check are not part of this site. ", el("code", `mcp-compat show '${cell.id}'`), " shows them beside the record."));
    return parts;
  }
  parts.push(el("h2", "What the client's user saw"), el("ol.steps", happened.steps.map(([words, structured, content], place) =>
    el("li", { class: place === happened.steps.length - 1 ? "end" : null }, el("p", seen(words)),
      structured !== null && structured !== undefined ? [el("p.label", "structured"), body(structured, [])] : null,
      content.length ? [el("p.label", "content"), content.map((block) => body(block, []))] : null))));
  parts.push(el("h2", "The wire"), happened.shortened ? el("p.warn", "A message was too long to be kept whole.") : null,
    el("div.wire", el("p.side", "Client →"), el("p.side", "← Server"), happened.events.map(([side, words, heads, text], place) => {
      const marks = happened.marks.filter(([message]) => message === place);
      const found = marks.map(([, number]) => told.findings[number]);
      // A message violates only a rule of its sender, and nothing that a rule allows.
      const violates = ({ party, level }) => party === (side ? "server" : "client") && level !== "MAY";
      const named = (which) => [...new Set(found.filter(which).map(({ rule }) => rule))].map(seen).join(", ");
      const rules = named(violates), others = named((finding) => !violates(finding));
      const spans = marks.filter(([, , from, to]) => to > from).map(([, , from, to]) => [from, to]);
      return el("article", { class: `msg ${side ? "server" : "client"}${rules ? " bad" : ""}`, id: `m${place}` },
        el("header", el("b", `#${place}`), " ", el("span.vh", side ? "server: " : "client: "), seen(words), text !== null ? copyButton(text) : null),
        rules ? el("p.violates", "✕ violates ", rules) : null,
        others ? el("p.facts", "concerns ", others) : null,
        heads.length ? el("pre.heads", heads.map(seen).join("\n")) : null,
        text !== null ? body(text, spans) : null);
    })));
  return parts;
}

// The box of the filter: what is typed, terms to choose, how many cells that is, and what is wrong. `change` shows the
// cells that are selected, and says how many they are.
const TERMS = ["rating:breaks", "is:silent", "-is:known", "fault:client", "fault:server", "transport:http"];
function filterBox(run, change) {
  const input = el("input", { type: "search", id: "q", spellcheck: "false", autocomplete: "off", placeholder: "rating:breaks client:typescript@* -is:known", "aria-describedby": "found" });
  const found = el("p", { id: "found", class: "found", role: "status", "aria-live": "polite" });
  const terms = [...TERMS, ...(run.before?.length ? ["changed:worse", "changed:better"] : [])].map((term) => el("button", { type: "button", class: "term", "aria-pressed": "false", onclick: () => toggle(term) }, term));
  const split = () => input.value.trim().split(/\s+/).filter(Boolean);
  const toggle = (term) => {
    const typed = split();
    input.value = (typed.includes(term) ? typed.filter((other) => other !== term) : [...typed, term]).join(" ");
    apply(true);
  };
  const apply = (own) => {
    const typed = split();
    for (const button of terms) button.setAttribute("aria-pressed", String(typed.includes(button.textContent)));
    input.removeAttribute("aria-invalid");
    try {
      const shown = change(Query.select(input.value, run.table()), input.value.trim(), own);
      found.textContent = shown === run.cells && !input.value.trim() ? counted(shown, "check") : `${number(shown)} of ${counted(run.cells, "check")}`;
      found.classList.remove("wrong");
    } catch (error) {
      found.textContent = seen(error.message);
      found.classList.add("wrong");
      input.setAttribute("aria-invalid", "true");
    }
  };
  let timer;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => apply(true), 80);
  });
  const box = el("div.filter", el("label", { for: "q" }, "Filter"), input, el("div", { class: "terms", role: "group", "aria-label": "Terms" }, terms), found);
  return {
    box,
    set(text) {
      input.value = text || "";
      apply(false);
    },
  };
}
