import { afterAll, beforeAll, expect, test } from "vitest";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";

import { languages } from "./texts";
import { sealed } from "./contract";
import { makePDF, stage, violations, type Stage } from "./harness";
import { appended } from "./tamper";

// The report of a verification: a contract of three pages with initials of three people on every page.

let s: Stage, good: Buffer;
const people = [["Pemilik Satu", "o@example.test"], ["Penanda Dua", "s@example.test"], ["Penanda Tiga", "t@example.test"]] as const;

beforeAll(async () => {
  s = await stage();
  for (const [name, email] of people) s.user(name, email);
  good = await signed();
});
afterAll(() => s.close());

async function signed(): Promise<Buffer> {
  const owner = await s.login(people[0][1]);
  const post = async (page: Page, verb: string, data: object) => {
    const answer = await page.request.post(`${s.url}/v1/econtract/web/sign/${verb}`, { data });
    expect(answer.status(), await answer.text()).toBe(200);
    return (await answer.json()).response.data;
  };
  const members = (await (await owner.request.get(`${s.url}/v1/auth/list_user?page=1&limit=50`)).json()).data.user as { id: string; email: string }[];
  const userid = (email: string) => members.find((m) => m.email === email)!.id;
  const { document_id } = await post(owner, "upload-docs-base64", {
    document_title: "Sewa", filename: "sewa.pdf", document_base64: makePDF(3).toString("base64"), parallel: 0,
    signer: people.map(([name, email], i) => ({ id: userid(email), name, email, role: "signer", number: i + 1 })), guest: [],
  });
  await post(owner, "placement-docs", { document_id, signers: people.flatMap(([, email], i) => [
    ...[1, 2, 3].map((page) => ({ type: "paraf", page, user: { userid: userid(email) }, emet: { llx: 400 + i * 60, lly: 30, urx: 450 + i * 60, ury: 60 } })),
    { type: "sign", page: 3, user: { userid: userid(email) }, emet: { llx: 50 + i * 170, lly: 100, urx: 200 + i * 170, ury: 170 } },
  ]) });
  await post(owner, "finalize-docs", { document_id });
  for (const [, email] of people) {
    const page = await s.login(email);
    await post(page, "sign-docs", { document_id });
    await page.context().close();
  }
  return sealed(owner, document_id);
}

async function verified(locale: string, buffer: Buffer): Promise<Page> {
  const page = await (await s.browser.newContext({ locale, viewport: { width: 1280, height: 900 }, acceptDownloads: true })).newPage();
  await page.goto(`${s.url}/verify`);
  await page.setInputFiles("input[type=file]", { name: "sewa.pdf", mimeType: "application/pdf", buffer });
  await page.locator("form button[type=submit]").click();
  await page.locator("[data-verdict]").waitFor();
  return page;
}

test("in a file of which a page was changed, that page comes first, only the change is framed red, and what is allowed is one line", async () => {
  const page = await verified("en", appended(good, "Pasal 3. Perjanjian halaman 1.", "Pasal 3. Harga Rp 900.000.000."));
  const changed = page.locator("[data-changes]").first();
  await changed.getByRole("heading", { name: "Page 1" }).waitFor();
  expect(await page.locator("[data-denied]").count()).toBe(1);
  await changed.getByText("Allowed on this page: 2 initials by 2 people").waitFor();
  await page.getByRole("button", { name: /^Allowed changes: 4 initials by 2 people, 3 signatures/ }).waitFor();
  // Both pictures have the frames: one of the text, and one for each person whose initials came after the first signature.
  await changed.locator("[data-marks='3']").waitFor();
  const frames = await changed.locator("[data-marks] [data-page]").last().locator("[class*=mark]").evaluateAll((all) => all.map((e) => ({ allowed: (e as HTMLElement).dataset["allowed"], top: e.getBoundingClientRect().top })));
  expect(frames.filter((f) => f.allowed === "true")).toHaveLength(2);
  const [denied] = frames.filter((f) => f.allowed === "false");
  for (const f of frames.filter((f) => f.allowed === "true")) expect(denied!.top).toBeLessThan(f.top - 100);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: /^Allowed changes/ }).click();
  await page.locator("[data-allowed] li", { hasText: "initials of Penanda Tiga (no. 3)" }).first().waitFor();
  expect(await violations(page)).toEqual([]);
  await page.context().close();
});

for (const [locale, w] of languages("id")) {
  test(`the report can be downloaded as PDF and as JSON, ${locale}`, async () => {
    const page = await verified(locale, good);
    const download = async (format: string) => {
      const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: w.verify.keepAs.replace("{{format}}", format) }).click()]);
      return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
    };
    const json = await download("JSON"), pdf = await download("PDF");
    expect([json.name, pdf.name]).toEqual([`sewa-${w.verify.reportName}.json`, `sewa-${w.verify.reportName}.pdf`]);
    const report = JSON.parse(json.bytes.toString());
    expect(report.format).toBe("segel-validation-1");
    expect(report.signatures.length).toBeGreaterThan(3);
    expect(pdf.bytes.subarray(0, 5).toString()).toBe("%PDF-");
    expect(pdf.bytes.length).toBeGreaterThan(10_000);
    await page.context().close();
  });
}
