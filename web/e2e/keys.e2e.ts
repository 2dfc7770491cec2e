import { afterAll, beforeAll, expect, test } from "vitest";

import { stage, type Stage } from "./harness";

let s: Stage;
const satu = { name: "Pemilik Satu", email: "o@example.test" };
const dua = { name: "Orang Dua", email: "d@example.test" };
beforeAll(async () => {
  s = await stage();
  s.user(satu.name, satu.email, "admin");
  s.user(dua.name, dua.email);
});
afterAll(() => s.close());

const status = async (path: string, key: string) => (await fetch(`${s.url}${path}`, { headers: { "x-access-token": key } })).status;

test("a person makes a key for a program, and an administrator revokes it", async () => {
  const page = await s.enter(dua.email);
  await page.getByRole("button", { name: /account/ }).click();
  await page.getByRole("menuitem", { name: "API keys" }).click();
  await page.getByText("There are no API keys.").waitFor();
  await page.getByRole("button", { name: "Create an API key" }).click();
  const form = page.getByRole("form", { name: "Create an API key" });
  expect(await form.getByRole("checkbox", { name: "admin" }).count()).toBe(0); // a member administers nothing
  await form.getByRole("textbox", { name: "Name" }).fill("ERP");
  await form.getByRole("textbox", { name: "Only from networks" }).fill("10.1.2.3/8");
  await form.getByRole("button", { name: "Create an API key" }).click();
  await form.locator("[aria-invalid=true]").first().waitFor();
  await form.getByRole("textbox", { name: "Only from networks" }).fill("127.0.0.0/8, ::1");
  await form.getByRole("button", { name: "Create an API key" }).click();
  const key = (await page.locator("[data-api-key]").textContent())!;
  expect(key).toMatch(/^sgl_ak_[0-9A-Za-z]{49}$/);
  expect(await status("/v1/auth/me", key)).toBe(200);
  expect(await status("/v1/econtract/web_app/document/out", key)).toBe(200);
  expect(await status("/v1/auth/keys", key)).toBe(403);
  await page.reload();
  await page.getByText(/last used .* from 127.0.0.1/).waitFor();
  expect(await page.getByText(key).count()).toBe(0);
  const select = async (of: typeof page, status: string) => {
    await of.getByRole("combobox", { name: "Status" }).click();
    await of.getByRole("option", { name: status, exact: true }).click();
  };
  await select(page, "Expired");
  await page.getByText("Nothing matches.").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("searchbox", { name: "Find a name or how the key begins" }).fill("erp");
  await page.getByText("1 line").waitFor();

  const admin = await s.enter(satu.email);
  await admin.getByRole("link", { name: "Admin", exact: true }).click();
  await admin.getByRole("tab", { name: "API keys" }).click();
  await admin.getByText(/Orang Dua/).waitFor();
  await admin.getByRole("searchbox", { name: "Find a key, a name or an e-mail" }).fill(satu.email);
  await admin.waitForURL("**find=o%40example.test**");
  await admin.getByText("Nothing matches.").waitFor();
  await admin.getByRole("searchbox", { name: "Find a key, a name or an e-mail" }).fill("orang DUA");
  await admin.getByText(/Orang Dua/).waitFor();
  await admin.getByRole("button", { name: "Revoke the key ERP" }).click();
  await admin.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click();
  await admin.getByRole("listitem").getByText("Revoked", { exact: true }).waitFor();
  await select(admin, "Active");
  await admin.getByText("Nothing matches.").waitFor();
  await select(admin, "Revoked");
  await admin.getByRole("listitem").filter({ hasText: "ERP" }).waitFor();
  expect(await status("/v1/auth/me", key)).toBe(401);
});
