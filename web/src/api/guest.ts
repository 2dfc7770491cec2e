import { isEmbedded } from "./embed";

// A guest has no account and no cookie. The token for which their link was exchanged lives as long as the tab.

const key = "segel.guest";

export interface Guest {
  token: string;
  document: number;
  person: string;
  name: string;
}

let held: Guest | undefined; // in a frame, where nothing is stored

function read(): Guest | undefined {
  if (isEmbedded) return held;
  const text = sessionStorage.getItem(key);
  return text ? (JSON.parse(text) as Guest) : undefined;
}

export const guest = {
  token: () => read()?.token,
  document: () => read()?.document,
  person: () => read()?.person,
  name: () => read()?.name,
  enter(g: Guest): void {
    if (isEmbedded) held = g;
    else sessionStorage.setItem(key, JSON.stringify(g));
  },
  leave(): void {
    if (isEmbedded) held = undefined;
    else sessionStorage.removeItem(key);
  },
};
