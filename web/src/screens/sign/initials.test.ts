import { expect, test } from "vitest";

import { initialsOf } from "./initials";

test("initials are the first letters of up to three words of a name", () => {
  expect(initialsOf("Ayu Lestari")).toBe("AL");
  expect(initialsOf("  budi   santoso wijaya kusuma ")).toBe("BSW");
  expect(initialsOf("Émile 3")).toBe("É");
  expect(initialsOf("")).toBe("");
});
