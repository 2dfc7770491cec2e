import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import type { Login } from "./account";
import { base } from "./base";
import { api, take, type Schemas } from "./client";
import { guest } from "./guest";

export type Membership = Schemas["MembershipOut"];

/** The accounts that this browser can switch to, with the current one. */
export const memberships = queryOptions({ queryKey: ["memberships"], queryFn: async () => (await take(api.GET("/v1/auth/organisations"))).data.organisations, staleTime: 60_000 });

const tabs = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("segel.account");

/** Tells other tabs which account this browser uses now. */
export const tellAccount = (account: string): void => tabs?.postMessage(account);

/** Calls heard with the account that another tab uses. Returns a function that ends this. */
export function onAccountTold(heard: (account: string) => void): () => void {
  const listen = (e: MessageEvent<unknown>) => { if (typeof e.data === "string") heard(e.data); };
  tabs?.addEventListener("message", listen);
  return () => tabs?.removeEventListener("message", listen);
}

/** Everything on the screen is of the former account, so the app starts anew. */
function startAnew(account: string) {
  guest.leave();
  tellAccount(account);
  window.location.assign(`${base}/`);
}

/** Switches to another account of this browser. */
export const useSwitch = () => useMutation({
  mutationFn: (to: { business_id: string } & Pick<Login, "otp" | "passkey">) => take(api.POST("/v1/auth/switch", { body: to })),
  onSuccess: ({ data }) => startAnew(data.account.id),
});

/** Logs in to another account, beside the current one. */
export const useAddMembership = () => useMutation({
  mutationFn: (login: { email: string; password: string } & Pick<Login, "otp" | "passkey"> & { business_id?: string }) => take(api.POST("/v1/auth/organisations", { body: login })),
  onSuccess: ({ data }) => startAnew(data.account.id),
});

/** Logs out of another account. */
export function useLeave() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (business: string) => take(api.DELETE("/v1/auth/organisations/{organisation_id}", { params: { path: { organisation_id: business } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: memberships.queryKey }),
  });
}
