// What the pages do beyond being read.
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

const stored = {
  get(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch {
      // Some browsers keep nothing for files.
    }
  },
};

function theme() {
  const apply = (name) => (name ? (document.documentElement.dataset.theme = name) : delete document.documentElement.dataset.theme);
  apply(stored.get("mcp-compat-theme"));
  const dark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const button = el("button", { type: "button", class: "theme", "aria-label": "Dark colours", "aria-pressed": String(dark()) }, "◑");
  button.addEventListener("click", () => {
    const name = dark() ? "light" : "dark";
    apply(name);
    stored.set("mcp-compat-theme", name);
    button.setAttribute("aria-pressed", String(name === "dark"));
  });
  $("header.top").append(button);
}

function ago() {
  for (const place of $$(".ago")) {
    const minutes = Math.floor((Date.now() - Date.parse(place.dataset.since)) / 60000);
    if (!(minutes >= 0)) continue;
    const [number, unit] = minutes < 120 ? [minutes, "minute"] : minutes < 2880 ? [Math.floor(minutes / 60), "hour"] : [Math.floor(minutes / 1440), "day"];
    place.textContent = ` (${number} ${unit}${number === 1 ? "" : "s"} ago)`;
    if (minutes > 14 * 1440) place.classList.add("stale");
  }
}

// One tab stop in a table; arrows go from square to square, and row and column light up.
function roving(table) {
  const rows = () => [...table.tBodies].flatMap((part) => [...part.rows]).filter((row) => !row.hidden);
  const squares = (row) => [...row.cells].slice(1).filter((cell) => cell.offsetParent !== null);
  const links = () => rows().flatMap((row) => squares(row)).map((cell) => $("a", cell)).filter(Boolean);
  for (const link of $$("td a", table)) link.tabIndex = -1;
  const first = links()[0];
  if (first) first.tabIndex = 0;
  const light = (cell) => {
    for (const lit of $$(".lit", table)) lit.classList.remove("lit");
    if (!cell) return;
    $("th", cell.parentNode)?.classList.add("lit");
    table.tHead.rows[0].cells[cell.cellIndex]?.classList.add("lit");
  };
  table.addEventListener("keydown", (event) => {
    const cell = event.target.closest("td");
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -1e4], End: [0, 1e4] }[event.key];
    if (!cell || !step) return;
    const all = rows();
    const row = Math.max(0, Math.min(all.length - 1, all.indexOf(cell.parentNode) + step[0]));
    const line = squares(all[row]);
    const column = step[0] ? line.findIndex((other) => other.cellIndex === cell.cellIndex) : Math.max(0, Math.min(line.length - 1, squares(all[row]).indexOf(cell) + step[1]));
    const next = line[column];
    const link = next && $("a", next);
    if (!link) return;
    event.preventDefault();
    for (const other of $$('td a[tabindex="0"]', table)) other.tabIndex = -1;
    link.tabIndex = 0;
    link.focus();
  });
  table.addEventListener("focusin", (event) => light(event.target.closest("td")));
  table.addEventListener("mouseover", (event) => light(event.target.closest("td")));
  table.addEventListener("mouseleave", () => light(null));
}

// What a square shows of its cells.
const SHOWS = {
  breaks: ["breaks or degraded", (t) => (t.b ? t.b : t.d || "")],
  share: ["share that works", (t) => (t.j ? `${Math.floor((100 * t.w) / t.j)}%` : "")],
  silent: ["silent breaks", (t) => t.s || ""],
  cells: ["cells", (t) => t.j + t.k]
};

// The matrix: filtered, turned, and with all releases.
async function matrix() {
  const tools = $("#tools");
  const table = $("#matrix");
  const region = table.closest(".scroll");
  const run = await Run.open(RUN);
  const state = { q: "", show: "breaks", flip: "", all: "" };
  const clients = new Map(run.clients.map((id, n) => [id, n]));
  const servers = new Map(run.servers.map((id, n) => [id, n]));
  const heads = [...table.tHead.rows[0].cells].slice(1);
  const rows = [...table.tBodies[0].rows];
  const squares = rows.map((row) => {
    const client = clients.get(row.cells[0].dataset.id);
    return heads.map((head, n) => ({ client, server: servers.get(head.dataset.id), cell: row.cells[n + 1] }));
  });
  const link = (client, server) => `pair.html${hashOf({ client: run.clients[client], server: run.servers[server], q: state.q })}`;
  let selected = null;
  const draw = () => {
    const wide = run.servers.length;
    const tallies = new Map();
    const { client, server, rating, flags } = run.c;
    for (const n of selected) {
      const key = client[n] * wide + server[n];
      let t = tallies.get(key);
      if (!t) tallies.set(key, (t = { w: 0, d: 0, b: 0, k: 0, s: 0, j: 0 }));
      const part = "wdbk"[rating[n]];
      t[part]++;
      if (part !== "k") t.j++;
      if (flags[n] & 1) t.s++;
    }
    const words = SHOWS[state.show][1];
    for (const { client: c, server: s, cell } of squares.flat()) {
      const t = tallies.get(c * wide + s);
      const kind = !t ? "n" : t.b ? "b" : t.d ? "d" : t.w ? "w" : "k";
      cell.className = kind;
      if (!t) {
        cell.replaceChildren();
        continue;
      }
      const text = `${{ b: "✕", d: "◐", w: "✓", k: "–" }[kind]}${t.s ? "!" : ""}${words(t)}`;
      let a = cell.firstElementChild;
      if (!a) cell.append((a = el("a", { tabindex: "-1" })));
      if (a.textContent !== text) a.textContent = text;
      a.href = link(c, s);
      a.setAttribute("aria-label", `${t.b} break (${t.s} silently), ${t.d} degraded, ${t.w} work`);
    }
  };
  const arrange = () => {
    for (const row of rows) row.hidden = !state.all && "old" in row.cells[0].dataset;
    heads.forEach((head, n) => {
      const away = !state.all && "old" in head.dataset;
      head.hidden = away;
      for (const row of rows) row.cells[n + 1].hidden = away;
    });
    const turned = $("#turned");
    if (turned) turned.remove();
    table.hidden = Boolean(state.flip);
    if (!state.flip) return;
    const shown = rows.map((row, n) => [row, n]).filter(([row]) => !row.hidden);
    const copy = (cell, scope) => {
      const twin = cell.cloneNode(true);
      if (scope) twin.scope = scope;
      return twin;
    };
    const other = el("table", { class: "m full", id: "turned" }, el("caption", { class: "vh" }, "Servers down, clients across"),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, el("span", { class: "vh" }, "Server")), shown.map(([row]) => copy(row.cells[0], "col")))),
      el("tbody", {}, heads.map((head, n) => (head.hidden ? null : el("tr", {}, copy(head, "row"), shown.map(([row]) => copy(row.cells[n + 1])))))));
    region.append(other);
    roving(other);
  };
  const keep = () => history.replaceState(null, "", hashOf({ q: state.q, show: state.show === "breaks" ? "" : state.show, flip: state.flip, all: state.all }) || "#");
  const filter = filterBox(run, (cells, text, own) => {
    selected = cells;
    state.q = text;
    draw();
    arrange();
    list.href = `pair.html${hashOf({ q: text || "rating:breaks" })}`;
    list.textContent = text ? `List these ${cells.length} cells` : "List all breaks";
    if (own) keep();
  });
  const toggle = (name, words) => {
    const button = el("button", { type: "button", "aria-pressed": "false" }, words);
    button.addEventListener("click", () => {
      state[name] = state[name] ? "" : "1";
      button.setAttribute("aria-pressed", String(Boolean(state[name])));
      arrange();
      keep();
    });
    return button;
  };
  const choice = el("select", { id: "show" }, Object.entries(SHOWS).map(([name, [words]]) => el("option", { value: name }, words)));
  choice.addEventListener("change", () => {
    state.show = choice.value;
    draw();
    arrange();
    keep();
  });
  const list = el("a", { href: "pair.html" });
  const old = $$("[data-old]", table).length;
  const buttons = [toggle("flip", "Turn"), old ? toggle("all", `All releases (${old} older)`) : null].filter(Boolean);
  const copy = el("button", { type: "button" }, "Copy link");
  copying(copy, () => location.href);
  tools.append(filter.box, el("div", { class: "bar" }, el("label", { for: "show" }, "Show "), choice, buttons, copy, list));
  const read = () => {
    const asked = parameters();
    const unknown = Object.keys(asked).filter((key) => !(key in state));
    Object.assign(state, { q: "", show: "breaks", flip: "", all: "" }, asked);
    if (!(state.show in SHOWS)) state.show = "breaks";
    choice.value = state.show;
    buttons.forEach((button, n) => button.setAttribute("aria-pressed", String(Boolean(state[n ? "all" : "flip"]))));
    filter.set(state.q);
    if (unknown.length) $("#found").textContent += ` The address has ${unknown.join(", ")}, which this page does not know.`;
  };
  addEventListener("hashchange", read);
  read();
}

let box = null;
async function show() {
  const app = $("#app");
  const asked = parameters();
  try {
    const run = await Run.open(asked.run || RUN);
    const known = ["run", "cell", "client", "server", "scenario", "q"];
    const unknown = Object.keys(asked).filter((key) => !known.includes(key));
    if (unknown.length) throw new Error(`The address has ${unknown.join(", ")}, which this page does not know. It knows ${known.join(", ")}.`);
    if (asked.cell) {
      const n = run.find(asked.cell);
      if (n === undefined) throw new Error(`This run has no cell ${asked.cell}.`);
      if (box) box.box.hidden = true;
      app.replaceChildren(...(await cellView(run, n, asked)).flat(9).filter(Boolean));
    } else if (asked.client || asked.server || asked.scenario || "q" in asked) {
      if (!box) {
        box = filterBox(run, (cells, text, own) => {
          if (own) history.replaceState(null, "", hashOf({ ...parameters(), q: text }) || "#q=");
          $("#app").replaceChildren(...pairView(run, { ...parameters(), q: text }));
        });
        app.before(box.box);
      }
      box.box.hidden = false;
      box.set(asked.q);
      return;
    } else {
      app.replaceChildren(el("h1", {}, "Pair"), el("p", {}, "Choose a square of the ", el("a", { href: "matrix.html" }, "matrix"), "."));
    }
    scrollTo(0, 0);
  } catch (error) {
    app.replaceChildren(el("h1", {}, "Not found"), el("p", { class: "warn" }, seen(error.message)));
  }
}

// Two runs, cell by cell.
const RANK = { works: 0, degraded: 1, breaks: 2 };
function compared(before, after) {
  const groups = { worse: [], better: [], changed: [], new: [], gone: [] };
  const old = new Map();
  for (let n = 0; n < before.cells; n++) old.set(before.idOf(n), n);
  let same = 0;
  for (let n = 0; n < after.cells; n++) {
    const id = after.idOf(n);
    const was = old.get(id);
    if (was === undefined) {
      groups.new.push([null, after.cell(n)]);
      continue;
    }
    old.delete(id);
    const [one, other] = [before.cell(was), after.cell(n)];
    const [x, y] = [RANK[one.rating], RANK[other.rating]];
    if (x !== undefined && y !== undefined && x !== y) groups[y > x ? "worse" : "better"].push([one, other]);
    else if (one.outcome !== other.outcome || one.rating !== other.rating) groups.changed.push([one, other]);
    else same++;
  }
  for (const was of old.values()) groups.gone.push([before.cell(was), null]);
  return { groups, same };
}

async function comparison() {
  const place = $("#compare");
  const runs = place.dataset.runs.split(" ").filter(Boolean);
  if (runs.length < 2) return;
  const choice = (name, chosen) => el("select", { id: name }, runs.map((id) => el("option", { value: id, selected: id === chosen }, id)));
  const read = async () => {
    const asked = parameters();
    const a = choice("a", asked.a || runs[1]);
    const b = choice("b", asked.b || runs[0]);
    const go = () => (location.hash = hashOf({ a: a.value, b: b.value }));
    a.addEventListener("change", go);
    b.addEventListener("change", go);
    place.replaceChildren(el("div", { class: "bar" }, el("label", { for: "a" }, "Compare"), a, el("label", { for: "b" }, "with"), b, el("button", { type: "button", onclick: go }, "Show")));
    const app = $("#app");
    if (!asked.a || !asked.b) return app.replaceChildren();
    try {
      for (const id of [asked.a, asked.b]) if (!runs.includes(id)) throw new Error(`The site has no run ${id} to compare.`);
      const [before, after] = [await Run.open(asked.a), await Run.open(asked.b)];
      const { groups, same } = compared(before, after);
      const words = { worse: "worse", better: "better", changed: "changed", new: "only in the later run", gone: "only in the earlier run" };
      const list = Object.entries(groups).filter(([, cells]) => cells.length);
      app.replaceChildren(
        el("p", { class: "lead" }, list.length ? `${list.map(([name, cells]) => `${cells.length} ${words[name]}`).join(", ")}; ${same} the same.` : `Nothing changed in ${same} cells.`),
        ...(before.corpus !== after.corpus ? [el("p", { class: "warn" }, "The two runs have different scenarios. A cell whose scenario changed is compared all the same.")] : []),
        ...list.map(([name, cells]) => el("details", { open: name === "worse" || name === "better" }, el("summary", {}, `${cells.length} ${words[name]}`),
          el("ul", { class: "moves" }, cells.slice(0, 300).map(([one, other]) => el("li", {}, el("a", { href: `pair.html${hashOf({ cell: (other || one).id, run: other ? asked.b : asked.a })}` }, (other || one).id), ` ${one ? one.outcome : "–"} → ${other ? other.outcome : "–"}`)), cells.length > 300 ? el("li", {}, `and ${cells.length - 300} more`) : null))));
    } catch (error) {
      app.replaceChildren(el("p", { class: "warn" }, seen(error.message)));
    }
  };
  addEventListener("hashchange", read);
  await read();
}

// A record that somebody chose: read here, and sent nowhere.
function columnsOf(record) {
  if (!record || !Array.isArray(record.cells)) throw new Error("This is not a run.json of mcp-compat.");
  if (record.schema_version > 1) throw new Error(`This record is of format ${record.schema_version}; this page reads format 1.`);
  const head = { cells: record.cells.length, started: String(record.started), tool: String(record.tool_version), corpus: String(record.corpus), complete: record.complete === true };
  const c = {};
  const dictionary = (name, column, of, first = []) => {
    const places = new Map(first.map((word, n) => [word, n]));
    head[name] = first;
    c[column] = Uint32Array.from(record.cells, (cell) => {
      const word = of(cell);
      if (!places.has(word)) {
        places.set(word, head[name].length);
        head[name].push(word);
      }
      return places.get(word);
    });
  };
  const optional = (name, column, of) => {
    dictionary(name, column, (cell) => of(cell) ?? null, [null]);
    head[name] = head[name].slice(1);
  };
  dictionary("scenarios", "scenario", (cell) => String(cell.scenario));
  dictionary("clients", "client", (cell) => String(cell.client));
  dictionary("servers", "server", (cell) => String(cell.server));
  dictionary("transports", "transport", (cell) => String(cell.transport));
  dictionary("outcomes", "outcome", (cell) => String(cell.outcome));
  dictionary("ratings", "rating", (cell) => (cell.rating in GLYPH ? cell.rating : "skipped"), ["works", "degraded", "breaks", "skipped"]);
  dictionary("rules", "rules", (cell) => [...new Set((cell.findings || []).map((finding) => finding.rule))].sort().join(" "));
  dictionary("knowns", "known", (cell) => (cell.known ? JSON.stringify([cell.known.reason, cell.known.issue]) : ""));
  optional("revisions", "negotiated", (cell) => cell.negotiated);
  optional("faults", "fault", (cell) => cell.fault);
  optional("radii", "radius", (cell) => cell.blast_radius);
  optional("causes", "cause", (cell) => cell.signature);
  optional("expecteds", "expected", (cell) => cell.expected);
  head.causes = head.causes.map((name) => [null, name, true]);
  c.expected = c.expected.map((place) => (place ? head.outcomes.indexOf(head.expecteds[place - 1]) + 1 : 0));
  head.meanings = head.outcomes.map(() => "");
  const titles = new Map((record.scenarios || []).map((scenario) => [scenario.id, String(scenario.title)]));
  head.titles = head.scenarios.map((id) => titles.get(id) || "");
  c.flags = Uint8Array.from(record.cells, (cell) => (cell.silent ? 1 : 0) | (cell.vacuous ? 2 : 0) | (cell.known ? 4 : 0) | (cell.known?.flaky ? 8 : 0));
  const run = new Run(head, c);
  run.told = async (n) => {
    const cell = record.cells[n];
    return { reason: cell.reason, findings: cell.findings || [], more: { known: cell.known && [cell.known.reason, cell.known.issue] }, happened: null };
  };
  return run;
}

function local() {
  const input = el("input", { type: "file", id: "file", accept: ".json,application/json" });
  const drop = $("#drop");
  const app = $("#app");
  let run = null;
  let filter = null;
  const draw = async () => {
    if (!run) return;
    const asked = parameters();
    filter.box.hidden = Boolean(asked.cell);
    if (!asked.cell) return filter.set(asked.q ?? "rating:breaks");
    const n = run.find(asked.cell);
    const parts = n === undefined ? [el("p", { class: "warn" }, seen(`This run has no cell ${asked.cell}.`))] : await cellView(run, n, asked);
    app.replaceChildren(...parts.flat(9).filter(Boolean));
  };
  const take = async (file) => {
    try {
      if (file.size > 500e6) throw new Error("The file is larger than 500 MB.");
      run = columnsOf(JSON.parse(await file.text()));
      if (filter) filter.box.remove();
      filter = filterBox(run, (cells, text, own) => {
        if (own) history.replaceState(null, "", hashOf({ ...parameters(), q: text }) || "#q=");
        app.replaceChildren(el("p", { class: "facts" }, seen(`${file.name}: ${run.started}, mcp-compat ${run.tool}, corpus ${run.corpus.slice(0, 12)}${run.complete ? "" : ", incomplete"}`)), ...pairView(run, { ...parameters(), q: text }));
      });
      drop.after(filter.box);
      await draw();
    } catch (error) {
      app.replaceChildren(el("p", { class: "warn", role: "alert" }, seen(`${file.name} cannot be shown: ${error.message}`)));
    }
  };
  input.addEventListener("change", () => {
    const [file] = input.files;
    // The same file may be chosen again after it has changed.
    input.value = "";
    if (file) take(file);
  });
  const zone = el("div", { class: "zone" }, el("label", { for: "file" }, "Record "), input, el("p", { class: "facts" }, "Or drop the file here."));
  for (const name of ["dragover", "drop"]) {
    zone.addEventListener(name, (event) => {
      event.preventDefault();
      if (name === "drop" && event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
    });
  }
  drop.append(zone);
  addEventListener("hashchange", draw);
}

theme();
ago();
// The report in one file: a place of it, or a pair or a cell.
function report() {
  const read = () => {
    const asked = location.hash.includes("=");
    $("#app").hidden = !asked;
    $("#whole").hidden = asked;
    if (box) box.box.hidden = true;
    if (asked) show();
    else document.getElementById(location.hash.slice(1))?.scrollIntoView();
  };
  addEventListener("hashchange", read);
  read();
}
if (PAGE === "report") report();
if (PAGE === "history") comparison();
if (PAGE === "local") local();
for (const box of $$(".cmd")) {
  const button = $("button", box);
  if (button && button.hidden) copying(button, () => $("code", box).textContent);
}
for (const table of $$("table.m")) roving(table);
if (PAGE === "matrix") matrix().catch((error) => $("#tools").append(el("p", { class: "warn" }, seen(error.message))));
if (PAGE === "pair") {
  addEventListener("hashchange", show);
  show();
}
