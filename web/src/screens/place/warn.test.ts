import type { TFunction } from "i18next";
import { expect, test } from "vitest";

import type { Placed } from "./placements";
import { describeProblems, warningsOf } from "./warn";

const t = ((key: string) => key) as unknown as TFunction;
const box: Placed = { key: "a", page: 1, kind: "emet", person: "p", box: { x: 0, y: 0, w: 80, h: 80 } };

test("the warning of the service replaces what is found here until the box is changed", () => {
  const over = { text: true, other: undefined };
  const editor = { refused: new Map<string, string>(), warned: new Map([[box, "over “Pasal 1”"]]) };
  expect(describeProblems(t, editor, box, over)).toBe("over “Pasal 1”");
  expect(describeProblems(t, editor, { ...box }, over)).toBe("place.overText");
  editor.refused.set("a", "off the page");
  expect(describeProblems(t, editor, box, over)).toBe("off the page over “Pasal 1”");
  expect(describeProblems(t, { ...editor, refused: new Map() }, { ...box }, { text: false, other: undefined })).toBe("");
});

test("a warning belongs to the box at its index, whatever the list is called", () => {
  const box = { x: 0, y: 0, w: 80, h: 80 };
  const [a, b] = ["a", "b"].map((key) => ({ key, page: 1, kind: "emet" as const, person: "p", box }));
  const all = [a!, b!];
  const said = warningsOf(all, [{ field: "placements[1]", msg: "Over text." }, { field: "signers[1]", msg: "Over a stamp." }, { field: "placements[7]", msg: "Gone." }]);
  expect([...said]).toEqual([[b, "Over text. Over a stamp."]]);
});
