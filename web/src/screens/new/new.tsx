import { Box, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, type ReactNode } from "react";

import { detail, type Detail } from "../../api/documents";
import { useProgress } from "../../api/events";
import { useText } from "../../text";
import { AnchorLink } from "../../ui/links";
import { Loading } from "../../ui/loading";
import { ScreenTitle } from "../../ui/screen-title";
import { Steps } from "../../ui/steps";
import { ScreenTrouble } from "../../ui/trouble";
import { DraftFile } from "./draft-file";
import { ChooseFile } from "./file";
import { steps, type NewStep } from "./flow";
import classes from "./new.module.css";
import { ChoosePeople } from "./people-step";
import { Review } from "./review";
import { TemplateMessages } from "./template-messages";

// The pages are drawn by the PDF engine, which only this step needs.
const Place = lazy(() => import("../place/place").then((m) => ({ default: m.Place })));

/** New creates a document, step by step. The address holds the step; the server holds what was entered. */
export function New() {
  const t = useText();
  const { document, step, instead, box } = useSearch({ from: "/member/new" });
  if (document === undefined) {
    return (
      <Frame step="file" title={t("new.title")}>
        <ChooseFile instead={instead} />
      </Frame>
    );
  }
  return <Draft id={document} step={step} box={box} />;
}

function Draft({ id, step, box }: { id: number; step: NewStep; box: number | undefined }) {
  const t = useText();
  const found = useQuery(detail(id));
  const conversion = found.data?.progress.steps.find((s) => s.step === "converted");
  const converting = conversion?.state === "active";
  useProgress(id, converting);
  if (found.isPending) return <Loading />;
  if (found.isError) return <ScreenTrouble error={found.error} retry={() => void found.refetch()} />;
  const d = found.data;
  if (d.status !== "draft" || !(d.is_owner || d.may_manage)) return <Left document={d} />;
  const unready = conversion && conversion.state !== "done";
  return (
    <Frame step={step} title={d.document_title} document={id} template={d.template}>
      {d.template && <Text size="sm">{t("template.editing")} <AnchorLink size="sm" to="/templates" search={{ page: 1, search: "" }}>{t("nav.templates")}</AnchorLink></Text>}
      {step === "file" && <DraftFile document={d} conversion={conversion} />}
      {step === "people" && <ChoosePeople document={d} />}
      {(step === "place" || step === "review") && unready && (
        <Stack maw={640}>
          <Text>{t(converting ? "new.converting" : "new.notConverted")}</Text>
          <Steps steps={[conversion]} />
          {!converting && <AnchorLink to="/new" search={{ document: undefined, step: "file", instead: id }}>{t("new.another")}</AnchorLink>}
        </Stack>
      )}
      {step === "place" && !unready && <Suspense fallback={<Loading />}><Place document={d} box={box} /></Suspense>}
      {step === "review" && !unready && (d.template ? <TemplateMessages document={d} /> : <Review document={d} />)}
    </Frame>
  );
}

/** Left says that a document is no longer a draft of the caller. */
function Left({ document: d }: { document: Detail }) {
  const t = useText();
  const go = useNavigate();
  useEffect(() => void go({ to: "/document/$id", params: { id: String(d.id) }, replace: true }), [d.id, go]);
  return <AnchorLink to="/document/$id" params={{ id: String(d.id) }}>{t("sign.details")}</AnchorLink>;
}

function Frame({ step, title, document, template = false, children }: { step: NewStep; title: string; document?: number; template?: boolean; children: ReactNode }) {
  const t = useText();
  // A template is not sent. What would be reviewed of it are the messages of its drafts.
  const name = template && step === "review" ? t("new.delivery") : t(`new.${step}`);
  return (
    <Stack maw={step === "place" ? 1500 : 900} mx="auto" gap="md">
      <div>
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>{title}</Text>
        <ScreenTitle tab={title ? `${name}: ${title}` : name} at={step}>{name}</ScreenTitle>
      </div>
      <Group component="nav" aria-label={t("new.steps")} gap={0} wrap="nowrap" className={classes.steps}>
        {steps.map((s, i) => {
          const current = s === step;
          const body = <><span className={classes.number} aria-hidden>{i + 1}</span><span className={classes.name}>{template && s === "review" ? t("new.delivery") : t(`new.${s}Short`)}</span></>;
          return document === undefined
            ? <Box component="span" key={s} className={classes.step} data-current={current} aria-current={current ? "step" : undefined}>{body}</Box>
            : <Link key={s} to="/new" search={{ document, step: s }} className={classes.step} data-current={current} aria-current={current ? "step" : undefined}>{body}</Link>;
        })}
      </Group>
      {children}
    </Stack>
  );
}
