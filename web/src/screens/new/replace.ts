import type { QueryClient } from "@tanstack/react-query";

import { draftPeople, savePeople } from "../../api/draft";
import { detail, verbs } from "../../api/documents";
import { fromService, toService } from "./people";

/** Replaces a draft by that of another file: the participants are kept, the former draft is deleted. */
export async function replaceDraft(queries: QueryClient, former: number, by: number): Promise<void> {
  const [{ is_parallel }, { signer: people }] = await Promise.all([queries.fetchQuery(detail(former)), queries.fetchQuery({ ...draftPeople(former), staleTime: 0 })]);
  if (people.length > 0) {
    const { signer, guest } = toService(fromService(people));
    await savePeople(by, signer, guest, is_parallel);
  }
  await verbs.remove(former);
  queries.removeQueries({ queryKey: ["document", former] });
}
