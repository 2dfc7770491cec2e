import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { read } from "./contract";
import { complete, makePDF, stage, violations, type Stage } from "./harness";

// Findings in a file, from its upload to the signature, and what must be shown before signing.

let s: Stage, owner: Page, signer: Page;
const dua = { name: "Penanda Dua", email: "s@example.test" };

beforeAll(async () => {
  s = await stage();
  s.user("Pemilik Satu", "o@example.test");
  s.user(dua.name, dua.email);
  [owner, signer] = [await s.enter("o@example.test"), await s.enter(dua.email)];
});
afterAll(() => s.close());

/** A page with a price that is only printed, that some readers show and others do not, and with a script. */
function trick(): Buffer {
  const content = "BT /F1 24 Tf 72 720 Td (Harga 1.000.000) Tj ET /OC /L BDC BT /F1 24 Tf 72 500 Td (Harga 9.000.000) Tj ET EMC";
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [6 0 R] /D << /AS [<< /Event /View /OCGs [6 0 R] /Category [/View] >> << /Event /Print /OCGs [6 0 R] /Category [/Print] >>] >> >> >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> /Properties << /L 6 0 R >> >> /Contents 5 0 R /Annots [7 0 R] >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /OCG /Name (Cetak) /Usage << /View << /ViewState /OFF >> /Print << /PrintState /ON >> >> >>",
    "<< /Type /Annot /Subtype /Link /Rect [72 600 200 620] /Border [0 0 0] /F 4 /A << /S /JavaScript /JS (app.alert\\(1\\)) >> >>",
  ];
  let text = "%PDF-1.7\n";
  const at = objects.map((o, i) => {
    const offset = text.length;
    text += `${i + 1} 0 obj\n${o}\nendobj\n`;
    return offset;
  });
  text += `xref\n0 ${at.length + 1}\n0000000000 65535 f \n${at.map((o) => `${String(o).padStart(10, "0")} 00000 n \n`).join("")}trailer\n<< /Size ${at.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}

/** Creates a draft with another signer. */
async function draft(file: Buffer, title: string): Promise<number> {
  const members = await owner.request.get(`${s.url}/v1/auth/list_user?page=1&limit=50`);
  const { id } = ((await members.json()) as { data: { user: { id: string; email: string }[] } }).data.user.find((m) => m.email === dua.email)!;
  const sent = await owner.request.post(`${s.url}/v1/econtract/web/sign/upload-docs`, {
    multipart: { document_title: title, signer: JSON.stringify([{ id, ...dua, role: "signer", number: 1 }]), document: { name: "kontrak.pdf", mimeType: "application/pdf", buffer: file } },
  });
  expect(sent.status(), await sent.text()).toBe(200);
  return ((await sent.json()) as { response: { data: { document_id: number } } }).response.data.document_id;
}

async function finalized(file: Buffer, title: string): Promise<number> {
  const id = await draft(file, title);
  const answer = await owner.request.post(`${s.url}/v1/econtract/web/sign/finalize-docs`, { data: { document_id: id } });
  expect(answer.status(), await answer.text()).toBe(200);
  return id;
}

const side = (page: Page) => page.getByRole("region", { name: "What you need to do" });
const signIt = (page: Page) => side(page).getByRole("button", { name: "Sign", exact: true });

/** How much dark content a page has within a band, in fractions of its height. */
const darkness = (page: Page, from: number, to: number) =>
  page.locator("[data-page='1'] canvas").evaluate((c: HTMLCanvasElement, [a, b]) => {
    const y = Math.floor(c.height * a!), h = Math.floor(c.height * (b! - a!));
    const { data } = c.getContext("2d")!.getImageData(0, y, c.width, h);
    let dark = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3]! > 0 && data[i]! < 128) dark++;
    return dark;
  }, [from, to]);

test("the owner accepts each finding, and the signer sees the findings and the print", async () => {
  const id = await draft(trick(), "Cetak Berbeda");
  await owner.goto(`${s.url}/new?document=${id}&step=review`);
  const send = owner.getByRole("button", { name: "Send", exact: true });
  await send.waitFor();
  expect(await send.isDisabled()).toBe(true);
  const asked = owner.getByRole("region", { name: "The findings in this file have to be accepted" });
  expect(await asked.getByRole("checkbox").count()).toBe(2);
  await owner.getByText("This file contains JavaScript (page 1).").waitFor(); // shown, without asking for acceptance
  expect(await violations(owner)).toEqual([]);
  const finalize = owner.waitForRequest("**/sign/finalize-docs");
  await asked.getByRole("checkbox", { name: /^I accept this finding: This file shows/ }).check();
  expect(await send.isDisabled()).toBe(true); // each must be accepted
  await asked.getByRole("checkbox", { name: /^I accept this finding: What this file shows depends/ }).check();
  await send.click();
  expect(((await finalize).postDataJSON() as { accept_findings: string[] }).accept_findings).toEqual(["finding.print_differs", "finding.view_varies"]);
  await owner.waitForURL(`**/document/${id}`);
  await owner.getByRole("button", { name: "History" }).click();
  await owner.getByText(/^Accepted a finding in the file: This file shows/).waitFor();

  await signer.goto(`${s.url}/document/${id}/sign`);
  const found = signer.getByRole("region", { name: /^Findings in this file/ });
  await found.waitFor();
  expect(await found.getByText("Pemilik Satu accepted this finding when they sent the document.").count()).toBe(2);
  await found.getByText("This file contains JavaScript (page 1).").waitFor();
  await signer.locator("[data-page='1'] canvas").waitFor();
  const hidden = [0.35, 0.45] as const; // where the printed-only price is
  await expect.poll(() => darkness(signer, 0.1, 0.2)).toBeGreaterThan(50);
  expect(await darkness(signer, ...hidden)).toBe(0);
  await signer.locator("label").filter({ hasText: /^Print$/ }).click();
  await signer.getByText("The pages are shown as they would be printed.").waitFor();
  await expect.poll(() => darkness(signer, ...hidden)).toBeGreaterThan(50);
  expect(await violations(signer)).toEqual([]);
  await signer.locator("label").filter({ hasText: /^Screen$/ }).click();
  await expect.poll(() => darkness(signer, ...hidden)).toBe(0);
});

test("nothing can be signed while only a spinner is shown, nor before it was read or confirmed", async () => {
  const id = await finalized(makePDF(3), "Belum Terbaca");
  let release = () => {};
  const held = new Promise<void>((r) => (release = r));
  const pages = /\/document\/(preview|page-picture)\//; // a page is shown from either
  await signer.route(pages, async (route) => {
    if (route.request().method() === "GET") await held;
    await route.continue();
  });
  await signer.goto(`${s.url}/document/${id}/sign`);
  await side(signer).getByText("The pages are loading. You can sign once they are shown.").waitFor();
  await read(signer);
  expect(await signIt(signer).isDisabled()).toBe(true); // what was not shown cannot have been read
  await side(signer).getByRole("checkbox", { name: "I have read the document" }).uncheck();
  release();
  await signer.locator("[data-page='1'] canvas").waitFor();
  await side(signer).getByText("To sign, read to the end, or confirm that you have read the document.").waitFor();
  expect(await signIt(signer).isDisabled()).toBe(true);
  await read(signer);
  expect(await signIt(signer).isEnabled()).toBe(true);
  await side(signer).getByRole("checkbox", { name: "I have read the document" }).uncheck();
  expect(await signIt(signer).isDisabled()).toBe(true);
  await signer.locator("[data-page='3']").evaluate((e) => e.scrollIntoView({ block: "end" }));
  await signer.locator("[data-page='3'] canvas").waitFor();
  await signer.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await side(signer).getByText("You have reached the end of the document.").waitFor();
  expect(await side(signer).getByRole("checkbox", { name: "I have read the document" }).count()).toBe(0);
  const etag = (await signer.request.head(`${s.url}/v1/econtract/web_app/document/preview/${id}`)).headers()["etag"]!.replaceAll('"', "");
  const sent = signer.waitForRequest("**/sign/sign-docs");
  await signIt(signer).click();
  const body = (await sent).postDataJSON() as { digest: string; pages_shown: number[] };
  expect(body.digest).toBe(etag);
  expect(body.pages_shown).toEqual([1, 2, 3]);
  await signer.unroute(pages);
  await owner.goto(`${s.url}/document/${id}`);
  await owner.getByRole("button", { name: "History" }).click();
  await owner.getByText("Signed the document; the service showed page 1-3 of 3").waitFor();
});

test.runIf(complete)("2,000 pages are signed without scrolling through them, and the log tells which were shown", async () => {
  const id = await finalized(makePDF(2000), "Dua Ribu Halaman");
  await signer.goto(`${s.url}/document/${id}/sign`);
  await signer.locator("[data-page='1'] canvas").waitFor();
  await signer.evaluate(() => document.querySelector(`[data-page="1000"]`)!.scrollIntoView());
  await signer.locator("[data-page='1000']").getByText("Pasal 1. Perjanjian halaman 1000.").waitFor();
  // By keyboard alone.
  const box = side(signer).getByRole("checkbox", { name: "I have read the document" });
  await box.focus();
  await signer.keyboard.press("Space");
  await side(signer).getByText("You confirm that you have read the document.").waitFor();
  const sent = signer.waitForRequest("**/sign/sign-docs");
  await signIt(signer).focus();
  await signer.keyboard.press("Enter");
  const { pages_shown } = (await sent).postDataJSON() as { pages_shown: number[] };
  expect(pages_shown).toContain(1);
  expect(pages_shown).toContain(1000);
  expect(pages_shown).not.toContain(500);
  expect(pages_shown.length).toBeLessThan(50);
});

test.runIf(complete)("findings are shown in Indonesian, on a phone", async () => {
  const id = await draft(trick(), "Cetak Berbeda Lagi");
  const answer = await owner.request.post(`${s.url}/v1/econtract/web/sign/finalize-docs`, { data: { document_id: id, accept_findings: ["finding.print_differs", "finding.view_varies"] } });
  expect(answer.status(), await answer.text()).toBe(200);
  const page = await s.login(dua.email, { locale: "id", viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, reducedMotion: "reduce" });
  await page.goto(`${s.url}/document/${id}/sign`);
  await page.getByText(/Hasil cetak berkas ini berbeda dari tampilan di layar \(halaman 1\): “Harga/).waitFor();
  await page.getByText("Pemilik Satu menyetujui temuan ini ketika mengirim dokumen.").first().waitFor();
  await page.locator("[data-page='1'] canvas").waitFor();
  await page.getByRole("button", { name: "Tanda Tangan", exact: true }).tap();
  await page.getByRole("checkbox", { name: "Saya telah membaca dokumen ini" }).or(page.getByText("Anda telah mencapai akhir dokumen.")).first().waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.context().close();
});
