import { Alert, Button, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

import { Problem } from "../api/client";
import { useText } from "../text";
import { AnchorLink } from "./links";
import { useTabScreen } from "./tab-title";

/** What a problem without an answer means for the person, by its reason; else the sentence of the service. */
export function useSentence(): (problem: Problem) => string {
  const t = useText();
  return ({ reason, message }) => (reason === "network" ? t("problem.network") : reason === "offline" ? t("problem.offline") : reason === "unanswered" ? t("problem.unanswered") : reason === "passkey.none" ? t("factor.passkeyNone") : reason === "passkey.known" ? t("factor.passkeyKnown") : message);
}

/** Trouble shows an error, and offers a retry where that may help. */
export function Trouble({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const t = useText();
  const sentence = useSentence();
  const problem = error instanceof Problem ? error : new Problem(0, "unknown", String(error));
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t(problem.reason === "offline" ? "problem.notDone" : "problem.title")}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{sentence(problem)}</Text>
        {problem.request && <Text size="xs" c="dimmed">{t("problem.request", { id: problem.request })}</Text>}
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
