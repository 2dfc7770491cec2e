import { lazy, Suspense, useEffect, useState } from "react";

import { reauth } from "../api/reauth";
import { loadAdminText } from "../text";

const ReauthQuestion = lazy(async () => ({ default: (await Promise.all([import("./reauth-question"), loadAdminText()]))[0].ReauthQuestion }));

/** ReauthDialog asks the caller to prove who they are, over the screen on which they do what needs it. */
export function ReauthDialog() {
  const [open, setOpen] = useState<(proved: boolean) => void>();
  useEffect(() => reauth.onAsked(() => new Promise((done) => setOpen(() => (proved: boolean) => { setOpen(undefined); done(proved); }))), []);
  return <Suspense>{open && <ReauthQuestion done={open} />}</Suspense>;
}
