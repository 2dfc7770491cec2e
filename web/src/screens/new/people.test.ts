import { expect, test } from "vitest";

import { addLeftGuest, draftee, fromService, international, join, joined, numbers, reorder, sameChoice, settle, taken, toService, withRole, type TypedGuest } from "./people";

const a = draftee({ name: "A", id: "1", email: "a@x.test" });
const b = draftee({ name: "B", guest: true, email: "B@x.test", phone: "08" });
const c = draftee({ name: "C", id: "3", email: "c@x.test", together: true, role: "viewer" });

test("the position is the number, but for those who act together", () => {
  expect(numbers([a, b, c])).toEqual([1, 2, 2]);
  expect(numbers([c, a, b])).toEqual([1, 2, 3]);
});

test("members and guests are named as the service names them", () => {
  const out = toService([a, b, c]);
  expect(out.names).toEqual(["signer[0]", "guest[0]", "signer[1]"]);
  expect(out.guest[0]).toEqual({ name: "B", email: "B@x.test", phone: "08", role: "signer", number: 2 });
  expect(out.signer[1]).toMatchObject({ id: "3", number: 2, role: "viewer" });
});

test("what the service tells becomes the list it came from", () => {
  const told = { avatar: "", is_owner: false, is_signing: false, status: false, signing_status: false, signed_at: null, viewed_at: null, link_created_at: null, language: null, channel: "mail" as const, mail: [] };
  const all = fromService([
    { ...told, user_id: "1", name: "A", email: "a@x.test", phone: null, role: "signer", acts_as: "signer", number: 1, is_guest: false },
    { ...told, user_id: "9", name: "B", email: "B@x.test", phone: "08", role: "signer", acts_as: "signer", number: 2, is_guest: true },
    { ...told, user_id: "3", name: "C", email: "c@x.test", phone: null, role: "viewer", acts_as: "viewer", number: 2, is_guest: false },
  ]);
  expect(toService(all)).toEqual(toService([a, b, c]));
  expect(all.map((p) => p.key)).toEqual([a.key, b.key, c.key]);
});

test("of a group any one acts: the members share role and number, and stand beside each other", () => {
  const d = draftee({ name: "D", id: "4", role: "approver" });
  let all = join([a, b, d], 1, true);
  expect(all.map((p) => p.group)).toEqual([1, 1, 0]);
  expect(numbers(all)).toEqual([1, 1, 2]);
  expect(toService(all).guest[0]).toMatchObject({ group: 1, number: 1 });
  expect(toService(all).signer[1]).not.toHaveProperty("group");
  all = join(all, 2, true);
  expect(all.map((p) => [p.group, p.role])).toEqual([[1, "signer"], [1, "signer"], [1, "signer"]]);
  expect(withRole(all, 1, "witness").map((p) => p.role)).toEqual(["witness", "witness", "witness"]);
  // One who only reads is in no group, and neither are those whom they part from the others.
  expect(withRole(all, 1, "viewer").map((p) => p.group)).toEqual([0, 0, 0]);
  expect(reorder([...all, c], 3, 1).map((p) => p.group)).toEqual([0, 0, 1, 1]);
  expect(reorder([c, ...all], 1, 2).map((p) => p.name)).toEqual(["C", "B", "A", "D"]);
  expect(reorder([c, ...all], 1, 2).map((p) => p.group)).toEqual([0, 1, 1, 1]);
  expect(settle(all.slice(1, 2)).map((p) => p.group)).toEqual([0]);
  const left = join(all, 1, false);
  expect(left.map((p, i) => [p.group, joined(left, i)])).toEqual([[0, false], [0, false], [0, false]]);
  expect(numbers(left)[1]).toBe(1); // still in the same step
  expect(join(join([a, b, d, c], 1, true), 1, false).map((p) => p.group)).toEqual([0, 0, 0, 0]);
});

test("the members of a group that stand apart come together", () => {
  const told = { avatar: "", is_owner: false, is_signing: false, status: false, signing_status: false, signed_at: null, viewed_at: null, link_created_at: null, language: null, channel: "mail" as const, mail: [], phone: null, role: "signer" as const, acts_as: "signer" as const, number: 1, is_guest: false };
  const all = fromService([{ ...told, user_id: "1", name: "A", email: "a@x.test", group: 2 }, { ...told, user_id: "2", name: "B", email: "b@x.test" }, { ...told, user_id: "3", name: "C", email: "c@x.test", group: 2 }]);
  expect(all.map((p) => p.name)).toEqual(["A", "C", "B"]);
  expect(settle(all)).toEqual(all);
  expect(numbers(all)).toEqual([1, 1, 1]);
});

test("a guest without a mailbox is reached by their phone", () => {
  const guest = draftee({ name: "D", guest: true, phone: "0812 345-6789", channel: "whatsapp" });
  expect(guest.phone).toBe("+628123456789");
  expect(toService([guest]).guest[0]).toEqual({ name: "D", email: "", phone: "+628123456789", channel: "whatsapp", role: "signer", number: 1 });
  expect(sameChoice({ people: [guest], parallel: false }, { people: [{ ...guest, channel: "sms" }], parallel: false })).toBe(false);
  expect(["00 62 811 222 333", "62811222333", "+62 (0)811 222 333", "+65 8123 4567", "rumah"].map(international)).toEqual(["+62811222333", "+62811222333", "+62811222333", "+6581234567", "rumah"]);
});

test("people move within the list, and stay where there is no further", () => {
  expect(reorder([a, b, c], 0, 2).map((p) => p.name)).toEqual(["B", "C", "A"]);
  expect(reorder([a, b, c], 2, 0).map((p) => p.name)).toEqual(["C", "A", "B"]);
  expect(reorder([a, b], 0, -1)).toEqual([a, b]);
});

test("a person is not added twice, however their address is spelled", () => {
  expect(taken([a, b], " b@X.test")).toBe(true);
  expect(taken([a], "")).toBe(false);
});

test("two choices are the same if the service stores the same for them", () => {
  const choice = { people: [a, b], parallel: false };
  expect(sameChoice(choice, { people: [{ ...a }, { ...b, id: "9" }], parallel: false })).toBe(true); // the service numbers guests
  expect(sameChoice(choice, { people: [b, a], parallel: false })).toBe(false);
  expect(sameChoice(choice, { ...choice, parallel: true })).toBe(false);
  expect(sameChoice(choice, { people: [a, { ...b, role: "viewer" }], parallel: false })).toBe(false);
});

test("a guest who was typed but not added is added by going on, and holds it up if something is wrong", () => {
  const added: TypedGuest[] = [], add = (g: TypedGuest) => { added.push(g); };
  const typed: TypedGuest = { name: "Budi", email: "budi@x.test", phone: "", channel: "mail", language: "" };
  expect(addLeftGuest({ ...typed, name: " ", email: "" }, [], add)).toBe(true);
  expect(addLeftGuest({ ...typed, email: "" }, [], add)).toBe(false);
  expect(addLeftGuest({ ...typed, name: "" }, [], add)).toBe(false);
  expect(addLeftGuest({ ...typed, email: "a@x.test" }, [a], add)).toBe(false);
  expect(added).toEqual([]);
  expect(addLeftGuest(typed, [a], add)).toBe(true);
  expect(added).toEqual([typed]);
});
