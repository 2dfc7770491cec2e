import { afterAll, beforeAll, expect, test } from "vitest";

import { firstLogin, stage, violations, type Stage } from "./harness";

let s: Stage;
beforeAll(async () => {
  s = await stage();
});
afterAll(() => s.close());

const next = "beberapa kata berurutan";

test("a user with the initial password must choose their own first", async () => {
  const { email, password: initial } = firstLogin(s);
  const page = await (await s.browser.newContext({ locale: "en", viewport: { width: 360, height: 740 } })).newPage();
  await page.goto(`${s.url}/sent`);
  await page.fill("[name=email]", email);
  await page.fill("[name=password]", initial);
  await page.click("button[type=submit]");
  await page.getByRole("heading", { name: "Choose your password" }).waitFor();
  await page.goto(`${s.url}/inbox`);
  await page.getByRole("heading", { name: "Choose your password" }).waitFor();
  expect(await violations(page)).toEqual([]);

  const send = async (current: string, chosen: string, again: string) => {
    await page.fill("[name=current]", current);
    await page.fill("[name=new]", chosen);
    await page.fill("[name=again]", again);
    await page.click("main button[type=submit]");
  };
  await send(initial, next, "beberapa kata");
  await page.getByText("This differs from the new password.").waitFor();
  await send("tidak benar", next, next);
  await page.getByText("This is not your current password.").waitFor();
  await send(initial, "pendek", "pendek");
  await page.getByText("A password must have at least 12 characters.").waitFor();
  expect(await violations(page)).toEqual([]);
  await send(initial, next, next);
  await page.getByRole("heading", { name: "Inbox" }).waitFor();

  // From now on only the menu offers it, and the initial password is invalid.
  await page.getByRole("button", { name: /Administrator/ }).click();
  await page.getByRole("menuitem", { name: "Change password" }).click();
  await page.getByRole("heading", { name: "Change password" }).waitFor();
  await page.getByRole("button", { name: /Administrator/ }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await page.waitForURL("**/login**");
  await page.fill("[name=email]", email);
  await page.fill("[name=password]", initial);
  await page.click("button[type=submit]");
  await page.getByRole("alert").waitFor();
  await page.fill("[name=password]", next);
  await page.click("button[type=submit]");
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.context().close();
});
