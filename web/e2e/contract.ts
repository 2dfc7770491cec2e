import type { Page } from "playwright-core";

import { makePDF } from "./harness";

export interface Sent {
  id: number;
  /** By e-mail. */
  people: Map<string, string>;
}

interface Who {
  name: string;
  email: string;
  guest?: boolean;
  /** What they do; missing: sign. */
  role?: string;
  /** Any one of those with the same number acts for all. */
  group?: number;
}

/** Sends a contract, of two pages if no file is given, over the API as the user of the page: everyone signs on page 1, one after the other unless parallel is 1; one stamp is on page 2. More are further members of the upload. */
export async function send(page: Page, title: string, who: Who[], stamps = 1, file = makePDF(2), parallel: 0 | 1 = 0, more: object = {}): Promise<Sent> {
  const members = await get<{ user: { id: string; email: string }[] }>(page, "v1/auth/list_user?page=1&limit=50");
  const id = (email: string) => members.user.find((m) => m.email === email)?.id;
  const place = (w: Who, otherwise: number) => (w.group ? { group: w.group, number: 1 + who.findIndex((o) => o.group === w.group) } : { number: otherwise });
  const { document_id } = await post<{ document_id: number }>(page, "upload-docs-base64", {
    document_title: title, filename: `${title}.pdf`, document_base64: file.toString("base64"), parallel, ...more,
    signer: who.filter((w) => !w.guest).map((w, i) => ({ id: id(w.email), name: w.name, email: w.email, role: w.role ?? "signer", ...place(w, i + 1) })),
    guest: who.filter((w) => w.guest).map((w, i) => ({ name: w.name, email: w.email, role: w.role ?? "signer", ...place(w, who.length + i) })),
  });
  const { signer } = await get<{ signer: { user_id: string; email: string; acts_as: string; group?: number }[] }>(page, `v1/econtract/web_app/document/signers/${document_id}`);
  const people = new Map(signer.map((s) => [s.email, s.user_id]));
  const first = signer[0]!.user_id;
  const signers = [
    ...signer.filter((s, i) => (s.acts_as === "signer" || s.acts_as === "witness") && !(s.group && signer.findIndex((o) => o.group === s.group) < i)).map((s, i) => ({ type: "sign", page: 1, user: { userid: s.user_id }, emet: { llx: 50 + i * 170, lly: 100, urx: 200 + i * 170, ury: 170 } })),
    ...Array.from({ length: stamps }, (_, i) => ({ type: "emet", page: 2, user: { userid: first }, emet: { llx: 300 + i * 100, lly: 100, urx: 380 + i * 100, ury: 180 } })),
  ];
  await post(page, "placement-docs", { document_id, signers });
  await post(page, "finalize-docs", { document_id });
  return { id: document_id, people };
}

/** Creates a guest's link. */
export const guestLink = async (page: Page, s: Sent, email: string) => (await post<{ url: string }>(page, "guest-link-docs", { document_id: s.id, user_id: s.people.get(email) })).url;

/** Confirms having read the document, without scrolling to its end. */
export const read = (page: Page) => page.getByRole("checkbox", { name: "I have read the document" }).check();

/** Waits until a document is sealed, and returns the file. */
export async function sealed(page: Page, id: number): Promise<Buffer> {
  for (const until = Date.now() + 40_000; Date.now() < until; await new Promise((r) => setTimeout(r, 200))) {
    if ((await get<{ status: string }>(page, `v1/econtract/web_app/document/detail/${id}`)).status !== "completed") continue;
    return (await page.request.get(at(page, `v1/econtract/web_app/document/download/${id}`))).body();
  }
  throw new Error(`document ${id} was not completed`);
}

const at = (page: Page, path: string) => new URL(path, new URL(page.url()).origin + "/").href;

async function get<T>(page: Page, path: string): Promise<T> {
  const answer = await page.request.get(at(page, path));
  if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
  return ((await answer.json()) as { data: T }).data;
}

async function post<T>(page: Page, verb: string, data: object): Promise<T> {
  const answer = await page.request.post(at(page, `v1/econtract/web/sign/${verb}`), { data });
  if (!answer.ok()) throw new Error(`${verb}: ${answer.status()} ${await answer.text()}`);
  return ((await answer.json()) as { response: { data: T } }).response.data;
}
