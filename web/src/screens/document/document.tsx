import { Alert, Badge, Grid, Group, Stack, Text } from "@mantine/core";
import { IconFileOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";

import { detail, type Detail } from "../../api/documents";
import { useProgress } from "../../api/events";
import { Pages } from "../../pdf/pages";
import { useDocument } from "../../pdf/use-document";
import { usePrint, Views } from "../../pdf/views";
import { useLanguage, useText } from "../../text";
import { Findings } from "../../ui/findings";
import { Filing } from "../../ui/label";
import { Loading } from "../../ui/loading";
import { ScreenTitle } from "../../ui/screen-title";
import { StateBadge } from "../../ui/state";
import { Steps, stepsOf } from "../../ui/steps";
import { ScreenTrouble } from "../../ui/trouble";
import { Actions } from "./actions";
import { People } from "./people";
import { Stamps } from "./stamps";
import { TeamOf } from "../../ui/team-of";
import { Trail } from "./trail";

export function Document() {
  const id = Number(useParams({ from: "/member/document/$id" }).id);
  const found = useQuery(detail(id));
  if (found.isPending) return <Loading />;
  if (found.isError) return <ScreenTrouble error={found.error} retry={() => void found.refetch()} />;
  return <Shown key={id} document={found.data} />;
}

function Shown({ document: d }: { document: Detail }) {
  const t = useText();
  const language = useLanguage();
  const live = useProgress(d.id, d.status === "processing");
  const audits = !d.is_owner && !d.participant && !d.team; // an auditor sees what is recorded, and neither reads the file nor acts
  const steps = stepsOf(live.status?.progress ?? d.progress, d.status);
  // Do not repeat what the badge or a step says.
  const said = d.status === "completed" || steps.some((s) => s.state === "stopped" && s.reason);
  return (
    <Stack maw={1300} mx="auto">
      <Group justify="space-between" align="flex-start">
        <div style={{ minWidth: 0, flex: "1 1 16rem" }}>
          <ScreenTitle style={{ overflowWrap: "anywhere" }}>{d.document_title}</ScreenTitle>
          <Group gap="xs" mt={6}>
            <StateBadge state={d.status} />
            {d.specimen && <Badge variant="outline" color="yellow.9">{t("list.specimen")}</Badge>}
            <Text size="sm" c="dimmed">{t("list.from", { name: d.owner.name })}</Text>
            <Filing of={d} />
          </Group>
        </div>
        {!audits && <Actions document={d} />}
      </Group>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          {d.removed_at ? <Alert variant="light" icon={<IconFileOff aria-hidden />}>{t("document.removed", { when: new Date(d.removed_at).toLocaleDateString(language, { dateStyle: "long" }) })}</Alert>
            : audits ? <Alert variant="light" icon={<IconFileOff aria-hidden />}>{t("document.recordsOnly")}</Alert> : <File document={d} />}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }} order={{ base: -1, md: 1 }}>
          <Stack>
            {!said && <Text size="sm">{d.description}</Text>}
            {live.lost && <Text size="sm" role="status">{t("steps.lost")}</Text>}
            {steps.length > 0 && <Steps steps={steps} own={d.is_owner || d.may_manage ? d.id : undefined} />}
            <People document={d} />
            <TeamOf document={d} />
            {!steps.some((s) => s.serials.length > 0) && <Stamps serials={d.serial_number} />}
            <Trail id={d.id} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

/** File shows the pages of a document, with what is unexpected in them. */
function File({ document: d }: { document: Detail }) {
  // A signature creates another revision, which is another file.
  const file = useDocument(d.id, `${d.id} ${d.last_signed_at ?? ""} ${d.status}`);
  const { differs, print, setPrint } = usePrint(d.warnings);
  return (
    <Stack>
      <Findings warnings={d.warnings} sender={d.owner.name} />
      {differs && <Views print={print} setPrint={setPrint} />}
      <Pages file={file} print={print} />
    </Stack>
  );
}
