import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { verbs, type Given, type Shown } from "../../api/documents";
import { useConsent } from "./consent";
import type { Hand } from "./hand";
import { signWithPictures, type AskedInitials } from "./pictures";

/** What a signer signs with. */
interface Signing {
  shown: Shown;
  /** If one of their boxes is for initials: what it shows if they chose nothing else. */
  initials: AskedInitials | undefined;
}

/** What is sent of a proof. */
const givenOf = ({ password, otp }: Given): Given => ({ ...(password ? { password } : {}), ...(otp ? { otp } : {}) });

export type Answer = ReturnType<typeof useAnswer>;

/** My answer so far. The screen holds it, not the sheet: closing the sheet to read on, or turning a tablet, loses nothing and sends nothing twice. */
export function useAnswer(id: number, asks: boolean) {
  const queries = useQueryClient();
  const consenting = useConsent(id, asks);
  const [hand, setHand] = useState<Hand>();
  const [initials, setInitials] = useState<Hand>();
  const [declining, setDeclining] = useState(false);
  const [reason, setReason] = useState("");
  const [delegating, setDelegating] = useState(false);
  const [delegate, setDelegate] = useState({ name: "", email: "", phone: "", reason: "" });
  const [proof, setProof] = useState<Given>({ password: "" }); // of a person with an account in a frame
  const onSettled = () => void queries.invalidateQueries();
  const sign = useMutation({
    mutationFn: ({ shown, initials: asked }: Signing) => signWithPictures(hand, initials, asked,
      (sent) => verbs.sign(id, shown, consenting.accepted, sent.signature, sent.initials, givenOf(proof)),
      () => void queries.invalidateQueries({ queryKey: ["specimen"] })),
    onSettled,
  });
  const approve = useMutation({ mutationFn: (shown: Shown) => verbs.approve(id, shown, consenting.accepted, givenOf(proof)), onSettled });
  const reject = useMutation({ mutationFn: () => verbs.reject(id, reason, givenOf(proof)), onSettled });
  const pass = useMutation({ mutationFn: () => verbs.delegate(id, delegate), onSettled });
  const { reset, isError: failed } = sign, { reset: resetApproval, isError: approvalFailed } = approve;
  useEffect(() => {
    if (asks) return;
    if (failed) reset();
    if (approvalFailed) resetApproval();
    setHand(undefined);
    setInitials(undefined);
  }, [asks, failed, reset, approvalFailed, resetApproval]);
  return { consenting, hand, setHand, initials, setInitials, declining, setDeclining, reason, setReason, delegating, setDelegating, delegate, setDelegate, proof, setProof, sign, approve, reject, pass };
}
