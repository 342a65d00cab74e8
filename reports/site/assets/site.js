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

async function show() {
  const app = $("#app");
  const asked = parameters();
  try {
    const run = await Run.open(asked.run || RUN);
    if (asked.cell) {
      const n = run.find(asked.cell);
      if (n === undefined) throw new Error(`This run has no cell ${asked.cell}.`);
      app.replaceChildren(...(await cellView(run, n, asked)).flat(9).filter(Boolean));
    } else if (asked.client || asked.server || asked.scenario) {
      app.replaceChildren(...pairView(run, asked));
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
if (PAGE === "pair") {
  addEventListener("hashchange", show);
  show();
}
