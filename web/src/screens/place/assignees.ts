import { signs, type Person } from "../../api/documents";
import { personColours } from "../../ui/colours";

/** A person for whom boxes can be placed. */
export interface Assignee {
  id: string;
  name: string;
  colour: string;
  /** Those who do not sign can only be named on duty stamps. */
  signs: boolean;
}

/** Lists the participants, and the owner for duty stamps, with a colour each. */
export function listAssignees(people: Person[], owner: { user_id: string; name: string }): Assignee[] {
  const all = people.map((p) => ({ id: p.user_id, name: p.name, signs: signs(p) }));
  if (!all.some((a) => a.id === owner.user_id)) all.push({ id: owner.user_id, name: owner.name, signs: false });
  return all.map((a, i) => ({ ...a, colour: personColours[i % personColours.length]! }));
}
