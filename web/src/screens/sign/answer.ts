import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { PointGroup } from "signature_pad";

import { verbs, type Shown } from "../../api/documents";
import { guest } from "../../api/guest";
import { keepSpecimen } from "../../api/specimen";

export type Way = "kept" | "draw" | "type" | "upload";

/** Hand is how the signature shall look, as far as was chosen. */
export interface Hand {
  way: Way;
  typed: string;
  strokes: PointGroup[];
  /** The picture to sign with; null for the kept one or, where none is kept, the name in print. */
  picture: Blob | null;
  /** Whether the picture is kept for the next time. */
  remember: boolean;
}

export type Answer = ReturnType<typeof useAnswer>;

/**
 * What I answer to what is asked of me, as far as I have come. It is held by the screen and not by what asks: a sheet that
 * is closed to read on, or a tablet that is turned, loses nothing of it, and nothing is sent twice.
 */
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
      if (picture && hand?.remember && hand.way !== "kept" && !guest.token()) await keepSpecimen(picture).catch(() => undefined); // signed is signed
    },
    onSettled,
  });
  const reject = useMutation({ mutationFn: () => verbs.reject(id, reason), onSettled });
  const { reset } = sign;
  useEffect(() => {
    if (asks) return;
    reset();
    setHand(undefined);
  }, [asks, reset]);
  return { hand, setHand, declining, setDeclining, reason, setReason, sign, reject };
}

export async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}
