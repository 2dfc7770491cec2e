import { afterAll, beforeAll, expect, test } from "vitest";

import { mailbox, stage, violations, type Mailbox, type Stage } from "./harness";
import { en, id } from "./texts";

// Invitations: an admin invites by mail, and the person creates their account with the link.

let box: Mailbox, s: Stage;
const admin = "andi@example.test", invited = "budi@example.test", chosen = "kata sandi budi yang panjang";
beforeAll(async () => {
  box = await mailbox();
  s = await stage({ env: box.env });
  s.user("Andi Wijaya", admin, "admin");
});
afterAll(async () => {
  await s.close();
  await box.close();
});

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

test("an admin invites with the keyboard, sends the invitation again, and the person joins on a phone in Indonesian", async () => {
  const page = await s.enter(admin);
  await page.goto(`${s.url}/admin`);
  await page.getByRole("button", { name: en.invitations.invite }).focus();
  await page.keyboard.press("Enter");
  const form = page.getByRole("form", { name: en.invitations.invite });
  await form.getByRole("textbox", { name: en.login.email }).waitFor(); // has the focus
  await page.keyboard.type("budi@");
  await page.keyboard.press("Enter");
  await form.locator("[aria-invalid=true]").waitFor();
  await form.getByRole("textbox", { name: en.login.email }).fill(invited);
  await form.getByRole("textbox", { name: en.invitations.name }).fill("Budi");
  await form.getByRole("combobox", { name: en.invitations.language }).click();
  await page.getByRole("option", { name: en.invitations.languages.id }).click();
  expect(await violations(page)).toEqual([]);
  await form.getByRole("button", { name: en.invitations.submit }).click();
  await page.getByRole("status").filter({ hasText: "has been invited" }).waitFor();
  const first = /https?:\S+/.exec((await box.mailTo(invited, 1)).text)![0];
  const open = page.getByRole("region", { name: en.invitations.open });
  await open.getByText(invited).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await open.getByRole("button", { name: `Send again: ${invited}` }).click();
  const mail = await box.mailTo(invited, 2);
  expect(mail.subject).toContain("mengundang Anda");
  const link = /https?:\S+/.exec(mail.text)![0];

  const theirs = await (await s.browser.newContext({ ...phone, locale: "id" })).newPage();
  await theirs.goto(first);
  await theirs.getByRole("alert").filter({ hasText: "digantikan oleh undangan yang lebih baru" }).waitFor();
  await theirs.goto("about:blank");
  await theirs.goto(link);
  await theirs.getByText("Andi Wijaya mengundang Anda").waitFor();
  expect(new URL(theirs.url()).hash).toBe("");
  expect(await theirs.locator("input[name=name]").inputValue()).toBe("Budi");
  await theirs.locator("input[name=new]").fill(chosen);
  await theirs.locator("input[name=again]").fill(chosen);
  expect(await violations(theirs)).toEqual([]);
  await expect.poll(() => theirs.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await theirs.getByRole("button", { name: id.invitations.accept }).tap();
  await theirs.getByRole("heading", { name: id.nav.inbox }).waitFor();
  await theirs.context().close();
  await page.reload();
  await page.locator(`[data-actions='${invited}']`).waitFor();
  expect(await open.count()).toBe(0);
  await page.context().close();
});

test("a revoked invitation says so", async () => {
  const page = await s.enter(admin);
  const sent = await page.request.post(`${s.url}/v1/admin/invitations`, { data: { email: "dewi@example.test", language: "en" } });
  expect(sent.ok()).toBe(true);
  const link = /https?:\S+/.exec((await box.mailTo("dewi@example.test", 1)).text)![0];
  await page.goto(`${s.url}/admin`);
  await page.getByRole("button", { name: "Revoke: dewi@example.test" }).click();
  await page.getByRole("status").filter({ hasText: "has been revoked" }).waitFor();
  await page.goto(link);
  await page.getByRole("alert").filter({ hasText: "revoked this invitation" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.context().close();
});
