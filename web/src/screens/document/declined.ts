import type { Person } from "../../api/documents";

/** Who declined, and when, from the history. The history has names only, so it cannot distinguish two people of one name. */
export function declinedBy(people: Pick<Person, "user_id" | "name" | "email" | "signing_status">[], trail: { type: string; name: string; dateTime: string }[]): { person: string; at: string } | undefined {
  const line = trail.findLast((e) => e.type === "rejected");
  if (!line) return undefined;
  const able = people.filter((p) => !p.signing_status && (p.name || p.email) === line.name);
  return able.length === 1 ? { person: able[0]!.user_id, at: line.dateTime } : undefined;
}
