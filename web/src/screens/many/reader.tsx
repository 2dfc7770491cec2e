import { Button, Checkbox, Group, Paper, Stack, Switch, Text, VisuallyHidden } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { IconChevronLeft, IconChevronRight, IconKeyboard } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import { useAccount } from "../../api/account";
import { Problem } from "../../api/client";
import type { Shown } from "../../api/documents";
import { kept } from "../../api/kept";
import type { PageSize } from "../../pdf/page-size";
import { pictureWidth, type ReadPicture } from "../../pdf/pictures";
import { useDocument, type Pictures } from "../../pdf/use-document";
import { usePrint, Views } from "../../pdf/views";
import { useText } from "../../text";
import { Dialog } from "../../ui/dialog";
import { Findings } from "../../ui/findings";
import { ButtonLink } from "../../ui/links";
import { ScreenTitle } from "../../ui/screen-title";
import { Trouble } from "../../ui/trouble";
import { Consent } from "../sign/consent";
import { Marks } from "../sign/marks";
import { useReading } from "../sign/reading";
import { ReadingPages } from "../sign/reading-pages";
import { following } from "./flow";
import { actionOf, type Action } from "./keys";
import classes from "./many.module.css";
import type { Queued } from "./queue";
import type { Signing } from "./signing";

interface Props {
  queue: Queued[];
  /** The one that is read now. */
  document: Queued;
  signing: Signing;
  /** Whether the signer agreed, once for all, that signing a document says that they have read it. */
  agreed: boolean;
  setAgreed: (agreed: boolean) => void;
}

/** Reader shows one document after the other; each is signed by itself, in the revision that is shown. */
export function Reader({ queue, document: d, signing, agreed, setAgreed }: Props) {
  const t = useText();
  const go = useNavigate();
  const search = useSearch({ from: "/member/sign-many" });
  const { ref: column, width } = useElementSize();
  const [help, setHelp] = useState(false);
  const { enabled, setEnabled } = useKeysSetting();
  const [told, setTold] = useState("");
  const { setError } = signing;
  const all = queue.map((q) => q.id);
  const left = (id: number) => signing.results.get(id) !== "signed";
  const next = following(all, left, d.id), previous = following(all.toReversed(), left, d.id);
  const at = all.indexOf(d.id) + 1;
  const done = !left(d.id); // for the moment until the next one is opened, and after going back in the browser
  const agrees = agreed && signing.consenting.accepted !== undefined;
  const ready = (signing.shown.get(d.id)?.pages.length ?? 0) > 0;
  const pending = signing.running !== undefined;
  const open = useCallback((id: number | undefined) => {
    setError(undefined);
    void go({ to: "/sign-many", search: { ...search, read: id }, replace: true });
  }, [go, search, setError]);
  const sign = async () => {
    if (!agrees || !ready || pending || done) return;
    if (!(await signing.signShown(d.id))) return;
    setTold(t("many.signedOne", { title: d.detail.document_title }));
    open(next);
  };
  const act: Record<Action, () => void> = {
    next: () => next !== undefined && !pending && open(next),
    previous: () => previous !== undefined && !pending && open(previous),
    sign: () => void sign(),
    keys: () => setHelp(true),
  };
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      const action = actionOf(e);
      if (!action || (!enabled && action !== "keys")) return;
      e.preventDefault();
      latest.current[action]();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [enabled]);
  const state = done ? "many.signed" : !ready ? "many.loading" : !agrees ? "many.agreeFirst" : "many.ready";
  const { owner, document_title: title } = d.detail;
  const shortcut = (key: string) => (enabled ? { "aria-keyshortcuts": key, rightSection: <span className={classes.hint} aria-hidden><Key name={key} /></span> } : {});
  return (
    <Stack ref={column} maw={1000} mx="auto" gap="sm" data-reading={d.id}>
      <VisuallyHidden role="status">{told} {t("many.opened", { at, total: all.length, title, name: owner.name, pages: d.pages })}</VisuallyHidden>
      <div>
        <Text size="sm" c="dimmed">{t("many.position", { at, total: all.length, left: signing.left.length })}</Text>
        <ScreenTitle at={String(d.id)} tab={t("tab.sign", { title })} style={{ overflowWrap: "anywhere" }}>{title}</ScreenTitle>
        <Text size="sm" c="dimmed">{t("sign.from", { name: owner.name, organisation: owner.organisation })} · {t("many.pages", { count: d.pages })}</Text>
      </div>
      <Paper withBorder p="sm" component="section" aria-label={t("many.readerConsentTitle")}>
        <Stack gap="xs">
          <Checkbox checked={agreed} onChange={(e) => setAgreed(e.currentTarget.checked)} label={t("many.readerConsent")} />
          <Consent consenting={signing.consenting} />
        </Stack>
        <Group gap="xs" mt="xs" justify="space-between">
          <Text size="xs" c="dimmed">{t("many.look", { way: t(signing.hand ? `sign.${signing.hand.way}` : "many.lookDefault") })}</Text>
          <ButtonLink to="/sign-many" search={{ ...search, read: undefined }} variant="subtle" size="compact-xs">{t("many.toList")}</ButtonLink>
        </Group>
      </Paper>
      {/* The next document is opened while this one is read. Nothing of it is drawn, so nothing of it counts as displayed. */}
      {queue.filter((q) => q.id === d.id || q.id === next).map((q) => <Sheets key={q.id} document={q} hidden={q.id !== d.id} width={width} signing={signing} />)}
      <Paper className={classes.bar} withBorder shadow="lg" p="sm" component="section" aria-label={t("sign.asked")}>
        {signing.error !== undefined && <div className={classes.trouble}><Trouble error={signing.error} /></div>}
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <Button variant="default" px="sm" disabled={previous === undefined || pending} onClick={act.previous} {...shortcut("k")}><IconChevronLeft size={18} aria-hidden /><span className={classes.label}>{t("many.previous")}</span></Button>
            <Button variant="default" px="sm" disabled={next === undefined || pending} onClick={act.next} {...shortcut("j")}><span className={classes.label}>{t("many.next")}</span><IconChevronRight size={18} aria-hidden /></Button>
            <Button variant="subtle" px="sm" onClick={act.keys} aria-keyshortcuts="?" aria-haspopup="dialog"><IconKeyboard size={18} aria-hidden /><span className={classes.label}>{t("many.keys")}</span></Button>
          </Group>
          <Button loading={pending} disabled={!agrees || !ready || done} onClick={act.sign} aria-describedby="many-state" {...shortcut("s")}>{t("many.signThis")}</Button>
        </Group>
        <Text id="many-state" size="xs" c="dimmed" mt={4} data-ready={ready && agrees && !done}>{t(state)}</Text>
      </Paper>
      <Dialog opened={help} onClose={() => setHelp(false)} title={t("many.keys")}>
        <Stack gap="sm">
          <ul className={classes.keys}>
            {([["j", "many.next"], ["k", "many.previous"], ["s", "many.signThis"], ["?", "many.keys"]] as const).map(([key, does]) => <li key={key}><Key name={key} /> {t(does)}</li>)}
          </ul>
          <Text size="sm" c="dimmed">{t("many.keysLead")}</Text>
          <Switch checked={enabled} onChange={(e) => setEnabled(e.currentTarget.checked)} label={t("many.useKeys")} />
        </Stack>
      </Dialog>
    </Stack>
  );
}

const Key = ({ name }: { name: string }) => <kbd className={classes.key}>{name}</kbd>;

/** Sheets opens the file of a document, shows its pages unless it is hidden, and reports which of them were drawn. */
function Sheets({ document: d, hidden, width, signing: { onShown, error } }: { document: Queued; hidden: boolean; width: number; signing: Signing }) {
  const me = useAccount()?.id;
  const opened = useDocument(d.id, d.digest);
  const pictures = useFirstPicture(opened.pictures, hidden ? width : 0);
  const file = { ...opened, pictures };
  const reading = useReading(file);
  const { differs, print, setPrint } = usePrint(d.detail.warnings);
  const boxes = d.detail.placements;
  const { onDrawn, shown: shownPages } = reading, { digest = "", again } = file;
  const drawn = useCallback((page: number, picture: boolean) => {
    onDrawn(page, picture);
    const shown: Shown = { digest, ...shownPages() };
    if (digest) onShown(d.id, shown);
  }, [onDrawn, shownPages, digest, onShown, d.id]);
  const changed = !hidden && error instanceof Problem && error.reason === "document.revision_changed";
  useEffect(() => {
    if (changed) again(); // another signature was added to the file that was read
  }, [changed, again]);
  const overlay = useCallback((number: number, size: PageSize, scale: number) => <Marks boxes={boxes.filter((b) => b.page === number)} all={boxes} me={me} signed={undefined} size={size} scale={scale} open={undefined} onShown={ignore} />, [boxes, me]);
  return (
    <div hidden={hidden} data-sheets={d.id}>
      <Findings warnings={d.detail.warnings} sender={d.detail.owner.name} />
      {differs && <Views print={print} setPrint={setPrint} />}
      {!hidden && <ReadingPages file={file} overlay={overlay} print={print} drawn={file.document !== undefined} onDrawn={drawn} />}
    </div>
  );
}

/** Reads the picture of the first page ahead, for pages that will be so many pixels wide; 0: not ahead. The file is loaded behind it, as when it is shown. */
function useFirstPicture(pictures: Pictures | undefined, width: number): Pictures | undefined {
  const ahead = useRef<{ of: Pictures; pixels: number; picture: Promise<ReadPicture> }>(undefined);
  useEffect(() => {
    if (!pictures || width === 0 || ahead.current?.of === pictures) return;
    const pixels = pictureWidth(pictures.list, Math.min(width, 900) * Math.min(window.devicePixelRatio || 1, 2));
    const picture = pictures.read(1, pixels, new AbortController().signal);
    ahead.current = { of: pictures, pixels, picture };
    picture.then(pictures.onShown, pictures.onMissing);
  }, [pictures, width]);
  return useMemo(() => pictures && {
    ...pictures,
    read: (page, pixels, signal) => {
      const first = ahead.current;
      return page === 1 && first?.of === pictures && first.pixels === pixels ? first.picture : pictures.read(page, pixels, signal);
    },
  }, [pictures]);
}

const ignore = () => undefined;

const setting = "segel.signing-keys";

/** Whether letters are shortcuts. People who speak to their computer may switch them off; the choice stays in this browser. */
function useKeysSetting() {
  const [enabled, set] = useState(() => kept.read(setting) !== "off");
  const setEnabled = (on: boolean) => {
    kept.write(setting, on ? "on" : "off");
    set(on);
  };
  return { enabled, setEnabled };
}
