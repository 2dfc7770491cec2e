import { isEmbedded } from "./embed";

const memory = new Map<string, string>();

/** What the browser keeps for the next visit. A page in a frame of another origin keeps it only as long as it is open: browsers block or divide its storage. */
export const kept = {
  read: (key: string): string | null => (isEmbedded ? memory.get(key) ?? null : localStorage.getItem(key)),
  write(key: string, value: string): void {
    if (isEmbedded) memory.set(key, value);
    else localStorage.setItem(key, value);
  },
  remove(key: string): void {
    if (isEmbedded) memory.delete(key);
    else localStorage.removeItem(key);
  },
};
