import { Alert, Button, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

import { Problem } from "../api/client";
import { useText } from "../text";
import { AnchorLink } from "./links";
import { sentenceOf } from "./sentence";
import { useTabScreen } from "./tab-title";

/** Trouble shows an error, and offers a retry where that may help. */
export function Trouble({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const t = useText();
  const problem = error instanceof Problem ? error : undefined;
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t(problem?.reason === "offline" ? "problem.notDone" : "problem.title")}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{sentenceOf(t, error)}</Text>
        {problem?.request && <Text size="xs" c="dimmed">{t("problem.request", { id: problem.request })}</Text>}
        {retry && <Button size="xs" variant="default" onClick={retry}>{t("problem.retry")}</Button>}
      </Stack>
    </Alert>
  );
}

/** ScreenTrouble is what a screen shows that cannot be shown. */
export function ScreenTrouble(props: { error: unknown; retry?: (() => void) | undefined }) {
  const t = useText();
  useTabScreen(t("problem.title"));
  return (
    <>
      <VisuallyHidden component="h1">{t("problem.title")}</VisuallyHidden>
      <Trouble {...props} />
    </>
  );
}

export function NotFound() {
  const t = useText();
  useTabScreen(t("problem.notFound"));
  return (
    <Stack component="main" p="xl" align="center">
      <Text component="h1" size="lg" fw={600}>{t("problem.notFound")}</Text>
      <AnchorLink to="/">{t("problem.home")}</AnchorLink>
    </Stack>
  );
}
