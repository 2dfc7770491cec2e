import type { Page } from "playwright-core";

import { guestLink, sealed, send, type Sent } from "./contract";
import { firstLogin, office, makePDF, stage, type Office, type Stage } from "./harness";
import { appended, overwritten } from "./tamper";

export const satu = { name: "Siti Rahma", email: "siti@contoh.test" }, dua = { name: "Andi Wijaya", email: "andi@contoh.test" }, tiga = { name: "Tono Prakoso", email: "tono@contoh.test" };
export const budi = { name: "Budi Santoso", email: "budi@mitra.test", guest: true };

/** A service with documents in every state that has a picture. */
export interface Scene {
  service: Stage;
  done: Sent;
  open: Sent;
  waiting: Sent;
  failed: Sent;
  declined: Sent;
  /** Files to verify. */
  files: Record<"trusted" | "tampered" | "overwritten" | "unknown" | "unsigned", Buffer>;
  serial: string;
  /** A guest's link, and one that was replaced. */
  link: string;
  stale: string;
  first: { email: string; password: string };
  close: () => Promise<void>;
}

/** Gives the organisation a label and a team of the owner, each of two people a folder, and the owner a template with a role. */
async function file(s: Stage, owner: Page, other: Page, open: number): Promise<void> {
  const ask = async (page: Page, method: "get" | "post" | "put", path: string, data?: object) => {
    const answer = await page.request[method](`${s.url}/v1/${path}`, data ? { data } : {});
    if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
    return answer.json();
  };
  const documents = [{ document_id: open }], lists = "econtract/web_app/document";
  const { response: { data: { label } } } = await ask(owner, "post", "admin/labels", { name: "Pengadaan", colour: "yellow" }) as { response: { data: { label: { id: string } } } };
  await ask(owner, "put", `${lists}/labelled`, { documents, add: [label.id], remove: [] });
  for (const page of [owner, other]) await ask(page, "put", `${lists}/folders`, { name: "Kantor Bandung" });
  const { response: { data: { team } } } = await ask(owner, "post", "admin/teams", { name: "Legal" }) as { response: { data: { team: { id: string } } } };
  const { data: me } = await ask(owner, "get", "auth/me") as { data: { id: string } };
  await ask(owner, "put", `admin/teams/${team.id}/members/${me.id}`);
  const { data: { signer } } = await ask(owner, "get", `${lists}/signers/${open}`) as { data: { signer: { user_id: string; email: string }[] } };
  const tenant = signer.find((x) => x.email === budi.email)!;
  await ask(owner, "post", "econtract/web/sign/template-docs", { document_id: open, document_title: "Jual Beli Mesin", team: team.id, placeholders: [{ user_id: tenant.user_id, name: "Pembeli" }] });
}

export async function scene(): Promise<Scene> {
  const desk: Office = await office(), s = await stage({ env: desk.env }), foreign = await stage();
  s.user(satu.name, satu.email, "admin");
  for (const who of [dua, tiga]) s.user(who.name, who.email);
  const first = firstLogin(s);
  const owner = await s.enter(satu.email), other = await s.enter(dua.email);
  const post = (verb: string, data: object, page = owner) => page.request.post(`${s.url}/v1/econtract/web/sign/${verb}`, { data });
  const sign = (id: number) => post("sign-docs", { document_id: id });
  const stands = async (id: number, wanted: (d: { status: string; progress: { steps: { reason: string | null }[] } | null }) => boolean) => {
    for (const until = Date.now() + 40_000; Date.now() < until; await new Promise((r) => setTimeout(r, 200))) {
      if (wanted((await (await owner.request.get(`${s.url}/v1/econtract/web_app/document/detail/${id}`)).json()).data)) return;
    }
    throw new Error(`document ${id} did not get there`);
  };

  const done = await send(owner, "Perjanjian Kerja Sama Distribusi", [satu]);
  await sign(done.id);
  const trusted = await sealed(owner, done.id);
  const serial = (await (await owner.request.get(`${s.url}/v1/admin/serials`)).json()).data.serials[0].serial as string;
  await owner.request.post(`${s.url}/v1/admin/reconciliation`);
  const declined = await send(owner, "Perubahan Anggaran Dasar", [dua]);
  await post("reject-docs", { document_id: declined.id, reason: "Harga pada Pasal 3 belum sesuai." }, other);
  const open = await send(owner, "Jual Beli Mesin Cetak", [dua, satu, budi]);
  const invited = await send(owner, "Surat Kuasa Khusus", [budi], 0);
  const stale = await guestLink(owner, invited, budi.email), link = await guestLink(owner, invited, budi.email);
  for (let i = 1; i <= 6; i++) await send(owner, `Berita Acara ${i}`, [dua], 0); // to be signed while pictures are taken
  await file(s, owner, other, open.id);
  await desk.faults({ call: "docSigningZ", fault: "error", code: "83" });
  const failed = await send(owner, "Sewa Ruko Jalan Merdeka 17", [satu]);
  await sign(failed.id);
  await stands(failed.id, (d) => d.status === "failed");
  await desk.faults({ call: "", fault: "outage" });
  const waiting = await send(owner, "Perjanjian Lisensi Merek", [satu]);
  await sign(waiting.id);
  await stands(waiting.id, (d) => d.progress?.steps.some((x) => x.reason !== null) ?? false);

  // Another service, whose root is not trusted here.
  foreign.user(satu.name, satu.email);
  const far = await foreign.enter(satu.email), theirs = await send(far, "Perjanjian", [satu], 0);
  await far.request.post(`${foreign.url}/v1/econtract/web/sign/sign-docs`, { data: { document_id: theirs.id } });
  const unknown = await sealed(far, theirs.id);
  await foreign.close();
  await owner.context().close();
  await other.context().close();
  return {
    service: s, done, open, waiting, failed, declined, serial, link, stale, first,
    files: { trusted, tampered: appended(trusted, "Pasal 3. Perjanjian halaman 1.", "Pasal 3. Harga Rp 900.000.000."), overwritten: overwritten(trusted, "Pasal 1.", "Pasal 7."), unknown, unsigned: makePDF(1) },
    close: async () => {
      await s.close();
      await desk.close();
    },
  };
}
