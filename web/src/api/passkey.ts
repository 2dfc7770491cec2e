import { api, Problem, take, type Schemas } from "./client";

/** The answer of a passkey, as the service takes it. */
export type PasskeyAnswer = Schemas["PasskeyIn"];

type Options = Schemas["PasskeyOptionsData"];

/** Whether this browser offers passkeys here. Under an address that is not secure it does not. */
export const passkeysOffered = (): boolean => typeof PublicKeyCredential !== "undefined" && "parseRequestOptionsFromJSON" in PublicKeyCredential;

/** The person closed the dialog of the browser, or it found no passkey. */
const refused = (error: unknown): unknown => (error instanceof DOMException ? new Problem(0, error.name === "InvalidStateError" ? "passkey.known" : "passkey.none", error.message) : error);

async function answer(ticket: string, ask: Promise<Credential | null>): Promise<PasskeyAnswer> {
  const credential = await ask.catch((e: unknown) => { throw refused(e); });
  if (!(credential instanceof PublicKeyCredential)) throw new Problem(0, "passkey.none", "no passkey");
  return { ticket, credential: credential.toJSON() as unknown as PasskeyAnswer["credential"] };
}

/** Has a passkey answer options of the service. */
export const askPasskey = ({ ticket, options }: Options): Promise<PasskeyAnswer> =>
  answer(ticket, navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options as unknown as PublicKeyCredentialRequestOptionsJSON) }));

/** Has the browser make a passkey. */
export const makePasskey = ({ ticket, options }: Options): Promise<PasskeyAnswer> =>
  answer(ticket, navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options as unknown as PublicKeyCredentialCreationOptionsJSON) }));

/** Asks a passkey of anyone, for a login. */
export const loginPasskey = async (): Promise<PasskeyAnswer> => askPasskey((await take(api.POST("/v1/auth/passkey-login-options", { body: {} }))).data);

/** Asks a passkey of the caller for their signatures. */
export const signPasskey = async (documents: Schemas["ConsentItemIn"][]): Promise<PasskeyAnswer> =>
  askPasskey((await take(api.POST("/v1/auth/passkey-sign-options", { body: { documents } }))).data);
