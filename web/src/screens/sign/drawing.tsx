import { Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import SignaturePad from "signature_pad";

import { useText } from "../../text";
import { trim } from "./picture";

/** Drawing takes a signature by mouse, pen or finger. */
export function Drawing({ onChange }: { onChange: (picture: Blob | null) => void }) {
  const t = useText();
  const canvas = useRef<HTMLCanvasElement>(null);
  const pad = useRef<SignaturePad>(null);
  const tell = useRef(onChange);
  tell.current = onChange;
  useEffect(() => {
    const c = canvas.current!;
    const dense = Math.max(window.devicePixelRatio || 1, 2);
    c.width = c.offsetWidth * dense;
    c.height = c.offsetHeight * dense;
    c.getContext("2d")!.scale(dense, dense);
    const p = new SignaturePad(c, { penColor: "#12326b", minWidth: 0.8, maxWidth: 2.6 });
    p.addEventListener("endStroke", () => void trim(c).then((picture) => tell.current(picture)));
    pad.current = p;
    return () => p.off();
  }, []);
  return (
    <Stack gap={4}>
      <canvas ref={canvas} role="img" aria-label={t("sign.drawHere")} style={{ width: "100%", height: 160, border: "1px dashed var(--mantine-color-dimmed)", borderRadius: 8, background: "white", touchAction: "none" }} />
      <Group justify="space-between">
        <Text size="xs" c="dimmed">{t("sign.drawHint")}</Text>
        <Button size="compact-xs" variant="default" onClick={() => { pad.current?.clear(); onChange(null); }}>{t("sign.clear")}</Button>
      </Group>
    </Stack>
  );
}
