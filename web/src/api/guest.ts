import { isEmbedded } from "./embed";

// A guest has no account and no cookie. The token for which their link was exchanged lives as long as the tab.

const key = "segel.guest";

export interface Guest {
  token: string;
  document: number;
  person: string;
  name: string;
}

let held: Guest | undefined; // in a frame, where nothing is stored, and where the person blocks storage: until the page is left

function read(): Guest | undefined {
  try {
    const text = isEmbedded ? null : sessionStorage.getItem(key);
    if (text) return JSON.parse(text) as Guest;
  } catch { /* storage is blocked */ }
  return held;
}

export const guest = {
  token: () => read()?.token,
  document: () => read()?.document,
  person: () => read()?.person,
  name: () => read()?.name,
  enter(g: Guest): void {
    held = g;
    try {
      if (!isEmbedded) sessionStorage.setItem(key, JSON.stringify(g));
    } catch { /* it is held here */ }
  },
  leave(): void {
    held = undefined;
    try {
      if (!isEmbedded) sessionStorage.removeItem(key);
    } catch { /* nothing was stored */ }
  },
};
