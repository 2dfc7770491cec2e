import { lazy, Suspense, useEffect, useState } from "react";

import { proving, type Asked, type Proof } from "../api/proof";

const ProofQuestion = lazy(() => import("./proof-question").then((m) => ({ default: m.ProofQuestion }))); // most people are never asked

/** ProofDialog asks signers for a second factor when a signature needs one, over the screen on which they sign. */
export function ProofDialog() {
  const [open, setOpen] = useState<{ asked: Asked; done: (p: Proof | undefined) => void }>();
  useEffect(() => proving.onAsked((asked) => new Promise((done) => setOpen({ asked, done: (p) => { setOpen(undefined); done(p); } }))), []);
  return <Suspense>{open && <ProofQuestion asked={open.asked} done={open.done} />}</Suspense>;
}
