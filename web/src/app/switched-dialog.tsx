import { Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";

import { useAccount } from "../api/account";
import { base } from "../api/base";
import { onSwitched, useSwitch } from "../api/switch";
import { useText } from "../text";
import { Dialog } from "../ui/dialog";
import { Trouble } from "../ui/trouble";

/** SwitchedDialog covers a tab whose screen is of the former account after another tab has switched: its requests would be those of the new account. */
export function SwitchedDialog() {
  const t = useText();
  const me = useAccount();
  const back = useSwitch();
  const [switched, setSwitched] = useState(false);
  useEffect(() => onSwitched((account) => { if (me) setSwitched(account !== me.id); }), [me]);
  const go = () => window.location.assign(`${base}/`);
  return (
    <Dialog opened={switched} onClose={go} title={t("switched.title")}>
      <Stack gap="sm">
        <Text size="sm">{t("switched.lead")}</Text>
        {back.error && <Trouble error={back.error} />}
        <Group justify="flex-end">
          {me && <Button variant="default" loading={back.isPending} onClick={() => back.mutate({ business_id: me.business_id })}>{t("switched.back")}</Button>}
          <Button data-autofocus onClick={go}>{t("switched.go")}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
