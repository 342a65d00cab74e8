"use strict";
// The filter over cells: the grammar of `mcp-compat show --where`. Its tests are harness/model/src/query/cases.json.
// A table has a number of cells, and for each key a column: the names that a place in its dictionary has, and a cell's place.
const Query = (() => {
  const LONGEST = 4000;
  const FLAGS = ["silent", "vacuous", "known", "flaky"];
  const KEYS = ["client", "server", "scenario", "rating", "outcome", "fault", "rule", "negotiated", "transport", "cause", "known", "changed", "count", "since"];
  const CLASSES = ["worse", "better", "changed", "same", "new", "gone", "peer-added", "peer-gone", "not-comparable", "flaky", "spurious"];
  const WORDS = {
    rating: ["works", "degraded", "breaks", "skipped"],
    outcome: ["intact", "wrapped", "text", "prose", "rejected", "altered", "lost", "told", "masked", "swallowed", "caught", "uncaught", "unreachable", "hung", "crashed", "incomplete", "unsupported"],
    transport: ["memory", "stdio", "http"],
    fault: ["client", "server", "both", "spec", "harness", "none"],
    negotiated: ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "none"],
    changed: CLASSES,
  };
  const COUNTED = ["client", "server", "client-family", "server-family"];

  class QueryError extends Error {
    constructor(kind, term, words, near = []) {
      super(words);
      Object.assign(this, { kind, term, near });
    }
  }

  // How many slips part two words; two letters that changed places are one.
  function slips(a, b) {
    const rows = [[...Array(b.length + 1).keys()]];
    for (let i = 1; i <= a.length; i++) {
      rows[i] = [i];
      for (let j = 1; j <= b.length; j++) {
        const same = a[i - 1] === b[j - 1] ? 0 : 1;
        rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + same);
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
    return rows[a.length][b.length];
  }
  function near(typed, names) {
    const short = typed.slice(0, 80);
    const found = [...new Set(names)].slice(0, 5000).map((name) => [slips(short, name.slice(0, 80)), name]);
    return found.filter(([far]) => far <= Math.max(1, Math.floor(short.length / 4)) && short).sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1)).slice(0, 3).map(([, name]) => name);
  }
  const didYouMean = (names) => (names.length ? ` Did you mean ${names.join(" or ")}?` : "");

  // A pattern: characters, and the signs that stand for others.
  const ANY = Symbol("any");
  const ONE = Symbol("one");
  function matches(pattern, text) {
    const name = [...text];
    let at = 0;
    let from = 0;
    let star = -1;
    let retry = 0;
    while (from < name.length || at < pattern.length) {
      if (at < pattern.length && pattern[at] === ANY) {
        star = ++at;
        retry = from;
      } else if (at < pattern.length && from < name.length && (pattern[at] === ONE || pattern[at] === name[from])) {
        at++;
        from++;
      } else if (star >= 0 && retry < name.length) {
        from = ++retry;
        at = star;
      } else return false;
    }
    return true;
  }
  const plain = (pattern) => (pattern.every((mark) => typeof mark === "string") ? pattern.join("") : null);
  const letters = (pattern) => pattern.filter((mark) => typeof mark === "string").join("");

  function words(text) {
    if ([...text].length > LONGEST) throw new QueryError("too-long", text.slice(0, 40), `The filter is longer than ${LONGEST} characters: shorten it.`);
    const found = [];
    let typed = "";
    let marks = [];
    let quoted = false;
    const end = () => {
      if (typed) found.push(word(typed, marks));
      typed = "";
      marks = [];
    };
    for (const c of text) {
      if (!quoted && /[ \t\r\n]/.test(c)) {
        end();
        continue;
      }
      typed += c;
      if (c === '"') quoted = !quoted;
      else marks.push([c, quoted]);
    }
    if (quoted) throw new QueryError("unclosed-quote", typed, `${typed} has a quotation mark that is not closed: add one.`);
    end();
    return found;
  }

  function word(text, marks) {
    const is = (mark, c) => mark && mark[0] === c && !mark[1];
    const negated = is(marks[0], "-");
    const rest = negated ? marks.slice(1) : marks;
    if (!rest.length) throw new QueryError("empty-term", text, `${text} is empty: write KEY:VALUE or a flag.`);
    const colon = rest.findIndex((mark) => is(mark, ":"));
    const head = (colon < 0 ? rest : rest.slice(0, colon)).map(([c]) => c).join("");
    if (colon < 0) return { text, negated, head, value: null };
    const value = [[]];
    for (const mark of rest.slice(colon + 1)) {
      if (is(mark, "|")) value.push([]);
      else if (is(mark, "*")) value[value.length - 1].push(ANY);
      else if (is(mark, "?")) value[value.length - 1].push(ONE);
      else if (is(mark, "{") || is(mark, "}")) throw new QueryError("braces", text, `${text} has a brace: write KEY:ONE|OTHER for alternatives, or "…" around it.`);
      else value[value.length - 1].push(mark[0]);
    }
    if (value.some((pattern) => !pattern.length)) throw new QueryError("no-value", text, `${text} has no value: write KEY:VALUE or KEY:ONE|OTHER.`);
    return { text, negated, head, value };
  }

  function term({ text, negated, head, value }) {
    if (value === null) {
      if (FLAGS.includes(head)) return { text, negated, flag: head };
      const close = near(head, [...FLAGS, ...KEYS.map((key) => `${key}:`)]);
      throw new QueryError("unknown-flag", text, `${head} is not a flag.${didYouMean(close)} The flags are ${FLAGS.join(", ")}; every other term is KEY:VALUE.`, close);
    }
    if (!KEYS.includes(head)) {
      const close = near(head, [...KEYS, ...FLAGS]);
      throw new QueryError("unknown-key", text, `The filter has no key ${head}.${didYouMean(close)} The keys are ${KEYS.join(", ")}.`, close);
    }
    if (head === "count") {
      const counts = value.map((pattern) => {
        const read = /^([a-z-]+)(>=|<=|=)(\d{1,9})$/.exec(plain(pattern) || "");
        return read && COUNTED.includes(read[1]) ? { of: read[1], sign: read[2], number: Number(read[3]) } : null;
      });
      if (counts.includes(null)) throw new QueryError("bad-count", text, `${text} does not say what to count: write count:client=1 or count:server-family>=2.`);
      return { text, negated, key: head, counts };
    }
    if (head === "since") {
      const run = value.length === 1 && !negated ? plain(value[0]) : null;
      if (run === null) throw new QueryError("bad-since", text, `${text} does not name one earlier run: write since:RUN once, without a minus.`);
      return { text, negated, key: head, run };
    }
    const listed = WORDS[head];
    if (!listed) return { text, negated, key: head, value };
    const unknown = value.find((pattern) => !listed.some((name) => matches(pattern, name)));
    if (unknown) throw new QueryError("unknown-value", text, `The filter knows no ${head} ${letters(unknown)}. The values are ${listed.join(", ")}.`, listed);
    return { text, negated, key: head, words: new Set(listed.filter((name) => value.some((pattern) => matches(pattern, name)))) };
  }

  function parse(text) {
    const terms = words(text).map(term);
    const since = terms.filter((found) => found.key === "since");
    if (since.length > 1) throw new QueryError("bad-since", since[1].text, `${since[1].text} is a second run: write since:RUN once.`);
    return terms;
  }

  const family = (id) => id.replace(/\+[^+]*$/, "").split("@")[0];

  // Which places of a dictionary a term holds for.
  function holding({ key, value, text }, column) {
    const hit = value.map(() => false);
    const isPeer = key === "client" || key === "server";
    const holds = column.words.map((names) => {
      let any = false;
      for (const name of names) {
        value.forEach((pattern, place) => {
          const plus = name.indexOf("+");
          if (matches(pattern, name) || (isPeer && plus >= 0 && !pattern.includes("+") && matches(pattern, name.slice(0, plus)))) any = hit[place] = true;
        });
      }
      return any;
    });
    const missed = value.find((pattern, place) => !hit[place] && plain(pattern) !== "none");
    if (missed) {
      const close = near(letters(missed), column.words.flat().filter((name) => name !== "none"));
      throw new QueryError("unknown-name", text, `No ${key} of these cells matches ${plain(missed) || text.slice(text.indexOf(":") + 1)}.${didYouMean(close)}`, close);
    }
    return holds;
  }

  // Of each cause, how many clients or servers break for it. A cell without a cause stands for its scenario.
  function census(counts, table) {
    const numbered = (words) => {
      const places = new Map();
      return words.map((word) => places.get(word) ?? (places.set(word, places.size), places.size - 1));
    };
    const [rating, cause, scenario] = ["rating", "cause", "scenario"].map((key) => table.column(key));
    const breaks = rating.words.map(([word]) => word === "breaks");
    const causes = numbered(cause.words.map(([word]) => word));
    const none = cause.words.map(([word]) => word === "none");
    const broken = [];
    for (let n = 0; n < table.count; n++) if (breaks[rating.at(n)]) broken.push(n);
    const subject = Uint32Array.from(broken, (n) => (none[cause.at(n)] ? causes.length + scenario.at(n) : causes[cause.at(n)]));
    const subjects = causes.length + scenario.words.length;
    const holds = new Uint8Array(subjects);
    for (const { of, sign, number } of counts) {
      const side = table.column(of.split("-")[0]);
      const names = numbered(side.words.map(([name]) => (of.endsWith("family") ? family(name) : name)));
      const met = new Uint8Array(subjects * names.length);
      const many = new Uint32Array(subjects);
      broken.forEach((n, place) => {
        const at = subject[place] * names.length + names[side.at(n)];
        many[subject[place]] += 1 - met[at];
        met[at] = 1;
      });
      many.forEach((found, place) => (holds[place] |= sign === "=" ? found === number : sign === ">=" ? found >= number : found <= number));
    }
    const held = new Uint8Array(table.count);
    broken.forEach((n, place) => (held[n] = holds[subject[place]]));
    return (n) => held[n] === 1;
  }

  // The cells for which all terms hold.
  function select(text, table) {
    const terms = parse(text);
    const earlier = terms.find((found) => found.key === "since")?.run;
    const compares = terms.some((found) => found.key === "changed");
    const tests = terms.map((found) => {
      const { negated } = found;
      let test;
      if (found.flag) test = (n) => table.flag(found.flag, n);
      else if (found.counts) test = census(found.counts, table);
      else if (found.key === "since" || found.key === "changed") {
        const changed = table.column("changed", earlier);
        if (!changed) throw new QueryError("no-comparison", found.text, `${found.text} needs an earlier run to compare with.`);
        // Beside `changed`, `since` says only which run is compared.
        if (found.words) test = (n) => found.words.has(changed.words[changed.at(n)][0]);
        else test = compares ? () => true : (n) => changed.words[changed.at(n)][0] !== "same";
      } else {
        const column = table.column(found.key);
        const holds = found.words ? column.words.map(([name]) => found.words.has(name)) : table.count ? holding(found, column) : [];
        test = (n) => holds[column.at(n)];
      }
      return [test, negated];
    });
    const dropped = new Uint8Array(table.count);
    for (const [test, negated] of tests) {
      for (let n = 0; n < table.count; n++) if (!dropped[n] && test(n) === negated) dropped[n] = 1;
    }
    const selected = [];
    for (let n = 0; n < table.count; n++) if (!dropped[n]) selected.push(n);
    return selected;
  }

  return { select };
})();
if (typeof module !== "undefined") module.exports = { Query };
