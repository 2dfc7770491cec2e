import type { TFunction } from "i18next";
import { expect, test } from "vitest";

import type { Placed } from "./model";
import { troubleOf, warningsOf } from "./warn";

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

test("a warning is of the box that stands where it says, however the list is called", () => {
  const box = { x: 0, y: 0, w: 80, h: 80 };
  const [a, b] = ["a", "b"].map((key) => ({ key, page: 1, kind: "emet" as const, person: "p", box }));
  const all = [a!, b!];
  const said = warningsOf(all, [{ field: "placements[1]", msg: "Over text." }, { field: "signers[1]", msg: "Over a stamp." }, { field: "placements[7]", msg: "Gone." }]);
  expect([...said]).toEqual([[b, "Over text. Over a stamp."]]);
});
