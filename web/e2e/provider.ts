import { generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** What is used of the package, which has no types. */
type Constructor = new (issuer: string, settings: object) => { callback: () => RequestListener };

/** An identity provider in this process: oidc-provider, which the OpenID Foundation certified. People log in with any name and password. */
export interface Provider {
  issuer: string;
  /** Environment that lets a service reach it. */
  env: Record<string, string>;
  /** The groups of a person, by their name; missing: none. */
  groups: Record<string, string[]>;
  /** Takes the service as a client. Called again, it has another key, and has forgotten all logins. */
  serve: (redirect: string, logout: string, back: string) => void;
  close: () => Promise<void>;
}

export const clientSecret = "rahasia klien";

export async function provider(): Promise<Provider> {
  const { default: OIDC } = (await import("oidc-provider" as string)) as { default: Constructor };
  let handle: RequestListener = (_, w) => w.writeHead(503).end();
  const server = createServer((r, w) => handle(r, w));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const port = (server.address() as AddressInfo).port, issuer = `http://127.0.0.1:${port}`, groups: Provider["groups"] = {};
  return {
    issuer, groups,
    env: { SEGEL_ORGANISATION_PRIVATE_NETWORKS: "127.0.0.0/8", SEGEL_OUTBOUND_PORTS: String(port) },
    serve: (redirect, logout, back) => {
      const key = { ...generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }), kid: randomUUID(), alg: "ES256", use: "sig" };
      handle = new OIDC(issuer, {
        jwks: { keys: [key] }, cookies: { keys: ["a key of the tests"] }, pkce: { required: () => true },
        clients: [{
          client_id: "segel", client_secret: clientSecret, redirect_uris: [redirect], post_logout_redirect_uris: [back], id_token_signed_response_alg: "ES256",
          backchannel_logout_uri: logout, backchannel_logout_session_required: true,
        }],
        claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
        features: { backchannelLogout: { enabled: true } },
        // Its own dispatcher refuses addresses of this machine, where the service of the test is.
        fetch: (url: string, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) => fetch(url, options),
        findAccount: (_: unknown, id: string) => ({
          accountId: id, claims: () => ({ sub: id, email: `${id}@contoh.id`, email_verified: id !== "palsu", name: `Orang ${id}`, groups: groups[id] ?? [] }),
        }),
      }).callback();
    },
    close: () => new Promise((done) => { server.closeAllConnections(); server.close(() => done()); }),
  };
}
