import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Every picture by its name, in the order in which the page shows them. */
export const titles = {
  "login": "Login", "password-first": "First login: a password of one's own", "password": "Password",
  "inbox": "Inbox", "inbox-empty": "Inbox: nothing yet", "inbox-nothing": "Inbox: nothing found", "inbox-loading": "Inbox: loading", "inbox-error": "Inbox: the service does not answer", "sent": "Sent",
  "new": "New document: file", "people": "New document: people", "place": "Placement editor", "review": "New document: review",
  "sign": "Signing: reading", "sign-draw": "Signing: drawn", "sign-type": "Signing: typed", "sign-upload": "Signing: a picture", "sign-decline": "Signing: declining", "sign-done": "Signing: what happens now",
  "guest": "Signing as a guest", "guest-sheet": "Signing as a guest: the sheet", "guest-invalid": "Signing as a guest: a link that was replaced",
  "document": "Document: completed", "document-open": "Document: waits for signatures", "document-waiting": "Document: waits for the stamp office", "failed": "Document: the stamp was refused", "failed-restamp": "Document: the ways to stamp again", "declined": "Document: declined",
  "verify": "Verify", "verify-digest": "Verify: compared with a digest, nothing is sent", "verify-trusted": "Verify: valid and trusted", "verify-tampered": "Verify: changed after signing", "verify-overwritten": "Verify: signed bytes overwritten",
  "verify-unknown": "Verify: signed by somebody nobody vouches for", "verify-unsigned": "Verify: not signed", "serial": "Verify: the serial of a stamp", "serial-unknown": "Verify: a serial that is not known here",
  "admin-people": "Admin: people", "admin-quota": "Admin: quota", "admin-serials": "Admin: serials", "admin-reconciliation": "Admin: reconciliation", "admin-stuck": "Admin: what stands still", "admin-certificates": "Admin: certificates", "admin-log": "Admin: audit log",
  "docs": "The interface",
} as const;

export type Picture = keyof typeof titles;

const languages = { id: "Indonesian", en: "English" } as const, sizes = { phone: 180, desk: 420 } as const;

/** Writes the page on which all pictures stand. */
export function writeIndex(folder: string): void {
  const lines = ["# Screens", "", "Every screen in Indonesian and English, on a phone of 360 pixels and on a desk, some in the dark too. `make screens` takes them anew."];
  const show = (file: string, width: number, alt: string) => (existsSync(path.join(folder, `${file}.png`)) ? [`<img src="${file}.png" width="${width}" alt="${alt}">`] : []);
  for (const [name, title] of Object.entries(titles)) {
    lines.push("", `## ${title}`);
    for (const [size, width] of Object.entries(sizes)) {
      for (const dark of [false, true]) {
        const row = Object.entries(languages).flatMap(([tag, language]) => show(`${name}-${tag}-${size}${dark ? "-dark" : ""}`, width, `${title}, ${size}, ${language}${dark ? ", dark" : ""}`));
        if (row.length > 0) lines.push("", row.join(" "));
      }
    }
  }
  writeFileSync(path.join(folder, "README.md"), lines.join("\n") + "\n");
}
