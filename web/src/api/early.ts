import type { Schemas } from "./client";

/** What was read before the app was loaded. Each promise is rejected if it could not be read. */
export interface Early {
  /** The secret of the guest's link. */
  secret: string;
  guest: Promise<Schemas["FoundGuestSessionData"]>;
  pages: Promise<Schemas["PageList"]>;
  /** Of the first page. */
  picture: Promise<Blob>;
}

declare global {
  interface Window {
    segelEarly?: Early | undefined;
  }
}

/** Takes the answer for a guest's link, once. */
export async function takeGuest(secret: string): Promise<Schemas["FoundGuestSessionData"] | undefined> {
  const early = window.segelEarly;
  if (early?.secret !== secret) {
    window.segelEarly = undefined;
    return undefined;
  }
  return early.guest.catch(() => undefined);
}

/** Takes the pages of a document, once. */
export async function takePages(document: number): Promise<Schemas["PageList"] | undefined> {
  const early = window.segelEarly;
  if (!early) return undefined;
  window.segelEarly = undefined;
  const [guest, pages] = await Promise.all([early.guest, early.pages]).catch(() => []);
  if (!pages || guest?.data.document_id !== document) return undefined;
  first = { digest: pages.digest, picture: early.picture };
  return pages;
}

let first: { digest: string; picture: Promise<Blob> } | undefined;

/** Takes the picture of a page, once. */
export async function takePicture(digest: string, page: number): Promise<Blob | undefined> {
  if (page !== 1 || first?.digest !== digest) return undefined;
  const { picture } = first;
  first = undefined;
  return picture.catch(() => undefined);
}
