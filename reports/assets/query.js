"use strict";
// The filter over cells: the grammar of `mcp-compat show --where`. Its tests are harness/model/src/query/cases.json.
// A table has a number of cells, and for each key a column: the values that a place in its dictionary has, and a cell's place.
const Query = (() => {
  const KEYS = ["client", "server", "scenario", "rating", "outcome", "fault", "rule", "negotiated", "transport", "cause", "known", "is", "changed"];
  const LISTED = ["rating", "outcome", "fault", "negotiated", "transport", "is", "changed"];
  const MARKS = ["silent", "vacuous", "known", "flaky"];

  function fail(kind, term, words) {
    throw Object.assign(new Error(words), { kind, term });
  }

  // Returns whether a glob matches a whole text: * stands for any text, ? for one character.
  function matches(glob, text) {
    let at = 0;
    let from = 0;
    let star = -1;
    let retry = 0;
    while (from < text.length || at < glob.length) {
      if (glob[at] === "*") {
        star = ++at;
        retry = from;
      } else if (at < glob.length && from < text.length && (glob[at] === "?" || glob[at] === text[from])) {
        at++;
        from++;
      } else if (star >= 0 && retry < text.length) {
        from = ++retry;
        at = star;
      } else return false;
    }
    return true;
  }

  // The hint for a term that earlier releases had.
  function ofEarlierRelease(term, minus) {
    if (term.includes('"')) return "quotation marks are gone: write ? for a blank";
    if (MARKS.includes(term)) return `write ${minus}is:${term}`;
    if (term.startsWith("count:")) return "a filter no longer counts; the page of a cause lists its clients and servers";
    if (term.startsWith("since:")) return "changed: compares with the run before";
    return null;
  }

  function read(text) {
    const minus = text[0] === "-" ? "-" : "";
    const pair = text.slice(minus.length);
    const hint = ofEarlierRelease(pair, minus);
    if (hint) fail("old-form", text, `${text} is no longer a term of the filter: ${hint}.`);
    const colon = pair.indexOf(":");
    const key = pair.slice(0, colon);
    const keys = `The keys are ${KEYS.join(", ")}.`;
    if (colon >= 0 && !KEYS.includes(key)) fail("unknown-key", text, `${text} has an unknown key. ${keys}`);
    const globs = pair.slice(colon + 1).split("|");
    if (colon < 0 || globs.includes("")) fail("not-key-glob", text, `${text} is not KEY:GLOB, such as rating:breaks. ${keys}`);
    return { text, negated: minus !== "", key, globs };
  }

  // The places of a dictionary for which a term holds.
  function places({ text, negated, key, globs }, table) {
    const column = table.column(key);
    if (!column) fail("no-comparison", text, `${text} needs an earlier run to compare with.`);
    const isPeer = key === "client" || key === "server";
    const dictionary = column.words.map((values) => (isPeer ? [...values, ...values.map((name) => name.split("+")[0])] : values).map((value) => [...value]));
    const missed = globs.find((glob) => !dictionary.flat().some((value) => matches([...glob], value)));
    if (missed && LISTED.includes(key)) fail("no-match", text, `No value of ${key}: matches ${missed}. The values are ${column.words.flat().join(", ")}.`);
    if (missed && table.count) fail("no-match", text, `No check has a ${key} that matches ${missed}.`);
    const holds = dictionary.map((values) => globs.some((glob) => values.some((value) => matches([...glob], value))) !== negated);
    return (n) => holds[column.at(n)];
  }

  // The cells for which all terms hold.
  function select(text, table) {
    const terms = text.split(/[ \t\r\n]+/).filter(Boolean).map(read);
    const unable = terms.find(({ key }) => key === "changed" && !table.column(key));
    const tests = (unable ? [unable] : terms).map((term) => places(term, table));
    const selected = [];
    for (let n = 0; n < table.count; n++) if (tests.every((holds) => holds(n))) selected.push(n);
    return selected;
  }

  return { select };
})();
if (typeof module !== "undefined") module.exports = { Query };
