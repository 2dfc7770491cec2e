import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { api, take, type Schemas } from "./client";

export type Session = Schemas["SessionOut"];

/** The logins of the caller that have not ended. */
export const sessions = queryOptions({ queryKey: ["sessions"], queryFn: async (): Promise<Session[]> => (await take(api.GET("/v1/auth/sessions"))).data.sessions });

/** Ends one session of the caller, or all but this one. */
export function useEndSession() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string | undefined) => take(id === undefined ? api.DELETE("/v1/auth/sessions") : api.DELETE("/v1/auth/sessions/{session_id}", { params: { path: { session_id: id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: sessions.queryKey }),
  });
}
