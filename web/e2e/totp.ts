import { createHmac } from "node:crypto";

/** The time step of authenticator apps, of 30 seconds. */
export const step = () => Math.floor(Date.now() / 30_000);

/** The code of an authenticator app in a time step (RFC 6238, SHA-1, six digits). */
export function codeOf(key: string, at: number): string {
  const bits = [...key].map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0")).join("");
  const secret = Buffer.from(bits.match(/.{8}/g)!.map((b) => parseInt(b, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(at));
  const mac = createHmac("sha1", secret).update(counter).digest();
  return String((mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
