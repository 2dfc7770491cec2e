import { Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useCallback, useState } from "react";

import { useAccount } from "../../api/account";
import { detail, type Detail, type Placement } from "../../api/documents";
import { useProgress, type Following } from "../../api/events";
import { guest } from "../../api/guest";
import type { PageSize } from "../../pdf/page-size";
import { Pages } from "../../pdf/pages";
import { useDocument } from "../../pdf/use-document";
import { usePrint, Views } from "../../pdf/views";
import { useText } from "../../text";
import { Sheet } from "../../ui/dialog";
import { Download } from "../../ui/download";
import { Findings } from "../../ui/findings";
import { AnchorLink } from "../../ui/links";
import { Loading } from "../../ui/loading";
import { Steps, stepsOf } from "../../ui/steps";
import { Trouble } from "../../ui/trouble";
import { useAnswer } from "./answer";
import { Asked, useAsked } from "./asked";
import { BoxList } from "./box-list";
import { Marks } from "./marks";
import { useReading } from "./reading";
import classes from "./sign.module.css";

/** Sign is the screen on which a member of the organisation reads and signs. */
export function Sign() {
  return <Signing id={Number(useParams({ from: "/member/document/$id/sign" }).id)} />;
}

/** Signing reads, then shows one sheet with what I am asked to do: one signature, one confirmation. */
export function Signing({ id }: { id: number }) {
  const found = useQuery(detail(id));
  if (found.isPending) return <Loading />;
  if (found.isError) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  return <Reading key={id} document={found.data} />;
}

function Reading({ document: d }: { document: Detail }) {
  const t = useText();
  const boxes = d.placements;
  // The reader is a participant; their own boxes identify them. A guest's token belongs to one person.
  const me = useAccount()?.id ?? guest.person();
  const mine = boxes.filter((b) => b.user_id === me && b.type !== "emet");
  const file = useDocument(d.id, `${d.id} ${d.last_signed_at ?? ""} ${d.status}`);
  const live = useProgress(d.id, d.status === "processing");
  const wide = useMediaQuery("(min-width: 62em)", undefined, { getInitialValueInEffect: false });
  const [opened, setOpened] = useState(false);
  const asks = d.is_sign;
  const given = useAnswer(d.id, asks);
  const reading = useReading(file);
  const { differs, print, setPrint } = usePrint(d.warnings);
  const { declining, setDeclining } = given;
  const open = useCallback((decline = false) => {
    setDeclining(decline);
    setOpened(true);
  }, [setDeclining]);
  const answer = useCallback(() => open(), [open]);
  const overlay = useCallback((number: number, size: PageSize, scale: number) => <Marks boxes={boxes.filter((b) => b.page === number)} all={boxes} me={asks ? me : undefined} size={size} scale={scale} open={wide ? undefined : answer} />, [boxes, me, asks, wide, answer]);
  const standing = <Standing document={d} live={live} />;
  return (
    <Stack w="100%" maw={1300} mx="auto" gap="md">
      <div>
        <Title order={1} size="h3" style={{ overflowWrap: "anywhere" }}>{d.document_title}</Title>
        <Text size="sm" c="dimmed">{t("list.from", { name: d.owner.name })} · {d.status_info}</Text>
      </div>
      <Findings warnings={d.warnings} sender={d.owner.name} />
      {differs && <Views print={print} setPrint={setPrint} />}
      {!wide && !asks && <Paper withBorder p="md" component="section" aria-label={t("steps.title")}>{standing}</Paper>}
      <div className={classes.columns}>
        <Pages file={file} overlay={overlay} print={print} onDrawn={reading.onDrawn} onEnd={reading.onEnd} />
        {wide && (
          <Paper className={classes.side} withBorder p="md" component="section" aria-label={t(asks ? "sign.asked" : "steps.title")}>
            {asks ? <Asked document={d} boxes={mine} answer={given} reading={reading} /> : standing}
            <BoxList boxes={boxes} />
          </Paper>
        )}
      </div>
      {!wide && <BoxList boxes={boxes} />}
      {!wide && asks && <Bar boxes={mine} sign={answer} decline={() => open(true)} />}
      <Sheet opened={opened && !wide && asks} onClose={() => setOpened(false)} title={t(declining ? "sign.decline" : "sign.asked")} className={classes.sheet}>
        <Asked document={d} boxes={mine} titled answer={given} reading={reading} />
      </Sheet>
    </Stack>
  );
}

/** Standing shows the state of the document when I am not asked to do anything. */
function Standing({ document: d, live }: { document: Detail; live: Following }) {
  const t = useText();
  return (
    <Stack gap="sm">
      <Text fw={600} role="status">{d.description}</Text>
      {live.lost && <Text size="sm" role="status">{t("steps.lost")}</Text>}
      <Steps steps={stepsOf(live.status?.progress ?? d.progress, d.status)} own={d.is_owner ? d.id : undefined} />
      <Group>
        {d.active_download_button && <Download id={d.id} />}
        {!guest.token() && <AnchorLink to="/document/$id" params={{ id: String(d.id) }} size="sm">{t("sign.details")}</AnchorLink>}
      </Group>
    </Stack>
  );
}

/** Bar shows at the bottom of a small window what I am asked to do, without covering the pages. */
function Bar({ boxes, sign, decline }: { boxes: Placement[]; sign: () => void; decline: () => void }) {
  const t = useText();
  const asked = useAsked(boxes), first = boxes.map((b) => b.page).sort((a, b) => a - b)[0];
  const goThere = () => window.document.querySelector(`[data-mark="${first}"]`)?.scrollIntoView({ block: "center" });
  return (
    <Paper className={classes.bar} withBorder shadow="lg" p="sm" component="section" aria-label={t("sign.asked")}>
      <Group justify="space-between" gap="xs" wrap="nowrap" mb={6}>
        <Text size="sm">{asked}</Text>
        {first !== undefined && <Button variant="subtle" size="compact-sm" style={{ flex: "none" }} onClick={goThere}>{t("sign.show")}</Button>}
      </Group>
      <Group justify="space-between" wrap="nowrap">
        <Button variant="subtle" color="red" onClick={decline}>{t("sign.decline")}</Button>
        <Button size="md" onClick={sign}>{t("document.sign")}</Button>
      </Group>
    </Paper>
  );
}
