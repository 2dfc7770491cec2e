import { groupOf, holders, signs, type Person } from "../../api/documents";
import { personColours } from "../../ui/colours";

/** A person, or a group of whom any one signs, for whom boxes can be placed. */
export interface Assignee {
  id: string;
  name: string;
  colour: string;
  /** Those who do not sign can only be named on duty stamps. */
  signs: boolean;
}

/** Lists the participants, and the owner for duty stamps, with a colour each. */
export function listAssignees(people: Person[], owner: { user_id: string; name: string }): Assignee[] {
  const all = holders(people).map((p) => ({ id: p.user_id, name: groupOf(people, p).map((o) => o.name).join(" / "), signs: signs(p) }));
  if (!people.some((p) => p.user_id === owner.user_id)) all.push({ id: owner.user_id, name: owner.name, signs: false });
  return all.map((a, i) => ({ ...a, colour: personColours[i % personColours.length]! }));
}
