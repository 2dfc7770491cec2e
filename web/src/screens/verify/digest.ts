/** SHA-256 of a file as lower-case hexadecimal, computed here; undefined if the browser does not offer it (plain HTTP). */
export async function digestOf(file: Blob): Promise<string | undefined> {
  if (!globalThis.crypto?.subtle) return undefined;
  const sum = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
  return Array.from(new Uint8Array(sum), (b) => b.toString(16).padStart(2, "0")).join("");
}

/** Parses a SHA-256 as people paste it: hexadecimal in any case, with spaces or colons, a prefix, or a file name after it as sha256sum prints it. */
export function readDigest(text: string): string | undefined {
  const bare = text.trim().toLowerCase().replace(/^sha-?256[:=\s]\s*/, "");
  const first = /^[0-9a-f]{64}(?=\s|$)/.exec(bare)?.[0];
  if (first) return first;
  const joined = bare.replace(/[\s:]/g, "");
  return /^[0-9a-f]{64}$/.test(joined) ? joined : undefined;
}
