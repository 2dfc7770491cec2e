import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { account } from "./account";
import { api, take, type Schemas } from "./client";
import { makePasskey } from "./passkey";

export type Factors = Schemas["FactorsData"];

/** The second factors of the caller. */
export const factors = queryOptions({ queryKey: ["factors"], queryFn: async (): Promise<Factors> => (await take(api.GET("/v1/auth/factors"))).data });

/** What the caller can present beside their password. */
export const accepted = (f: Factors): string[] => [...(f.totp ? ["totp"] : []), ...(f.passkeys.length > 0 ? ["passkey"] : []), ...(f.recovery_codes > 0 ? ["recovery_code"] : [])];

/** A change of the factors; the account may have had to add one. */
export function useFactorChange<In, Out>(change: (input: In) => Promise<Out>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => Promise.all([queries.invalidateQueries({ queryKey: factors.queryKey }), queries.invalidateQueries({ queryKey: account.queryKey })]),
  });
}

const one = (passkey: string) => ({ params: { path: { passkey_id: passkey } } });

export const changes = {
  beginTOTP: async (current: string) => (await take(api.POST("/v1/auth/factors/totp", { body: { current } }))).data,
  confirmTOTP: async (body: { ticket: string; otp: string }) => (await take(api.POST("/v1/auth/factors/totp/confirm", { body }))).data.recovery_codes,
  removeTOTP: (current: string) => take(api.POST("/v1/auth/factors/totp/remove", { body: { current } })),
  recoveryCodes: async (current: string) => (await take(api.POST("/v1/auth/factors/recovery-codes", { body: { current } }))).data.recovery_codes,
  addPasskey: async ({ current, name }: { current: string; name: string }): Promise<string[]> => {
    const made = await makePasskey((await take(api.POST("/v1/auth/factors/passkey-options", { body: { current } }))).data);
    return (await take(api.POST("/v1/auth/factors/passkeys", { body: { ...made, name } }))).data.recovery_codes as string[];
  },
  renamePasskey: ({ id, name }: { id: string; name: string }) => take(api.PUT("/v1/auth/factors/passkeys/{passkey_id}/name", { ...one(id), body: { name } })),
  removePasskey: ({ id, current }: { id: string; current: string }) => take(api.POST("/v1/auth/factors/passkeys/{passkey_id}/remove", { ...one(id), body: { current } })),
};
