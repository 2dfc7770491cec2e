import { Alert, Badge, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { IconHelpCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { Problem } from "../../api/client";
import { stampOf } from "../../api/verify";
import { useLanguage, useText } from "../../text";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";
import { Fact, useMoment } from "./evidence";
import classes from "./verify.module.css";

/** Serial is the screen that the QR code of a duty stamp opens: what anyone may know about it. It cannot vouch for a printed page. */
export function Serial({ serial }: { serial: string }) {
  const t = useText();
  const moment = useMoment();
  const found = useQuery(stampOf(serial, useLanguage()));
  const unknown = found.error instanceof Problem && found.error.code === 404;
  return (
    <Stack gap="sm" component="section" data-serial={serial}>
      <Title order={2} size="h4" style={{ overflowWrap: "anywhere" }}>{t("verify.stamp", { serial })}</Title>
      {found.isPending && <Loading />}
      {unknown && found.error && <Alert color="orange" variant="light" icon={<IconHelpCircle aria-hidden />} role="status">{found.error.message}</Alert>}
      {found.isError && !unknown && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data && (
        <Paper withBorder p="md">
          <Stack gap="sm">
            <Group gap="sm" align="flex-start">
              {found.data.specimen && <Badge variant="outline" color="yellow.9">{t("list.specimen")}</Badge>}
              <Text fw={600} style={{ flex: "1 1 14rem" }}>{found.data.notice}</Text>
            </Group>
            <dl className={classes.facts}>
              <Fact name={t("verify.serial")}>{found.data.serial}</Fact>
              <Fact name={t("verify.office")}>{t(`verify.offices.${found.data.office}`)}</Fact>
              <Fact name={t("verify.affixed")}>{moment(found.data.affixed_at)}</Fact>
            </dl>
          </Stack>
        </Paper>
      )}
      <Text size="sm">{t("verify.serialHint")}</Text>
    </Stack>
  );
}
