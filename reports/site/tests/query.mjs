// The filter of the pages selects what harness/model/src/query/cases.json says.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { writeFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "query-"));
writeFileSync(join(folder, "query.cjs"), readFileSync(new URL("../assets/query.js", import.meta.url)));
const { Query } = createRequire(import.meta.url)(join(folder, "query.cjs"));
const { cells, cases } = JSON.parse(readFileSync(new URL("../../../harness/model/src/query/cases.json", import.meta.url)));
const names = Object.keys(cells);
const list = names.map((name) => {
  const [scenario, client, server, transport] = cells[name].id.split("::");
  return { rating: "works", outcome: "intact", fault: null, negotiated: null, rules: [], cause: null, known: null, ...cells[name], scenario, client, server, transport };
});
const values = {
  rule: (cell) => (cell.rules.length ? cell.rules : ["none"]),
  known: (cell) => (cell.known ? [cell.known.reason, cell.known.issue].filter(Boolean) : ["none"]),
};
const table = (comparison) => ({
  count: list.length,
  column: (key) => (key === "changed" && !comparison ? null : { words: list.map(values[key] || ((cell) => [cell[key] ?? "none"])), at: (n) => n }),
  flag: (flag, n) => {
    const cell = list[n];
    if (flag === "known") return cell.known !== null;
    if (flag === "flaky") return Boolean(cell.known?.flaky) || (comparison && cell.changed === "flaky");
    return Boolean(cell[flag]);
  },
});
let failed = 0;
for (const { query, matches, error, comparison = true } of cases) {
  let said;
  try {
    said = { matches: Query.select(query, table(comparison)).map((n) => names[n]) };
  } catch (thrown) {
    if (!thrown.kind) throw thrown;
    said = { error: { kind: thrown.kind, term: thrown.term, ...(error?.near ? { near: thrown.near } : {}) } };
  }
  const wanted = error ? { error } : { matches };
  if (JSON.stringify(said) !== JSON.stringify(wanted)) {
    failed++;
    console.log(`${JSON.stringify(query)}: ${JSON.stringify(said)}, and not ${JSON.stringify(wanted)}`);
  }
}
console.log(`${cases.length} filters, ${failed} wrong`);
process.exit(failed ? 1 : 0);
