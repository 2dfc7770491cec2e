import { Checkbox, FileButton, Button, Image, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";

import { useText } from "../../text";
import { Drawing } from "./drawing";
import { shrink, write } from "./picture";

type Way = "kept" | "draw" | "type" | "upload";

interface Props {
  name: string;
  kept: Blob | null;
  /** Whether it can be kept for the next time. */
  keeps: boolean;
  /** The picture to sign with; null for the name in print. */
  onChange: (picture: Blob | null, remember: boolean) => void;
}

/** Look asks how the signature shall look: as it was kept, drawn, typed, or from a picture. */
export function Look({ name, kept, keeps, onChange }: Props) {
  const t = useText();
  const [way, setWay] = useState<Way>(kept ? "kept" : "draw");
  const [picture, setPicture] = useState<Blob | null>(kept);
  const [remember, setRemember] = useState(keeps);
  const [typed, setTyped] = useState(name);
  const [bad, setBad] = useState(false);
  const take = (p: Blob | null, r = remember) => {
    setPicture(p);
    onChange(p, r && p !== kept);
  };
  const choose = (w: Way) => {
    setWay(w);
    setBad(false);
    if (w === "type") void write(typed).then((p) => take(p));
    else take(w === "kept" ? kept : null);
  };
  const ways = [...(kept ? ["kept" as const] : []), "draw", "type", "upload"] as Way[];
  return (
    <Stack gap="sm">
      <SegmentedControl fullWidth size="sm" aria-label={t("sign.way")} value={way} onChange={(w) => choose(w as Way)} data={ways.map((w) => ({ value: w, label: t(`sign.${w}`) }))} />
      {way === "draw" && <Drawing hint={t(kept ? "sign.drawHintKept" : "sign.drawHint")} onChange={(p) => take(p)} />}
      {way === "type" && <TextInput label={t("sign.typed")} value={typed} maxLength={80} onChange={(e) => { setTyped(e.currentTarget.value); void write(e.currentTarget.value).then((p) => take(p)); }} />}
      {way === "upload" && (
        <FileButton accept="image/png,image/jpeg" onChange={(f) => f && void shrink(f).then((p) => { setBad(false); take(p); }, () => setBad(true))}>
          {(props) => <Button {...props} variant="default">{t("sign.choose")}</Button>}
        </FileButton>
      )}
      {bad && <Text size="sm" c="red" role="alert">{t("sign.badPicture")}</Text>}
      {way !== "draw" && picture && <Preview picture={picture} />}
      {keeps && way !== "kept" && <Checkbox label={t("sign.remember")} checked={remember} onChange={(e) => { setRemember(e.currentTarget.checked); onChange(picture, e.currentTarget.checked); }} />}
    </Stack>
  );
}

function Preview({ picture }: { picture: Blob }) {
  const t = useText();
  const [address, setAddress] = useState("");
  useEffect(() => {
    const a = URL.createObjectURL(picture);
    setAddress(a);
    return () => URL.revokeObjectURL(a);
  }, [picture]);
  return address ? <Image src={address} alt={t("sign.preview")} h={90} fit="contain" bg="white" radius="sm" /> : null;
}
