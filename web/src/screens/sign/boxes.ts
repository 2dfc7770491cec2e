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
