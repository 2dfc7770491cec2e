import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { stage, type Stage } from "./harness";
import { clientSecret, provider, type Provider } from "./provider";

let p: Provider, s: Stage, serve: () => void;
beforeAll(async () => {
  p = await provider();
  s = await stage({ env: p.env });
  s.user("Admin", "admin@example.test", "admin");
  const admin = await s.enter("admin@example.test");
  const at = `${s.url}/v1/admin/sso`;
  const { data } = (await (await admin.request.get(at)).json()) as { data: { redirect_url: string; logout_url: string } };
  serve = () => p.serve(data.redirect_url, data.logout_url, `${s.url}/login`);
  serve();
  const set = await admin.request.put(at, { data: { issuer: p.issuer, client_id: "segel", client_secret: clientSecret, enabled: true, create: true, groups: [{ group: "hukum", role: "auditor" }] } });
  expect(set.ok()).toBe(true);
  s.segel("sso grant", "contoh.id");
});
afterAll(async () => {
  await s.close();
  await p.close();
});

const company = { en: "Log in with your company", id: "Login lewat perusahaan" };

/** Opens the page of a person without a login. */
const open = async (locale: keyof typeof company) => (await s.browser.newContext({ locale })).newPage();

/** Logs in with the company, as far as the page of the provider asks. */
async function logIn(page: Page, name: string, locale: keyof typeof company = "en") {
  await page.goto(`${s.url}/login`);
  await page.locator("input[name=email]").fill(`${name}@contoh.id`);
  await page.getByRole("button", { name: company[locale] }).click();
  await page.locator("input[name=login]").fill(name);
  await page.locator("input[name=password]").fill("apa saja");
  await page.locator("button[type=submit]").click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL(`${s.url}/**`);
}

/** Answers the question of the provider whether to log out there. */
async function confirmLogout(page: Page) {
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await page.waitForURL(`${s.url}/login**`);
}

const me = async (page: Page) => {
  const answer = await page.request.get(`${s.url}/v1/auth/me`);
  return answer.ok() ? ((await answer.json()) as { data: { email: string; fullname: string; role: string } }).data : answer.status();
};

test("a person without an account logs in with a real provider, which ends the session when they log out there", async () => {
  const page = await open("en");
  await logIn(page, "siti");
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await me(page)).toMatchObject({ email: "siti@contoh.id", fullname: "Orang siti", role: "sender" });

  // They log out at the provider alone; its logout token ends the session here.
  await page.goto(`${p.issuer}/session/end?client_id=segel&post_logout_redirect_uri=${encodeURIComponent(`${s.url}/login`)}`);
  await confirmLogout(page);
  await expect.poll(() => me(page)).toBe(401);
});

test("a logout goes on at the provider and comes back, and the groups of the next login give another role", async () => {
  const page = await open("id");
  await logIn(page, "rahma", "id");
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await me(page)).toMatchObject({ role: "sender" });
  await page.getByRole("button", { name: /akun/ }).click();
  await page.getByRole("menuitem", { name: "Keluar" }).click();
  await confirmLogout(page);
  await page.getByRole("button", { name: company.id }).waitFor();
  expect(await me(page)).toBe(401);

  p.groups["rahma"] = ["lain", "hukum"];
  await logIn(page, "rahma", "id");
  expect(await me(page)).toMatchObject({ role: "auditor" });
});

test("a login goes on after the provider changed its key", async () => {
  const page = await open("en");
  await logIn(page, "budi");
  serve();
  // Keys are read again once in ten seconds at most; until then the login is refused with a reason.
  await expect.poll(async () => { await page.context().clearCookies(); await logIn(page, "budi"); return me(page); }, { timeout: 30_000, interval: 2000 }).toMatchObject({ email: "budi@contoh.id" });
});

test("a refused login says why, in both languages, and a domain without a provider logs in with a password", async () => {
  const page = await open("en"), indonesian = await open("id");
  await logIn(page, "palsu");
  await page.getByRole("alert").getByText("does not state that your e-mail address is verified").waitFor();
  await logIn(indonesian, "palsu", "id");
  await indonesian.getByRole("alert").getByText("tidak menyatakan bahwa alamat surel Anda telah diverifikasi").waitFor();
  await page.goto(`${s.url}/login`);
  await page.locator("input[name=email]").fill("admin@example.test");
  await page.getByRole("button", { name: company.en }).click();
  await page.getByText("This address logs in with a password.").waitFor();
});
