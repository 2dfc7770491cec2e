import { afterAll, beforeAll, expect, test } from "vitest";

import { send } from "./contract";
import { stage, violations, type Stage } from "./harness";
import { languages } from "./texts";

let s: Stage;
const owner = { name: "Pemilik Satu", email: "o@example.test" }, signer = { name: "Penanda Dua", email: "s@example.test" }, tenant = { name: "Penyewa Tiga", email: "t@example.test" };
beforeAll(async () => {
  s = await stage();
  for (const who of [owner, signer, tenant]) s.user(who.name, who.email);
});
afterAll(() => s.close());

for (const [language, w] of languages("en")) {
  test(`a sender saves a document as a template, uses it, names a person for its role and sends it, ${language}`, async () => {
    const page = await s.enter(owner.email, { locale: language });
    const fill = (text: string, values: Record<string, string>) => text.replace(/\{\{(\w+)\}\}/g, (_, k: string) => values[k]!);
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await page.goto(`${s.url}/templates`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    if (language === "en") await page.getByText(w.template.none).waitFor();
    expect(await violations(page)).toEqual([]);
    const title = `Sewa ${language}`, contract = await send(page, title, [signer, tenant]);
    await page.goto(`${s.url}/document/${contract.id}`);
    const dialog = page.getByRole("dialog");
    for (const round of ["canceled", "saved"]) {
      await button(w.document.more).press("Enter");
      await page.getByRole("menuitem", { name: w.document.asTemplate }).press("Enter");
      await dialog.getByRole("checkbox", { name: fill(w.template.asRole, { name: tenant.name }) }).waitFor();
      if (round === "saved") break;
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await expect.poll(() => button(w.document.more).evaluate((b) => b === document.activeElement)).toBe(true);
    }
    await dialog.getByRole("checkbox", { name: fill(w.template.asRole, { name: tenant.name }) }).check();
    await dialog.getByRole("textbox", { name: fill(w.template.role, { name: tenant.name }) }).fill("Penyewa");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/templates*");
    const row = page.getByRole("listitem").filter({ hasText: title });
    await row.getByText(fill(w.template.roles, { names: "Penyewa" })).waitFor();
    expect(await violations(page)).toEqual([]);

    await row.getByRole("button", { name: fill(w.template.more, { title }) }).click();
    await page.getByRole("menuitem", { name: w.template.rename }).click();
    await dialog.getByRole("textbox", { name: w.template.title }).fill(`${title} kios`);
    await page.keyboard.press("Enter");
    await row.getByText(`${title} kios`).waitFor();
    // The focus returns to the button of the menu, also when nothing was changed.
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await expect.poll(focused).toBe(fill(w.template.more, { title: `${title} kios` }));
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: w.template.share }).press("Enter");
    await dialog.getByText(w.template.noTeams).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(focused).toBe(fill(w.template.more, { title: `${title} kios` }));

    // Its messages, with the keyboard: the last step, where a draft would be sent.
    await row.getByRole("button", { name: fill(w.template.more, { title: `${title} kios` }) }).press("Enter");
    await page.getByRole("menuitem", { name: w.template.messages }).press("Enter");
    await page.getByRole("heading", { level: 1, name: w.new.delivery }).waitFor();
    await page.getByRole("textbox", { name: w.new.message }).fill("Mohon ditandatangani sebelum serah terima kunci.");
    await page.getByRole("textbox", { name: w.new.remindAfter }).fill("3");
    await page.getByRole("checkbox", { name: w.new.hideAddresses }).press("Space");
    await page.locator("[data-saved=true]").waitFor();
    expect(await violations(page)).toEqual([]);
    await button(w.template.done).press("Enter");
    await row.waitFor();

    await button(fill(w.template.useOf, { title: `${title} kios` })).click();
    await page.waitForURL(/step=people/);
    const draft = Number(new URL(page.url()).searchParams.get("document"));
    const { data } = (await (await page.request.get(`${s.url}/v1/econtract/web_app/document/detail/${draft}`)).json()) as { data: { delivery: object } };
    expect(data.delivery).toMatchObject({ message: "Mohon ditandatangani sebelum serah terima kunci.", remind: { after: 3 }, hide_addresses: true });
    await page.getByText(fill(w.template.usedRoles, { names: "Penyewa" })).waitFor();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect((await page.request.post(`${s.url}/v1/econtract/web/sign/finalize-docs`, { data: { document_id: draft } })).status()).toBe(422);
    await button(fill(w.template.fillOf, { name: "Penyewa" })).click();
    await dialog.getByRole("combobox", { name: w.new.member }).fill(tenant.name);
    await page.getByRole("option", { name: tenant.name }).click();
    await dialog.waitFor({ state: "detached" });
    await button(w.new.next).click();
    await page.waitForURL(/step=place/);
    await page.locator("[data-box]").first().waitFor();
    expect(await page.locator("[data-box]").count()).toBe(3); // the role's too
    await page.goto(`${s.url}/new?document=${draft}&step=review`);
    await button(w.new.finalize).click();
    await page.waitForURL(`**/document/${draft}`);

    await page.goto(`${s.url}/templates`);
    await row.getByRole("button", { name: fill(w.template.more, { title: `${title} kios` }) }).click();
    await page.getByRole("menuitem", { name: w.template.remove }).click();
    await dialog.getByRole("button", { name: w.template.remove }).click();
    await row.waitFor({ state: "detached" });
    await page.context().close();
  });
}
