import { Button, Checkbox, Fieldset, Group, NumberInput, Paper, Radio, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { accountPolicy, changeAccountPolicy, type AccountPolicy } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";
import type { SectionProps } from "./lines";

/** Accounts sets what the organisation demands of the accounts of its people. */
export function Accounts({ search }: SectionProps) {
  const t = useText();
  const found = useQuery(accountPolicy(search.organisation));
  return (
    <Stack>
      <div>
        <Title order={2} size="h5">{t("accountPolicy.title")}</Title>
        <Text size="sm" c="dimmed">{t("accountPolicy.lead")}</Text>
      </div>
      {found.isPending && <Loading />}
      {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data && <Form key={found.data.organisation.id} stored={found.data} />}
    </Stack>
  );
}

type Policy = Pick<AccountPolicy, "login_factor" | "sign_factor" | "idle_minutes" | "absolute_hours" | "hide_addresses">;
const limits = { idle_minutes: "accountPolicy.idle", absolute_hours: "accountPolicy.absolute" } as const;
const demands = ["none", "admins", "everyone"] as const;
const limitNames = ["idle_minutes", "absolute_hours"] as const;

function Form({ stored }: { stored: AccountPolicy }) {
  const t = useText();
  const queries = useQueryClient();
  const [policy, setPolicy] = useState<Policy>({ login_factor: stored.login_factor, sign_factor: stored.sign_factor, idle_minutes: stored.idle_minutes, absolute_hours: stored.absolute_hours, hide_addresses: stored.hide_addresses });
  // Only what was changed is sent: another administrator may be changing the rest.
  const edited = Object.fromEntries(Object.entries(policy).filter(([name, value]) => value !== stored[name as keyof Policy]));
  const changed = Object.keys(edited).length > 0;
  const save = useMutation({
    mutationFn: () => changeAccountPolicy(stored.organisation.id, { ...edited, ...("sign_factor" in edited ? { sign_factor: edited.sign_factor ? 1 : 0 } : {}), ...("hide_addresses" in edited ? { hide_addresses: edited.hide_addresses ? 1 : 0 } : {}) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["admin", "account-policy"] }),
  });
  const problem = save.error instanceof Problem ? save.error : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    save.mutate();
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={t("accountPolicy.title")}>
      <Stack gap="md">
        <Radio.Group label={t("accountPolicy.loginFactor")} description={t("accountPolicy.loginFactorLead")} value={policy.login_factor} onChange={(v) => setPolicy({ ...policy, login_factor: v as Policy["login_factor"] })}>
          <Group gap="md" mt="xs">{demands.map((d) => <Radio key={d} value={d} label={t(`accountPolicy.demand.${d}`)} />)}</Group>
        </Radio.Group>
        <Checkbox label={t("accountPolicy.signFactor")} description={t("accountPolicy.signFactorLead")} checked={policy.sign_factor} onChange={(e) => setPolicy({ ...policy, sign_factor: e.currentTarget.checked })} />
        <Fieldset legend={t("accountPolicy.sessions")} variant="unstyled">
          <Group align="flex-start" gap="sm">
            {limitNames.map((name) => (
              <NumberInput key={name} style={{ flex: "1 1 14rem" }} label={t(limits[name])} description={t("accountPolicy.none")} min={0} allowDecimal={false} allowNegative={false}
                value={policy[name]} onChange={(v) => setPolicy({ ...policy, [name]: Number(v) || 0 })} error={problem?.of(name)} />
            ))}
          </Group>
        </Fieldset>
        <Checkbox label={t("accountPolicy.hideAddresses")} description={t("accountPolicy.hideAddressesLead")} checked={policy.hide_addresses} onChange={(e) => setPolicy({ ...policy, hide_addresses: e.currentTarget.checked })} />
        {save.isError && !limitNames.some((name) => problem?.of(name)) && <Trouble error={save.error} />}
        <Group justify="flex-end" gap="sm">
          <Text size="sm" role="status">{save.isSuccess && !changed && t("accountPolicy.saved")}</Text>
          <Button type="submit" loading={save.isPending} disabled={!changed}>{t("accountPolicy.save")}</Button>
        </Group>
      </Stack>
    </Paper>
  );
}
