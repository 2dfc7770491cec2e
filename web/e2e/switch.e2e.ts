import { afterAll, beforeAll, expect, test } from "vitest";

import { password, stage, violations, type Stage } from "./harness";
import { en, id } from "./texts";

// A person with accounts in two organisations switches between them.

let s: Stage;
const first = "siti@satu.example.test", second = "siti@dua.example.test", organisation = "PT Dua";
beforeAll(async () => {
  s = await stage();
  s.user("Siti Rahma", first);
  s.user("Operator", "operator@example.test", "admin");
  const operator = await s.enter("operator@example.test");
  const made = await (await operator.request.post(`${s.url}/v1/admin/organisations`, { data: { name: organisation } })).json();
  const added = await (await operator.request.post(`${s.url}/v1/admin/people`, { data: { organisation: made.response.data.organisation.id, name: "Siti Rahma", email: second, role: "sender" } })).json();
  const page = await (await s.browser.newContext()).newPage();
  await page.request.post(`${s.url}/v1/auth/session`, { data: { email: second, password: added.response.data.password } });
  await page.request.post(`${s.url}/v1/auth/password`, { data: { current: added.response.data.password, new: password } });
  await page.context().close();
  await operator.context().close();
});
afterAll(() => s.close());

test("a person adds an organisation, switches with the keyboard, and another tab notices", async () => {
  const page = await s.enter(first);
  const other = await page.context().newPage();
  await other.goto(`${s.url}/drafts`);
  await other.getByRole("heading", { name: en.nav.drafts }).waitFor();
  await page.goto(`${s.url}/organisations`);
  await page.getByRole("heading", { name: en.switch.title }).waitFor();
  await page.locator("input[name=email]").fill(second);
  await page.locator("input[name=password]").fill("bukan kata sandinya");
  await page.getByRole("button", { name: en.login.submit, exact: true }).click();
  await page.getByRole("alert").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.locator("input[name=password]").fill(password);
  await page.getByRole("button", { name: en.login.submit, exact: true }).click();
  await page.waitForURL("**/inbox**");
  const me = async () => (await (await page.request.get(`${s.url}/v1/auth/me`)).json()).data.email;
  expect(await me()).toBe(second);

  const dialog = other.getByRole("dialog", { name: en.switched.title });
  await dialog.waitFor();
  expect(await violations(other)).toEqual([]);
  await other.getByRole("button", { name: en.switched.go }).click();
  await other.waitForURL("**/inbox**");

  await page.getByRole("button", { name: /account/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Switch to" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("menuitem", { name: "Switch to" }).focus();
  await page.keyboard.press("Enter");
  await expect.poll(me).toBe(first);
  await dialog.waitFor();
  await page.context().close();
});

test("on a phone in Indonesian, a person leaves an organisation and cannot switch to it any more", async () => {
  const page = await s.enter(first, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: "id" });
  await page.request.post(`${s.url}/v1/auth/organisations`, { data: { email: second, password } });
  await page.goto(`${s.url}/organisations`);
  await page.getByRole("button", { name: /^Beralih ke/ }).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.getByRole("button", { name: /^Keluar dari/ }).tap();
  await page.getByRole("button", { name: /^Beralih ke/ }).waitFor({ state: "detached" });
  await page.getByText(id.switch.current, { exact: true }).waitFor();
  await page.context().close();
});

test("a login of another person in another tab covers the screen of the former one", async () => {
  const page = await s.enter(first), other = await page.context().newPage();
  await other.goto(`${s.url}/drafts`);
  await other.getByRole("heading", { name: en.nav.drafts }).waitFor();
  await page.request.post(`${s.url}/v1/auth/logout`, { data: {} });
  await page.goto(`${s.url}/login`);
  await page.locator("input[name=email]").fill("operator@example.test");
  await page.locator("input[name=password]").fill(password);
  const listed = other.waitForResponse("**/v1/auth/organisations");
  await page.getByRole("button", { name: en.login.submit, exact: true }).click();
  await page.waitForURL("**/inbox**");
  await other.getByRole("dialog", { name: en.switched.title }).waitFor();
  await (await listed).finished();
  expect(await other.getByRole("button", { name: en.switched.back }).count()).toBe(0); // that session has ended
  expect(await violations(other)).toEqual([]);
  await other.getByRole("button", { name: en.switched.go }).click();
  await other.waitForURL("**/inbox**");
  await page.context().close();
});
