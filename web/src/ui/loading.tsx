import { Center, Loader } from "@mantine/core";

import { useText } from "../text";

export function Loading() {
  const t = useText();
  return (
    <Center mih={160} role="status" aria-label={t("loading")}>
      <Loader />
    </Center>
  );
}
