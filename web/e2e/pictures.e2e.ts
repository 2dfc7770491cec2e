import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { en } from "./texts";
import { guestLink, read, send, sealed } from "./contract";
import { complete, makePDF, stage, violations, type Stage } from "./harness";

// Pages that are shown as pictures while their file is on its way, late, or does not arrive.

let s: Stage, owner: Page;
const budi = { name: "Budi Tamu", email: "budi@example.test", guest: true };

beforeAll(async () => {
  s = await stage({ env: { SEGEL_PAGE_PICTURES: "poppler" } });
  s.user("Pemilik Satu", "o@example.test");
  s.user("Penanda Dua", "s@example.test");
  owner = await s.login("o@example.test");
});
afterAll(() => s.close());

const contract = (title: string, file = makePDF(2)) => send(owner, title, [budi], 0, file);
const tab = async () => (await s.browser.newContext({ locale: "en" })).newPage();
const signButton = (page: Page) => page.getByRole("region", { name: en.sign.asked }).getByRole("button", { name: "Sign", exact: true });
const signed = (page: Page) => page.getByRole("heading", { name: en.sign.signed }).waitFor();

/** Lets the requests for these addresses fail, as when the service is away. */
async function cut(page: Page, ...addresses: string[]): Promise<() => Promise<void>> {
  for (const a of addresses) await page.route(a, (r) => r.abort("connectionfailed"));
  return async () => { for (const a of addresses) await page.unroute(a); };
}

/** Slows the line of a tab down to 80 kB a second. */
async function throttle(page: Page): Promise<void> {
  const line = await page.context().newCDPSession(page);
  await line.send("Network.enable");
  await line.send("Network.emulateNetworkConditions", { offline: false, latency: 100, downloadThroughput: 80_000, uploadThroughput: 80_000 });
}

test("where neither the pictures nor the file arrive, a message below the pages says so and trying again shows them", async () => {
  const page = await tab();
  const restore = await cut(page, "**/document/page-picture/**", "**/document/preview/**");
  await page.goto(await guestLink(owner, await contract("Tanpa Berkas"), budi.email));
  const retry = page.getByRole("main").getByRole("button", { name: en.problem.retry });
  await retry.waitFor();
  expect(await page.locator("[data-page]").count()).toBe(2); // the sizes of the pages are known
  expect(await violations(page)).toEqual([]);
  await restore();
  await retry.click();
  await page.locator("[data-page='1'] canvas").waitFor();
  expect(await retry.count()).toBe(0);
  await page.context().close();
});

test("a signer who read pictures of a former revision is refused, sees the newer pages, and signs those", async () => {
  const sent = await send(owner, "Paralel", [{ name: "Penanda Dua", email: "s@example.test" }, budi], 0, makePDF(3, 8e6), 1);
  const page = await tab();
  await throttle(page);
  await cut(page, "**/document/events/**"); // so that the page does not learn of the other signature by itself
  await page.goto(await guestLink(owner, sent, budi.email));
  await page.locator("[data-picture='1']").waitFor();
  await read(page);
  const signer = await s.login("s@example.test");
  await signer.request.post(`${s.url}/v1/econtract/web/sign/sign-docs`, { data: { document_id: sent.id } });
  await signer.context().close();

  const refused = page.waitForResponse("**/sign-docs"), listed = page.waitForRequest("**/document/pages/**");
  await signButton(page).click();
  expect((await refused).status()).toBe(409);
  // Chromium may have dropped the body of the page's own answer by now, so the test asks the service itself.
  const pages = await page.request.get((await listed).url(), { headers: await (await listed).allHeaders() });
  const { digest } = ((await pages.json()) as { data: { digest: string } }).data;
  await page.getByRole("region", { name: en.sign.asked }).getByRole("alert").waitFor();
  await page.locator("[data-picture='1']").waitFor();
  const accepted = page.waitForRequest("**/sign-docs");
  await signButton(page).click();
  expect((await accepted).postDataJSON()).toMatchObject({ digest });
  await signed(page);
  await sealed(owner, sent.id);
  await page.context().close();
});

test.runIf(complete)("a signer may sign while the file waits to be asked for: the pictures belong to the digest that is signed", async () => {
  const sent = await contract("Pindaian Besar", makePDF(3, 26e6));
  const page = await tab();
  await throttle(page);
  const fetched: string[] = [];
  page.on("request", (r) => { if (r.url().includes("/document/preview/")) fetched.push(r.url()); });
  await page.goto(await guestLink(owner, sent, budi.email));
  await page.locator("[data-picture='1']").waitFor();
  await page.getByRole("button", { name: "Load the file itself (26 MB)" }).waitFor();
  await read(page);
  const request = page.waitForRequest("**/sign-docs");
  await signButton(page).click();
  const { digest, pages_shown, pictures_shown } = (await request).postDataJSON() as { digest: string; pages_shown: number[]; pictures_shown: number[] };
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(pages_shown[0]).toBe(1);
  expect(pictures_shown).toEqual(pages_shown);
  await signed(page);
  expect(fetched).toEqual([]);
  await sealed(owner, sent.id);
  await page.context().close();
  const trail = await owner.request.get(`${s.url}/v1/econtract/web_app/document/audit-trail/${sent.id}`, { headers: { "Accept-Language": "en" } });
  expect(await trail.text()).toMatch(/the service showed page (1(?:-\d)?) of 3, as pictures: page \1;/);
});

test.runIf(complete)("on the picture of a page beyond those whose sizes are listed, a box is where it will be signed", async () => {
  const file = makePDF(502, 3e6), at = file.lastIndexOf("[0 0 595 842]");
  file.write("[0 0 842 595]", at, "latin1"); // the last page lies on its side
  const post = async (verb: string, data: object) => (await (await owner.request.post(`${s.url}/v1/econtract/web/sign/${verb}`, { data })).json()).response.data;
  const { document_id, signer } = await post("upload-docs-base64", { document_title: "Panjang", document_base64: file.toString("base64"), guest: { name: budi.name, email: budi.email, role: "signer" } });
  const person = (signer as { id: string }[])[0]!.id, box = { llx: 421, lly: 119, urx: 631.5, ury: 238 };
  await post("placement-docs", { document_id, signers: [{ type: "sign", page: 502, user: { userid: person }, emet: box }] });
  await post("finalize-docs", { document_id });
  const page = await tab();
  await throttle(page);
  await page.goto(await guestLink(owner, { id: document_id, people: new Map([[budi.email, person]]) }, budi.email));
  await page.locator("[data-picture='1']").waitFor();
  await page.getByRole("button", { name: en.sign.show }).first().click();
  await page.locator("[data-picture='502']").waitFor();
  const place = () => page.evaluate(() => {
    const p = document.querySelector("[data-page='502']")!.getBoundingClientRect(), m = document.querySelector("[data-mark='502']")!.getBoundingClientRect();
    return [m.left - p.left, m.top - p.top, m.width, m.height].map((v, i) => Math.round((1000 * v) / (i % 2 === 0 ? p.width : p.height)));
  });
  await expect.poll(place).toEqual([500, 600, 250, 200]); // thousandths of the page
  await page.context().close();
});

test("a file that is refused says why, in the words of the service, or that it gave none", async () => {
  const sent = await contract("Ditolak Layanan"), page = await s.enter("o@example.test");
  const refusal = { code: 503, success: false, msg: "Part of this document's file is missing.", error: { code: "document.file_missing", request_id: "x1", retryable: true, fields: [] } };
  await page.route("**/document/pages/**", (r) => r.fulfill({ status: 503, json: refusal }));
  // An answer to HEAD has no body, whatever the answer to GET says.
  await page.route("**/document/preview/**", (r) => r.fulfill(r.request().method() === "HEAD" ? { status: 503 } : { status: 503, json: refusal }));
  await page.goto(`${s.url}/document/${sent.id}`);
  await page.getByRole("alert").getByText(refusal.msg).waitFor();
  await page.unroute("**/document/preview/**");
  await page.route("**/document/preview/**", (r) => r.fulfill({ status: 502, body: "<html>Bad Gateway</html>" })); // a proxy
  await page.getByRole("alert").getByRole("button", { name: en.problem.retry }).click();
  await page.getByRole("alert").getByText(en.problem.unexplained.replace("{{status}}", "502")).waitFor();
  await page.unroute("**/document/preview/**");
  await page.getByRole("alert").getByRole("button", { name: en.problem.retry }).click();
  await page.locator("[data-page='1'] canvas").waitFor();
  await page.context().close();
});
