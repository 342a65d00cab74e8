/** Last step of the installation: makes the package importable, and visible from the folder of the adapter. */

import { rmSync, symlinkSync, writeFileSync } from "node:fs";

const packages = new URL("./node_modules/", import.meta.url);
const dist = new URL("./@modelcontextprotocol/sdk/dist/", packages);

for (const [folder, type] of [
  ["esm", "module"],
  ["cjs", "commonjs"],
]) {
  const file = new URL(`${folder}/package.json`, dist);
  writeFileSync(file, `${JSON.stringify({ type })}\n`);
}
const link = new URL("../sdk-1/node_modules", import.meta.url);
rmSync(link, { force: true });
symlinkSync(packages, link, "junction");
