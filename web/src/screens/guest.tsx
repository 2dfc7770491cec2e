import { Center, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";

import { api, Problem, take } from "../api/client";
import { guest } from "../api/guest";
import { useText } from "../text";
import { Loading } from "../ui/loading";
import { LanguageMenu, SchemeButton } from "../ui/preferences";
import { Trouble } from "../ui/trouble";
import { Signing } from "./sign/sign";

/** Guest is where a guest's link leads: the one document it is good for, and no way to anywhere else. */
export function Guest() {
  const t = useText();
  const enter = useMutation({
    mutationFn: (link: string) => take(api.POST("/v1/auth/guest", { body: { link } })),
    onSuccess: ({ data }) => guest.enter({ token: data.token, document: data.document_id, person: data.user_id, name: data.name }),
  });
  const { mutate } = enter;
  useEffect(() => {
    const secret = location.hash.slice(1);
    if (secret === "") return;
    guest.leave();
    mutate(secret);
    history.replaceState(history.state, "", location.pathname); // the secret shall not stay in the address
  }, [mutate]);
  const document = enter.data?.data.document_id ?? (enter.isIdle ? guest.document() : undefined);
  return (
    <Stack component="main" p="md" gap="md">
      <Group justify="space-between" maw={1000} w="100%" mx="auto">
        <Text fw={700} size="lg">{t("app.name")}</Text>
        <Group gap={4}><LanguageMenu /><SchemeButton /></Group>
      </Group>
      {enter.isPending && <Loading />}
      {enter.isError && <Center><Trouble error={enter.error} /></Center>}
      {enter.isIdle && document === undefined && <Center><Trouble error={new Problem(0, "guest", t("guest.noLink"))} /></Center>}
      {document !== undefined && <Signing id={document} />}
    </Stack>
  );
}
