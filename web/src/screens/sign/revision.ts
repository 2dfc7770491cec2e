import { queryOptions } from "@tanstack/react-query";

import { headers, problemOf } from "../../api/client";
import { address } from "../../api/files";

/**
 * The SHA-256 of the revision that is shown. It is sent along with the signature, so that nobody signs other bytes
 * than those he was shown.
 */
export const revision = (id: number) =>
  queryOptions({
    queryKey: ["document", id, "revision"],
    queryFn: async () => {
      const answer = await fetch(address.preview(id), { method: "HEAD", headers: headers(), credentials: "same-origin", cache: "no-store" });
      if (!answer.ok) throw problemOf(answer.status, undefined);
      return (answer.headers.get("ETag") ?? "").replace(/^W\/|"/g, "");
    },
    staleTime: Infinity,
  });
