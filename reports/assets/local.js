// The viewer of records that somebody chooses. Only its own page loads this, after the script that all pages have.
// Content of a compressed file, as far as a run can be large.
async function decompressed(file) {
  const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const parts = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read().catch(() => {
      throw new Error("The file is cut off or damaged: copy it again.");
    });
    if (done) return new Blob(parts).text();
    size += value.length;
    if (size > 128e6) throw new Error("Its content is larger than 128 MB.");
    parts.push(value);
  }
}

// The record in a file: a run.json, or a run of a history, which has a line for each verdict and for each cell.
async function recordOf(file) {
  if (file.size > 500e6) throw new Error("The file is larger than 500 MB.");
  if (!file.name.endsWith(".gz")) return JSON.parse(await file.text());
  const [first, second, ...lines] = (await decompressed(file)).trimEnd().split("\n");
  const head = JSON.parse(first);
  if (head.format !== "mcp-compat-run") throw new Error("This is not a run of a history of mcp-compat.");
  if (head.version > 2) throw new Error(`This run is of format ${head.version}; this page reads format 2.`);
  if (head.version === 1) return recordOfFormat1(JSON.parse(second));
  const { record, names } = JSON.parse(second);
  const verdicts = [];
  const cells = [];
  for (const line of lines) {
    const read = JSON.parse(line);
    if (!Array.isArray(read)) verdicts.push(read);
    else cells.push(named({ ...verdicts[read[4]], scenario: names.scenarios[read[0]], client: names.clients[read[1]], server: names.servers[read[2]], transport: read[3] }));
  }
  return { ...record, cells };
}

// A cell whose reason has names in place of placeholders.
function named(cell) {
  const names = { "{scenario}": cell.scenario, "{client}": cell.client, "{server}": cell.server, "{{": "{" };
  return { ...cell, reason: cell.reason.replace(/\{(scenario\}|client\}|server\}|\{)/g, (name) => names[name]) };
}

// The first format had a column for each property of its cells.
function recordOfFormat1({ record, cells: columns }) {
  const cells = columns.duration_us.map((_, n) => {
    const cell = {};
    for (const [name, { values, cells: places }] of Object.entries(columns)) if (places) cell[name] = values[places[n]];
    return { ...named(cell), findings: cell.findings.map((place) => columns.distinct_findings[place]) };
  });
  return { ...record, cells };
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
  const optional = (name, column, of, first = []) => {
    dictionary(name, column, (cell) => of(cell) ?? null, [null, ...first]);
    head[name] = head[name].slice(1);
  };
  dictionary("scenarios", "scenario", (cell) => String(cell.scenario));
  dictionary("clients", "client", (cell) => String(cell.client));
  dictionary("servers", "server", (cell) => String(cell.server));
  // A filter may name a listed word that no cell has, so these dictionaries are whole.
  dictionary("transports", "transport", (cell) => String(cell.transport), ["memory", "stdio", "http"]);
  dictionary("outcomes", "outcome", (cell) => String(cell.outcome), ["intact", "wrapped", "text", "prose", "rejected", "altered", "lost", "told", "masked", "swallowed", "caught", "uncaught", "unreachable", "hung", "crashed", "incomplete", "unsupported"]);
  dictionary("ratings", "rating", (cell) => (cell.rating in GLYPH ? cell.rating : "skipped"), ["works", "degraded", "breaks", "skipped"]);
  dictionary("rules", "rules", (cell) => [...new Set((cell.findings || []).map((finding) => finding.rule))].sort().join(" "));
  dictionary("knowns", "known", (cell) => (cell.known ? JSON.stringify([cell.known.reason, cell.known.issue]) : ""));
  optional("revisions", "negotiated", (cell) => cell.negotiated, ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]);
  optional("faults", "fault", (cell) => cell.fault, ["client", "server", "both", "spec", "harness"]);
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
  const input = el("input", { type: "file", id: "file", accept: ".json,.gz" });
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
    const parts = n === undefined ? [el("p.warn", seen(`This run has no check ${asked.cell}.`))] : await cellView(run, n, asked);
    app.replaceChildren(...parts.flat(9).filter(Boolean));
  };
  const take = async (file) => {
    try {
      run = columnsOf(await recordOf(file));
      if (filter) filter.box.remove();
      filter = filterBox(run, (cells, text, own) => {
        if (own) history.replaceState(null, "", hashOf({ ...parameters(), q: text }) || "#q=");
        return listed(run, cells, text, app, el("p.facts", seen(`${file.name}: ${run.started}, mcp-compat ${run.tool}, scenarios ${run.corpus.slice(0, 12)}${run.complete ? "" : ", incomplete"}`)));
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
  const zone = el("div.zone", el("label", { for: "file" }, "Record "), input, el("p.facts", "Or drop the file here."));
  for (const name of ["dragover", "drop"]) {
    zone.addEventListener(name, (event) => {
      event.preventDefault();
      if (name === "drop" && event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
    });
  }
  drop.append(zone);
  addEventListener("hashchange", draw);
}

local();
