import { isEmbedded } from "./embed";

const memory = new Map<string, string>();

/**
 * What the browser keeps for the next visit. Where it keeps nothing, it is kept as long as the page is open: in a frame of another origin, whose storage
 * browsers block or divide, where the person blocks storage, and where it is full.
 */
export const kept = {
  read(key: string): string | null {
    const value = memory.get(key); // newer than what is stored, if anything is
    if (value !== undefined || isEmbedded) return value ?? null;
    try {
      return localStorage.getItem(key);
    } catch { // storage is blocked
      return null;
    }
  },
  write(key: string, value: string): void {
    try {
      if (isEmbedded) throw new Error("a frame stores nothing");
      localStorage.setItem(key, value);
      memory.delete(key);
    } catch {
      memory.set(key, value);
    }
  },
  remove(key: string): void {
    memory.delete(key);
    try {
      if (!isEmbedded) localStorage.removeItem(key);
    } catch { /* nothing was stored */ }
  },
};
