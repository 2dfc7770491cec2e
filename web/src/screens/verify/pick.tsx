import { Button, FileButton, Stack, Text } from "@mantine/core";
import { IconFileSearch } from "@tabler/icons-react";

import { useText } from "../../text";
import classes from "./verify.module.css";

export const accepted = ".pdf,application/pdf";

/** Pick is the state in which there is no file yet. */
export function Pick({ over, take }: { over: boolean; take: (file: File) => void }) {
  const t = useText();
  return (
    <Stack className={classes.drop} data-over={over} align="center" gap="sm">
      <IconFileSearch size={36} aria-hidden />
      <Text fw={600} ta="center">{t("verify.drop")}</Text>
      <Text size="sm" c="dimmed" ta="center">{t("verify.private")}</Text>
      <FileButton onChange={(f) => f && take(f)} accept={accepted}>{(props) => <Button {...props} size="md">{t("verify.choose")}</Button>}</FileButton>
    </Stack>
  );
}
