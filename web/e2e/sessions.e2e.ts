import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { complete, mailbox, password, stage, violations, type Mailbox, type Stage } from "./harness";
import { en, id } from "./texts";

// Sessions, and the messages about accounts, in a browser and a mailbox.

let box: Mailbox, s: Stage;
const siti = "siti@example.test";
beforeAll(async () => {
  box = await mailbox();
  s = await stage({ env: box.env });
  s.user("Siti Rahma", siti, "admin");
});
afterAll(async () => {
  await s.close();
  await box.close();
});

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const linkIn = (mail: { text: string }) => /https?:\S+/.exec(mail.text)![0];
const sessions = (page: Page) => page.getByRole("main").getByRole("listitem");

test("a person is told of a new device, sees it, and ends its session", async () => {
  const desk = await s.login(siti);
  const thief = await s.login(siti);
  const mail = await box.mailTo(siti, 1);
  expect(mail.subject).toContain("perangkat baru"); // in the language of the request that logged in
  await desk.goto(`${s.url}/account`);
  await desk.getByText(en.sessions.current, { exact: true }).waitFor();
  expect(await sessions(desk).count()).toBe(2);
  await sessions(desk).getByRole("button").first().click();
  await expect.poll(() => sessions(desk).count()).toBe(1);
  expect((await thief.request.get(`${s.url}/v1/auth/me`)).status()).toBe(401);
  await desk.context().close();
  await thief.context().close();
});

test("on a phone, in Indonesian, all other sessions end at once", async () => {
  const other = await s.login(siti);
  const page = await s.login(siti, { ...phone, locale: "id" });
  await page.goto(`${s.url}/account`);
  await page.getByRole("button", { name: id.sessions.endOthers }).tap();
  await page.getByText(id.sessions.othersEnded).waitFor();
  const kept = page.waitForEvent("download");
  await page.getByRole("button", { name: id.sessions.export }).press("Enter");
  expect((await kept).suggestedFilename()).toMatch(/^segel-data-.*\.zip$/);
  await page.getByText(id.sessions.exported).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect((await other.request.get(`${s.url}/v1/auth/me`)).status()).toBe(401);
  await page.context().close();
  await other.context().close();
});

test("a person erases their account after typing their address, and is told before what remains", async () => {
  const rina = "rina@example.test";
  s.user("Rina Wijaya", rina);
  const page = await s.login(rina, { ...phone, locale: "id" });
  await page.goto(`${s.url}/account`);
  await page.getByRole("button", { name: id.erasure.own }).press("Enter");
  const dialog = page.getByRole("dialog"), submit = dialog.getByRole("button", { name: id.erasure.own });
  await dialog.getByText(id.erasure.staying.files).waitFor();
  expect(await submit.isDisabled()).toBe(true);
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await dialog.locator("input[name=confirm]").fill(siti);
  expect(await submit.isDisabled()).toBe(true);
  await dialog.locator("input[name=confirm]").fill("Rina@Example.test");
  await submit.press("Enter");
  await page.locator("input[name=password]").waitFor();
  expect((await page.request.get(`${s.url}/v1/auth/me`)).status()).toBe(401);
  expect((await page.request.post(`${s.url}/v1/auth/session`, { data: { email: rina, password } })).status()).toBe(400);
  await page.context().close();
});

test("a dangerous act asks for the password when the login is old, and is then done", async () => {
  const page = await s.enter(siti);
  let old = true;
  await page.route("**/v1/auth/keys", async (route) => {
    if (old && route.request().method() === "POST") return route.fulfill({ status: 403, json: { code: 403, success: false, msg: "", error: { code: "auth.reauthenticate" } } });
    return route.continue();
  });
  page.on("response", (answer) => { if (answer.url().endsWith("/v1/auth/reauthenticate") && answer.ok()) old = false; });
  await page.goto(`${s.url}/keys`);
  await page.getByRole("button", { name: en.apiKeys.add }).click();
  await page.getByRole("textbox", { name: en.apiKeys.name }).fill("ERP");
  await page.getByRole("button", { name: en.apiKeys.add }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("heading", { name: en.reauth.title }).waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.locator("input[name=current]").fill("salah");
  await dialog.getByRole("button", { name: en.reauth.submit }).click();
  await dialog.locator("input[name=current][aria-invalid=true]").waitFor();
  await dialog.locator("input[name=current]").fill(password);
  await dialog.getByRole("button", { name: en.reauth.submit }).click();
  await page.locator("[data-api-key]").waitFor();
  await page.context().close();
});

test.runIf(complete)("an administrator finds the failed logins of a person, and the logins of all", async () => {
  const page = await s.login(siti), salah = { data: { email: siti, password: "salah" } };
  for (let n = 0; n < 2; n++) expect((await page.request.post(`${s.url}/v1/auth/session`, salah)).status()).toBe(400);
  await page.request.post(`${s.url}/v1/auth/session`, { data: { email: "tidak.ada@example.test", password: "salah" } });
  await page.goto(`${s.url}/admin?tab=logins`);
  const lines = page.getByRole("main").getByRole("listitem"), failed = lines.filter({ hasText: "Login failed" });
  await failed.filter({ hasText: en.admin.unknownAccount }).waitFor();
  await failed.filter({ hasText: siti }).filter({ hasText: "2 ×" }).waitFor();
  await lines.filter({ hasText: "Logged in" }).first().waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("combobox", { name: en.admin.loginKind }).click();
  for (const kind of ["Logged in", "Login failed", "Login refused: too many tries", "Logged out"]) await page.getByRole("option", { name: kind, exact: true }).waitFor();
  await page.getByRole("option", { name: "Login failed", exact: true }).click();
  await page.waitForURL(/only=login_failed/);
  await page.getByRole("searchbox", { name: en.admin.personEmail }).fill(siti.toUpperCase());
  await page.waitForURL(/person=/);
  await expect.poll(() => lines.count()).toBe(1);
  await failed.filter({ hasText: siti }).waitFor();
  const csv = await page.request.get(new URL((await page.getByRole("link", { name: en.admin.loginsCSV }).getAttribute("href"))!, s.url).href);
  expect((await csv.text()).trimEnd().split("\r\n")).toHaveLength(2); // what the list shows
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.context().close();

  const theirs = await s.login(siti, { ...phone, locale: "id" });
  await theirs.goto(`${s.url}/admin?tab=logins`);
  await theirs.getByRole("listitem").filter({ hasText: "Gagal masuk" }).first().waitFor();
  expect(await violations(theirs)).toEqual([]);
  await theirs.context().close();
});

test("a forgotten password is replaced with a mailed link, once, and API keys end on request", async () => {
  const page = await (await s.browser.newContext({ ...phone, locale: "en" })).newPage();
  expect((await page.request.post(`${s.url}/v1/auth/session`, { data: { email: siti, password } })).ok()).toBe(true);
  const key = (await (await page.request.post(`${s.url}/v1/auth/keys`, { data: { name: "Gudang", scopes: ["documents:read"] } })).json()).response.data.secret as string;
  const keyed = async () => (await fetch(`${s.url}/v1/econtract/web_app/document/data`, { headers: { "X-Access-Token": key } })).status;
  expect(await keyed()).toBe(200);
  await page.context().clearCookies();
  await page.request.post(`${s.url}/v1/auth/forgot-password`, { data: { email: siti } });
  const mails = async () => { for (let n = 1; ; n++) { const mail = await box.mailTo(siti, n); if (mail.text.includes("/reset#")) return mail; } };
  const link = linkIn(await mails());
  const next = "kata sandi lain yang panjang";
  await page.goto(link);
  await page.getByRole("heading", { name: en.reset.title }).waitFor();
  await page.locator("input[name=new]").fill(next);
  await page.locator("input[name=again]").fill(next);
  const ends = page.getByRole("checkbox");
  expect(await ends.isChecked()).toBe(false); // programs go on unless the person says otherwise
  await ends.press("Space");
  expect(await ends.isChecked()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: en.reset.submit }).tap();
  await page.getByText(en.reset.done).waitFor();
  expect(new URL(page.url()).hash).toBe("");
  expect(await keyed()).toBe(401);
  expect((await page.request.post(`${s.url}/v1/auth/session`, { data: { email: siti, password: next } })).ok()).toBe(true);
  await page.goto("about:blank");
  await page.goto(link);
  await page.getByRole("alert").waitFor();
  await page.context().close();
});

test("a person whose logout gets no answer stays on the screen, and logs out when it is tried again", async () => {
  const adi = "adi@example.test";
  s.user("Adi Nugroho", adi);
  const page = await s.enter(adi, { viewport: { width: 320, height: 640 } });
  await page.route("**/v1/auth/logout", (route) => route.abort());
  await page.getByRole("button", { name: /, account$/ }).click();
  await page.getByRole("menuitem", { name: en.app.logout }).click();
  const alert = page.getByRole("alert");
  await alert.waitFor();
  expect(new URL(page.url()).pathname).toBe("/inbox");
  expect((await page.request.get(`${s.url}/v1/auth/me`)).status()).toBe(200);
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await page.unroute("**/v1/auth/logout");
  await alert.getByRole("button", { name: en.problem.retry }).click();
  await page.waitForURL((at) => at.pathname === "/login");
  expect((await page.request.get(`${s.url}/v1/auth/me`)).status()).toBe(401);

  await page.locator("input[name=email]").fill(adi);
  await page.route("**/v1/auth/forgot-password", (route) => route.abort());
  await page.getByRole("button", { name: en.login.forgot }).click();
  await alert.waitFor(); // it is not pretended that a message was sent
  await page.context().close();
});

test("a person whose session ended logs in again over their screen, although the service has another release by then, and goes on where they were", async () => {
  const tika = "tika@example.test";
  s.user("Tika Sari", tika);
  const page = await s.login(tika);
  await page.clock.install();
  await page.goto(`${s.url}/drafts`);
  const field = page.getByRole("searchbox");
  await field.waitFor();
  const loaded = page.waitForResponse((r) => r.url().includes("/assets/login-again"));
  await page.clock.fastForward(61_000);
  await loaded;
  await page.route("**/assets/**", (route) => route.fulfill({ status: 404 }));
  await page.context().clearCookies();
  await field.fill("sewa");
  await page.locator("[data-session-ended] input[name=password]").fill(password);
  await page.locator("[data-session-ended]").getByRole("button", { name: en.login.submit, exact: true }).click();
  await page.getByText(en.list.nothing).waitFor();
  await expect.poll(() => field.evaluate((f) => f === document.activeElement)).toBe(true);
  await page.context().close();
});
