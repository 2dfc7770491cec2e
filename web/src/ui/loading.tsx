import { Center, Loader, Stack, Text } from "@mantine/core";

import { useTrying } from "../api/line";
import { useText } from "../text";

/** Loading stands where something will be. If the service does not answer, it says so there. */
export function Loading() {
  const t = useText();
  const trying = useTrying();
  return (
    <Center mih={160} role="status" aria-label={trying ? undefined : t("loading")}>
      <Stack align="center" gap="sm">
        <Loader />
        {trying && <Text size="sm" ta="center">{t("line.trying")}</Text>}
      </Stack>
    </Center>
  );
}
