// Checks a message from Segel. The arguments are the secret of the webhook and the headers webhook-id, webhook-timestamp and
// webhook-signature; the body of the request is read from standard input, byte for byte as it arrived.

import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";

const tolerance = 5 * 60; // seconds that a message may be old, or of the future

// verify returns whether the message was signed with the secret at about that time, in Unix seconds.
export function verify(secret: string, id: string, timestamp: string, signatures: string, body: Buffer, now: number): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > tolerance) return false;
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const want = Buffer.from("v1," + createHmac("sha256", key).update(signed).digest("base64"));
  // Two signatures while a secret is being replaced.
  return signatures.split(" ").some((s) => {
    const given = Buffer.from(s);
    return given.length === want.length && timingSafeEqual(given, want);
  });
}

const [secret, id, timestamp, signatures] = process.argv.slice(2);
if (!verify(secret, id, timestamp, signatures, readFileSync(0), Date.now() / 1000)) {
  console.error("the message is too old, of the future, or no signature is right");
  process.exit(1);
}
console.log("ok");
