import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { send, type Sent } from "./contract";
import { complete, makePDF, stage, type Stage } from "./harness";

const satu = { name: "Pemilik Satu", email: "o@example.test" }, dua = { name: "Penanda Dua", email: "s@example.test" };

let s: Stage, owner: Page, signer: Page;

beforeAll(async () => {
  s = await stage();
  s.user(satu.name, satu.email);
  s.user(dua.name, dua.email);
  [owner, signer] = [await s.enter(satu.email), await s.enter(dua.email)];
});
afterAll(() => s.close());

async function sendMany(title: string, count: number, pages = 1): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (let i = 1; i <= count; i++) sent.push(await send(owner, `${title} ${i}`, [dua], 0, makePDF(pages)));
  return sent;
}

interface Event {
  type: string;
  description: string;
}

async function trail(id: number): Promise<Event[]> {
  const answer = await owner.request.get(`${s.url}/v1/econtract/web_app/document/audit-trail/${id}`, { headers: { "Accept-Language": "en" } });
  return ((await answer.json()) as { data: Event[] }).data;
}

/** What the trail says about the signature of a document. */
const signature = async (id: number) => (await trail(id)).filter((e) => e.type === "signed").map((e) => e.description);

/** Counts what the signer does. */
function counting(page: Page) {
  let clicks = 0, keys = 0;
  return {
    click: async (of: ReturnType<Page["locator"]>) => { clicks++; await of.click(); },
    press: async (key: string) => { keys++; await page.keyboard.press(key); },
    get clicks() { return clicks; },
    get keys() { return keys; },
    get all() { return clicks + keys; },
  };
}

const open = (page: Page, ids: number[] = []) => page.goto(`${s.url}/sign-many${ids.length > 0 ? `?ids=${ids.join(",")}` : ""}`);
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const results = (page: Page) => page.locator("[data-results]");
const ready = (page: Page, id: number) => page.locator(`[data-reading='${id}'] [data-ready=true]`).waitFor();

/** How many documents are read one by one: the keys for each are counted, so that a few stand for many. */
const several = complete ? 40 : 8;

test(`${several} documents are read and signed one after the other with a click or key each and 5 beside them, each displayed`, async () => {
  const sent = await sendMany("Kontrak", several);
  const c = counting(signer);
  await signer.goto(`${s.url}/inbox`);
  await c.click(signer.getByRole("link", { name: "Sign several" }));
  await c.click(signer.getByRole("link", { name: "Read one by one" }));
  await c.click(signer.getByRole("checkbox", { name: /With each signature I agree/ }));
  for (let i = 0; i < several; i++) {
    const id = Number(await signer.locator("[data-reading]").getAttribute("data-reading"));
    await ready(signer, id);
    await signer.locator(`[data-sheets='${id}'] [data-page='1']`).waitFor();
    await c.press("s");
    await signer.locator(`[data-reading='${id}']`).waitFor({ state: "detached" });
  }
  await results(signer).getByText(`Signed: ${several} of ${several} documents`).waitFor();
  console.log(`${several} documents, one after the other: ${c.clicks} clicks and ${c.keys} keys`);
  expect(c.all).toBeLessThanOrEqual(several + 5);
  for (const { id } of sent) expect(await signature(id)).toEqual([expect.stringMatching(/the service showed page 1 of 1(, as pictures: page 1)?; accepted consent text segel-1/)]);
});

/** How many get one consent: they are signed ten at a time. */
const together = complete ? 40 : 20;

test(`${together} documents are signed with one consent in 5 clicks or fewer, and each event names the list and the pages displayed`, async () => {
  const sent = await sendMany("Adendum", together, 2);
  const c = counting(signer);
  const digests = new Set<string>(), sizes: number[] = [];
  signer.on("response", async (r) => {
    if (!r.url().endsWith("/sign-many-docs")) return;
    const { response: { data } } = (await r.json()) as { response: { data: { consent: { documents: number; digest: string }; results: unknown[] } } };
    digests.add(`${data.consent.documents} ${data.consent.digest}`);
    sizes.push(data.results.length);
  });
  await signer.goto(`${s.url}/inbox`);
  await c.click(signer.getByRole("link", { name: "Sign several" }));
  await signer.locator("li[data-document]").nth(together - 1).waitFor();
  const first = signer.locator("li[data-document]").first();
  const read = Number(await first.getAttribute("data-document"));
  await expect.poll(() => first.textContent()).toMatch(/Sent by Pemilik Satu.*2 pages.*Digest [0-9a-f]{12} · not displayed/);
  await first.getByRole("link", { name: "Read" }).click(); // not counted: they may look into one
  await signer.locator(`[data-sheets='${read}'] [data-page='1'] canvas`).waitFor();
  await signer.getByRole("link", { name: "List and signature" }).click();
  expect(await signer.locator(`li[data-document='${read}']`).textContent()).toMatch(/displayed: page 1(, 2)? of 2/);
  expect(await button(signer, `Sign ${together} documents`).isDisabled()).toBe(true);
  await c.click(signer.getByRole("checkbox", { name: new RegExp(`I agree to each of the ${together} documents`) }));
  await c.click(button(signer, `Sign ${together} documents`));
  await results(signer).getByText(`Signed: ${together} of ${together} documents`).waitFor();
  console.log(`${together} documents with one consent: ${c.clicks} clicks`);
  expect(c.clicks).toBeLessThanOrEqual(5);
  expect(sizes).toEqual(Array.from({ length: together / 10 }, () => 10));
  expect([...digests]).toEqual([expect.stringMatching(new RegExp(`^${together} [0-9a-f]{64}$`))]);
  expect(await signer.evaluate(() => document.activeElement?.textContent)).toBe(`Signed: ${together} of ${together} documents`);
  for (const { id } of sent) {
    const showed = id === read ? /the service showed page 1(, 2)? of 2/ : /the service did not show the pages/;
    const [said, ...more] = await signature(id);
    expect(said).toMatch(showed);
    expect(said).toContain(`one consent covered this document and ${together - 1} others`);
    expect(more).toEqual([]);
  }
});

test("a refused document stays with the reason and what to do, and the others are signed", async () => {
  const [a, b, c] = await sendMany("Sewa", 3) as [Sent, Sent, Sent];
  const both = await send(owner, "Sewa bersama", [dua, satu], 0);
  await open(signer, [a.id, b.id, c.id, both.id, 999_999]);
  await signer.getByText("1 document is left out").waitFor();
  await owner.request.post(`${s.url}/v1/econtract/web/sign/cancel-docs`, { data: { document_id: b.id } });
  await signer.getByRole("checkbox", { name: /I agree/ }).check();
  await button(signer, "Sign 4 documents").click();
  await results(signer).getByText("Signed: 3 of 4 documents").waitFor();
  const refused = signer.locator(`li[data-document='${b.id}']`);
  await expect.poll(() => refused.getAttribute("data-result")).toBe("document.not_processing");
  await expect.poll(() => refused.textContent()).toContain("Open the document to see its status.");
  for (const one of [a, c, both]) expect(await signer.locator(`li[data-document='${one.id}']`).getAttribute("data-result")).toBe("signed");
  await button(signer, "Review it again").click();
  await signer.getByText("None of these documents waits for your signature.").waitFor();
});

test("a lost answer is repeated, and nothing is signed twice", async () => {
  const sent = await sendMany("Jaminan", 2);
  await open(signer, sent.map((d) => d.id));
  let lost = 0;
  await signer.route("**/sign-many-docs", async (route) => {
    await route.fetch(); // the service answers
    lost++;
    await route.abort();
  }, { times: 1 });
  await signer.getByRole("checkbox", { name: /I agree/ }).check();
  await button(signer, "Sign 2 documents").click(); // the app repeats the request by itself
  await results(signer).getByText("Signed: 2 of 2 documents").waitFor();
  expect(lost).toBe(1);
  for (const { id } of sent) expect(await signature(id)).toHaveLength(1);
});

test.runIf(complete)("keys move and show their list, and do nothing in a field, with a modifier, without consent, or switched off", async () => {
  const [a, b] = await sendMany("Kuasa", 2) as [Sent, Sent];
  let signed = 0;
  signer.on("request", (r) => { if (r.url().endsWith("/sign-docs")) signed++; });
  await open(signer, [a.id, b.id]);
  await signer.getByRole("link", { name: "Read one by one" }).click();
  const reads = (id: number) => signer.locator(`[data-reading='${id}']`).waitFor();
  await reads(a.id);
  await signer.getByRole("status").getByText("Document 1 of 2: Kuasa 1, from Pemilik Satu, pages: 1.").waitFor({ state: "attached" });
  await signer.locator(`[data-sheets='${a.id}'] [data-page='1'] canvas`).waitFor();
  await signer.keyboard.press("s"); // without consent
  await signer.keyboard.press("j");
  await reads(b.id);
  await signer.getByRole("status").getByText("Document 2 of 2: Kuasa 2").waitFor({ state: "attached" });
  await signer.keyboard.press("k");
  await reads(a.id);
  await signer.getByRole("checkbox", { name: /With each signature I agree/ }).check();
  await ready(signer, a.id);
  await signer.keyboard.press("Control+s");
  await signer.evaluate(() => {
    const field = document.body.appendChild(document.createElement("input"));
    field.id = "typed";
    field.focus();
  });
  await signer.keyboard.type("sjk");
  expect(await signer.locator("#typed").inputValue()).toBe("sjk");
  await signer.evaluate(() => document.getElementById("typed")!.remove());
  await reads(a.id);
  await signer.keyboard.press("?");
  const dialog = signer.getByRole("dialog", { name: "Keys" });
  await dialog.waitFor();
  await signer.keyboard.press("s"); // in the dialog
  await dialog.getByRole("switch", { name: "Use these keys" }).uncheck();
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
  await signer.keyboard.press("s"); // switched off
  expect(signed).toBe(0);
  await button(signer, "Sign this document").click();
  await reads(b.id);
  await signer.getByRole("status").getByText(/^Signed: Kuasa 1\. Document 2 of 2/).waitFor({ state: "attached" });
  await ready(signer, b.id);
  await button(signer, "Sign this document").click();
  await results(signer).getByText("Signed: 2 of 2 documents").waitFor();
  expect(signed).toBe(2);
});

test("another revision is shown before it is signed, if someone signed while the document was read", async () => {
  const both = await send(owner, "Serentak", [dua], 0);
  await open(signer, [both.id]);
  await signer.evaluate(() => localStorage.removeItem("segel.signing-keys"));
  await signer.reload();
  await signer.getByRole("link", { name: "Read one by one" }).click();
  await signer.getByRole("checkbox", { name: /With each signature I agree/ }).check();
  await ready(signer, both.id);
  await signer.route("**/sign-docs", (route) => route.fulfill({ status: 409, contentType: "application/json", body: JSON.stringify({ code: 409, success: false, msg: "Changed.", error: { code: "document.revision_changed", request_id: "x", retryable: false, fields: [] } }) }), { times: 1 });
  await signer.keyboard.press("s");
  await signer.getByRole("alert").getByText("Changed.").waitFor();
  await ready(signer, both.id); // the file was opened and shown again
  await signer.keyboard.press("s");
  await results(signer).getByText("Signed: 1 of 1 documents").waitFor();
});
