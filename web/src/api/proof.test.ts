import { expect, test } from "vitest";

import { Problem } from "./client";
import { proving, type Asked, type Proof } from "./proof";

const needed = () => new Problem(403, "sign.factor_required", "A factor is required.");
const documents = [{ document_id: 7, digest: "ab" }];

test("a refused request is sent again with what the signer presents, as often as that is wrong, and the proof covers all requests of the consent", async () => {
  const asked: Asked[] = [], sent: Proof[] = [];
  const off = proving.onAsked((a) => { asked.push(a); return Promise.resolve({ otp: `00000${asked.length}` }); });
  const request = (proof: Proof) => {
    sent.push(proof);
    if (!proof.otp) return Promise.reject(needed());
    return proof.otp === "000001" ? Promise.reject(new Problem(400, "auth.otp_wrong", "The code is wrong.")) : Promise.resolve("signed");
  };
  expect(await proving.send(documents, request)).toBe("signed");
  expect(sent).toEqual([{}, { otp: "000001" }, { otp: "000002" }]);
  expect(asked.map((a) => a.refusal)).toEqual([undefined, "The code is wrong."]);
  expect(await proving.send(documents, request)).toBe("signed");
  expect(sent.at(-1)).toEqual({ otp: "000002" });
  expect(asked).toHaveLength(2);
  // Another consent needs another proof.
  await proving.send([{ document_id: 8, digest: "ab" }], request);
  expect(asked).toHaveLength(3);
  off();
});

test("a signer who cancels gets the refusal, and other errors ask for nothing", async () => {
  let asked = 0;
  const off = proving.onAsked(() => { asked++; return Promise.resolve(undefined); });
  await expect(proving.send([], () => Promise.reject(needed()))).rejects.toThrow("A factor is required.");
  expect(await proving.send([], () => Promise.resolve("no"), () => ({ code: "sign.factor_required", msg: "" }))).toBe("no");
  expect(asked).toBe(2);
  await expect(proving.send([], () => Promise.reject(new Problem(409, "document.not_processing", "It ended.")))).rejects.toThrow("It ended.");
  expect(asked).toBe(2);
  off();
});
