// Data: scripts hand over compressed bytes, which become columns, and what was said and happened.
const ROOT = document.documentElement.dataset.root || "";
const PAGE = document.documentElement.dataset.page;
const RUN = document.documentElement.dataset.run || "";
const arrived = new Map(window.mcpCompatEarly || []);
const awaited = new Map();

window.mcpCompat = (name, text) => {
  arrived.set(name, text);
};

async function unpacked(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The bytes of a file of data, such as `2026-11-22T215613Z/columns`.
function loaded(name) {
  if (awaited.has(name)) return awaited.get(name);
  const promise = new Promise((resolve, reject) => {
    if (arrived.has(name)) return resolve();
    if (PAGE === "report") return reject(new Error(`${name} is not in this file`));
    const script = document.createElement("script");
    script.src = `${ROOT}data/${name.split("/").map(encodeURIComponent).join("/")}.js`;
    script.onload = () => (arrived.has(name) ? resolve() : reject(new Error(`${name} is not data of this site`)));
    script.onerror = () => reject(new Error(`data/${name}.js is not there`));
    document.head.append(script);
  }).then(() => {
    const text = arrived.get(name);
    arrived.delete(name);
    return unpacked(text);
  });
  awaited.set(name, promise);
  return promise;
}

// A run: dictionaries, and a number for each cell in each column.
class Run {
  constructor(head, columns) {
    Object.assign(this, head);
    this.c = columns;
    this.places = null;
  }

  static async of(id) {
    const { columns: lists, ...head } = JSON.parse(new TextDecoder().decode(await loaded(`${id}/columns`)));
    const columns = {};
    for (const [name, numbers] of Object.entries(lists)) if (numbers) columns[name] = Uint16Array.from(numbers);
    return new Run(head, columns);
  }

  idOf(n) {
    return `${this.scenarios[this.c.scenario[n]]}::${this.clients[this.c.client[n]]}::${this.servers[this.c.server[n]]}::${this.transports[this.c.transport[n]]}`;
  }

  // A cell, in words.
  cell(n) {
    const c = this.c;
    const at = (words, place) => (place ? words[place - 1] : null);
    const flags = c.flags[n];
    return {
      n,
      id: this.idOf(n),
      scenario: this.scenarios[c.scenario[n]],
      title: this.titles[c.scenario[n]],
      client: this.clients[c.client[n]],
      server: this.servers[c.server[n]],
      transport: this.transports[c.transport[n]],
      negotiated: at(this.revisions, c.negotiated[n]),
      outcome: this.outcomes[c.outcome[n]],
      meaning: this.meanings[c.outcome[n]],
      rating: this.ratings[c.rating[n]],
      radius: at(this.radii, c.radius[n]),
      expected: at(this.outcomes, c.expected[n]),
      fault: at(this.faults, c.fault[n]),
      cause: at(this.causes, c.cause[n]),
      rules: this.rules[c.rules[n]] ? this.rules[c.rules[n]].split(" ") : [],
      silent: (flags & 1) > 0,
      vacuous: (flags & 2) > 0,
      known: (flags & 4) > 0,
      flaky: (flags & 8) > 0,
    };
  }

  // Classes of the cells, compared with the run before.
  against() {
    return this.c.changed ? { words: this.classes.map((name) => [name]), at: (n) => this.c.changed[n] } : null;
  }

  // The class of a cell, compared with the run before; nothing if it is the same, or there is no such run.
  changed(n) {
    const against = this.against();
    const name = against && against.words[against.at(n)][0];
    return name === "same" ? null : name;
  }

  // The cells as the filter sees them.
  table() {
    if (this.table_) return this.table_;
    const c = this.c;
    const one = (words) => words.map((word) => [word]);
    const or = (words) => [["none"], ...one(words)];
    const columns = {
      client: [one(this.clients), c.client],
      server: [one(this.servers), c.server],
      scenario: [one(this.scenarios), c.scenario],
      transport: [one(this.transports), c.transport],
      rating: [one(this.ratings), c.rating],
      outcome: [one(this.outcomes), c.outcome],
      fault: [or(this.faults), c.fault],
      negotiated: [or(this.revisions), c.negotiated],
      rule: [this.rules.map((set) => (set ? set.split(" ") : ["none"])), c.rules],
      cause: [[["none"], ...this.causes.map(([, name, signed]) => [signed ? name : "none"])], c.cause],
      known: [this.knowns.map((known) => (known ? JSON.parse(known).filter(Boolean) : ["none"])), c.known],
      is: [[...Array(16).keys()].map((flags) => ["silent", "vacuous", "known", "flaky"].filter((_, bit) => flags & (1 << bit))), c.flags],
    };
    this.table_ = {
      count: this.cells,
      column: (key) => {
        if (key === "changed") return this.against();
        const [words, places] = columns[key];
        return { words, at: (n) => places[n] };
      },
    };
    return this.table_;
  }

  find(id) {
    if (!this.places) {
      this.places = new Map();
      for (let n = 0; n < this.cells; n++) this.places.set(this.idOf(n), n);
    }
    return this.places.get(id);
  }

  // Reason, findings and messages of a cell.
  async told(n) {
    const chunk = String(this.chunks[this.scenarios[this.c.scenario[n]]]).padStart(3, "0");
    const name = `${this.name()}/cells-${chunk}`;
    this.books = this.books || new Map();
    if (!this.books.has(name)) {
      const book = JSON.parse(new TextDecoder().decode(await loaded(name)));
      this.books.set(name, { ...book, by: new Map(book.cells.map((cell) => [cell[0], cell])) });
    }
    const book = this.books.get(name);
    const told = book.by.get(n);
    if (!told) return null;
    const [, reason, findings, happened, more] = told;
    return {
      reason,
      findings: findings.map(([rule, level, party, source, detail, tool, messages]) => ({ rule, level, party, source, detail, tool, messages })),
      more,
      happened: happened && {
        events: happened[0].map((place) => book.events[place]),
        steps: happened[1].map((place) => book.steps[place]),
        marks: happened[2],
        shortened: happened[3],
      },
    };
  }

  name() {
    return this.folder || RUN;
  }
}
Run.opened = new Map();
Run.open = (id) => {
  if (!Run.opened.has(id)) {
    Run.opened.set(id, Run.of(id).then((run) => Object.assign(run, { folder: id })));
  }
  return Run.opened.get(id);
};
