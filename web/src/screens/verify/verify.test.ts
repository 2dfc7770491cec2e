import { expect, test } from "vitest";

import type { Reason, Signature } from "../../api/verify";
import { changesByPage } from "./changes";
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

const reason = (code: string, page: string, where: string): Reason => ({ code, args: { page, where, field: "" }, id: code, en: code });

test("changes are told page by page, those not allowed first and only once", () => {
  const text = reason("change.content", "2", "Contents"), form = reason("change.form", "0", "AcroForm"), note = reason("change.annotations", "2", "Annots"), stamp = reason("change.signed", "1", "Emet1");
  const signature = (what: Reason[]) => ({ later: [{ revision: 3, allowed: what.length === 0, what }] }) as unknown as Signature;
  const found = changesByPage({ revisions: [{ revision: 2, what: [form, stamp] }, { revision: 3, what: [note, text] }], signatures: [signature([text]), signature([])] });
  expect(found.map((p) => [p.page, p.changes.map((c) => [c.what.code, c.revision, c.allowed])])).toEqual([
    [1, [["change.signed", 2, true]]],
    [2, [["change.content", 3, false], ["change.annotations", 3, true]]],
    [0, [["change.form", 2, true]]],
  ]);
});
