import { Alert, Anchor, Badge, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { logins, loginsCSV } from "../../api/admin";
import { useLanguage, useText } from "../../text";
import { Facts, Filtering, Find, Line, Lines, Only, Period, useWhen, type SectionProps } from "./lines";

const colours = { login: "seal", login_failed: "red", login_limited: "red", logout: "gray" } as const;

/** Logins lists logins, logouts and failed logins, newest first. What needs attention comes first, whatever the filters are. */
export function Logins(props: SectionProps) {
  const t = useText();
  const when = useWhen();
  const language = useLanguage();
  const found = useQuery(logins(props.selection, language));
  const failed = found.data?.failed ?? [], keys = found.data?.keys ?? [];
  return (
    <Stack>
      {(failed.length > 0 || keys.length > 0) && (
        <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t("admin.attention")} role="region" aria-label={t("admin.attention")}>
          <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: "none" }}>
            {failed.map((f) => (
              <Text component="li" size="sm" key={f.user_id} style={{ overflowWrap: "anywhere" }}>
                {t("admin.failedOf", { count: f.times, networks: t("admin.networks", { count: f.networks }), when: when(f.last_at) })}{" "}
                <UnstyledButton td="underline" fz="sm" onClick={() => props.change({ only: "login_failed", person: f.email })}>{f.name} &lt;{f.email}&gt;</UnstyledButton>
              </Text>
            ))}
            {keys.map((k) => <Text component="li" size="sm" key={k.number} style={{ overflowWrap: "anywhere" }}>{k.description} ({when(k.dateTime)})</Text>)}
          </Stack>
        </Alert>
      )}
      <Filtering>
        <Only {...props} label={t("admin.loginKind")} words={found.data?.kinds ?? []} />
        <Find {...props} label={t("admin.findLogin")} />
        <Find {...props} by="person" label={t("admin.personEmail")} />
        <Period {...props} />
      </Filtering>
      <Anchor size="sm" underline="always" href={loginsCSV(props.selection, language)} style={{ alignSelf: "flex-end" }}>{t("admin.loginsCSV")}</Anchor>
      <Lines {...props} of={found} items={(d) => d.logins} empty={t("admin.noLogins")}>
        {(l) => (
          <Line key={[l.last_at, l.user_id, l.kind, l.ipAddress, l.factor].join(" ")} title={l.email ? `${l.name} <${l.email}>` : t("admin.unknownAccount")}
            badge={<Badge variant="outline" color={colours[l.kind]}>{l.times > 1 ? t("admin.times", { count: l.times, what: l.description }) : l.description}</Badge>}>
            <Facts of={[when(l.last_at), l.ipAddress || t("admin.furtherNetworks"), l.device]} />
          </Line>
        )}
      </Lines>
    </Stack>
  );
}
