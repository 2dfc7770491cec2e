import { Alert, Badge, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { directories, directory } from "../../api/admin";
import { useText } from "../../text";
import { Copy } from "../../ui/copy";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";
import { Confirm, Copied } from "./change";
import { Facts, Line, useWhen } from "./lines";

/** Directory is what manages the accounts and groups of an organisation from outside (SCIM). */
export function Directory({ organisation }: { organisation: string }) {
  const t = useText();
  const when = useWhen();
  const found = useQuery(directory(organisation));
  const [secret, setSecret] = useState<string>();
  const [asked, setAsked] = useState<"replace" | "remove">();
  const d = found.data;
  const replace = async () => setSecret((await directories.replaceSecret(organisation)).secret);
  const remove = async () => { await directories.removeSecret(organisation); setSecret(undefined); };
  return (
    <Paper withBorder p="md" component="section" aria-label={t("provider.directory")}>
      <Stack gap="sm">
        <div>
          <Group gap="xs"><Title order={3} size="h6">{t("provider.directory")}</Title>{d && <Badge variant="outline" color={d.has_secret ? "seal" : "gray"}>{t(d.has_secret ? "provider.on" : "provider.off")}</Badge>}</Group>
          <Text size="sm" c="dimmed">{t("provider.directoryLead")}</Text>
        </div>
        {found.isPending && <Loading />}
        {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
        {d && (
          <>
            <Copied label={t("provider.directoryAddress")} text={d.base_url} />
            {secret && (
              <Alert color="seal" variant="light" icon={<IconKey aria-hidden />} title={t("provider.directorySecret")} role="status" withCloseButton closeButtonLabel={t("close")} onClose={() => setSecret(undefined)}>
                <Group gap="xs" wrap="nowrap"><Text size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }} data-directory-secret>{secret}</Text><Copy text={secret} /></Group>
                <Text size="sm">{t("provider.directorySecretHint")}</Text>
              </Alert>
            )}
            {d.has_secret && <Facts of={[`${d.hint}…`, t("provider.directoryCreated", { when: when(d.created_at) }), d.last_used_at ? t("provider.directoryUsed", { when: when(d.last_used_at) }) : t("provider.directoryUnused")]} />}
            <Group gap="sm">
              <Button size="xs" variant="default" onClick={() => setAsked("replace")}>{t(d.has_secret ? "provider.directoryReplace" : "provider.directoryCreate")}</Button>
              {d.has_secret && <Button size="xs" variant="subtle" color="red" onClick={() => setAsked("remove")}>{t("provider.directoryRemove")}</Button>}
            </Group>
            {d.groups.length > 0 && (
              <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: "none" }} aria-label={t("provider.directoryGroups")}>
                {d.groups.map((g) => (
                  <Line key={g.id} title={g.name} badge={g.role ? <Badge variant="outline" color="seal">{t(`admin.accountRoles.${g.role}`)}</Badge> : <Badge variant="outline" color="gray">{t("provider.directoryNoRole")}</Badge>}>
                    <Facts of={[t("provider.directoryMembers", { count: g.members }), g.external_id]} />
                  </Line>
                ))}
              </Stack>
            )}
          </>
        )}
      </Stack>
      <Confirm opened={asked === "replace"} title={t(d?.has_secret ? "provider.directoryReplace" : "provider.directoryCreate")} text={t(d?.has_secret ? "provider.directoryReplaceAsk" : "provider.directoryCreateAsk")} act={replace} close={() => setAsked(undefined)} />
      <Confirm opened={asked === "remove"} title={t("provider.directoryRemove")} text={t("provider.directoryRemoveAsk")} act={remove} close={() => setAsked(undefined)} />
    </Paper>
  );
}
