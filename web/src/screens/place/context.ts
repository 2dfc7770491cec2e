import { createContext, use, type Dispatch } from "react";

import type { Assignee } from "./assignees";
import type { EditorAction, EditorState } from "./editor";
import type { Size } from "./geometry";
import type { Placed } from "./placements";

/** What the pages, the tools and the panel of the editor share. */
export interface Editor {
  state: EditorState;
  dispatch: Dispatch<EditorAction>;
  assignees: Assignee[];
  /** What the service refused about a box, by its key; until it has accepted a later change. */
  refused: Map<string, string>;
  /** The warnings of the service, by the box as it was saved; a changed box counts as another. */
  warned: Map<Placed, string>;
  /** Calls back with the size of a page of the document; does nothing for other numbers. */
  withSize: (page: number, then: (size: Size) => void) => void;
  /** Moves the focus from a box to its numbers. */
  focusNumbers: () => void;
}

export const EditorContext = createContext<Editor | undefined>(undefined);

export function useEditor(): Editor {
  const editor = use(EditorContext);
  if (!editor) throw new Error("a part of the placement editor is outside of it");
  return editor;
}

/** Moves a box to another page, if the document has that page, and keeps the focus on the box. */
export function moveToPage(editor: Editor, key: string, page: number): void {
  editor.withSize(page, (size) => editor.dispatch({ type: "moveToPage", key, page, size, focus: document.activeElement?.getAttribute("data-box") === key }));
}

/**
 * The options of a drag that begins after that many pixels. All its events are handled, since pressing selects; keys are
 * left to the box, which moves by points of the page.
 */
export const dragOptions = (threshold: number) => ({ threshold, triggerAllEvents: true, pointer: { keys: false } });

/** The point of a page under a pointer: points, origin at the lower left. */
export function pointOn(page: Element, size: Size, clientX: number, clientY: number): { x: number; y: number } {
  const r = page.getBoundingClientRect();
  return { x: ((clientX - r.left) / r.width) * size.width, y: size.height - ((clientY - r.top) / r.height) * size.height };
}

/** The page under a pointer. */
export const pageAt = (clientX: number, clientY: number): HTMLElement | undefined =>
  document.elementsFromPoint(clientX, clientY).map((e) => e.closest<HTMLElement>("[data-page]")).find((e) => e !== null) ?? undefined;
