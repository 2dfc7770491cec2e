import { createContext, use, type RefObject } from "react";

import type { Box, Kind, Size } from "./geometry";
import type { Placed } from "./model";

/** Somebody for whom boxes can be placed. */
export interface Hand {
  id: string;
  name: string;
  colour: string;
  /** Others can only be named on duty stamps. */
  signs: boolean;
}

/** What the pages, the tools and the panel of the editor share. */
export interface Desk {
  placed: Placed[];
  hands: Hand[];
  selected: string | undefined;
  /** The box that takes the focus as soon as it stands on its page. */
  wanted: RefObject<string | undefined>;
  /** What the next click on a page places. */
  armed: Kind | undefined;
  /** What the service finds wrong with a box, by its key. */
  wrong: Map<string, string>;
  /** What it warns of, by the box as it was saved; one that was changed since is another. */
  warned: Map<Placed, string>;
  select: (key: string | undefined) => void;
  arm: (kind: Kind | undefined) => void;
  /** Changes one box. Changes of one name that follow each other are undone together. */
  change: (key: string, to: Partial<Placed>, name?: string) => void;
  remove: (key: string) => void;
  /** Puts another box like this one a little beside it. */
  double: (key: string) => void;
  /** Places the armed kind around a point of a page. */
  put: (kind: Kind, page: number, size: Size, x: number, y: number) => void;
  /** Moves a box to another page, if there is such a page. */
  turn: (key: string, page: number) => void;
  /** Tells how large a page turned out to be. */
  learn: (page: number, size: Size) => void;
  /** Tells where on a page there is text that had better be seen. */
  read: (page: number, text: Box[]) => void;
  /** Takes the focus from a box to its numbers. */
  inspect: () => void;
  say: (p: Placed) => void;
}

export const DeskContext = createContext<Desk | undefined>(undefined);

export function useDesk(): Desk {
  const desk = use(DeskContext);
  if (!desk) throw new Error("a part of the placement editor stands outside of it");
  return desk;
}

/** The point of a page under a pointer: points, origin at the lower left. */
export function pointOn(page: Element, size: Size, clientX: number, clientY: number): { x: number; y: number } {
  const r = page.getBoundingClientRect();
  return { x: ((clientX - r.left) / r.width) * size.width, y: size.height - ((clientY - r.top) / r.height) * size.height };
}

/** The page under a pointer. */
export const pageAt = (clientX: number, clientY: number): HTMLElement | undefined =>
  document.elementsFromPoint(clientX, clientY).map((e) => e.closest<HTMLElement>("[data-page]")).find((e) => e !== null) ?? undefined;

export const hand = (desk: Desk, id: string): Hand | undefined => desk.hands.find((h) => h.id === id);
