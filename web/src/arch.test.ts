import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/**
 * Which folder of the app may import which others. Screens do not import each other: what two of them need is in a
 * lower folder. A folder that is not listed here fails the test.
 */
const folders: Record<string, string[]> = {
  api: [],
  early: ["api"],
  text: ["api"],
  ui: ["api", "text"],
  pdf: ["api", "text", "ui"],
  screens: ["api", "text", "ui", "pdf", "screens/sign"], // a guest's screen is the signing screen
  "screens/admin": ["api", "text", "ui"],
  "screens/document": ["api", "text", "ui", "pdf"],
  "screens/embed": ["api", "text", "ui", "screens/place", "screens/sign"], // a frame shows the signing screen, or the editor
  "screens/factors": ["api", "text", "ui"],
  "screens/list": ["api", "text", "ui"],
  "screens/many": ["api", "text", "ui", "pdf", "screens/sign"], // the look of the signature, and what is drawn over pages, are those of the signing screen
  "screens/new": ["api", "text", "ui", "pdf", "screens/place", "screens/sign"], // placing is a step of a new document, and its preview is what signers see
  "screens/place": ["api", "text", "ui", "pdf"],
  "screens/sign": ["api", "text", "ui", "pdf"],
  "screens/templates": ["api", "text", "ui"],
  "screens/verify": ["api", "text", "ui", "pdf"],
  app: ["api", "text", "ui", "screens/..."],
  ".": ["app", "text"],
};

const source = import.meta.dirname;
const imports = /^(?:import|export)\b[^;]*?\bfrom "(\.[^"]+)"|^import "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm;

/** The module that an import names; empty for pictures, styles and JSON. */
const found = (name: string): string[] => [`${name}.ts`, `${name}.tsx`, path.join(name, "index.ts")].filter((f) => existsSync(path.join(source, f)));

/** Every module except tests, by path, with the modules it imports, statically or dynamically. */
const graph = new Map(
  readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((f) => /\.tsx?$/.test(f) && !/\.test\.tsx?$/.test(f))
    .map((f) => [f, [...readFileSync(path.join(source, f), "utf8").matchAll(imports)].flatMap((m) => found(path.join(path.dirname(f), (m[1] ?? m[2] ?? m[3])!)))]),
);

const listed = (folder: string, allowed: string[]) => allowed.some((a) => a === folder || (a.endsWith("/...") && `${folder}/`.startsWith(a.slice(0, -3))));

test("a folder imports only what it may", () => {
  const wrong: string[] = [];
  for (const [file, all] of graph) {
    const folder = path.dirname(file), allowed = folders[folder];
    if (!allowed) wrong.push(`${file}: the folder ${folder} is not listed`);
    for (const to of all) if (path.dirname(to) !== folder && allowed && !listed(path.dirname(to), allowed)) wrong.push(`${file} imports ${to}`);
  }
  expect(graph.size).toBeGreaterThan(80);
  expect(wrong).toEqual([]);
});

test("no module imports itself by way of others", () => {
  const done = new Set<string>(), circles: string[] = [];
  const follow = (file: string, way: string[]) => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(" > "));
    if (done.has(file) || way.includes(file)) return;
    for (const to of graph.get(file) ?? []) follow(to, [...way, file]);
    done.add(file);
  };
  for (const file of graph.keys()) follow(file, []);
  expect(circles).toEqual([]);
});
