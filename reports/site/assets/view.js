// Views: elements are made of data as text, never as markup.
function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
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
const LOST = { call: "this call; the tool is listed, and the other tools answer", tool: "this tool; the other tools answer", server: "all tools of the server", session: "the session; the client cannot use this server" };
const FIX = { client: "client", server: "server", both: "both", spec: "unclear in the spec", harness: "mcp-compat" };

const rated = (rating, silent) => [
  el("span", { class: `r ${CLASS[rating]}` }, el("span", { "aria-hidden": "true" }, GLYPH[rating]), ` ${rating}`),
  silent ? [" ", el("span", { class: "silent" }, "! silent")] : null,
];

// Ids stay readable in an address.
const PLAIN = { "%40": "@", "%2F": "/", "%3A": ":", "%2B": "+", "%2A": "*", "%7C": "|", "%5B": "[", "%5D": "]" };
const plainly = (value) => encodeURIComponent(value).replace(/%(40|2F|3A|2B|2A|7C|5B|5D)/g, (code) => PLAIN[code]);
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
const commandLine = (text) => el("div", { class: "cmd" }, el("code", {}, seen(text)), copyButton(text));

// A link to an address of the specification; any other is shown and leads nowhere.
function address(text) {
  const safe = /^https:\/\/(modelcontextprotocol\.io|github\.com\/modelcontextprotocol|json-schema\.org|www\.jsonrpc\.org|datatracker\.ietf\.org|www\.rfc-editor\.org)\/[\w\-.~:/?#@!$&*+,;=%]*$/.test(text);
  return safe ? el("a", { href: text, rel: "noreferrer" }, text) : el("span", { class: "addr" }, seen(text));
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
  const pre = el("pre", {});
  const inside = (from, to) => marks.some(([start, end]) => from < end && to > start);
  let run = "";
  let marked = false;
  const flush = () => {
    if (run) pre.append(marked ? el("mark", {}, seen(run)) : seen(run));
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

const fact = (name, ...value) => el("div", {}, el("dt", {}, name), el("dd", {}, ...value));

const ONE_FILE = PAGE === "report";
const causeLink = ([slug, name]) => (slug ? el("a", { href: ONE_FILE ? `#cause-${slug}` : `${ROOT}cause/${slug}.html` }, seen(name)) : seen(name));

// All scenarios of a client with a server.
function pairView(run, asked) {
  const cells = [];
  const c = run.c;
  const clients = new Set(run.clients.flatMap((id, n) => (!asked.client || isPeer(asked.client, id) ? [n] : [])));
  const servers = new Set(run.servers.flatMap((id, n) => (!asked.server || isPeer(asked.server, id) ? [n] : [])));
  const scenario = asked.scenario ? run.scenarios.indexOf(asked.scenario) : -1;
  for (const n of asked.q ? Query.select(asked.q, run.table()) : Array(run.cells).keys()) {
    if (clients.has(c.client[n]) && servers.has(c.server[n]) && (!asked.scenario || c.scenario[n] === scenario)) cells.push(n);
  }
  const count = (rating) => cells.filter((n) => run.ratings[c.rating[n]] === rating).length;
  const title = `${asked.client || "All clients"} with ${asked.server || "all servers"}`;
  const shown = cells.slice(0, 1500);
  document.title = title;
  if (!cells.length) return [el("h1", {}, seen(title)), el("p", { class: "warn" }, "This run has no cell of this pair.")];
  const several = new Set(cells.map((n) => c.client[n])).size > 1 || new Set(cells.map((n) => c.server[n])).size > 1;
  const classes = new Map();
  for (const n of shown) {
    const of = run.scenarios[c.scenario[n]].split("/")[0];
    if (!classes.has(of)) classes.set(of, []);
    classes.get(of).push(n);
  }
  const head = ["Scenario", ...(several ? ["Client", "Server"] : []), "Over", "Outcome", "Expected", "Revision", "Cause"];
  let before = null;
  const row = (n) => {
    const cell = run.cell(n);
    const first = before !== cell.scenario;
    before = cell.scenario;
    return el("tr", { class: CLASS[cell.rating] },
      el("td", {}, el("a", { href: hashOf({ cell: cell.id, run: asked.run }) }, cell.scenario.split("/").slice(1).join("/")), first ? el("small", {}, seen(cell.title)) : null),
      several ? [el("td", {}, cell.client), el("td", {}, cell.server)] : null,
      el("td", {}, cell.transport),
      el("td", {}, rated(cell.rating, cell.silent), el("small", {}, cell.outcome + (cell.vacuous ? ", vacuous" : "") + (cell.known ? ", known" : ""))),
      el("td", {}, cell.expected || ""),
      el("td", { class: "nb" }, cell.negotiated || "none"),
      el("td", {}, cell.cause ? causeLink(cell.cause) : ""));
  };
  return [
    el("h1", {}, seen(title)),
    asked.scenario ? el("p", { class: "crumb" }, asked.scenario) : null,
    el("p", { class: "lead" }, `${cells.length} cells: ${count("works")} work, ${count("degraded")} degraded, ${count("breaks")} break, ${count("skipped")} not supported.`),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Scenarios of this pair" },
      el("table", { class: "cells" }, el("caption", { class: "vh" }, "Scenarios by class"),
        el("thead", {}, el("tr", {}, head.map((words) => el("th", { scope: "col" }, words)))),
        [...classes].map(([of, members]) =>
          el("tbody", {}, el("tr", { class: "class" }, el("th", { scope: "rowgroup", colspan: head.length }, of)), members.map(row))))),
    cells.length > shown.length ? el("p", {}, `The first ${shown.length} of ${cells.length} cells. Narrow the filter to see others.`) : null,
  ].filter(Boolean);
}

// One cell, to the byte.
async function cellView(run, n, asked) {
  const cell = run.cell(n);
  document.title = cell.id;
  const told = await run.told(n).catch(() => null);
  const parts = [
    el("p", { class: "crumb" }, el("a", { href: hashOf({ client: cell.client, server: cell.server, run: asked.run }) }, `${cell.client} with ${cell.server}`), ` · ${cell.transport}`),
    el("h1", { class: "long" }, seen(cell.title || cell.scenario)),
    el("p", {}, rated(cell.rating, cell.silent), ` · ${cell.outcome}${cell.meaning ? `: ${cell.meaning}` : ""}`),
    told ? el("p", { class: "lead" }, seen(told.reason)) : null,
    el("dl", { class: "facts" },
      fact("Scenario", PAGE === "pair" ? el("a", { href: `${ROOT}scenario/${cell.scenario.replace("[", ".").replace("]", "")}.html` }, cell.scenario) : cell.scenario),
      fact("Outcome", cell.outcome),
      fact("Expected", cell.expected || "nothing in particular"),
      fact("Revision", cell.negotiated || "no revision was agreed"),
      cell.radius ? fact("Lost", LOST[cell.radius]) : null,
      cell.fault ? fact("To fix", FIX[cell.fault]) : null,
      cell.cause ? fact("Cause", causeLink(cell.cause)) : null,
      cell.vacuous ? fact("Vacuous", "this cell passes, but the client also accepts an invalid value, so passing shows nothing") : null,
      told && told.more.missed ? fact("Missed", seen(told.more.missed)) : null,
      told && told.more.mocks ? fact("With mocks", seen(told.more.mocks)) : null,
      told && told.more.known ? fact("Known", seen(told.more.known[0]), told.more.known[1] ? [" ", address(told.more.known[1])] : null) : null),
    el("h2", {}, "Play it again"),
    commandLine((told && told.more.again) || again(cell)),
    commandLine(`mcp-compat show '${cell.id}'`),
  ];
  if (told && told.findings.length) {
    parts.push(el("h2", {}, told.findings.length > 1 ? "The rules" : "The rule"), told.findings.map((finding) =>
      el("div", { class: "rule" },
        el("p", {}, el("b", {}, seen(finding.rule)), " · ", el("span", { class: "tag" }, finding.level), ` · broken by the ${finding.party}`),
        el("p", { class: "rest" }, seen(finding.detail)),
        el("p", { class: "facts" }, address(finding.source)))));
  }
  const happened = told && told.happened;
  if (!happened) {
    parts.push(el("p", { class: "warn" }, "The messages of this cell are not part of this site. ", el("code", {}, `mcp-compat show '${cell.id}'`), " shows them beside the record."));
    return parts;
  }
  parts.push(el("h2", {}, "What the client's user saw"), el("ol", { class: "steps" }, happened.steps.map(([words, structured, content], place) =>
    el("li", { class: place === happened.steps.length - 1 ? "end" : null }, el("p", {}, seen(words)),
      structured !== null && structured !== undefined ? [el("p", { class: "label" }, "structured"), body(structured, [])] : null,
      content.length ? [el("p", { class: "label" }, "content"), content.map((block) => body(block, []))] : null))));
  parts.push(el("h2", {}, "The wire"), happened.shortened ? el("p", { class: "warn" }, "A message was too long to be kept whole.") : null,
    el("div", { class: "wire" }, el("p", { class: "side" }, "Client →"), el("p", { class: "side" }, "← Server"), happened.events.map(([side, words, heads, text], place) => {
      const marks = happened.marks.filter(([message]) => message === place);
      const rules = [...new Set(marks.map(([, number]) => told.findings[number].rule))];
      const spans = marks.filter(([, , from, to]) => to > from).map(([, , from, to]) => [from, to]);
      return el("article", { class: `msg ${side ? "server" : "client"}${rules.length ? " bad" : ""}`, id: `m${place}` },
        el("header", {}, el("b", {}, `#${place}`), " ", el("span", { class: "vh" }, side ? "server: " : "client: "), seen(words), text !== null ? copyButton(text) : null),
        rules.length ? el("p", { class: "violates" }, "✕ violates ", rules.map(seen).join(", ")) : null,
        heads.length ? el("pre", { class: "heads" }, heads.map(seen).join("\n")) : null,
        text !== null ? body(text, spans) : null);
    })));
  return parts;
}

// The box of the filter: what is typed, terms to choose, how many cells that is, and what is wrong.
const TERMS = ["rating:breaks", "silent", "-known", "fault:client", "fault:server", "count:client=1", "transport:http"];
function filterBox(run, change) {
  const input = el("input", { type: "search", id: "q", spellcheck: "false", autocomplete: "off", placeholder: "rating:breaks client:typescript@* -known", "aria-describedby": "found" });
  const found = el("p", { id: "found", class: "found", role: "status", "aria-live": "polite" });
  const terms = TERMS.map((term) => el("button", { type: "button", class: "term", "aria-pressed": "false", onclick: () => toggle(term) }, term));
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
      const selected = Query.select(input.value, run.table());
      found.textContent = input.value.trim() ? `${selected.length} of ${run.cells} cells` : `${run.cells} cells`;
      found.classList.remove("wrong");
      change(selected, input.value.trim(), own);
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
  const box = el("div", { class: "filter" }, el("label", { for: "q" }, "Filter"), input, el("div", { class: "terms", role: "group", "aria-label": "Terms" }, terms), found);
  return {
    box,
    set(text) {
      input.value = text || "";
      apply(false);
    },
  };
}
