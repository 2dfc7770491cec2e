import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { api, Problem, take, type Schemas } from "./client";
import { isEmbedded } from "./embed";
import { guest } from "./guest";
import type { PasskeyAnswer } from "./passkey";

export type Account = Schemas["AccountData"];

/** The user who is logged in, or null. */
export const account = queryOptions({
  queryKey: ["account"],
  queryFn: async (): Promise<Account | null> => {
    if (isEmbedded) return null; // nobody is logged in to a frame
    try {
      return (await take(api.GET("/v1/auth/me"))).data;
    } catch (error) {
      if (error instanceof Problem && error.code === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** The teams of the account. */
export const teams = queryOptions({
  queryKey: ["account", "teams"],
  queryFn: async () => (await take(api.GET("/v1/auth/me"))).data.teams ?? [],
  staleTime: 60_000,
});

/** Whether a role includes sending documents. */
export const maySend = (a: Account) => a.role !== "member" && a.role !== "auditor";

/** Whether a role includes administration, or reading what administration shows. */
export const readsAdministration = (a: Account) => a.role === "admin" || a.role === "operator" || a.role === "auditor";

export const useAccount = () => useQuery(account).data ?? null;

/** What a login presents: a password, with a second factor where the account has one, or a passkey alone. */
export interface Login {
  /** The company of the person confirmed the login; only the second factor is missing. */
  company?: boolean;
  email?: string;
  password?: string;
  otp?: string;
  passkey?: PasskeyAnswer;
}

export function useLogin() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ company, ...input }: Login) => company
      ? take(api.POST("/v1/auth/sso/factor", { body: { otp: input.otp, passkey: input.passkey } }))
      : take(api.POST("/v1/auth/session", { body: { ...input } })),
    onSuccess: (answer) => {
      guest.leave();
      queries.setQueryData(account.queryKey, answer.data.account);
    },
  });
}

/** Begins a login with the company of an address. The result is the page of its identity provider, or null: the address logs in with a password. Beside: the current session stays, and both can be switched to. */
export async function beginProviderLogin(email: string, then: string, beside = false): Promise<string | null> {
  return (await take(api.POST("/v1/auth/sso", { body: { email, then, ...(beside && { beside: 1 as const }) } }))).data.url;
}

/** Changes the password. This ends every session, so it logs in again. */
export function usePassword() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ current, next }: { current: string; next: string }) => {
      const me = await queries.ensureQueryData(account);
      await take(api.POST("/v1/auth/password", { body: { current, new: next } }));
      try {
        return (await take(api.POST("/v1/auth/session", { body: { email: me?.email ?? "", password: next, ...(me && { business_id: me.business_id }) } }))).data.account;
      } catch {
        // The password has been changed, and only the login failed, as where it needs a second factor: the dialog for a session that has ended asks for what is missing.
        return (await take(api.GET("/v1/auth/me"))).data;
      }
    },
    onSuccess: (me) => void queries.setQueryData(account.queryKey, me),
  });
}

/** Logs out. Without an answer the person may still be logged in, and the screen must not look as if they were not. */
export function useLogout() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      try {
        return (await take(api.POST("/v1/auth/logout", { body: {} }))).data.provider_logout;
      } catch (error) {
        if (error instanceof Problem && error.code === 401) return null; // the session had ended
        throw error;
      }
    },
    onSuccess: (provider) => {
      queries.clear();
      queries.setQueryData(account.queryKey, null);
      if (provider) window.location.assign(provider);
    },
  });
}
