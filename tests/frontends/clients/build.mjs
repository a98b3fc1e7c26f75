// Builds each client of this folder into a program for node: node build.mjs <folder>
import { build } from "esbuild";

const here = new URL(".", import.meta.url).pathname;
await build({
  entryPoints: ["ag-ui", "ag-ui-plain", "ai-sdk", "native"].map((name) => `${here}${name}.tsx`),
  outdir: process.argv[2],
  outExtension: { ".js": ".mjs" },
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  jsx: "automatic",
  logLevel: "warning",
});
