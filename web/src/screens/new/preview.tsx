import { Group, Paper, Select, Stack, Text, Title } from "@mantine/core";
import { useCallback, useMemo, useState } from "react";

import { groupOf, type Detail, type Person, type Placement } from "../../api/documents";
import { address } from "../../api/files";
import type { PageSize } from "../../pdf/page-size";
import { Pages } from "../../pdf/pages";
import { useFile } from "../../pdf/use-file";
import { useText } from "../../text";
import { Findings } from "../../ui/findings";
import { ShowPlace, useAsked } from "../sign/asked";
import { BoxList } from "../sign/box-list";
import { Marks } from "../sign/marks";
import { useTour } from "../sign/tour";
import classes from "./new.module.css";

interface Props {
  document: Detail;
  signers: Person[];
  placed: Placement[];
}

/** Preview shows a draft as one of its signers will see it: what they are asked, and their boxes on the pages. */
export function Preview({ document: d, signers, placed }: Props) {
  const t = useText();
  const [chosen, setChosen] = useState(signers[0]?.user_id);
  const who = signers.find((p) => p.user_id === chosen) ?? signers[0];
  const me = who && groupOf(signers, who)[0]!.user_id; // who has the boxes
  const mine = useMemo(() => placed.filter((b) => b.user_id === me && b.type !== "emet"), [placed, me]);
  const asked = useAsked(d, mine);
  const tour = useTour(mine);
  const file = useFile({ url: address.preview(d.id) }, String(d.id));
  const { onShown } = tour;
  const overlay = useCallback((number: number, size: PageSize, scale: number) => (
    <Marks boxes={placed.filter((b) => b.page === number)} all={placed} me={me} signed={undefined} size={size} scale={scale} open={undefined} onShown={onShown} />
  ), [placed, me, onShown]);
  if (!who) return null;
  return (
    <Paper withBorder p="md" component="section" aria-label={t("new.previewAs")}>
      <Stack gap="sm">
        <Group align="flex-end" justify="space-between">
          <Select label={t("new.previewWho")} allowDeselect={false} value={who.user_id} onChange={(id) => id && setChosen(id)} data={signers.map((p) => ({ value: p.user_id, label: p.name }))} style={{ flex: "1 1 14rem" }} maw={360} />
          <ShowPlace tour={tour} />
        </Group>
        <Text size="sm" c="dimmed">{t("new.previewLead", { name: who.name })}</Text>
        <Paper withBorder p="sm" data-first>
          <Text size="xs" c="dimmed">{t("new.previewFirst")}</Text>
          <Title order={3} size="h6" style={{ overflowWrap: "anywhere" }}>{d.document_title}</Title>
          <Text size="sm" c="dimmed">{t("sign.from", { name: d.owner.name, organisation: d.owner.organisation })}</Text>
          <Text size="sm">{t("sign.as", { name: who.name })}</Text>
          <Text size="sm">{asked}</Text>
        </Paper>
        <Findings warnings={d.warnings} sender={d.owner.name} />
        {mine.length === 0 && <Text size="sm">{t("new.previewNone", { name: who.name })}</Text>}
        <div className={classes.preview} role="region" aria-label={t("new.previewFrame", { name: who.name })} tabIndex={0}>
          <Pages file={file} overlay={overlay} />
        </div>
        <BoxList boxes={placed} />
      </Stack>
    </Paper>
  );
}
