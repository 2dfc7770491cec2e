import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import { useAccount } from "../../api/account";
import { Problem } from "../../api/client";
import { detail, type Detail, type Placement } from "../../api/documents";
import { useProgress } from "../../api/events";
import { embed } from "../../api/embed";
import { guest } from "../../api/guest";
import type { PageSize } from "../../pdf/page-size";
import { useDocument } from "../../pdf/use-document";
import { usePrint, Views } from "../../pdf/views";
import { useText } from "../../text";
import { Sheet } from "../../ui/dialog";
import { Findings } from "../../ui/findings";
import { Loading } from "../../ui/loading";
import { ScreenTitle } from "../../ui/screen-title";
import { ScreenTrouble } from "../../ui/trouble";
import { useAnswer } from "./answer";
import { Asked, ShowPlace, useAsked } from "./asked";
import { useBoxInView } from "./box-in-view";
import { BoxList } from "./box-list";
import { Code } from "./code";
import { Decline } from "./decline";
import { Marks } from "./marks";
import { Outcome, waitsForTurn } from "./outcome";
import { useReading } from "./reading";
import { ReadingPages } from "./reading-pages";
import classes from "./sign.module.css";
import { useTour, type Tour } from "./tour";

/** Sign is the screen on which a member of the organisation reads and signs. */
export function Sign() {
  return <Signing id={Number(useParams({ from: "/member/document/$id/sign" }).id)} />;
}

/** Signing reads, then shows one sheet with what I am asked to do: one signature, one confirmation. */
export function Signing({ id }: { id: number }) {
  const t = useText();
  const found = useQuery(detail(id));
  if (found.isPending) return <Loading />;
  if (found.isError) return <ScreenTrouble error={found.error} retry={() => void found.refetch()} />;
  const d = found.data;
  if (d.code?.to_read) {
    return (
      <Stack w="100%" maw={560} mx="auto" gap="md">
        <ScreenTitle tab={t("tab.sign", { title: d.document_title })} style={{ overflowWrap: "anywhere" }}>{d.document_title}</ScreenTitle>
        <Text size="sm" c="dimmed">{t("sign.from", { name: d.owner.name, organisation: d.owner.organisation })}</Text>
        <Paper withBorder p="md"><Code document={d} check={d.code} /></Paper>
      </Stack>
    );
  }
  return <Reading key={id} document={d} />;
}

function Reading({ document: d }: { document: Detail }) {
  const t = useText();
  const boxes = d.placements;
  // The reader is a participant; their own boxes identify them. A guest's token belongs to one person.
  const me = useAccount()?.id ?? guest.person();
  const mine = useMemo(() => boxes.filter((b) => b.user_id === me && b.type !== "emet"), [boxes, me]);
  const reads = embed.opened()?.purpose === "view"; // a frame for reading alone
  const given = useAnswer(d.id, (d.is_sign || d.is_approve) && !reads);
  const { declining, setDeclining, delegating, sign, approve, reject, pass } = given;
  const acted = sign.isSuccess ? "signed" : approve.isSuccess ? "approved" : reject.isSuccess ? "declined" : pass.isSuccess ? "delegated" : undefined;
  const asks = (d.is_sign || d.is_approve) && !acted && !reads;
  const waits = !acted && !reads && waitsForTurn(d);
  useEffect(() => {
    if (acted === "signed" || acted === "approved" || acted === "declined") embed.postOnce(acted);
  }, [acted]);
  // From sending a signature on, the pages stay as the signer read them, at the same place, until they ask for the newest.
  const [released, setReleased] = useState(false);
  const holds = sign.isPending || (sign.isSuccess && !released);
  const newest = `${d.id} ${d.last_signed_at ?? ""} ${d.status}`;
  const shown = useRef(newest);
  if (!holds) shown.current = newest;
  const file = useDocument(d.id, shown.current);
  const queries = useQueryClient();
  const { again } = file, failure = sign.error ?? approve.error, changed = failure instanceof Problem && failure.reason === "document.revision_changed";
  useEffect(() => {
    if (changed) again(); // another signature was added to the file that was read
  }, [changed, again]);
  const denied = file.problem?.code === 401;
  useEffect(() => {
    if (denied) void queries.invalidateQueries({ queryKey: ["document", d.id] }); // its answer says why
  }, [denied, queries, d.id]);
  const live = useProgress(d.id, d.status === "processing");
  const wide = useMediaQuery("(min-width: 62em)", undefined, { getInitialValueInEffect: false });
  const [opened, setOpened] = useState(false);
  const reading = useReading(file);
  const tour = useTour(mine);
  const { differs, print, setPrint } = usePrint(d.warnings);
  const open = useCallback((decline = false) => {
    setDeclining(decline);
    setOpened(true);
  }, [setDeclining]);
  const answer = useCallback(() => open(), [open]);
  const { onShown } = tour;
  const unseen = holds && sign.isSuccess ? me : undefined;
  const overlay = useCallback((number: number, size: PageSize, scale: number) => <Marks boxes={boxes.filter((b) => b.page === number)} all={boxes} me={asks ? me : undefined} signed={unseen} size={size} scale={scale} open={wide ? undefined : answer} onShown={onShown} />, [boxes, me, asks, unseen, wide, answer, onShown]);
  const outcome = <Outcome document={d} live={live} acted={acted} showNewest={holds && sign.isSuccess ? () => setReleased(true) : undefined} decline={waits ? () => open(true) : undefined} />;
  const drawn = file.document !== undefined && reading.started;
  useBoxInView(tour, drawn && asks);
  useEffect(() => {
    if (drawn) embed.postOnce("viewed");
  }, [drawn]);
  return (
    <Stack w="100%" maw={1300} mx="auto" gap="md">
      <div>
        <ScreenTitle tab={t("tab.sign", { title: d.document_title })} style={{ overflowWrap: "anywhere" }}>{d.document_title}</ScreenTitle>
        <Text size="sm" c="dimmed">{t("sign.from", { name: d.owner.name, organisation: d.owner.organisation })} · {d.status_info}</Text>
        {d.participant && d.mode === "signing" && <Text size="sm">{t(titleOf(d.participant), { name: d.participant.name })}</Text>}
      </div>
      <Findings warnings={d.warnings} sender={d.owner.name} />
      {differs && <Views print={print} setPrint={setPrint} />}
      <div className={classes.columns}>
        <ReadingPages file={file} overlay={overlay} print={print} drawn={drawn} onDrawn={reading.onDrawn} onEnd={reading.onEnd} />
        {wide && (
          <Paper className={classes.side} withBorder p="md" component="section" aria-label={t(asks ? "sign.asked" : "steps.title")}>
            {asks ? <Asked document={d} boxes={mine} answer={given} reading={reading} tour={tour} /> : waits && declining ? <Decline document={d} answer={given} titled={false} /> : outcome}
            <BoxList boxes={boxes} />
          </Paper>
        )}
      </div>
      {!wide && <BoxList boxes={boxes} />}
      {!wide && (asks
        ? <Bar document={d} boxes={mine} sign={answer} decline={() => open(true)} tour={tour} />
        : <Paper className={classes.bar} withBorder shadow="lg" p="sm" component="section" aria-label={t("steps.title")}>{outcome}</Paper>)}
      <Sheet opened={opened && !wide && (asks || (waits && declining))} onClose={() => setOpened(false)} title={t(declining ? "sign.decline" : delegating ? "sign.delegate" : "sign.asked")} className={classes.sheet}>
        {asks ? <Asked document={d} boxes={mine} titled answer={given} reading={reading} /> : <Decline document={d} answer={given} titled />}
      </Sheet>
    </Stack>
  );
}

/** Names the sentence about what the reader does on the document. */
function titleOf(me: NonNullable<Detail["participant"]>) {
  if (me.acts_as === "approver") return me.signed_at ? "sign.asApproverDone" : "sign.asApprover";
  if (me.role === "viewer") return "sign.asViewer";
  return me.signing_status ? "sign.asDone" : me.acts_as === "witness" ? "sign.asWitness" : "sign.as";
}

/** Bar shows at the bottom of a small window what I am asked to do, without covering the pages. */
function Bar({ document: d, boxes, sign, decline, tour }: { document: Detail; boxes: Placement[]; sign: () => void; decline: () => void; tour: Tour }) {
  const t = useText();
  const asked = useAsked(d, boxes);
  return (
    <Paper className={classes.bar} withBorder shadow="lg" p="sm" component="section" aria-label={t("sign.asked")}>
      <Group justify="space-between" gap="xs" mb={6}>
        <Text size="sm">{asked}</Text>
        <ShowPlace tour={tour} />
      </Group>
      <Group justify="space-between" wrap="nowrap">
        <Button variant="subtle" color="red" onClick={decline}>{t("sign.decline")}</Button>
        <Button size="md" onClick={sign}>{t(d.is_approve ? "document.approve" : "document.sign")}</Button>
      </Group>
    </Paper>
  );
}
