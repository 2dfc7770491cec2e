import { Checkbox, FileButton, Button, Image, SegmentedControl, Stack, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { Problem } from "../../api/client";
import { forgetDevicePicture } from "../../api/device-picture";
import { verbs } from "../../api/documents";
import { useText } from "../../text";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";
import type { Hand, Way } from "./hand";
import { Drawing } from "./drawing";
import { hands, shrink, write, type HandFont } from "./picture";
import { base64 } from "./pictures";

interface Props {
  /** The document that is signed. */
  document: number;
  of: "signature" | "initials";
  /** What is typed at first: the name, or its initials. */
  text: string;
  /** Shows a title, where a signer gives both. */
  titled?: boolean;
  kept: Blob | null;
  /** Where it can be saved for the next time. */
  keeps: "account" | "device" | "nowhere";
  /** The choices so far. */
  hand: Hand | undefined;
  setHand: (hand: Hand) => void;
}

/** Look asks how the signature or the initials should look: saved, drawn, typed, or from a picture. */
export function Look({ document, of, text, titled = false, kept, keeps, hand, setHand }: Props) {
  const t = useText();
  // Initials are typed at first: few signers want to draw twice.
  const chosen: Hand = hand ?? { way: kept ? "kept" : of === "initials" ? "type" : "draw", typed: text, font: "flowing", strokes: [], picture: kept, remember: keeps === "account" };
  const initials = of === "initials";
  const { way, typed, font, strokes, picture, remember } = chosen;
  const [bad, setBad] = useState(false);
  const last = useRef(chosen);
  last.current = chosen;
  const change = (to: Partial<Hand>) => setHand((last.current = { ...last.current, ...to }));
  // Pictures take time to render: only the one requested last counts.
  const asked = useRef(0);
  const take = (to: Partial<Hand>, made: Promise<Blob | null>) => {
    const turn = ++asked.current;
    setBad(false);
    change({ ...to, coming: made });
    made.then((p) => { if (turn === asked.current) change({ picture: p, coming: undefined }); }, () => {
      if (turn !== asked.current) return;
      change({ coming: undefined });
      setBad(true);
    });
  };
  const choose = (w: Way) => take({ way: w, strokes: [], picture: w === "kept" ? kept : null }, w === "type" ? write(typed, font) : Promise.resolve(w === "kept" ? kept : null));
  const first = useRef(choose);
  first.current = choose;
  const undecided = hand === undefined && way === "type";
  useEffect(() => {
    if (undecided) first.current("type");
  }, [undecided]);
  const queries = useQueryClient();
  const forget = async () => {
    forgetDevicePicture(of);
    choose("draw");
    await queries.invalidateQueries({ queryKey: ["specimen", of] });
  };
  const ways = [...(kept ? ["kept" as const] : []), "draw", "type", "upload"] as Way[];
  return (
    <Stack gap="sm" role="group" aria-label={t(initials ? "sign.yourInitials" : "sign.preview")} data-look={of}>
      {titled && <Title order={3} size="h6">{t(initials ? "sign.yourInitials" : "sign.preview")}</Title>}
      <SegmentedControl fullWidth size="sm" aria-label={t(initials ? "sign.wayInitials" : "sign.way")} value={way} onChange={(w) => choose(w as Way)} data={ways.map((w) => ({ value: w, label: t(`sign.${w}`) }))} />
      {way === "draw" && <Drawing label={t(initials ? "sign.drawInitialsHere" : "sign.drawHere")} hint={t(initials ? "sign.drawInitialsHint" : kept ? "sign.drawHintKept" : "sign.drawHint")} strokes={strokes} onChange={(drawn, p) => take({ strokes: drawn }, p)} />}
      {way === "type" && (
        <>
          <TextInput label={t(initials ? "sign.typedInitials" : "sign.typed")} value={typed} maxLength={initials ? 6 : 80} onChange={(e) => take({ typed: e.currentTarget.value }, write(e.currentTarget.value, font))} />
          <SegmentedControl fullWidth size="sm" aria-label={t(initials ? "sign.fontInitials" : "sign.font")} value={font} onChange={(f) => take({ font: f as HandFont }, write(typed, f as HandFont))} data={(Object.keys(hands) as HandFont[]).map((f) => ({ value: f, label: t(`sign.fonts.${f}`) }))} />
        </>
      )}
      {way === "upload" && (
        <FileButton accept="image/png,image/jpeg" onChange={(f) => f && take({}, shrink(f))}>
          {(props) => <Button {...props} variant="default">{t("sign.choose")}</Button>}
        </FileButton>
      )}
      {bad && <Text size="sm" c="red" role="alert">{t("sign.badPicture")}</Text>}
      {way !== "draw" && picture && <Preview document={document} picture={picture} name={t(initials ? "sign.yourInitials" : "sign.preview")} low={initials} />}
      {way === "kept" && keeps === "device" && <Button variant="subtle" size="compact-sm" onClick={() => void forget()}>{t("sign.forget")}</Button>}
      {way !== "kept" && keeps !== "nowhere" && <Checkbox label={t(keeps === "device" ? "sign.rememberHere" : initials ? "sign.rememberInitials" : "sign.remember")} checked={remember} onChange={(e) => change({ remember: e.currentTarget.checked })} />}
    </Stack>
  );
}

/** Preview shows what the service makes of a picture, as it will appear on the page. */
function Preview({ document, picture, name, low }: { document: number; picture: Blob; name: string; low: boolean }) {
  const t = useText();
  const [shown] = useDebouncedValue(picture, 250); // typing a name makes a picture for each letter
  const strokes = useQuery({ queryKey: ["strokes", document, keyOf(shown)], queryFn: async () => verbs.previewSpecimen(document, await base64(shown)), placeholderData: keepPreviousData, staleTime: Infinity, gcTime: 0, retry: false });
  if (strokes.isPending) return <Loading />;
  if (strokes.isError) return <Trouble error={strokes.error} retry={strokes.error instanceof Problem && strokes.error.retryable ? () => void strokes.refetch() : undefined} />;
  return (
    <div>
      <Image src={`data:image/png;base64,${strokes.data}`} alt={name} h={low ? 56 : 90} fit="contain" bg="white" radius="sm" />
      <Text size="xs" c="dimmed" mt={4}>{t("sign.becomes")}</Text>
    </div>
  );
}

const keys = new WeakMap<Blob, number>();
let made = 0;

/** Pictures have no names: each is identified by when it was first shown. */
function keyOf(picture: Blob): number {
  const key = keys.get(picture) ?? ++made;
  keys.set(picture, key);
  return key;
}
