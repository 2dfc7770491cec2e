import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { password, stage, violations, type Stage } from "./harness";
import { clientSecret, provider, type Provider } from "./provider";
import { id } from "./texts";
import { codeOf, step } from "./totp";

let p: Provider, s: Stage, serve: () => void;
beforeAll(async () => {
  p = await provider();
  s = await stage({ env: p.env });
  s.user("Admin", "admin@example.test", "admin");
  // An administrator sets the provider with a small window and the keyboard; the operator grants the domain.
  const page = await s.login("admin@example.test", { viewport: { width: 360, height: 740 } });
  await page.goto(`${s.url}/admin?tab=provider`);
  const addresses = page.getByRole("region", { name: "Addresses to register at the provider" }).locator("code"), form = page.getByRole("form", { name: "Provider" });
  const [redirect, logout] = (await Promise.all([addresses.first().textContent(), addresses.nth(1).textContent()])) as [string, string];
  serve = () => p.serve(redirect, logout, `${s.url}/login`);
  await form.getByRole("textbox", { name: "Issuer" }).fill("login.example.test");
  await form.getByRole("button", { name: "Save" }).press("Enter");
  await form.locator("[aria-invalid=true]").first().waitFor();
  await form.getByRole("textbox", { name: "Issuer" }).fill(`${p.issuer}/lain`);
  await form.getByRole("textbox", { name: "Client ID" }).fill("segel");
  await form.getByLabel("Client secret").fill(clientSecret);
  for (const box of ["People may log in with this provider", "Create accounts at the first login"]) await form.getByRole("checkbox", { name: box }).press("Space");
  await form.getByRole("button", { name: "Add a group" }).press("Enter");
  await form.getByRole("textbox", { name: "Group at the provider" }).fill("hukum");
  await form.getByRole("combobox", { name: "Role here" }).click();
  await page.getByRole("option", { name: "Auditor" }).click();
  await form.getByRole("button", { name: "Save" }).press("Enter");
  const test = form.getByRole("button", { name: "Test the provider" });
  await test.press("Enter");
  await form.getByText("The identity provider does not answer").waitFor();
  // A stored secret goes to no other provider.
  expect(await form.getByLabel("Client secret").inputValue()).toBe("");
  await form.getByRole("textbox", { name: "Issuer" }).fill(p.issuer);
  await form.getByRole("button", { name: "Save" }).press("Enter");
  await form.locator("[aria-invalid=true]").first().waitFor();
  await form.getByLabel("Client secret").fill(clientSecret);
  await form.getByRole("button", { name: "Save" }).press("Enter");
  await form.getByText("Saved.").waitFor();
  serve();
  await test.press("Enter");
  await form.getByText("The identity provider answers correctly.").waitFor();
  const domains = page.getByRole("region", { name: "Mail domains" });
  await domains.getByRole("textbox", { name: "Mail domain" }).fill("Contoh.id");
  await page.keyboard.press("Enter");
  await domains.getByText("Not granted yet").waitFor();
  await domains.getByRole("button", { name: "Grant", exact: true }).press("Enter");
  await domains.getByText("granted by the operator").waitFor();
  // The directory of the company creates a group with a secret that is shown once.
  const scim = page.getByRole("region", { name: "Directory (SCIM)" });
  await scim.getByRole("button", { name: "Create a secret" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Create a secret" }).press("Enter");
  const secret = (await scim.locator("[data-directory-secret]").textContent())!;
  const made = await fetch(`${(await scim.locator("code").textContent())!}/Groups`, {
    method: "POST", headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/scim+json" },
    body: JSON.stringify({ schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"], displayName: "hukum" }),
  });
  expect(made.status).toBe(201);
  await page.reload();
  await scim.getByRole("listitem").filter({ hasText: "hukum" }).getByText("Auditor").waitFor();
  await scim.getByText(/last used/).waitFor();
  expect(await page.getByText(secret).count()).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  expect(await violations(page)).toEqual([]);
  await page.context().close();
});
afterAll(async () => {
  await s.close();
  await p.close();
});

const company = { en: "Log in with your company", id: "Masuk melalui perusahaan" };

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
  expect(await me(page)).toMatchObject({ email: "siti@contoh.id", fullname: "Orang siti", role: "member" });

  // They log out at the provider alone; its logout token ends the session here.
  await page.goto(`${p.issuer}/session/end?client_id=segel&post_logout_redirect_uri=${encodeURIComponent(`${s.url}/login`)}`);
  await confirmLogout(page);
  await expect.poll(() => me(page)).toBe(401);
});

test("a logout goes on at the provider and comes back, and the groups of the next login give another role", async () => {
  const page = await open("id");
  await logIn(page, "rahma", "id");
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await me(page)).toMatchObject({ role: "member" });
  await page.getByRole("button", { name: /akun/ }).click();
  await page.getByRole("menuitem", { name: "Keluar" }).click();
  await confirmLogout(page);
  await page.getByRole("button", { name: company.id }).waitFor();
  expect(await me(page)).toBe(401);

  p.groups["rahma"] = ["lain", "hukum"];
  await logIn(page, "rahma", "id");
  expect(await me(page)).toMatchObject({ role: "auditor" });
});

test("an account with an authenticator app takes its code after the login at the provider, and nothing before", async () => {
  s.user("Dewi Lestari", "dewi@contoh.id");
  const page = await s.login("dewi@contoh.id", { locale: "id", viewport: { width: 360, height: 740 } });
  const post = async <T>(path: string, data: object) => {
    const answer = await page.request.post(`${s.url}/v1/auth/${path}`, { data });
    if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
    return ((await answer.json()) as { data: T }).data;
  };
  const { secret, ticket } = await post<{ secret: string; ticket: string }>("factors/totp", { current: password });
  const added = step() - 1; // the present code is left for the login
  await post("factors/totp/confirm", { ticket, otp: codeOf(secret, added) });
  await post("logout", {});

  await logIn(page, "dewi", "id");
  await page.getByRole("heading", { level: 1, name: id.factor.loginTitle }).waitFor();
  expect(new URL(page.url()).searchParams.get("factors")).toBe("totp,recovery_code");
  expect(await me(page)).toBe(401); // the login at the provider alone opens nothing
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  const enter = async (code: string) => {
    await page.locator("input[name=otp]").fill(code);
    await page.getByRole("button", { name: id.login.submit, exact: true }).press("Enter");
  };
  await enter(codeOf(secret, added)); // used up when the app was added
  await page.getByRole("alert").waitFor();
  expect(await me(page)).toBe(401);
  await enter(codeOf(secret, step()));
  await page.waitForURL((at) => at.pathname !== "/login");
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await me(page)).toMatchObject({ email: "dewi@contoh.id" });
  await page.context().close();
});

test("a login goes on after the provider changed its key", async () => {
  const page = await open("en");
  await logIn(page, "budi");
  serve();
  // Keys are read again once in ten seconds at most; until then the login is refused with a reason.
  await expect.poll(async () => { await page.context().clearCookies(); await logIn(page, "budi"); return me(page); }, { interval: 2000 }).toMatchObject({ email: "budi@contoh.id" });
});

test("a refused login says why, in both languages, and a domain without a provider logs in with a password", async () => {
  const page = await open("en"), indonesian = await open("id");
  await logIn(page, "palsu");
  await page.getByRole("alert").getByText("does not state that your e-mail address is verified").waitFor();
  await logIn(indonesian, "palsu", "id");
  await indonesian.getByRole("alert").getByText("tidak menyatakan bahwa alamat e-mail Anda telah diverifikasi").waitFor();
  await page.goto(`${s.url}/login`);
  await page.locator("input[name=email]").fill("admin@example.test");
  await page.getByRole("button", { name: company.en }).click();
  await page.getByText("This address logs in with a password.").waitFor();
});
