import { Alert, Button, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

import { Problem } from "../api/client";
import { useText } from "../text";
import { AnchorLink } from "./links";

/** Trouble shows an error, and offers a retry where that may help. */
export function Trouble({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const t = useText();
  const problem = error instanceof Problem ? error : new Problem(0, "unknown", String(error));
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t("problem.title")}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{problem.reason === "network" ? t("problem.network") : problem.message}</Text>
        {problem.request && <Text size="xs" c="dimmed">{t("problem.request", { id: problem.request })}</Text>}
        {retry && <Button size="xs" variant="default" onClick={retry}>{t("problem.retry")}</Button>}
      </Stack>
    </Alert>
  );
}

export function NotFound() {
  const t = useText();
  return (
    <Stack component="main" p="xl" align="center">
      <Text component="h1" size="lg" fw={600}>{t("problem.notFound")}</Text>
      <AnchorLink to="/">{t("problem.home")}</AnchorLink>
    </Stack>
  );
}
