import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { PointGroup } from "signature_pad";

import { verbs, type Shown } from "../../api/documents";
import { guest } from "../../api/guest";
import { keepSpecimen } from "../../api/specimen";

export type Way = "kept" | "draw" | "type" | "upload";

/** Hand is how the signature should look, as far as it was chosen. */
export interface Hand {
  way: Way;
  typed: string;
  strokes: PointGroup[];
  /** The picture to sign with; null for the saved one or, if none is saved, the printed name. */
  picture: Blob | null;
  /** Whether the picture is saved for the next time. */
  remember: boolean;
}

export type Answer = ReturnType<typeof useAnswer>;

/** My answer so far. The screen holds it, not the sheet: closing the sheet to read on, or turning a tablet, loses nothing and sends nothing twice. */
export function useAnswer(id: number, asks: boolean) {
  const queries = useQueryClient();
  const [hand, setHand] = useState<Hand>();
  const [declining, setDeclining] = useState(false);
  const [reason, setReason] = useState("");
  const onSettled = () => void queries.invalidateQueries();
  const sign = useMutation({
    mutationFn: async (shown: Shown) => {
      const picture = hand?.picture ?? null;
      await verbs.sign(id, shown, picture ? await base64(picture) : undefined);
      if (picture && hand?.remember && hand.way !== "kept" && !guest.token()) await keepSpecimen(picture).catch(() => undefined); // the signature counts even if saving the picture fails
    },
    onSettled,
  });
  const reject = useMutation({ mutationFn: () => verbs.reject(id, reason), onSettled });
  const { reset, isError: failed } = sign;
  useEffect(() => {
    if (asks) return;
    if (failed) reset();
    setHand(undefined);
  }, [asks, failed, reset]);
  return { hand, setHand, declining, setDeclining, reason, setReason, sign, reject };
}

export async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}
