// Behaviour of the pages.
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

// Choices of what a square shows of its cells.
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
  if (!table) return; // it would be too large
  const region = table.closest(".scroll");
  const run = await Run.open(RUN);
  const state = { q: "", show: "breaks", flip: "", all: "" };
  const clients = new Map(run.clients.map((id, n) => [id, n]));
  const servers = new Map(run.servers.map((id, n) => [id, n]));
  const heads = [...table.tHead.rows[0].cells].slice(1);
  const rows = [...table.tBodies[0].rows];
  const squares = rows.map((row) => {
    const client = clients.get(row.cells[0].dataset.id);
    return heads.map((head, n) => ({ client, server: servers.get(head.dataset.id), cell: row.cells[n + 1], row, head }));
  });
  const link = (client, server) => `pair.html${hashOf({ client: run.clients[client], server: run.servers[server] })}`;
  let selected = null;
  // Draws only squares that are shown and have changed.
  const draw = () => {
    const wide = run.servers.length;
    const tallies = new Map();
    const { client, server, rating, flags } = run.c;
    for (const n of selected) {
      const key = client[n] * wide + server[n];
      let t = tallies.get(key);
      if (!t) tallies.set(key, (t = { w: 0, d: 0, b: 0, k: 0, j: 0, s: 0 }));
      const part = "wdbk"[rating[n]];
      t[part]++;
      if (part !== "k") t.j++;
      if (flags[n] & 1) t.s++;
    }
    const words = SHOWS[state.show][1];
    for (const square of squares.flat()) {
      const { client: c, server: s, cell, row, head } = square;
      if (row.hidden || head.hidden) continue;
      const t = tallies.get(c * wide + s);
      const kind = !t ? "n" : t.b ? "b" : t.d ? "d" : t.w ? "w" : "k";
      const sign = t ? `${{ b: "✕", d: "◐", w: "✓", k: "–" }[kind]}${t.s ? "!" : ""}` : "";
      const text = t ? words(t) : "";
      const label = t ? `${number(t.b)} break (${number(t.s)} silently), ${number(t.d)} degraded, ${number(t.w)} work` : "";
      const drawn = [kind, text, label].join();
      if (square.drawn === drawn) continue;
      square.drawn = drawn;
      cell.className = kind;
      if (!t) {
        cell.replaceChildren();
        continue;
      }
      let a = cell.firstElementChild;
      if (!a) cell.append((a = el("a", { tabindex: "-1", href: link(c, s) })));
      a.replaceChildren(sign, el("span.c", text));
      a.setAttribute("aria-label", label);
    }
  };
  const arrange = () => {
    for (const row of rows) row.hidden = !state.all && "old" in row.cells[0].dataset;
    heads.forEach((head, n) => {
      const away = !state.all && "old" in head.dataset;
      if (head.hidden === away) return;
      head.hidden = away;
      for (const row of rows) row.cells[n + 1].hidden = away;
    });
    draw();
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
    const other = el("table", { class: "m full", id: "turned" }, el("caption.vh", "Servers down, clients across"),
      el("thead", el("tr", el("th", { scope: "col" }, el("span.vh", "Server")), shown.map(([row]) => copy(row.cells[0], "col")))),
      el("tbody", heads.map((head, n) => (head.hidden ? null : el("tr", copy(head, "row"), shown.map(([row]) => copy(row.cells[n + 1])))))));
    region.append(other);
    roving(other);
  };
  // A square leads to the cells of the filter.
  for (const name of ["mouseover", "focusin", "pointerdown"]) {
    region.addEventListener(name, (event) => {
      const a = event.target.closest("td a");
      if (a) a.href = a.href.replace(/(&q=.*)?$/, state.q ? `&q=${plainly(state.q)}` : "");
    });
  }
  const keep = () => history.replaceState(null, "", hashOf({ q: state.q, show: state.show === "breaks" ? "" : state.show, flip: state.flip, all: state.all }) || "#");
  const filter = filterBox(run, (cells, text, own) => {
    selected = cells;
    state.q = text;
    arrange();
    list.href = `pair.html${hashOf({ q: text || "rating:breaks" })}`;
    list.textContent = text ? `List ${cells.length === 1 ? "this check" : `these ${counted(cells.length, "check")}`}` : "List all breaks";
    if (own) keep();
    return cells.length;
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
    arrange();
    keep();
  });
  const list = el("a", { href: "pair.html" });
  const old = $$("[data-old]", table).length;
  const buttons = [toggle("flip", "Swap rows and columns"), old ? toggle("all", `All releases (${old} older)`) : null].filter(Boolean);
  const copy = el("button", { type: "button" }, "Copy link");
  copying(copy, () => location.href);
  tools.append(filter.box, el("div.bar", el("label", { for: "show" }, "Show "), choice, buttons, copy, list));
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

// Lists the cells of the address that are in the filter, and says how many they are.
function listed(run, selected, text, place, ...head) {
  const asked = { ...parameters(), q: text };
  const cells = pairCells(run, asked, selected);
  place.replaceChildren(...head, ...pairView(run, asked, cells));
  return cells.length;
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
      if (n === undefined) throw new Error(`This run has no check ${asked.cell}.`);
      if (box) box.box.hidden = true;
      app.replaceChildren(...(await cellView(run, n, asked)).flat(9).filter(Boolean));
    } else if (asked.client || asked.server || asked.scenario || "q" in asked) {
      if (!box) {
        box = filterBox(run, (cells, text, own) => {
          if (own) history.replaceState(null, "", hashOf({ ...parameters(), q: text }) || "#q=");
          return listed(run, cells, text, $("#app"));
        });
        app.before(box.box);
      }
      box.box.hidden = false;
      box.set(asked.q);
      return;
    } else {
      app.replaceChildren(el("h1", "Pair"), el("p", "Choose a square of the ", el("a", { href: "matrix.html" }, "matrix"), "."));
    }
    scrollTo(0, 0);
  } catch (error) {
    app.replaceChildren(el("h1", "Not found"), el("p.warn", seen(error.message)));
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
    place.replaceChildren(el("div.bar", el("label", { for: "a" }, "Compare"), a, el("label", { for: "b" }, "with"), b, el("button", { type: "button", onclick: go }, "Show")));
    const app = $("#app");
    if (!asked.a || !asked.b) return app.replaceChildren();
    try {
      for (const id of [asked.a, asked.b]) if (!runs.includes(id)) throw new Error(`The site has no run ${id} to compare.`);
      const [before, after] = [await Run.open(asked.a), await Run.open(asked.b)];
      const { groups, same } = compared(before, after);
      const words = { worse: "worse", better: "better", changed: "changed", new: "only in the later run", gone: "only in the earlier run" };
      const list = Object.entries(groups).filter(([, cells]) => cells.length);
      app.replaceChildren(
        el("p.lead", list.length ? `${list.map(([name, cells]) => `${number(cells.length)} ${words[name]}`).join(", ")}; ${number(same)} the same.` : `Nothing changed in ${counted(same, "check")}.`),
        ...(before.corpus !== after.corpus ? [el("p.warn", "The two runs have different scenarios. A check whose scenario changed is compared all the same.")] : []),
        ...list.map(([name, cells]) => el("details", { open: name === "worse" || name === "better" }, el("summary", `${number(cells.length)} ${words[name]}`),
          el("ul.moves", cells.slice(0, 300).map(([one, other]) => el("li", el("a", { href: `pair.html${hashOf({ cell: (other || one).id, run: other ? asked.b : asked.a })}` }, (other || one).id), ` ${one ? one.outcome : "–"} → ${other ? other.outcome : "–"}`)), cells.length > 300 ? el("li", `and ${number(cells.length - 300)} more`) : null))));
    } catch (error) {
      app.replaceChildren(el("p.warn", seen(error.message)));
    }
  };
  addEventListener("hashchange", read);
  await read();
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
for (const box of $$(".cmd")) {
  const button = $("button", box);
  if (button && button.hidden) copying(button, () => $("code, pre", box).textContent);
}
for (const table of $$("table.m")) roving(table);
if (PAGE === "matrix") matrix().catch((error) => $("#tools").append(el("p.warn", seen(error.message))));
if (PAGE === "pair") {
  addEventListener("hashchange", show);
  show();
}
