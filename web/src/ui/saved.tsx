import { Button, Group, Text } from "@mantine/core";
import { IconCheck, IconCloudUpload, IconCloudX } from "@tabler/icons-react";

import { useText } from "../text";
import type { Saver } from "./saver";
import { sentenceOf } from "./sentence";

/** Saved shows whether changes have been stored, and if not, why; also takes a problem of the whole screen. */
export function Saved<T>({ saver, also }: { saver: Saver<T>; also?: string | undefined }) {
  const t = useText();
  if (saver.state === "failed") {
    return (
      <Group gap={6} role="alert">
        <IconCloudX size={16} aria-hidden color="var(--mantine-color-error)" />
        <Text size="sm" c="var(--mantine-color-error)">{t("new.notSaved")} {also ?? sentenceOf(t, saver.error)}</Text>
        <Button size="compact-xs" variant="default" onClick={() => void saver.flush()}>{t("problem.retry")}</Button>
      </Group>
    );
  }
  const saved = saver.state === "saved";
  return (
    <Group gap={6} role="status" data-saved={saved}>
      {saved ? <IconCheck size={16} aria-hidden /> : <IconCloudUpload size={16} aria-hidden />}
      <Text size="sm" c="dimmed">{t(saved ? "new.saved" : "new.saving")}</Text>
    </Group>
  );
}
