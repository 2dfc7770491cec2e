import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { read, sealed, send, type Sent } from "./contract";
import { complete, makePDF, stage, violations, type Stage } from "./harness";

const satu = { name: "Pemilik Satu", email: "o@example.test" }, dua = { name: "Penanda Dua", email: "s@example.test" }, tiga = { name: "Penanda Tiga", email: "t@example.test" };

let s: Stage, owner: Page, third: Page;
let finished: Sent, gudang: Sent, ruko: Sent, kerja: Sent, later: Sent;

beforeAll(async () => {
  s = await stage();
  for (const p of [satu, dua, tiga]) s.user(p.name, p.email);
  owner = await s.login(satu.email);
  third = await s.login(tiga.email);
  finished = await send(owner, "Perjanjian Lama", [dua], 0);
  const answer = await owner.request.post(`${s.url}/v1/auth/login`, { data: { email: dua.email, password: "kata sandi uji" } });
  const token = ((await answer.json()) as { data: { token: string } }).data.token;
  await fetch(`${s.url}/v1/econtract/web/sign/sign-docs`, { method: "POST", headers: { "x-access-token": token, "Content-Type": "application/json" }, body: JSON.stringify({ document_id: finished.id }) });
  await sealed(owner, finished.id);
  gudang = await send(owner, "Sewa Gudang", [dua], 0);
  ruko = await send(owner, "Sewa Ruko", [dua, tiga], 0);
  kerja = await send(third, "Perjanjian Kerja", [dua], 0);
  later = await send(owner, "Menunggu yang Lain", [tiga, dua], 0);
});
afterAll(() => s.close());

const row = (page: Page, d: Sent) => page.locator(`[data-document="${d.id}"]`);
const titles = async (page: Page) => page.locator("[data-document] a[href*='/document/']").filter({ hasNotText: /^(Sign|View|Download)$/ }).allInnerTexts();
/** The tabs with their numbers. */
const tabs = async (page: Page) => Object.fromEntries((await page.getByRole("radiogroup", { name: "Status" }).locator("label").allInnerTexts()).map((l) => l.split("\n")).map(([name, n]) => [name, n]));
const settled = (page: Page, tab: string, count: string) => page.getByRole("radiogroup", { name: "Status" }).locator("label").filter({ hasText: new RegExp(`^${tab}\\s*${count.replace("+", "\\+")}$`) }).waitFor();

test("what waits for me comes first, counted in the list, in the menu and in the title of the tab", async () => {
  const page = await s.enter(dua.email);
  await row(page, gudang).waitFor();
  expect(await page.getByRole("radio").first().isChecked()).toBe(true);
  await settled(page, "Waiting for me", "3");
  expect(await titles(page)).toEqual(["Perjanjian Kerja", "Sewa Ruko", "Sewa Gudang"]);
  expect(await tabs(page)).toMatchObject({ "Waiting for me": "3", "All": "5", "In progress": "4", "Completed": "1" });
  await page.getByRole("link", { name: "Inbox 3 waiting for you" }).waitFor();
  expect(await page.title()).toBe("(3) Inbox – Segel");
  // A document that comes meanwhile is counted when the window is looked at again.
  const more = await send(third, "Baru Datang", [dua], 0);
  await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
  await page.waitForFunction(() => document.title === "(4) Inbox – Segel");
  await third.request.post(`${s.url}/v1/econtract/web/sign/cancel-docs`, { data: { document_id: more.id } });
  await page.context().close();
});

test("the button leads to signing with the box in view, a click elsewhere opens the document, and the next document is offered", async () => {
  const page = await s.enter(dua.email);
  await row(page, gudang).waitFor();
  // Click 1: a place in the row beside its words.
  await row(page, gudang).click({ position: { x: 700, y: 20 } });
  await page.waitForURL(`**/document/${gudang.id}`);
  await page.goBack();
  // The link is a real one, and nothing that can be used is inside another such thing.
  expect(await row(page, gudang).getByRole("link", { name: "Sewa Gudang", exact: true }).getAttribute("href")).toContain(`/document/${gudang.id}`);
  expect(await row(page, gudang).locator(":is(a,button) :is(a,button,input)").count()).toBe(0);
  // One click from the list to the box.
  await row(page, gudang).getByRole("link", { name: "Sign: Sewa Gudang" }).click();
  await page.waitForURL(`**/document/${gudang.id}/sign#box`);
  const box = page.locator("[data-mark]").first();
  await box.waitFor();
  await page.waitForFunction(() => { const r = document.querySelector("[data-mark]")?.getBoundingClientRect(); return r && r.top >= 0 && r.bottom <= window.innerHeight; });
  await page.locator("label").filter({ hasText: /^Type$/ }).click();
  await page.getByRole("img", { name: "Your signature" }).waitFor();
  await read(page);
  await page.getByRole("button", { name: "Sign", exact: true }).click();
  await page.getByRole("heading", { name: "You have signed" }).waitFor();
  await page.getByText("1 more waiting").waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.title()).toBe("(2) Sign: Sewa Gudang – Segel");
  // One click to the next.
  await page.getByRole("link", { name: "Next: Perjanjian Kerja" }).click();
  await page.waitForURL(`**/document/${kerja.id}/sign#box`);
  await page.getByRole("heading", { name: "Perjanjian Kerja" }).waitFor();
  await page.context().close();
});

test("search, person and period change what the tabs count, and lists are sorted", async () => {
  const page = await s.login(dua.email);
  await page.goto(`${s.url}/inbox?status=all`);
  await row(page, later).waitFor();
  await page.getByRole("searchbox", { name: "Search titles" }).fill("sewa");
  await settled(page, "All", "2");
  await settled(page, "Waiting for me", "1");
  await row(page, later).waitFor({ state: "detached" });
  expect(await titles(page)).toEqual(["Sewa Ruko", "Sewa Gudang"]);
  await page.getByRole("searchbox", { name: "Search titles" }).fill("");
  await row(page, later).waitFor();
  // By title, chosen with the keyboard.
  await page.getByRole("combobox", { name: "Sort" }).or(page.getByRole("textbox", { name: "Sort" })).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("End");
  await page.getByRole("option", { name: "By title" }).waitFor();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL("**sort=title**");
  await page.locator("[data-document]").nth(3).getByText("Perjanjian Lama").waitFor(); // the first three are the newest too
  expect(await titles(page)).toEqual(["Baru Datang", "Menunggu yang Lain", "Perjanjian Kerja", "Perjanjian Lama", "Sewa Gudang", "Sewa Ruko"]);
  // By person: a sender or a participant, found by a part of their name, with the keyboard alone.
  const person = page.getByRole("combobox", { name: "Person" }).or(page.getByRole("textbox", { name: "Person" }));
  await person.focus();
  await page.keyboard.type("tiga");
  await page.getByRole("option", { name: "Penanda Tiga (t@example.test)" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL("**person=t%40example.test**");
  await settled(page, "All", "4");
  await row(page, gudang).waitFor({ state: "detached" });
  expect(await titles(page)).toEqual(["Baru Datang", "Menunggu yang Lain", "Perjanjian Kerja", "Sewa Ruko"]);
  expect(await violations(page)).toEqual([]);
  // A person of other people's documents selects nothing.
  const other = await s.login(tiga.email);
  await other.goto(`${s.url}/inbox?status=all&person=nobody%40example.test`);
  await other.getByText("No document matches this search.").waitFor();
  await other.context().close();
  await page.context().close();
});

test("several documents are downloaded as one ZIP, which says what is missing", async () => {
  await owner.goto(`${s.url}/sent`);
  await row(owner, finished).waitFor();
  const kept = await sealed(owner, finished.id);
  for (const d of [finished, later]) await row(owner, d).getByRole("checkbox").check();
  const bar = owner.getByRole("region", { name: "Selected documents" });
  await bar.getByText("2 selected").waitFor();
  await bar.getByText("1 of 2 can be downloaded. A text file in the ZIP lists the others.").waitFor();
  expect(await violations(owner)).toEqual([]);
  const download = owner.waitForEvent("download");
  await bar.getByRole("link", { name: "Download as ZIP" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^segel-\d{8}-\d{6}\.zip$/);
  const zip = readFileSync(await file.path());
  for (const name of ["Perjanjian Lama-signed.pdf", "Not downloaded.txt", `Menunggu yang Lain (number ${later.id}): The document is not completed yet, so it cannot be downloaded.`]) expect(zip.includes(name)).toBe(true);
  expect(zip.includes(kept)).toBe(true); // stored, not compressed
  await owner.getByRole("button", { name: "Clear the selection" }).click();
  await bar.waitFor({ state: "detached" });
});

test("the owner reminds of several documents at once", async () => {
  await owner.goto(`${s.url}/sent`);
  await row(owner, later).waitFor();
  await owner.getByRole("checkbox", { name: "Select all on this page" }).check();
  await owner.getByRole("region", { name: "Selected documents" }).getByRole("button", { name: "Remind" }).click();
  const dialog = owner.getByRole("dialog", { name: "Remind" });
  expect(await violations(owner)).toEqual([]);
  await dialog.getByRole("button", { name: "Remind" }).click();
  await dialog.getByText(/^([1-9]) of \1 done$/).waitFor(); // only documents that wait for a person are reminded of
  await dialog.getByRole("button", { name: "Close" }).last().click();
});

test("several documents are canceled for one reason, and refusals are named", async () => {
  await owner.goto(`${s.url}/sent`);
  await row(owner, finished).waitFor();
  await owner.getByRole("checkbox", { name: "Select all on this page" }).check();
  const bar = owner.getByRole("region", { name: "Selected documents" });
  await row(owner, ruko).getByRole("checkbox").uncheck();
  await row(owner, gudang).getByRole("checkbox").uncheck();
  await bar.getByText("2 selected").waitFor();
  await bar.getByRole("button", { name: "Cancel documents" }).click();
  const dialog = owner.getByRole("dialog", { name: "Cancel documents" });
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Diganti kontrak baru");
  await dialog.getByRole("button", { name: "Cancel documents" }).click();
  await dialog.getByText("1 of 2 canceled").waitFor();
  await dialog.getByRole("listitem").filter({ hasText: /^Perjanjian Lama: ./ }).waitFor();
  expect(await violations(owner)).toEqual([]);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await row(owner, later).getByText("Canceled").waitFor();
});

test("drafts have a place of their own, where they are continued and deleted", async () => {
  const ids: number[] = [];
  for (const title of ["Draf Pertama", "Draf Kedua"]) {
    const answer = await owner.request.post(`${s.url}/v1/econtract/web/sign/upload-docs-base64`, { data: { document_title: title, filename: "draf.pdf", document_base64: makePDF(1).toString("base64"), signer: [], guest: [] } });
    ids.push(((await answer.json()) as { response: { data: { document_id: number } } }).response.data.document_id);
  }
  await owner.goto(`${s.url}/sent`);
  await row(owner, finished).waitFor();
  expect(await owner.getByText("Draf Pertama").count()).toBe(0);
  await owner.getByRole("link", { name: "Drafts" }).click();
  await owner.getByText("2 drafts").waitFor();
  expect(await violations(owner)).toEqual([]);
  await owner.locator(`[data-document="${ids[0]}"]`).click({ position: { x: 500, y: 20 } });
  await owner.waitForURL(`**/new?**document=${ids[0]}**`);
  await owner.goBack();
  await owner.getByRole("button", { name: "Delete draft: Draf Kedua" }).click();
  const dialog = owner.getByRole("dialog");
  await dialog.getByText("“Draf Kedua” will be deleted").waitFor();
  await dialog.getByRole("button", { name: "Delete draft" }).click();
  await owner.getByText("1 draft", { exact: true }).waitFor();
});

test.runIf(complete)("numbers of three digits fit on a phone, and larger ones say so", async () => {
  const page = await s.enter(dua.email, { viewport: { width: 360, height: 740 } });
  for (const [n, shown] of [[888, "888"], [123_456, "999+"]] as const) {
    await page.route("**/document/counts?**", (route) => route.fulfill({ json: { code: 200, success: true, data: { total_data: n, waiting: n, status: ["processing", "completed", "rejected", "canceled", "expired", "failed"].map((value) => ({ value, label: value, total: n })) } } }));
    await page.reload();
    await settled(page, "Waiting for me", shown);
    await page.getByRole("button", { name: "Menu" }).click();
    const badges = page.locator("[data-count]");
    await page.getByRole("link", { name: `Inbox ${n} waiting for you` }).waitFor();
    expect(await badges.count()).toBe(9);
    for (const b of await badges.all()) {
      expect(await b.innerText()).toBe(shown);
      // The text, as wide as it is drawn, is within the badge, whose label would otherwise be cut off.
      const wide = await b.evaluate((e) => {
        const label = e.querySelector<HTMLElement>("[class*=label]")!;
        return { badge: e.clientWidth, label: label.clientWidth, text: label.scrollWidth };
      });
      expect(wide.text).toBeLessThanOrEqual(wide.label);
      expect(wide.label).toBeLessThanOrEqual(wide.badge);
      expect(wide.text).toBeGreaterThan(10); // or nothing was measured
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect(await page.title()).toBe(`(${shown}) Inbox – Segel`);
  }
  await page.context().close();
});

test.runIf(complete)("labels and folders are set on several documents with the keyboard, filter the lists, and show at 360 px and in the dark", async () => {
  s.user("Admin Empat", "a@example.test", "admin");
  const admin = await s.login("a@example.test");
  await admin.goto(`${s.url}/admin?tab=labels`);
  await admin.getByRole("button", { name: "Create a label" }).press("Enter");
  await admin.keyboard.type("Sewa");
  await admin.getByRole("radio", { name: "orange" }).focus();
  await admin.keyboard.press("Space");
  await admin.keyboard.press("Enter");
  await admin.getByRole("listitem").filter({ hasText: "Sewa" }).waitFor();
  expect(await violations(admin)).toEqual([]);

  // The owner labels two documents.
  const page = await s.login(satu.email);
  await page.goto(`${s.url}/sent`);
  for (const d of [gudang, ruko]) await row(page, d).getByRole("checkbox").press("Space");
  await page.getByRole("button", { name: "Set labels" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox", { name: "Sewa" }).press("Space");
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await row(page, gudang).getByRole("list", { name: "Labels" }).getByText("Sewa").waitFor();

  // They put one of them into a new folder.
  await row(page, ruko).getByRole("checkbox").press("Space");
  await page.getByRole("button", { name: "Move to a folder" }).press("Enter");
  await dialog.getByRole("radio", { name: "A new folder" }).press("Space");
  await dialog.getByRole("textbox", { name: "Name of the folder" }).waitFor();
  await page.keyboard.type("Bandung");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await row(page, ruko).getByText("Bandung").waitFor();
  await page.getByRole("combobox", { name: "Folder", exact: true }).or(page.getByRole("textbox", { name: "Folder", exact: true })).click();
  await page.getByRole("option", { name: "Bandung" }).click();
  await settled(page, "All", "1");
  await row(page, gudang).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Manage folders" }).press("Enter");
  await dialog.getByRole("textbox", { name: "Name of the folder" }).fill("Kota Bandung");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Delete the folder Kota Bandung" }).press("Enter");
  await dialog.getByRole("button", { name: "Yes, delete the folder Kota Bandung" }).press("Enter");
  await dialog.getByText("You have no folders.").waitFor();
  await page.keyboard.press("Escape");
  await row(page, gudang).waitFor();
  expect(page.url()).not.toContain("folder=");
  // The document has them too.
  await page.goto(`${s.url}/document/${gudang.id}`);
  await page.getByRole("main").getByText("Sewa", { exact: true }).waitFor();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Move to a folder" }).waitFor();

  // A signer of the organisation sees the label, on a small dark screen, and filters by it.
  const small = await s.login(dua.email, { viewport: { width: 360, height: 740 }, colorScheme: "dark" });
  await small.goto(`${s.url}/inbox?status=all`);
  await row(small, ruko).getByText("Sewa", { exact: true }).waitFor();
  await small.getByRole("combobox", { name: "Label" }).or(small.getByRole("textbox", { name: "Label" })).click();
  await small.getByRole("option", { name: "Sewa" }).click();
  await settled(small, "All", "2");
  await row(small, kerja).waitFor({ state: "detached" });
  await row(small, ruko).getByRole("checkbox").check();
  await small.getByRole("button", { name: "Move to a folder" }).click();
  await small.getByRole("radio", { name: "A new folder" }).check();
  expect(await violations(small)).toEqual([]);
  expect(await small.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(await small.getByRole("button", { name: "Set labels" }).count()).toBe(0);
  for (const p of [admin, page, small]) await p.context().close();
});

test("a page behind the end of a list gives way to the last one, and the search field follows the address", async () => {
  const page = await s.login(tiga.email);
  const made = await page.request.post(`${s.url}/v1/econtract/web/sign/upload-docs`, { multipart: { document_title: "Draf Sewa", document: { name: "sewa.pdf", mimeType: "application/pdf", buffer: makePDF(1) } } });
  expect(made.ok()).toBe(true);
  await page.goto(`${s.url}/drafts?page=3`);
  await page.locator("[data-document]").waitFor();
  await page.goto(`${s.url}/inbox?page=9&status=all`);
  await page.locator("[data-document]").first().waitFor();
  await page.goto(`${s.url}/drafts`);
  const field = page.getByRole("searchbox");
  await field.fill("tidak ada");
  await page.getByText("No document matches this search.").waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Drafts" }).click();
  await page.locator("[data-document]").waitFor();
  expect(await field.inputValue()).toBe("");
  await page.goBack();
  await expect.poll(() => field.inputValue()).toBe("tidak ada");
  await page.context().close();
});
