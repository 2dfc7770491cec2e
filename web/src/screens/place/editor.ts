import { around, beside, fit, free, type Box, type Kind, type Size } from "./geometry";
import { changeOne, copyTo, type Placed } from "./placements";

/** What the placement editor shows, apart from what the service says about it. */
export interface EditorState {
  past: Placed[][];
  placed: Placed[];
  future: Placed[][];
  /** Names the last change; consecutive changes of the same name are undone together. */
  lastChange: string;
  /** How many keys were assigned to boxes. */
  keys: number;
  selected: string | undefined;
  /** What takes the focus as soon as it is shown: a box by its key, or the first tool. */
  focus: { box: string } | "tools" | undefined;
  /** The kind that the next click on a page places. */
  armed: Kind | undefined;
  /** The assignee of new boxes. */
  person: string;
  /** The page in view, from 1. */
  page: number;
  zoom: number;
  /** The sizes of the pages that were shown, in points. */
  sizes: Map<number, Size>;
  /** Where these pages have text that a box should not hide. */
  texts: Map<number, Box[]>;
  /** What screen readers announce. */
  announcement: Announcement | undefined;
}

export type Announcement = { what: "placed" | "added"; placed: Placed } | { what: "deleted" | "undone" | "redone" } | { what: "copied"; count: number; moved: number[] } | { what: "placedForAll"; count: number };

export type EditorAction =
  | { type: "undo" | "redo" | "focused" }
  | { type: "select"; key: string | undefined }
  | { type: "arm"; kind: Kind | undefined }
  | { type: "choosePerson"; person: string }
  | { type: "showPage"; page: number }
  | { type: "zoom"; by: number }
  | { type: "learnSize"; page: number; size: Size }
  | { type: "learnText"; page: number; text: Box[] }
  /** Places a box around a point of a page, or in free space on the page. */
  | { type: "place"; kind: Kind; page: number; size: Size; at?: { x: number; y: number } }
  | { type: "placeAll"; boxes: Omit<Placed, "key">[] }
  /** Shows what another writer stored. What was there before can be brought back. */
  | { type: "load"; placed: Placed[] }
  /** Selects a box and moves the focus to it, on whichever page it is. */
  | { type: "goToBox"; key: string }
  | { type: "duplicate"; key: string; size: Size }
  | { type: "copy"; key: string; pages: { page: number; size: Size }[] }
  | { type: "change"; key: string; to: Partial<Placed>; name?: string; announce?: boolean }
  | { type: "moveToPage"; key: string; page: number; size: Size; focus: boolean }
  | { type: "remove"; key: string };

const maxUndo = 100, minZoom = 0.5, maxZoom = 3;

export function newEditorState(placed: Placed[], person: string): EditorState {
  return {
    past: [], placed, future: [], lastChange: "", keys: placed.length, selected: undefined, focus: undefined, armed: undefined, person,
    page: 1, zoom: 1, sizes: new Map(), texts: new Map(), announcement: undefined,
  };
}

export const canUndo = (s: EditorState) => s.past.length > 0;
export const canRedo = (s: EditorState) => s.future.length > 0;
export const canZoomOut = (s: EditorState) => s.zoom > minZoom;
export const canZoomIn = (s: EditorState) => s.zoom < maxZoom;

export function reduceEditor(s: EditorState, a: EditorAction): EditorState {
  const one = "key" in a ? s.placed.find((p) => p.key === a.key) : undefined;
  switch (a.type) {
    case "undo": {
      const last = s.past.at(-1);
      return last ? { ...s, past: s.past.slice(0, -1), placed: last, future: [s.placed, ...s.future], lastChange: "", announcement: { what: "undone" } } : s;
    }
    case "redo": {
      const [next, ...rest] = s.future;
      return next ? { ...s, past: [...s.past, s.placed], placed: next, future: rest, lastChange: "", announcement: { what: "redone" } } : s;
    }
    case "focused":
      return { ...s, focus: undefined };
    case "select":
      return s.selected === a.key ? s : { ...s, selected: a.key };
    case "arm":
      return { ...s, armed: a.kind };
    case "choosePerson":
      return { ...s, person: a.person };
    case "showPage":
      return s.page === a.page ? s : { ...s, page: a.page };
    case "zoom":
      return { ...s, zoom: Math.min(maxZoom, Math.max(minZoom, s.zoom + a.by)) };
    case "learnSize": {
      const known = s.sizes.get(a.page);
      if (known?.width === a.size.width && known.height === a.size.height) return s;
      return { ...s, sizes: new Map(s.sizes).set(a.page, a.size) };
    }
    case "learnText":
      return { ...s, texts: new Map(s.texts).set(a.page, a.text) };
    case "place":
      return insert(s, { page: a.page, kind: a.kind, person: s.person, box: a.at ? around(a.kind, a.at.x, a.at.y, a.size) : free(a.kind, a.size, boxesOn(s, a.page)) });
    case "placeAll":
      return { ...change(s, [...s.placed, ...a.boxes.map((b, i) => ({ ...b, key: `b${s.keys + i}` }))]), keys: s.keys + a.boxes.length, announcement: { what: "placedForAll", count: a.boxes.length } };
    case "load":
      return { ...change(s, a.placed.map((p, i) => ({ ...p, key: `b${s.keys + i}` }))), keys: s.keys + a.placed.length, selected: undefined };
    case "goToBox":
      return one ? { ...s, selected: a.key, focus: { box: a.key } } : s;
    case "duplicate":
      return one ? insert(s, { ...one, box: beside(one.box, one.kind, a.size, boxesOn(s, one.page)) }) : s;
    case "copy": {
      if (!one) return s;
      const { placed, moved } = copyTo(s.placed, one, a.pages, s.keys), count = placed.length - s.placed.length;
      return { ...change(s, placed), keys: s.keys + a.pages.length, announcement: { what: "copied", count, moved } };
    }
    case "change": {
      if (!one) return s;
      const next = change(s, changeOne(s.placed, a.key, a.to), a.name);
      return a.announce ? { ...next, announcement: { what: "placed", placed: { ...one, ...a.to } } } : next;
    }
    case "moveToPage": {
      if (!one) return s;
      const there = { ...one, page: a.page, box: fit(one.box, one.kind, a.size) };
      return { ...change(s, changeOne(s.placed, a.key, there)), focus: a.focus ? { box: a.key } : s.focus, announcement: { what: "placed", placed: there } };
    }
    case "remove": {
      if (!one) return s;
      const rest = s.placed.filter((p) => p !== one), next = rest[Math.min(s.placed.indexOf(one), rest.length - 1)];
      return { ...change(s, rest), selected: next?.key, focus: next ? { box: next.key } : "tools", announcement: { what: "deleted" } };
    }
  }
}

const boxesOn = (s: EditorState, page: number): Box[] => s.placed.filter((p) => p.page === page).map((p) => p.box);

function change(s: EditorState, placed: Placed[], name = ""): EditorState {
  if (name !== "" && name === s.lastChange) return { ...s, placed, future: [] };
  return { ...s, past: [...s.past, s.placed].slice(-maxUndo), placed, future: [], lastChange: name };
}

function insert(s: EditorState, p: Omit<Placed, "key">): EditorState {
  const placed = { ...p, key: `b${s.keys}` };
  return { ...change(s, [...s.placed, placed]), keys: s.keys + 1, selected: placed.key, focus: { box: placed.key }, armed: undefined, announcement: { what: "added", placed } };
}
