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

/** Erases the account of the caller. They enter their own address as a confirmation. */
export const eraseOwnAccount = (email: string) => take(api.PUT("/v1/auth/account/erased", { body: { email } }));

/** What is stored about the caller, or for an administrator about a person, as an archive, with its Content-Disposition. */
export async function personalData(person?: string): Promise<{ archive: Blob; disposition: string | null }> {
  const found = person === undefined ? await api.GET("/v1/auth/export", { parseAs: "blob" }) : await api.GET("/v1/admin/people/{person_id}/export", { params: { path: { person_id: person } }, parseAs: "blob" });
  return { archive: found.data as Blob, disposition: found.response.headers.get("Content-Disposition") };
}
