import { expect, test } from "vitest";

import { around, beside, fit, fitCopy, flip, free, fromCorners, millimetres, move, overlap, pull, toCorners, type Box } from "./geometry";
import { newEditorState, reduceEditor } from "./editor";
import { boxAfterKey, type Key } from "./keys";
import { copyTo, placeForEach, readPages, samePlacings, toService, type Placed } from "./placements";
import { refusalOf } from "./saved-placements";
import { snap } from "./snap";
import { overlaps, readable } from "./warn";

const a4 = { width: 595, height: 842 };
const key = (k: string, more: Partial<Key> = {}): Key => ({ key: k, shiftKey: false, altKey: false, ctrlKey: false, ...more });
const at = (box: Box, more: Partial<Placed> = {}): Placed => ({ key: "k", page: 1, kind: "sign", person: "p", box, ...more });

test("corners and boxes are each other's inverse", () => {
  const box = { x: 72, y: 100.5, w: 150, h: 60 };
  expect(toCorners(box)).toEqual({ llx: 72, lly: 100.5, urx: 222, ury: 160.5 });
  expect(fromCorners(toCorners(box))).toEqual(box);
  expect(flip(flip(box, a4), a4)).toEqual(box);
});

test("a box never leaves its page", () => {
  expect(move({ x: 10, y: 10, w: 100, h: 50 }, -50, -50, "sign", a4)).toEqual({ x: 0, y: 0, w: 100, h: 50 });
  expect(around("sign", 595, 842, a4)).toEqual({ x: 445, y: 782, w: 150, h: 60 });
  expect(fit({ x: -5, y: 0, w: 9999, h: 9999 }, "sign", a4)).toEqual({ x: 0, y: 0, w: 595, h: 842 });
});

test("a duty stamp stays square and between its limits", () => {
  const stamp = { x: 100, y: 100, w: 80, h: 80 };
  expect(pull(stamp, "se", 30, 0, "emet", a4)).toEqual({ x: 100, y: 70, w: 110, h: 110 });
  expect(pull(stamp, "ne", 500, 0, "emet", a4)).toMatchObject({ w: 200, h: 200 });
  expect(pull(stamp, "ne", -70, -70, "emet", a4)).toMatchObject({ x: 100, y: 100, w: 40, h: 40 });
  expect(fit({ x: 0, y: 0, w: 90, h: 50 }, "emet", a4)).toMatchObject({ w: 50, h: 50 });
  expect(millimetres(72)).toBeCloseTo(25.4);
});

test("the corner opposite to the one that is pulled stays", () => {
  const box = { x: 100, y: 100, w: 100, h: 50 };
  expect(pull(box, "nw", 10, 10, "sign", a4)).toEqual({ x: 110, y: 100, w: 90, h: 60 });
  expect(pull(box, "sw", 500, 500, "sign", a4)).toEqual({ x: 180, y: 138, w: 20, h: 12 });
});

test("arrows move by a point, with shift by ten, with alt or ctrl they resize; up is up", () => {
  const box = { x: 100, y: 100, w: 100, h: 50 };
  expect(boxAfterKey(key("ArrowUp"), box, "sign", a4)).toMatchObject({ x: 100, y: 101 });
  expect(boxAfterKey(key("ArrowLeft", { shiftKey: true }), box, "sign", a4)).toMatchObject({ x: 90, y: 100 });
  expect(boxAfterKey(key("ArrowRight", { altKey: true }), box, "sign", a4)).toEqual({ ...box, w: 101 });
  expect(boxAfterKey(key("ArrowDown", { ctrlKey: true, shiftKey: true }), box, "sign", a4)).toEqual({ ...box, h: 40 });
  expect(boxAfterKey(key("Enter"), box, "sign", a4)).toBeUndefined();
});

test("a copy of a box is placed beside it where it fits, and never off the page", () => {
  const page = { width: 400, height: 300 }, b = { x: 100, y: 100, w: 80, h: 40 };
  expect(beside(b, "sign", page, [b])).toEqual({ ...b, x: 192 });
  expect(beside({ ...b, x: 310 }, "sign", page, [{ ...b, x: 310 }])).toEqual({ ...b, x: 218 });
  const full = { x: 0, y: 0, w: 400, h: 300 };
  expect(beside(b, "sign", page, [full])).toEqual({ ...b, x: 112, y: 88 });
});

test("a box snaps to what is nearest within reach, and says to what", () => {
  const box = { x: 103, y: 98, w: 100, h: 50 };
  const other = { x: 100, y: 300, w: 50, h: 50 }, line = { x: 60, y: 100, w: 300, h: 12 };
  expect(snap(box, [other], [line], a4, 4)).toEqual({ box: { ...box, x: 100, y: 100 }, guides: [{ axis: "x", at: 100 }, { axis: "y", at: 100 }] });
  expect(snap(box, [other], [line], a4, 1)).toEqual({ box, guides: [] });
});

test("a box that is added lies on no other", () => {
  const taken: Box[] = [];
  for (let i = 0; i < 12; i++) {
    const box = free("sign", a4, taken);
    expect(taken.some((t) => overlap(t, box))).toBe(false);
    taken.push(box);
  }
});

test("a box over words or another box is told, over a line to sign on it is not", () => {
  const one = at({ x: 100, y: 100, w: 100, h: 50 }), two = at({ x: 150, y: 120, w: 10, h: 20 }, { key: "l" });
  const lines = [{ x: 0, y: 0, w: 9, h: 9, text: "......" }, { x: 0, y: 0, w: 9, h: 9, text: "Pasal 1" }];
  expect(readable(lines).map((l) => l.text)).toEqual(["Pasal 1"]);
  expect(overlaps(one, [one, two], [{ x: 90, y: 110, w: 20, h: 10 }])).toEqual({ text: true, other: two });
  expect(overlaps(one, [one, { ...two, page: 2 }], [])).toEqual({ text: false, other: undefined });
});

test("pages are read as people write them", () => {
  expect(readPages("3, 1-2,2", 5)).toEqual([1, 2, 3]);
  for (const bad of ["", "0", "6", "3-1", "a", "1,,2"]) expect(readPages(bad, 5), bad).toBeUndefined();
});

test("a copy fits its page and is not made twice", () => {
  const one = at({ x: 400, y: 700, w: 150, h: 60 });
  const { placed: all, moved } = copyTo([one], one, [{ page: 1, size: a4 }, { page: 2, size: { width: 300, height: 300 } }, { page: 3, size: { width: 700, height: 900 } }], 1);
  expect(all.map((p) => [p.page, p.box.x, p.box.y])).toEqual([[1, 400, 700], [2, 150, 240], [3, 400, 700]]);
  expect(moved).toEqual([2]);
  expect(copyTo(all, one, [{ page: 2, size: { width: 300, height: 300 } }], 9).placed).toHaveLength(3);
});

test("a copy on a page that is smaller than the box keeps its proportions, and lies on the page", () => {
  const wide = { x: 300, y: 20, w: 280, h: 70 };
  for (const page of [{ width: 842, height: 595 }, { width: 140, height: 595 }, { width: 595, height: 35 }, { width: 100, height: 100 }]) {
    const box = fitCopy(wide, "sign", page);
    expect(box.w / box.h).toBeCloseTo(4, 1);
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.x + box.w).toBeLessThanOrEqual(page.width);
    expect(box.y + box.h).toBeLessThanOrEqual(page.height);
  }
  expect(fitCopy(wide, "sign", { width: 842, height: 595 })).toEqual(wide);
  expect(fitCopy({ x: 500, y: 700, w: 90, h: 90 }, "emet", { width: 300, height: 60 })).toEqual({ x: 240, y: 0, w: 60, h: 60 });
});

test("boxes for several people lie on every page asked for, over no other box and no text, and are not placed twice", () => {
  const pages = [1, 2].map((page) => ({ page, size: page === 2 ? { width: 842, height: 595 } : a4, text: [{ x: 480, y: 0, w: 115, h: 60 }] }));
  const first = placeForEach([], "paraf", ["a", "b", "c"], pages);
  expect(first.map((p) => [p.page, p.person])).toEqual([[1, "a"], [1, "b"], [1, "c"], [2, "a"], [2, "b"], [2, "c"]]);
  for (const p of first) {
    const { size, text } = pages[p.page - 1]!;
    expect(fit(p.box, "paraf", size)).toEqual(p.box);
    expect([...text, ...first.filter((o) => o !== p && o.page === p.page).map((o) => o.box)].some((o) => overlap(o, p.box))).toBe(false);
  }
  const placed = first.slice(0, 5).map((p, i) => ({ ...p, key: `b${i}` }));
  expect(placeForEach(placed, "paraf", ["a", "b", "c"], pages).map((p) => [p.page, p.person])).toEqual([[2, "c"]]);
  expect(placeForEach(placed, "sign", ["a"], pages)).toHaveLength(2);
});

test("the service stores the same for boxes that differ by its rounding alone", () => {
  const one = toService([at({ x: 10, y: 10, w: 60, h: 40 })]), moved = (by: number) => [{ ...one[0]!, box: { ...one[0]!.box, llx: one[0]!.box.llx + by } }];
  expect(samePlacings(one, moved(0.005))).toBe(true);
  expect(samePlacings(one, moved(1))).toBe(false);
  expect(samePlacings(one, [...one, ...one])).toBe(false);
  expect(samePlacings(one, [{ ...one[0]!, user_id: "q" }])).toBe(false);
});

test("a refusal is sorted by box", () => {
  const [a, b] = [at({ x: 0, y: 0, w: 20, h: 20 }, { key: "a" }), at({ x: 0, y: 0, w: 20, h: 20 }, { key: "b" })];
  const r = refusalOf([a, b], [{ field: "signers[1].emet", msg: "Off." }, { field: "signers[1].page", msg: "No page." }, { field: "signers", msg: "Too many." }]);
  expect([...r.boxes]).toEqual([["b", "Off. No page."]]);
  expect(r.whole).toEqual(["Too many."]);
});

test("what another writer stored replaces the boxes, and undo brings them back", () => {
  let s = newEditorState([at({ x: 0, y: 0, w: 20, h: 20 }, { key: "b0" })], "p");
  s = reduceEditor(s, { type: "select", key: "b0" });
  s = reduceEditor(s, { type: "load", placed: [at({ x: 5, y: 5, w: 30, h: 30 }, { key: "b0" })] });
  expect(s.placed.map((p) => p.box.x)).toEqual([5]);
  expect(s.selected).toBeUndefined();
  expect(reduceEditor(s, { type: "undo" }).placed.map((p) => p.box.x)).toEqual([0]);
});

test("changes of one name are undone together, and redone", () => {
  const a = at({ x: 0, y: 0, w: 20, h: 20 }), list = (x: number) => [{ ...a, box: { ...a.box, x } }];
  const moved = (x: number) => ({ type: "change", key: "k", to: { box: { ...a.box, x } }, name: "move k" }) as const;
  let s = newEditorState(list(0), "p");
  s = reduceEditor(s, moved(1));
  s = reduceEditor(s, moved(2));
  s = reduceEditor(s, { type: "remove", key: "k" });
  expect(s.placed).toEqual([]);
  expect((s = reduceEditor(s, { type: "undo" })).placed).toEqual(list(2));
  expect(s.announcement).toEqual({ what: "undone" }); // nothing else tells a person who does not see the page
  expect((s = reduceEditor(s, { type: "undo" })).placed).toEqual(list(0));
  expect(reduceEditor(s, { type: "undo" })).toBe(s);
  expect((s = reduceEditor(s, { type: "redo" })).placed).toEqual(list(2));
  expect(s.announcement).toEqual({ what: "redone" });
});

test("a box that is added, doubled or moved is selected or keeps its selection, takes the focus and is announced", () => {
  let s = newEditorState([], "p");
  s = reduceEditor(s, { type: "arm", kind: "sign" });
  s = reduceEditor(s, { type: "place", kind: "sign", page: 1, size: a4, at: { x: 300, y: 400 } });
  const first = s.placed[0]!;
  expect(s).toMatchObject({ selected: first.key, focus: { box: first.key }, armed: undefined, announcement: { what: "added", placed: first } });
  s = reduceEditor(s, { type: "duplicate", key: first.key, size: a4 });
  const second = s.placed[1]!;
  expect(second.key).not.toBe(first.key);
  expect(overlap(first.box, second.box)).toBe(false);
  s = reduceEditor(reduceEditor(s, { type: "focused" }), { type: "moveToPage", key: second.key, page: 2, size: { width: 200, height: 200 }, focus: true });
  expect(s.placed[1]).toMatchObject({ page: 2, box: { x: 50, y: 140, w: 150, h: 60 } });
  expect(s).toMatchObject({ selected: second.key, focus: { box: second.key } });
});

test("after a box is deleted, the next one or the tools take the focus", () => {
  let s = newEditorState([at({ x: 0, y: 0, w: 20, h: 20 }, { key: "a" }), at({ x: 90, y: 0, w: 20, h: 20 }, { key: "b" })], "p");
  s = reduceEditor(s, { type: "remove", key: "a" });
  expect(s).toMatchObject({ selected: "b", focus: { box: "b" }, announcement: { what: "deleted" } });
  s = reduceEditor(s, { type: "remove", key: "b" });
  expect(s).toMatchObject({ placed: [], selected: undefined, focus: "tools" });
  expect(reduceEditor(s, { type: "remove", key: "b" })).toBe(s);
});

test("copies have keys of their own", () => {
  let s = newEditorState([at({ x: 0, y: 0, w: 20, h: 20 }, { key: "b0" })], "p");
  s = reduceEditor(s, { type: "copy", key: "b0", pages: [{ page: 2, size: a4 }, { page: 3, size: a4 }] });
  s = reduceEditor(s, { type: "place", kind: "emet", page: 1, size: a4 });
  expect(new Set(s.placed.map((p) => p.key)).size).toBe(4);
  expect(s.past).toHaveLength(2);
});
