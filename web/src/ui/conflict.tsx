import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconArrowsSplit } from "@tabler/icons-react";

import { useText } from "../text";
import type { Saver } from "./saver";
import type { Versioned } from "./versioned";

interface Props<T> {
  saver: Saver<T>;
  versioned: Versioned<T>;
  /** Shows what the other writer stored instead of what was entered here. */
  load: (theirs: T) => void;
  /** What the user may still do after loading it. */
  hint?: string | undefined;
}

/** ConflictNotice says that another window or device has changed the same part of the draft, and lets the user decide. */
export function ConflictNotice<T>({ saver, versioned, load, hint }: Props<T>) {
  const t = useText();
  if (saver.state !== "failed" || !versioned.conflict) return null;
  const loadTheirs = () => {
    const theirs = versioned.adopt();
    saver.discard();
    if (theirs !== undefined) load(theirs);
  };
  const keepMine = () => {
    versioned.adopt();
    void saver.flush();
  };
  return (
    <Alert role="alert" color="orange" variant="light" icon={<IconArrowsSplit aria-hidden />} title={t("conflict.title")} data-conflict>
      <Stack gap="xs">
        <Text size="sm">{t("conflict.lead")} {hint}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={loadTheirs}>{t("conflict.load")}</Button>
          <Button size="xs" variant="default" onClick={keepMine}>{t("conflict.keep")}</Button>
        </Group>
      </Stack>
    </Alert>
  );
}
