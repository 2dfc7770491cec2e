import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The title of every picture by its name, in the order of the page. */
export const titles = {
  "login": "Login", "password-first": "First login: a password of one's own", "password": "Password",
  "inbox": "Inbox", "inbox-empty": "Inbox: nothing yet", "inbox-nothing": "Inbox: nothing found", "inbox-loading": "Inbox: loading", "inbox-error": "Inbox: the service does not answer", "sent": "Sent", "templates": "Templates",
  "new": "New document: file", "people": "New document: people", "place": "Placement editor", "review": "New document: review",
  "sign": "Signing: reading", "sign-draw": "Signing: drawn", "sign-type": "Signing: typed", "sign-upload": "Signing: a picture", "sign-decline": "Signing: declining", "sign-done": "Signing: what happens now",
  "guest": "Signing as a guest", "guest-sheet": "Signing as a guest: the sheet", "guest-invalid": "Signing as a guest: a link that was replaced",
  "document": "Document: completed", "document-open": "Document: waits for signatures", "document-waiting": "Document: waits for the stamp office", "failed": "Document: the stamp was refused", "failed-restamp": "Document: the ways to stamp again", "declined": "Document: declined",
  "verify": "Verify", "verify-digest": "Verify: compared with a digest, nothing is sent", "verify-trusted": "Verify: valid and trusted", "verify-tampered": "Verify: changed after signing", "verify-overwritten": "Verify: signed bytes overwritten",
  "verify-unknown": "Verify: signed with an unknown certificate", "verify-unsigned": "Verify: not signed", "serial": "Verify: the serial of a stamp", "serial-unknown": "Verify: a serial that is not known here",
  "admin-people": "Admin: people", "admin-quota": "Admin: quota", "admin-serials": "Admin: serials", "admin-reconciliation": "Admin: reconciliation", "admin-stuck": "Admin: what stands still", "admin-certificates": "Admin: certificates", "admin-consent": "Admin: consent text", "admin-webhooks": "Admin: webhooks", "admin-log": "Admin: audit log",
  "docs": "The interface",
} as const;

export type Picture = keyof typeof titles;

/** The pictures kept in docs/screens, by file name without extension. All others go to build/screens. */
export const kept = new Set([
  "inbox-id-desk", "inbox-en-desk", "inbox-id-phone", "sent-id-desk", "templates-id-desk", "people-id-desk", "place-id-desk", "place-en-desk",
  "review-id-desk", "sign-id-desk", "sign-en-desk", "sign-draw-id-phone", "sign-done-id-desk", "guest-id-phone",
  "guest-sheet-id-phone", "document-id-desk", "document-open-id-desk", "document-waiting-id-desk", "failed-id-desk", "verify-trusted-id-desk", "verify-tampered-en-desk",
  "serial-id-desk", "admin-people-id-desk", "admin-stuck-id-desk", "admin-consent-id-desk", "admin-webhooks-id-desk",
]);

const languages = { id: "Indonesian", en: "English" } as const, sizes = { phone: 180, desk: 420 } as const;

/** Writes the page that shows the pictures of a folder. */
export function writeIndex(folder: string): void {
  const lines = ["# Screens", "", "The main screens, in Indonesian or English, on a phone of 360 pixels or on a desk. `make screens` takes them anew, and every other screen in both languages and sizes into build/screens."];
  const show = (file: string, width: number, alt: string) => (existsSync(path.join(folder, `${file}.png`)) ? [`<img src="${file}.png" width="${width}" alt="${alt}">`] : []);
  for (const [name, title] of Object.entries(titles)) {
    const rows: string[] = [];
    for (const [size, width] of Object.entries(sizes)) {
      for (const dark of [false, true]) {
        const row = Object.entries(languages).flatMap(([tag, language]) => show(`${name}-${tag}-${size}${dark ? "-dark" : ""}`, width, `${title}, ${size}, ${language}${dark ? ", dark" : ""}`));
        if (row.length > 0) rows.push("", row.join(" "));
      }
    }
    if (rows.length > 0) lines.push("", `## ${title}`, ...rows);
  }
  writeFileSync(path.join(folder, "README.md"), lines.join("\n") + "\n");
}
