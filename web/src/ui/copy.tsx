import { ActionIcon, CopyButton } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

import { useText } from "../text";

export function Copy({ text }: { text: string }) {
  const t = useText();
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <ActionIcon size="sm" variant="subtle" color={copied ? "seal" : "gray"} onClick={copy} aria-label={copied ? t("copied") : t("copy")}>
          {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
        </ActionIcon>
      )}
    </CopyButton>
  );
}
