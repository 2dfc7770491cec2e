import type { Placement } from "../../api/documents";
import { personColours } from "../../ui/colours";

/** The colour of a participant, the same on every page, by the order of their first boxes. */
export function colourOf(all: Placement[], person: string): string {
  const people = [...new Set(all.map((b) => b.user_id))];
  return personColours[Math.max(0, people.indexOf(person)) % personColours.length]!;
}

/** The boxes of one participant and kind, and their pages. */
export interface Group {
  person: string;
  name: string;
  type: Placement["type"];
  pages: number[];
  /** Whether all of them say what they are for. */
  filled: boolean;
}

/** Groups boxes by participant and kind, in the order of placement. */
export function groupsOf(all: Placement[]): Group[] {
  const groups = new Map<string, Group>();
  for (const b of all) {
    const key = `${b.user_id} ${b.type}`;
    const g = groups.get(key) ?? { person: b.user_id, name: b.name, type: b.type, pages: [], filled: true };
    if (!g.pages.includes(b.page)) g.pages.push(b.page);
    g.filled &&= b.filled;
    groups.set(key, g);
  }
  return [...groups.values()].map((g) => ({ ...g, pages: g.pages.sort((a, b) => a - b) }));
}

/** Formats page numbers briefly: 1, 3–5. */
export function pageRanges(pages: number[]): string {
  const ranges: string[] = [];
  for (let i = 0; i < pages.length; ) {
    let j = i;
    while (pages[j + 1] === pages[j]! + 1) j++;
    ranges.push(j - i > 1 ? `${pages[i]}\u2013${pages[j]}` : pages.slice(i, j + 1).join(", "));
    i = j + 1;
  }
  return ranges.join(", ");
}
