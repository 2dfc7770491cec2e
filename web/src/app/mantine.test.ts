import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const source = path.resolve(import.meta.dirname, "..");
const core = path.resolve(source, "../node_modules/@mantine/core");
const listed = new Set([...readFileSync(path.join(source, "app/mantine.ts"), "utf8").matchAll(/styles\/(\w+)\.css/g)].map((m) => m[1]!));

/** The components that a component of Mantine draws, with styles of their own. */
function partsOf(component: string, known = new Set<string>()): Set<string> {
  if (known.has(component)) return known;
  known.add(component);
  const folder = path.join(core, "esm/components", component);
  if (!existsSync(folder)) return known;
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((f) => f.endsWith(".mjs"))) {
    for (const [, part] of readFileSync(path.join(folder, file), "utf8").matchAll(/from "(?:\.\.\/)+(?:[a-z]+\/)?([A-Z]\w+)\//g)) partsOf(part!, known);
  }
  return known;
}

/** Named by other components, and not drawn by the app: the cards of Checkbox and Radio, and Accordion, whose arrow others take. */
const notDrawn = ["CheckboxCard", "RadioCard", "Accordion"];

test("the styles of every component that the app draws are loaded, and of no other", () => {
  const used = new Set<string>();
  for (const file of readdirSync(source, { recursive: true, encoding: "utf8" }).filter((f) => /\.tsx?$/.test(f))) {
    for (const [, names] of readFileSync(path.join(source, file), "utf8").matchAll(/import \{([^}]*)\} from "@mantine\/core"/g)) {
      for (const name of names!.split(",").map((n) => n.trim())) if (/^[A-Z]/.test(name)) partsOf(name).forEach((part) => used.add(part));
    }
  }
  const needed = [...used].filter((c) => existsSync(path.join(core, `styles/${c}.css`)));
  expect(needed.length).toBeGreaterThan(25);
  expect(needed.filter((c) => !listed.has(c)).sort()).toEqual([...notDrawn].sort());
  expect([...listed].filter((c) => /^[A-Z]/.test(c) && !used.has(c))).toEqual([]);
});
