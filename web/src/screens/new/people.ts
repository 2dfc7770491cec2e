import type { Schemas } from "../../api/client";
import type { ActsAs, Channel, Person } from "../../api/documents";

/** What people can be asked to do, in the order in which the sender chooses. */
export const actsAs: readonly ActsAs[] = ["signer", "approver", "witness", "viewer", "copy"];

/** A person who will participate. The position in the list is the order. */
export interface Draftee {
  key: string;
  /** Of a member; a guest is identified by their e-mail, or their phone number if they have none. */
  id: string;
  name: string;
  email: string;
  phone: string;
  role: ActsAs;
  guest: boolean;
  /** A role that a person is to fill. Its name is that of the role; it is a guest without an address. */
  placeholder: boolean;
  /** The placeholder of the draft whose boxes the person gets, until that is stored; empty: none. */
  fills: string;
  /** Of messages to them; empty: that of the service. */
  language: "" | "id" | "en";
  /** By which messages reach them. */
  channel: Channel;
  /** Acts in the same step as the previous person. */
  together: boolean;
  /** Of whom any one acts for all; 0: they act for themselves. The members stand beside each other in the list. */
  group: number;
}

const keyOf = (p: { name: string; guest: boolean; placeholder: boolean; id: string; email: string; phone: string }) => (p.placeholder ? `role ${p.name.toLowerCase()}` : p.guest ? `guest ${p.email.toLowerCase() || p.phone}` : p.id);

export const draftee = (p: Partial<Draftee> & { name: string }): Draftee => {
  const whole = { id: "", email: "", phone: "", role: "signer" as const, guest: false, placeholder: false, fills: "", language: "" as const, channel: "mail" as const, together: false, group: 0, ...p };
  const phone = whole.channel === "mail" ? whole.phone : international(whole.phone);
  return { ...whole, phone, key: keyOf({ ...whole, phone }) };
};

/** Writes a phone number as the service stores it if messages go there: +628123456789. The service decides whether it is one. */
export function international(phone: string): string {
  const digits = phone.replace(/[\s.()\-]/g, "");
  if (digits.startsWith("+")) return digits.replace(/^\+620/, "+62");
  if (digits.startsWith("00")) return `+${digits.slice(2)}`;
  if (digits.startsWith("0")) return `+62${digits.slice(1)}`;
  return digits.startsWith("62") ? `+${digits}` : phone;
}

export const fromService = (told: Person[]): Draftee[] => {
  // The members of a group have the same number, and may stand apart from each other.
  const all: Person[] = [];
  for (const p of told) {
    const last = p.group ? all.findLastIndex((o) => o.group === p.group) : -1;
    all.splice(last < 0 ? all.length : last + 1, 0, p);
  }
  return all.map((p, i) => draftee({
    id: p.user_id, name: p.name, email: p.email ?? "", phone: p.phone ?? "", role: p.acts_as, guest: p.is_guest, placeholder: p.placeholder ?? false, language: p.language === "id" || p.language === "en" ? p.language : "", channel: p.channel, together: i > 0 && p.number === all[i - 1]!.number, group: p.group ?? 0,
  }));
};

/** Whether the person at a position is in the group of the previous one. */
export const joined = (all: Draftee[], i: number): boolean => i > 0 && all[i]!.group !== 0 && all[i]!.group === all[i - 1]!.group;

/** Numbers the people: each acts after the previous one, unless together with them. */
export function numbers(all: Draftee[]): number[] {
  let n = 0;
  return all.map((p, i) => (i > 0 && (p.together || joined(all, i)) ? n : ++n));
}

/** Whether those who do that can act for each other. */
export const groups = (role: ActsAs): boolean => role !== "viewer" && role !== "copy";

/** Lets a person join the group of the previous one, or leave it. They get the role of that one. */
export function join(all: Draftee[], i: number, yes: boolean): Draftee[] {
  if (!yes) return settle(all.map((p, k) => (k === i ? { ...p, group: 0, together: true } : p)));
  const group = all[i - 1]!.group || 1 + Math.max(0, ...all.map((p) => p.group));
  return settle(all.map((p, k) => (k === i ? { ...p, group, role: all[i - 1]!.role } : k === i - 1 ? { ...p, group } : p)));
}

/** Changes what a person does, and the others of their group with them. */
export function withRole(all: Draftee[], i: number, role: ActsAs): Draftee[] {
  const { group } = all[i]!;
  return settle(all.map((p, k) => (k === i || (group !== 0 && groups(role) && p.group === group) ? { ...p, role } : p)));
}

/** Ends the groups that a change of the list has left: those of one person, and members who stand apart from the others or only read. */
export function settle(all: Draftee[]): Draftee[] {
  const out = all.map((p) => (p.group === 0 || groups(p.role) ? p : { ...p, group: 0 })), kept = new Set<number>();
  for (let from = 0, to; from < out.length; from = to) {
    const { group } = out[from]!;
    for (to = from + 1; to < out.length && out[to]!.group === group; ) to++;
    if (to - from > 1 && !kept.has(group)) kept.add(group);
    else for (let i = from; i < to; i++) out[i] = { ...out[i]!, group: 0 };
  }
  return out;
}

export interface ForService {
  signer: Schemas["PersonIn"][];
  guest: Schemas["GuestIn"][];
  /** How the service names each person, in the order of the list: "signer[0]". */
  names: string[];
}

/** The identifiers of the placeholders among people. */
export const openRoles = (told: Person[]): ReadonlySet<string> => new Set(told.filter((p) => p.placeholder).map((p) => p.user_id));

/** Open are the placeholders that the draft has. A person fills one of them once. */
export function toService(all: Draftee[], open: ReadonlySet<string> = new Set()): ForService {
  const out: ForService = { signer: [], guest: [], names: [] };
  const number = numbers(all);
  all.forEach((p, i) => {
    const same = p.placeholder ? { name: p.name, placeholder: 1 as const, role: p.role, number: number[i]!, ...(p.group ? { group: p.group } : {}) } : { name: p.name, email: p.email, role: p.role, ...(open.has(p.fills) ? { fills: p.fills } : {}), number: number[i]!, ...(p.group ? { group: p.group } : {}), ...(p.language ? { language: p.language } : {}), ...(p.channel !== "mail" ? { channel: p.channel } : {}), ...(p.phone ? { phone: p.phone } : {}) };
    if (p.guest) out.names.push(`guest[${out.guest.push(same) - 1}]`);
    else out.names.push(`signer[${out.signer.push({ ...same, id: p.id }) - 1}]`);
  });
  return out;
}

/** The people of a draft, and whether all act at once. */
export interface Choice {
  people: Draftee[];
  parallel: boolean;
}

/** Whether the service stores the same for both. */
export function sameChoice(a: Choice, b: Choice): boolean {
  const stored = (c: Choice) => {
    const number = numbers(c.people);
    return JSON.stringify([c.parallel, c.people.map((p, i) => [p.key, p.name, p.phone, p.role, p.language, p.channel, number[i], p.group])]);
  };
  return stored(a) === stored(b);
}

/** Moves one person to another position in the list. */
export function reorder(all: Draftee[], from: number, to: number): Draftee[] {
  if (to < 0 || to >= all.length || from === to) return all;
  const rest = all.filter((_, i) => i !== from);
  return settle([...rest.slice(0, to), all[from]!, ...rest.slice(to)]);
}

export const taken = (all: Draftee[], email: string): boolean => all.some((p) => p.email !== "" && p.email.toLowerCase() === email.trim().toLowerCase());

/** Finds likely typing errors; the service decides. */
export const looksLikeEmail = (s: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(s.trim());

/** What was typed for a guest. */
export type TypedGuest = Pick<Draftee, "name" | "email" | "phone" | "channel" | "language">;

/** What is wrong with what was typed for a guest, by field; undefined: it can be added. */
export function wrongGuest(g: TypedGuest, people: Draftee[]): { name?: "new.needName"; email?: "new.needEmail" | "new.twice"; phone?: "new.twice" } | undefined {
  const email = g.email.trim() === "" && g.channel !== "mail" ? undefined : !looksLikeEmail(g.email) ? "new.needEmail" : taken(people, g.email) ? "new.twice" : undefined;
  const twice = g.channel !== "mail" && people.some((p) => p.channel !== "mail" && p.phone === international(g.phone));
  const wrong = { ...(g.name.trim() === "" ? { name: "new.needName" as const } : {}), ...(email ? { email } as const : {}), ...(twice ? { phone: "new.twice" as const } : {}) };
  return Object.keys(wrong).length > 0 ? wrong : undefined;
}

/** Adds a guest who was typed but not added when the sender goes on. Returns whether they can: nothing is left that is wrong. */
export function addLeftGuest(g: TypedGuest, people: Draftee[], add: (g: TypedGuest) => void): boolean {
  if ([g.name, g.email, g.phone].every((s) => s.trim() === "")) return true;
  if (wrongGuest(g, people)) return false;
  add(g);
  return true;
}
