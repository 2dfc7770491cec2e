import { Button, Group, Stack, Text } from "@mantine/core";

import type { Account } from "../api/account";
import { base } from "../api/base";
import { useSwitch } from "../api/switch";
import { useText } from "../text";
import { Dialog } from "../ui/dialog";
import { Trouble } from "../ui/trouble";

/** SwitchedQuestion says that another tab has switched away from the account of this one, and leads on or back. */
export function SwitchedQuestion({ me }: { me: Account }) {
  const t = useText();
  const back = useSwitch();
  const go = () => window.location.assign(`${base}/`);
  return (
    <Dialog opened onClose={go} title={t("switched.title")}>
      <Stack gap="sm">
        <Text size="sm">{t("switched.lead")}</Text>
        {back.error && <Trouble error={back.error} />}
        <Group justify="flex-end">
          <Button variant="default" loading={back.isPending} onClick={() => back.mutate({ business_id: me.business_id })}>{t("switched.back")}</Button>
          <Button data-autofocus onClick={go}>{t("switched.go")}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
