import type { Person } from "../../api/documents";
import { personColours } from "../../ui/colours";
import type { Hand } from "./desk";

/** Everybody for whom something can be placed: the participants, and the owner for duty stamps; one colour a person. */
export function handsOf(people: Person[], owner: { user_id: string; name: string }): Hand[] {
  const all = people.map((p) => ({ id: p.user_id, name: p.name, signs: p.role === "signer" }));
  if (!all.some((h) => h.id === owner.user_id)) all.push({ id: owner.user_id, name: owner.name, signs: false });
  return all.map((h, i) => ({ ...h, colour: personColours[i % personColours.length]! }));
}
