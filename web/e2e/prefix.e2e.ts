import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { read } from "./contract";
import { makePDF, stage, type Stage } from "./harness";

let s: Stage;
beforeAll(async () => {
  s = await stage({ prefix: "/kantor/segel", lose: "/upload-docs" });
  s.user("Pemilik Satu", "o@example.test");
});
afterAll(() => s.close());

/** Records requests outside of the service's prefix. */
function strays(page: Page): string[] {
  const found: string[] = [];
  page.on("request", (r) => { if (/^https?:/.test(r.url()) && !r.url().startsWith(`${s.url}/`)) found.push(r.url()); });
  page.on("response", (r) => { if (r.status() === 404) found.push(`404 ${r.url()}`); });
  return found;
}

test("below the prefix of a proxy a contract is created, signed by a guest and verified, without requests outside the prefix", async () => {
  const page = await s.enter("o@example.test");
  const stray = strays(page);
  await page.getByRole("link", { name: "New document" }).first().click();
  await page.setInputFiles("input[type=file]", { name: "Sewa.pdf", mimeType: "application/pdf", buffer: makePDF(1) });

  // The answer to the first try is lost. The repeat finds the upload that arrived.
  await page.getByRole("button", { name: "Upload and continue" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.waitForURL("**step=people**");
  const drafts = await (await page.request.get(`${s.url}/v1/econtract/web_app/document/out`)).json();
  expect(drafts.data.documents).toHaveLength(1);

  await page.getByRole("button", { name: "Add a guest" }).click();
  await page.getByRole("combobox", { name: "Name", exact: true }).fill("Budi Tamu");
  await page.getByRole("textbox", { name: "E-mail" }).fill("budi@example.test");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.locator("[data-page='1'] canvas").waitFor();
  await page.locator("[data-tool=sign]:enabled").press("Enter");
  await page.locator("[data-box]").waitFor();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("button", { name: "Create a guest link" }).click();
  const link = (await page.getByRole("link", { name: /guest#/ }).getAttribute("href"))!;
  expect(link.startsWith(`${s.url}/guest#`)).toBe(true);

  const guest = await (await s.browser.newContext({ locale: "en" })).newPage();
  const guestStray = strays(guest);
  await guest.goto(link);
  await guest.locator("label").filter({ hasText: /^Type$/ }).click();
  await guest.getByRole("img", { name: "Your signature" }).waitFor();
  await read(guest);
  await guest.getByRole("button", { name: "Sign", exact: true }).click();
  await guest.getByRole("button", { name: "Download" }).waitFor();
  const download = guest.waitForEvent("download");
  await guest.getByRole("button", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toBe("Sewa-signed.pdf");
  const file = await (await download).path();
  await guest.goto(`${s.url}/verify`);
  await guest.setInputFiles("input[type=file]", file);
  await guest.getByRole("button", { name: "Verify" }).click();
  await guest.locator("[data-verdict^=intact]").waitFor();

  await page.reload();
  await page.getByText("Signed", { exact: false }).first().waitFor();
  await page.goto(`${s.url}/docs`);
  await page.getByRole("heading").first().waitFor();
  expect([...stray, ...guestStray]).toEqual([]);
  await guest.context().close();
  await page.context().close();
});
