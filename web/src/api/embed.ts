import { base } from "./base";

// A page of an organisation may show a page of this app in a frame, for one person, one document and one purpose. Its messages go to the origin of that
// page alone, and it takes messages from that page alone. docs/embedding.md describes them.

export type Purpose = "place" | "sign" | "view";
type Kind = "ready" | "resize" | "viewed" | "signed" | "approved" | "declined" | "saved" | "placed" | "error" | "expired" | "closed";

/** The version of the messages. */
const version = 1;

/** Whether this page is for a frame. It stores nothing in the browser, and sends no cookies. */
export const isEmbedded = typeof location !== "undefined" && location.href.startsWith(`${base}/embed/`);

/** Whether requests carry cookies. Those of a frame never do: in a page of the same site, the browser would send them even there. */
export const credentials: RequestCredentials = isEmbedded ? "omit" : "same-origin";

/** Whether it is in one. */
export const isFramed = isEmbedded && window.parent !== window;

export interface Opened {
  document: number;
  person: string;
  purpose: Purpose;
  /** The person has an account, and gives their password to sign or to decline. */
  asksPassword: boolean;
}

let opened: Opened | undefined;
let close: (() => void) | undefined;
let outer: string | undefined; // the origin of the page around this one, as the browser tells it

const learned = new Promise<string>((learn) => {
  if (!isFramed) return;
  const first = location.ancestorOrigins?.[0];
  if (first && first !== "null") learn((outer = first));
  window.addEventListener("message", (m: MessageEvent<unknown>) => {
    const message = m.data as { segel?: unknown; type?: unknown } | null;
    if (m.source !== window.parent || m.origin === "null" || (outer !== undefined && m.origin !== outer) || message?.segel !== version) return;
    if (message.type === "hello") learn((outer = m.origin));
    if (message.type === "close") close?.();
  });
});

const said = new Set<Kind>();

export const embed = {
  /** The origin of the page around this one; undefined if it is not known in time. */
  origin: () => Promise.race([learned, new Promise<undefined>((late) => setTimeout(() => late(undefined), 10_000))]),

  open: (o: Opened) => { opened = o; },
  opened: () => opened,

  /** Sets what ends the session when the page around this one asks for it. */
  onClose: (how: () => void) => { close = how; },

  /** Tells the page around this one what happened. Without a frame it does nothing. */
  post(type: Kind, more: object = {}): void {
    if (outer === undefined) return;
    const about = opened ? { document_id: opened.document, user_id: opened.person, purpose: opened.purpose } : {};
    window.parent.postMessage({ segel: version, type, ...about, ...more }, outer);
  },

  /** Tells it once. */
  postOnce(type: Kind): void {
    if (!said.has(type)) embed.post(type);
    said.add(type);
  },
};
