import { expect, test, vi } from "vitest";

import type { Hand } from "./hand";
import { choosePictures, signWithPictures } from "./pictures";

let finishSaving: () => void = () => undefined;
vi.mock("../../api/specimen", () => ({ keepSpecimen: () => new Promise<void>((done) => { finishSaving = done; }) }));

const before = new Blob(["before"]), newest = new Blob(["newest"]);
const hand = (coming?: Promise<Blob | null>): Hand => ({ way: "type", typed: "Siti", font: "flowing", strokes: [], picture: before, coming, remember: false });

test("a document is signed with the newest choice, even if its picture is still being rendered", async () => {
  const later = () => new Promise<Blob>((done) => setTimeout(() => done(newest)));
  const { signature, initials } = await choosePictures(hand(later()), hand(later()), { name: "Siti", kept: null });
  expect([await signature?.text(), await initials?.text()]).toEqual(["newest", "newest"]);
  expect((await choosePictures(hand(), undefined, undefined)).signature).toBe(before);
});

test("if the newest picture cannot be rendered, the one before it counts", async () => {
  expect((await choosePictures(hand(Promise.reject(new Error("no picture"))), undefined, undefined)).signature).toBe(before);
});

test("a signer who has signed does not wait until the picture of their signature is saved", async () => {
  const sign = vi.fn(async () => undefined);
  let saved: () => void = () => undefined;
  const allSaved = new Promise<void>((done) => { saved = vi.fn(done); });
  await signWithPictures({ ...hand(), remember: true }, undefined, undefined, sign, () => saved());
  expect(sign).toHaveBeenCalledWith({ signature: btoa("before"), initials: undefined });
  expect(saved).not.toHaveBeenCalled();
  finishSaving();
  await allSaved;
});
