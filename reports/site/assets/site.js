// What the pages do beyond being read.
const PAGE = document.documentElement.dataset.page;
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

theme();
ago();
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
