import { Badge, Button, Checkbox, Code, Group, Paper, Progress, Stack, Text, Title } from "@mantine/core";
import { IconBook } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

import { useAccount } from "../../api/account";
import { noSearch } from "../../api/documents";
import { specimen } from "../../api/specimen";
import { useText } from "../../text";
import { Findings } from "../../ui/findings";
import { AnchorLink, ButtonLink } from "../../ui/links";
import { pageRanges } from "../../ui/page-ranges";
import { ScreenTitle } from "../../ui/screen-title";
import { Trouble } from "../../ui/trouble";
import { Consent as ConsentText } from "../sign/consent";
import { Look } from "../sign/look";
import classes from "./many.module.css";
import type { Queued } from "./queue";
import type { Refusal, Signing } from "./signing";

interface Props {
  queue: Queued[];
  signing: Signing;
  /** Starts anew with these documents. */
  again: (rest: number[]) => void;
}

/** ConsentList shows the documents in the revisions that are signed, and takes one consent for all of them. */
export function ConsentList({ queue, signing, again }: Props) {
  const t = useText();
  const search = useSearch({ from: "/member/sign-many" });
  const { left, results, running } = signing;
  const first = left[0];
  const begun = results.size > 0;
  return (
    <>
      <div>
        <ScreenTitle>{t("many.title")}</ScreenTitle>
        {first && <Text size="sm" c="dimmed">{t("many.lead", { count: left.length })}</Text>}
      </div>
      {first && !running && (
        <Group>
          <ButtonLink to="/sign-many" search={{ ...search, read: first.id }} variant="default" leftSection={<IconBook size={18} aria-hidden />}>{t("many.readEach")}</ButtonLink>
          <Text size="sm" c="dimmed" flex="1 1 14rem">{t("many.readEachLead")}</Text>
        </Group>
      )}
      <div className={classes.columns}>
        <Stack component="ol" gap="xs" p={0} m={0} style={{ listStyle: "none" }} aria-label={t("many.documents")}>
          {queue.map((d) => <Row key={d.id} document={d} signing={signing} />)}
        </Stack>
        <Paper className={classes.side} withBorder p="md" component="section" aria-label={t(begun && left.length === 0 ? "many.results" : "sign.asked")}>
          {running ? <Signed signing={signing} /> : first ? <Consent queue={left} signing={signing} /> : <Results queue={queue} signing={signing} again={again} />}
        </Paper>
      </div>
    </>
  );
}

/** Row is one document: what it is, which revision is signed, which pages were displayed, and what became of it. */
function Row({ document: d, signing }: { document: Queued; signing: Signing }) {
  const t = useText();
  const search = useSearch({ from: "/member/sign-many" });
  const result = signing.results.get(d.id);
  const pages = signing.pagesShown(d);
  const { owner, document_title: title } = d.detail;
  return (
    <Paper component="li" withBorder p="sm" data-document={d.id} data-result={result === "signed" ? "signed" : result ? result.code : undefined}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Stack gap={4} miw={0}>
          <Text fw={600} style={{ overflowWrap: "anywhere" }}>{title}</Text>
          <Text size="xs" c="dimmed">{t("sign.from", { name: owner.name, organisation: owner.organisation })} · {t("many.pages", { count: d.pages })}</Text>
          <Text size="xs" c="dimmed">{t("many.digest")} <Code title={d.digest}>{d.digest.slice(0, 12)}</Code> · <span data-displayed={pages.length}>{pages.length > 0 ? t("many.displayed", { pages: pageRanges(pages), total: d.pages }) : t("many.notDisplayed")}</span></Text>
        </Stack>
        {result === "signed"
          ? <Badge color="seal" variant="light" style={{ flex: "none" }}>{t("many.signed")}</Badge>
          : result
            ? <AnchorLink to="/document/$id" params={{ id: String(d.id) }} size="sm" style={{ flex: "none" }} aria-label={`${t("many.open")}: ${title}`}>{t("many.open")}</AnchorLink>
            : <ButtonLink to="/sign-many" search={{ ...search, read: d.id }} variant="light" size="xs" style={{ flex: "none" }} aria-label={`${t("many.read")}: ${title}`}>{t("many.read")}</ButtonLink>}
      </Group>
      {result && result !== "signed" && <Why refusal={result} />}
      {!result && <Findings warnings={d.detail.warnings} sender={owner.name} />}
    </Paper>
  );
}

/** Why says why a document was not signed, and what the signer can do. */
function Why({ refusal }: { refusal: Refusal }) {
  const t = useText();
  const hint = refusal.retryable ? "many.doRetry" : refusal.code === "document.revision_changed" ? "many.doReadAgain" : "many.doOpen";
  return <Text size="sm" mt={4}><Text span c="red" inherit>{refusal.msg}</Text> {t(hint)}</Text>;
}

/** Consent takes one signature and one consent for all documents that are left. */
function Consent({ queue, signing }: { queue: Queued[]; signing: Signing }) {
  const t = useText();
  const account = useAccount();
  const kept = useQuery(specimen("signature"));
  const [agrees, setAgrees] = useState(false);
  const unseen = queue.filter((d) => signing.pagesShown(d).length === 0).length;
  const visible = queue.find((d) => d.detail.placements.some((b) => b.user_id === account?.id && b.type !== "emet"));
  return (
    <Stack gap="sm">
      <div>
        <Title order={2} size="h5">{t("sign.asked")}</Title>
        <Text size="sm">{t("many.asked", { count: queue.length })}</Text>
      </div>
      {visible && !kept.isPending && <Look document={visible.id} of="signature" text={account?.fullname ?? ""} kept={kept.data ?? null} keeps="account" hand={signing.hand} setHand={signing.setHand} />}
      <Checkbox checked={agrees} onChange={(e) => setAgrees(e.currentTarget.checked)} label={t("many.consent", { count: queue.length })} />
      <ConsentText consenting={signing.consenting} />
      <Text size="xs" c="dimmed" role="status">{unseen > 0 ? t("many.unseen", { count: unseen }) : t("many.allSeen")}</Text>
      {signing.error !== undefined && <Trouble error={signing.error} />}
      <Button size="md" disabled={!agrees || !signing.consenting.accepted || kept.isPending} onClick={() => void signing.signAll()}>{t("many.signAll", { count: queue.length })}</Button>
    </Stack>
  );
}

/** Signed shows how many documents have been signed so far. It is announced once for each batch. */
function Signed({ signing: { running, left } }: { signing: Signing }) {
  const t = useText();
  const total = running!.total, done = total - left.length;
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">{t("many.signing")}</Title>
      <Progress value={(100 * done) / total} aria-label={t("many.signing")} />
      <Text size="sm" role="status">{t("many.progress", { done, total })}</Text>
    </Stack>
  );
}

/** Results says how many documents were signed, and leads to those that were not. */
function Results({ queue, signing: { results }, again }: Props) {
  const t = useText();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current!.focus(), []);
  const rest = queue.filter((d) => results.get(d.id) !== "signed");
  return (
    <Stack gap="sm" data-results>
      <Title ref={heading} order={2} size="h5" tabIndex={-1} style={{ outlineOffset: 4 }}>{t("many.done", { signed: queue.length - rest.length, total: queue.length })}</Title>
      {rest.length > 0 && (
        <>
          <Text size="sm">{t("many.rest", { count: rest.length })}</Text>
          <Button variant="light" onClick={() => again(rest.map((d) => d.id))}>{t("many.again", { count: rest.length })}</Button>
        </>
      )}
      <ButtonLink to="/inbox" search={noSearch} variant="default">{t("many.toInbox")}</ButtonLink>
    </Stack>
  );
}
