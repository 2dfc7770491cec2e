import { Anchor, Code, Group, Stack, Title } from "@mantine/core";

import { base } from "../../api/base";
import { useText } from "../../text";
import { Copy } from "../../ui/copy";

/** Stamps lists the serial numbers of the duty stamps, each with a link to where anyone can verify it. */
export function Stamps({ serials }: { serials: string[] }) {
  const t = useText();
  if (serials.length === 0) return null;
  return (
    <Stack gap="xs" component="section">
      <Title order={2} size="h5">{t("document.stamps")}</Title>
      {serials.map((s) => (
        <Group key={s} gap={6}>
          <Anchor href={`${base}/verify?serial=${encodeURIComponent(s)}`}><Code>{s}</Code></Anchor>
          <Copy text={s} />
        </Group>
      ))}
    </Stack>
  );
}
