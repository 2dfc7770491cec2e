import type { QueryClient } from "@tanstack/react-query";

import { Problem } from "../../api/client";
import { detail, list, noSearch, pages, type Detail } from "../../api/documents";
import { idsOf, most, type ManySearch } from "./flow";

/** A document that waits for the caller's signature, in the revision that they are asked to sign. */
export interface Queued {
  id: number;
  detail: Detail;
  /** SHA-256 of the revision in hex. */
  digest: string;
  /** How many pages it has. */
  pages: number;
}

export interface Queue {
  documents: Queued[];
  /** How many of the named documents do not wait for the caller's signature, or are not theirs to see. */
  leftOut: number;
  /** How many pages the list of documents that wait has. */
  total: number;
}

/** Reads the documents that the address names, or those that wait for this person. */
export async function readQueue(queries: QueryClient, { ids, page }: Pick<ManySearch, "ids" | "page">): Promise<Queue> {
  let numbers: number[], total = 1;
  if (ids) numbers = idsOf(ids);
  else {
    const found = await queries.fetchQuery({ ...list("in", "waiting", { ...noSearch, page }, most), staleTime: 0 });
    numbers = found.documents.map((d) => d.id);
    total = found.pagination.total_page;
  }
  const read = await Promise.allSettled(numbers.map(async (id): Promise<Queued | undefined> => {
    const d = await queries.fetchQuery({ ...detail(id), staleTime: 0 });
    if (!d.is_sign) return undefined;
    const { digest, count } = await queries.fetchQuery({ ...pages(id), staleTime: 0 });
    return { id, detail: d, digest, pages: count };
  }));
  const documents = read.flatMap((r) => (r.status === "fulfilled" && r.value ? [r.value] : []));
  // A document that the caller may not see is left out. If the service does not answer, the list would be misleading.
  const failed = read.find((r) => r.status === "rejected" && !(r.reason instanceof Problem && r.reason.code === 404));
  if (failed?.status === "rejected") throw failed.reason;
  return { documents, leftOut: numbers.length - documents.length, total };
}
