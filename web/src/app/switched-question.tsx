import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import type { Account } from "../api/account";
import { base } from "../api/base";
import { memberships, useSwitch } from "../api/switch";
import { useText } from "../text";
import { Dialog } from "../ui/dialog";
import { Trouble } from "../ui/trouble";

/** SwitchedQuestion says that another tab uses another account than this one, and leads on or, where the browser is still logged in to this one, back. */
export function SwitchedQuestion({ mine }: { mine: Account }) {
  const t = useText();
  const back = useSwitch();
  const loggedIn = useQuery({ ...memberships, staleTime: 0 }).data?.some((m) => m.id === mine.id);
  const go = () => window.location.assign(`${base}/`);
  return (
    <Dialog opened onClose={go} title={t("switched.title")}>
      <Stack gap="sm">
        <Text size="sm">{t("switched.lead")}</Text>
        {back.error && <Trouble error={back.error} />}
        <Group justify="flex-end">
          {loggedIn && <Button variant="default" loading={back.isPending} onClick={() => back.mutate({ business_id: mine.business_id })}>{t("switched.back")}</Button>}
          <Button data-autofocus onClick={go}>{t("switched.go")}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
