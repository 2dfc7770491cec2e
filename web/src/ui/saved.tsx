import { Button, Group, Text } from "@mantine/core";
import { IconCheck, IconCloudUpload, IconCloudX } from "@tabler/icons-react";

import { Problem } from "../api/client";
import { useText } from "../text";
import type { Saver } from "./saver";
import { useSentence } from "./trouble";

/** Saved shows whether changes have been stored, and if not, why; also takes a problem of the whole screen. */
export function Saved<T>({ saver, also }: { saver: Saver<T>; also?: string | undefined }) {
  const t = useText();
  const sentence = useSentence();
  if (saver.state === "failed") {
    const why = saver.error instanceof Problem ? sentence(saver.error) : t("problem.network");
    return (
      <Group gap={6} role="alert">
        <IconCloudX size={16} aria-hidden color="var(--mantine-color-error)" />
        <Text size="sm" c="var(--mantine-color-error)">{t("new.notSaved")} {also ?? why}</Text>
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
