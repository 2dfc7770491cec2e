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

/** What was read of the document of the link that was taken. */
let opened: { document: number; pages: Early["pages"]; picture: Early["picture"] } | undefined;

/** Takes the answer for a guest's link, once. */
export async function takeGuest(secret: string): Promise<Schemas["FoundGuestSessionData"] | undefined> {
  const early = window.segelEarly;
  window.segelEarly = opened = undefined;
  if (early?.secret !== secret) return undefined;
  const answer = await early.guest.catch(() => undefined);
  if (answer) opened = { document: answer.data.document_id, pages: early.pages, picture: early.picture };
  return answer;
}

/** Takes the pages of a document, once. */
export async function takePages(document: number): Promise<Schemas["PageList"] | undefined> {
  const early = opened;
  opened = undefined;
  if (early?.document !== document) return undefined;
  const pages = await early.pages.catch(() => undefined);
  if (pages) first = { digest: pages.digest, picture: early.picture };
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
