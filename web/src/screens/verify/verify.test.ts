import { expect, test } from "vitest";

import type { Reason, Signature } from "../../api/verify";
import { asSigned, changesByPage, countAllowed } from "./changes";
import { digestOf, readDigest } from "./digest";
import { tone, toneOfFile } from "./tone";

const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

test("a file is hashed here, and compared with a digest however it was pasted", async () => {
  expect(await digestOf(new Blob(["abc"]))).toBe(sum);
  for (const pasted of [sum, ` ${sum.toUpperCase()}\n`, `${sum}  sewa.pdf`, `SHA-256: ${sum}`, `sha256:${sum}`, sum.replace(/(..)(?=.)/g, "$1:"), sum.replace(/(.{8})/g, "$1 ")]) {
    expect(readDigest(pasted), pasted).toBe(sum);
  }
  for (const wrong of ["", sum.slice(1), `${sum}0`, sum.replace("b", "g")]) expect(readDigest(wrong), wrong).toBeUndefined();
});

const passed = { indication: "TOTAL-PASSED", integrity: "intact" }, later = { indication: "TOTAL-PASSED", integrity: "intact, later changes allowed" };
const unsure = { indication: "INDETERMINATE", integrity: "intact" }, changed = { indication: "TOTAL-FAILED", integrity: "changed after signing" };

test("nothing looks good when one part of it is not", () => {
  expect(toneOfFile({ ...passed, signatures: [passed, later] })).toBe("good");
  expect(toneOfFile({ ...passed, signatures: [passed, unsure] })).toBe("unsure");
  expect(toneOfFile({ ...passed, signatures: [passed, changed, unsure] })).toBe("bad");
  expect(toneOfFile({ ...passed, signatures: [] })).toBe("unsure");
  expect(tone({ indication: "TOTAL-PASSED", integrity: "cannot be judged" })).toBe("unsure");
  expect(tone({ indication: "INDETERMINATE", integrity: "changed after signing" })).toBe("bad");
});

test("a valid signature of an unverified signer does not look like that of a verified one", () => {
  const who = (status: string) => ({ ...passed, identity: { status } });
  expect(["attested", "unknown", "unverified", "not_recorded"].map((s) => tone(who(s)))).toEqual(["good", "good", "unsure", "unsure"]);
  expect(tone({ ...passed, identity: null })).toBe("good");
  expect(tone({ ...changed, identity: { status: "unverified" } })).toBe("bad");
  expect(toneOfFile({ ...passed, signatures: [who("attested"), who("unverified")] })).toBe("unsure");
  expect(toneOfFile({ ...passed, signatures: [who("attested"), passed] })).toBe("good");
});

const reason = (code: string, page: string, where: string, field = ""): Reason => ({ code, args: { page, where, field }, id: code, en: code });

test("changes are told page by page, those not allowed first and only once; signing is told by who signed, what goes with it apart", () => {
  const text = reason("change.content_changed", "2", "Contents"), form = reason("change.form", "0", "AcroForm"), note = reason("change.comment", "2", "Annots");
  const stamp = reason("change.signed", "1", "Emet1", "Emet1"), seen = reason("change.shows", "1", '"Emet1"'), seal = reason("change.signed", "1", "Seal", "Seal");
  const signature = (field: string, page: number, later: { revision: number; allowed: boolean; what: Reason[] }[]) => ({ field, page, later }) as unknown as Signature;
  const { pages, technical } = changesByPage({
    revisions: [{ revision: 2, what: [form, stamp], filled: [] }, { revision: 3, what: [note, text, seal], filled: [] }],
    signatures: [
      signature("First", 1, [{ revision: 2, allowed: true, what: [seen] }, { revision: 3, allowed: false, what: [text] }]),
      signature("Emet1", 1, [{ revision: 3, allowed: true, what: [] }]),
      signature("Seal", 0, []),
    ],
  });
  expect(pages.map((p) => [p.page, p.changes.map((c) => [c.what.code, c.revision, c.allowed]), p.added])).toEqual([
    [1, [], [1]],
    [2, [["change.content_changed", 3, false], ["change.comment", 3, true]], []],
    [0, [], [2]],
  ]);
  expect(technical.map((c) => c.what.code)).toEqual(["change.form"]);
});

test("a mark that hides what was signed is shown on its page as not allowed, one that stands over it as allowed", () => {
  const hides = reason("change.hides_signed", "3", '"Budi"', "Budi"), over = reason("change.overlaps_text", "1", '"Siti"'), shows = reason("change.shows", "1", '"Siti"');
  const { pages } = changesByPage({
    revisions: [{ revision: 2, what: [reason("change.signed", "1", '"Siti"', "Siti")], filled: [] }, { revision: 3, what: [hides], filled: [] }],
    signatures: [
      { field: "Sari", page: 2, later: [{ revision: 2, allowed: true, what: [shows, over] }, { revision: 3, allowed: false, what: [hides] }] },
      { field: "Siti", page: 1, later: [{ revision: 3, allowed: false, what: [hides] }] },
      { field: "Budi", page: 3, later: [] },
    ] as unknown as Signature[],
  });
  expect(pages.map((p) => [p.page, p.changes.map((c) => [c.what.code, c.allowed]), p.added])).toEqual([
    [1, [["change.overlaps_text", true]], [1]],
    [3, [["change.hides_signed", false]], []],
  ]);
});

test("initials are counted by the person whose signature brought them, however many of them a report names", () => {
  const pages = Array.from({ length: 30 }, (_, i) => i + 1), mark = (who: string) => pages.map((page) => ({ field: `${who}-Mark-${page}`, page }));
  const told = (who: string) => [reason("change.signed", "30", `"${who}"`, who), ...mark(who).slice(0, 20).map((f) => reason("change.filled", String(f.page), `"${f.field}"`, f.field)), reason("change.more", "", "")];
  const report = {
    revisions: [{ revision: 2, what: told("Budi"), filled: [...mark("Budi"), { field: "Alamat", page: 1 }] }, { revision: 3, what: told("Siti"), filled: mark("Siti") }],
    signatures: [
      { field: "Sari", page: 30, kind: "signature", revision: 1, later: [{ revision: 3, allowed: false, what: [reason("change.appearance_differs", "7", '"Siti-Mark-7"', "Siti-Mark-7")] }] },
      { field: "Budi", page: 30, kind: "signature", revision: 2, later: [] },
      { field: "Siti", page: 30, kind: "signature", revision: 3, later: [] },
    ] as unknown as Signature[],
  };
  const { pages: found } = changesByPage(report);
  expect(countAllowed(found, report.signatures)).toEqual({ initials: 59, people: 2, signatures: 2, stamps: 0, timestamps: 0, fields: 1, other: 0 });
  expect(found.filter((p) => p.changes.length > 0).map((p) => [p.page, p.changes.map((c) => c.allowed)])).toEqual([[7, [false]]]);
});

test("the state that was signed is shown only where its bytes are those that were signed", () => {
  const s = (length: number, all: boolean, sub_indication: string, integrity: string) => ({ covers: { whole: true, length, all }, sub_indication, integrity }) as unknown as Signature;
  const last = s(900, true, "", "intact");
  expect(asSigned({ signatures: [s(500, false, "", "intact, later changes allowed"), last] })).toBe(500);
  expect(asSigned({ signatures: [s(500, false, "FORMAT_FAILURE", "changed after signing"), last] })).toBe(500);
  expect(asSigned({ signatures: [s(500, false, "HASH_FAILURE", "changed after signing"), s(700, false, "", "intact, later changes allowed"), last] })).toBe(700);
  expect(asSigned({ signatures: [last] })).toBeUndefined();
});
