import type { TFunction } from "i18next";
import { expect, test } from "vitest";

import type { Placed } from "./model";
import { troubleOf } from "./warn";

const t = ((key: string) => key) as unknown as TFunction;
const box: Placed = { key: "a", page: 1, kind: "emet", person: "p", box: { x: 0, y: 0, w: 80, h: 80 } };

test("what the service warns of stands in the place of what is seen here, until the box is changed", () => {
  const over = { text: true, other: undefined };
  const desk = { wrong: new Map<string, string>(), warned: new Map([[box, "over “Pasal 1”"]]) };
  expect(troubleOf(t, desk, box, over)).toBe("over “Pasal 1”");
  expect(troubleOf(t, desk, { ...box }, over)).toBe("place.overText");
  desk.wrong.set("a", "off the page");
  expect(troubleOf(t, desk, box, over)).toBe("off the page over “Pasal 1”");
  expect(troubleOf(t, { ...desk, wrong: new Map() }, { ...box }, { text: false, other: undefined })).toBe("");
});
