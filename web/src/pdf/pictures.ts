import { base } from "../api/base";
import { headers, refusalOf, type Schemas } from "../api/client";
import { session } from "../api/session";
import { takePages, takePicture } from "../api/early";
import type { PageSize } from "./page-size";
import { asked } from "./part";

export type PageList = Schemas["PageList"];

const documents = `${base}/v1/econtract/web_app/document`;

/** Reads which pages the current revision of a document has. */
export async function readPages(id: number, signal: AbortSignal): Promise<PageList> {
  const early = await takePages(id);
  if (early) return early;
  const answer = await session.send(() => fetch(`${documents}/pages/${id}`, { ...asked, signal, headers: headers() }));
  if (!answer.ok) throw await refusalOf(answer);
  return ((await answer.json()) as { data: PageList }).data;
}

/** A picture of a page, and the size of the page if the service said it. */
export interface ReadPicture {
  picture: Blob;
  size: PageSize | undefined;
}

/** Reads a picture of a page of that revision. */
export async function readPicture(id: number, list: PageList, page: number, width: number, signal: AbortSignal): Promise<ReadPicture> {
  const early = await takePicture(list.digest, page);
  if (early) return { picture: early, size: listedSize(list, page) };
  const answer = await session.send(() => fetch(pictureAddress(id, list, page, width), { ...asked, signal, headers: headers() }));
  if (!answer.ok) throw await refusalOf(answer);
  const [w = 0, h = 0] = (answer.headers.get("Page-Size") ?? "").split(" ").map(Number);
  return { picture: await answer.blob(), size: w > 0 && h > 0 ? { width: w, height: h } : undefined };
}

export const pictureAddress = (id: number, list: PageList, page: number, width: number): string =>
  `${documents}/page-picture/${id}?digest=${list.digest}&page=${page}&width=${width}`;

/** The width of pictures, in their pixels, for a page that is so many pixels of the screen wide. */
export const pictureWidth = (list: PageList, width: number): number => list.widths.find((w) => w >= width) ?? list.widths.at(-1)!;

/** The size of a page, if it is listed. */
export const listedSize = (list: PageList, page: number): PageSize | undefined => list.sizes.find((s) => page >= s.first && page <= s.last);

/** The size of a page. Those that are not listed are most likely like the last. */
export function pageSize(list: PageList, page: number): PageSize {
  return listedSize(list, page) ?? list.sizes.at(-1) ?? { width: 595, height: 842 };
}

/** Queue runs reads one after the other, in the order in which they were requested, so that the first page does not share a slow line with others. */
export class Queue {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(signal: AbortSignal, read: () => Promise<T>): Promise<T> {
    const result = this.last.then(() => {
      signal.throwIfAborted();
      return read();
    });
    this.last = result.catch(() => undefined);
    return result;
  }
}
