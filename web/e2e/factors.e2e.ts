import { afterAll, beforeAll, expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";

import { checker } from "./axe";
import { read, send } from "./contract";
import { complete, password, stage, violations, type Stage } from "./harness";
import { codeOf, step } from "./totp";

// Second factors in a browser: an authenticator app that the test computes, and the virtual authenticator of Chromium for passkeys.

let s: Stage, owner: Page;
const satu = { name: "Pemilik Satu", email: "o@example.test" }, dua = { name: "Penanda Dua", email: "d@example.test" };
const tiga = { name: "Penanda Tiga", email: "t@example.test" }, empat = { name: "Penanda Empat", email: "e@example.test" };
const lima = { name: "Penanda Lima", email: "l@example.test" }, enam = { name: "Penanda Enam", email: "n@example.test" };
beforeAll(async () => {
  s = await stage({ host: "localhost" });
  s.user(satu.name, satu.email, "admin");
  for (const { name, email } of [dua, tiga, empat, lima, enam]) s.user(name, email);
  owner = await s.enter(satu.email);
});
afterAll(() => s.close());

/** Gives a page a device that keeps passkeys and has always verified its user. Returns how many it keeps. */
async function device(page: Page): Promise<() => Promise<number>> {
  const browser = await page.context().newCDPSession(page);
  await browser.send("WebAuthn.enable");
  const { authenticatorId } = await browser.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  });
  return async () => (await browser.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length;
}

const dialog = (page: Page) => page.getByRole("dialog");
const inbox = (page: Page) => page.waitForURL((at) => at.pathname === "/inbox");

async function menu(page: Page, item: string): Promise<void> {
  await page.getByRole("button", { name: /, account$/ }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

async function logOut(page: Page): Promise<void> {
  await menu(page, "Log out");
  await page.getByRole("heading", { name: "Log in", level: 1 }).waitFor();
}

/** Logs in with the password, which is not enough. */
async function enterPassword(page: Page, email: string): Promise<void> {
  await page.locator("input[name=email]").fill(email);
  await page.locator("input[name=password]").fill(password);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.getByRole("heading", { name: "Confirm that it is you" }).waitFor();
}

async function enterCode(page: Page, code: string): Promise<void> {
  await page.locator("input[name=otp]").fill(code);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
}

/** Notes the recovery codes that a dialog shows, and closes it, which neither Escape nor a click outside does. */
async function recoveryCodes(page: Page): Promise<string[]> {
  await dialog(page).getByRole("heading", { name: "Your recovery codes" }).waitFor();
  const codes = await page.locator("[data-recovery] li").allTextContents();
  expect(new Set(codes).size).toBe(10);
  await page.keyboard.press("Escape");
  await page.mouse.click(2, 2);
  await dialog(page).getByRole("button", { name: "I have kept them" }).click();
  await dialog(page).waitFor({ state: "detached" });
  return codes;
}

/** Changes what the organisation demands of accounts, as an administrator. */
async function setPolicy(admin: Page, change: (policy: Locator) => Promise<void>): Promise<void> {
  await admin.getByRole("link", { name: "Admin", exact: true }).click();
  await admin.getByRole("tab", { name: "Account policy" }).click();
  const policy = admin.getByRole("form", { name: "Account policy" });
  await change(policy);
  await policy.getByRole("button", { name: "Save" }).click();
  await policy.getByText("Saved.").waitFor();
}

/** Adds a passkey of the page's device. */
async function addPasskey(page: Page, name: string): Promise<void> {
  if (new URL(page.url()).pathname !== "/factors") await menu(page, "Second factors");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await dialog(page).getByRole("textbox", { name: "Name" }).fill(name);
  await dialog(page).locator("input[name=current]").fill(password);
  await dialog(page).getByRole("button", { name: "Add a passkey" }).click();
  await recoveryCodes(page);
  await page.getByRole("listitem").filter({ hasText: name }).getByText("Not used yet.").waitFor();
}

test("a person adds an authenticator app and logs in with its code, and with each recovery code once", async () => {
  const page = await s.enter(dua.email);
  await menu(page, "Second factors");
  await page.getByRole("button", { name: "Add an app" }).click();
  await dialog(page).locator("input[name=current]").fill("bukan kata sandi");
  await dialog(page).getByRole("button", { name: "Next" }).click();
  await dialog(page).locator("input[name=current][aria-invalid=true]").waitFor();
  await dialog(page).locator("input[name=current]").fill(password);
  await dialog(page).getByRole("button", { name: "Next" }).click();
  await dialog(page).getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
  expect(await violations(page)).toEqual([]);
  const key = (await page.locator("[data-secret]").textContent())!.replaceAll(" ", "");
  expect(key).toMatch(/^[A-Z2-7]{32}$/);
  const added = step();
  await dialog(page).locator("input[name=otp]").fill(codeOf(key, added));
  await dialog(page).getByRole("button", { name: "Confirm" }).click();
  const [recovery, other] = await recoveryCodes(page);
  await page.getByText("10 codes are left.", { exact: false }).waitFor();

  await logOut(page);
  await enterPassword(page, dua.email);
  expect(await violations(page)).toEqual([]);
  await enterCode(page, codeOf(key, added)); // used up when the app was added
  await page.getByRole("alert").waitFor();
  await enterCode(page, codeOf(key, Math.max(added + 1, step())));
  await inbox(page);

  await logOut(page);
  await enterPassword(page, dua.email);
  await enterCode(page, recovery!);
  await inbox(page);
  await menu(page, "Second factors");
  await page.getByText("9 codes are left.", { exact: false }).waitFor();

  await logOut(page);
  await enterPassword(page, dua.email);
  await enterCode(page, recovery!);
  await page.getByRole("alert").waitFor();
  await enterCode(page, other!);
  await inbox(page);
  await page.context().close();
});

test("a person adds a passkey and logs in with it alone", async () => {
  const page = await s.enter(tiga.email);
  const kept = await device(page);
  await addPasskey(page, "Laptop kantor");
  expect(await kept()).toBe(1);
  const wrong: string[] = [];
  await checker(page, wrong, "en")("second factors");
  expect(wrong).toEqual([]);

  await logOut(page);
  await page.getByRole("button", { name: "Log in with a passkey" }).click();
  await inbox(page);
  await menu(page, "Second factors");
  await page.getByRole("listitem").filter({ hasText: "Laptop kantor" }).getByText("Last used on", { exact: false }).waitFor();

  // With the password too, which is not enough.
  await logOut(page);
  await enterPassword(page, tiga.email);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await inbox(page);
  await page.context().close();
});

test("where the organisation requires a factor for each signature, signing asks for it and completes with a passkey", async () => {
  await setPolicy(owner, (policy) => policy.getByRole("checkbox", { name: "Each signature needs a separate second factor" }).check());

  const contract = await send(owner, "Sewa Gudang", [empat], 0);
  const page = await s.enter(empat.email);
  await device(page);
  await addPasskey(page, "Laptop kantor");
  await page.goto(`${s.url}/document/${contract.id}/sign`);
  await page.locator("[data-page='1'] canvas").waitFor();
  await read(page);
  const sign = page.getByRole("region", { name: "What you need to do" }).getByRole("button", { name: "Sign", exact: true });
  await sign.click();
  const proof = page.getByRole("dialog", { name: "Confirm your signature" });
  await proof.getByText("Your organisation requires a second factor for this signature.").waitFor();
  expect(await violations(page)).toEqual([]);
  await proof.getByRole("button", { name: "Back" }).click();
  await proof.waitFor({ state: "detached" });
  expect(await page.getByRole("heading", { name: "You have signed" }).count()).toBe(0);

  await sign.click();
  await proof.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("heading", { name: "You have signed" }).waitFor();

  const approved = await send(owner, "Sewa Kantor", [{ ...empat, role: "approver" }, satu], 0);
  await page.goto(`${s.url}/document/${approved.id}/sign`);
  await page.locator("[data-page='1'] canvas").waitFor();
  await read(page);
  await page.getByRole("region", { name: "What you need to do" }).getByRole("button", { name: "Approve", exact: true }).click();
  await proof.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("heading", { name: "You have approved" }).waitFor();
  await page.context().close();
});

test("who has a second factor changes their password, and presents the factor to stay logged in", async () => {
  const page = await s.enter(enam.email), next = "kata sandi lain yang panjang";
  await device(page);
  await addPasskey(page, "Laptop kantor");
  await page.goto(`${s.url}/password`);
  await page.locator("input[name=current]").fill(password);
  await page.locator("input[name=new]").fill(next);
  await page.locator("input[name=again]").fill(next);
  await page.getByRole("button", { name: "Change password" }).click();
  const ended = page.locator("[data-session-ended]");
  await ended.locator("input[name=password]").fill(next);
  await ended.getByRole("button", { name: "Log in", exact: true }).click();
  await ended.getByRole("button", { name: "Use a passkey" }).click();
  await inbox(page);
  expect((await page.request.get(`${s.url}/v1/auth/me`)).status()).toBe(200);
  await page.context().close();
});

test.runIf(complete)("where the organisation requires a factor at logins, a person without one adds it first and goes on to what they opened", async () => {
  await owner.goto(`${s.url}/factors`);
  await device(owner);
  await addPasskey(owner, "Laptop admin");
  await logOut(owner);
  await owner.getByRole("button", { name: "Log in with a passkey" }).click();
  await inbox(owner);
  await setPolicy(owner, (policy) => policy.getByRole("radio", { name: "Everyone" }).check());

  const page = await (await s.browser.newContext({ locale: "en", viewport: { width: 360, height: 740 }, reducedMotion: "reduce" })).newPage();
  await device(page);
  await page.goto(`${s.url}/sent`);
  await page.locator("input[name=email]").fill(lima.email);
  await page.locator("input[name=password]").fill(password);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.getByText("Your organisation requires a second factor.", { exact: false }).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect((await page.request.get(`${s.url}/v1/econtract/web_app/document/out`)).status()).toBe(403);
  await addPasskey(page, "Ponsel");
  await page.getByRole("link", { name: "Continue" }).click();
  await page.waitForURL((at) => at.pathname === "/sent");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.context().close();
});
