import i18next from "i18next";
import { initReactI18next, useTranslation } from "react-i18next";

import { speak } from "../api/client";
import { isEmbedded } from "../api/embed";
import { kept } from "../api/kept";
import type adminID from "./admin.id.json";
import type id from "./id.json";

export const languages = ["id", "en"] as const;
export type Language = (typeof languages)[number];

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof id & typeof adminID };
  }
}

const key = "segel.language";

function preferred(): Language {
  const asked = isEmbedded ? new URLSearchParams(location.search).get("language") : null;
  return (asked ?? kept.read(key) ?? navigator.language.slice(0, 2)) === "en" ? "en" : "id";
}

/** The sentences of each language, which are loaded when it is chosen, and those of administrators and of accounts, which are loaded with their screens. */
const sentences = { id: () => import("./id.json"), en: () => import("./en.json") };
const adminSentences = { id: () => import("./admin.id.json"), en: () => import("./admin.en.json") };
let administers = false;
const loaded = new Set<string>();

async function add(part: string, language: Language, read: () => Promise<{ default: object }>): Promise<void> {
  const name = `${part} ${language}`;
  if (loaded.has(name)) return;
  const { default: texts } = await read();
  loaded.add(name);
  i18next.addResourceBundle(language, "translation", texts, true);
}

async function load(language: Language): Promise<void> {
  await Promise.all([add("all", language, sentences[language]), ...(administers ? [add("admin", language, adminSentences[language])] : [])]);
}

/** Loads the sentences of the screens of administrators and of accounts as well, in this language and in those that are chosen later. */
export function loadAdminText(): Promise<void> {
  administers = true;
  return load(i18next.language as Language);
}

/** Loads the sentences of the language that this person reads. Nothing can be shown before. */
export const loadText = (): Promise<void> => load(preferred());

let chosen: Language | undefined;

/** Shows the app in a language once its sentences are loaded, unless another was chosen meanwhile. */
export async function setLanguage(language: Language): Promise<void> {
  kept.write(key, language);
  chosen = language;
  await load(language);
  if (chosen === language) await i18next.changeLanguage(language);
}

i18next.on("languageChanged", (language) => {
  document.documentElement.lang = language;
  speak(language, (status) => i18next.t("problem.unexplained", { status }));
});

void i18next.use(initReactI18next).init({
  resources: {},
  lng: preferred(),
  fallbackLng: "id",
  interpolation: { escapeValue: false }, // React escapes
});

export const useText = () => useTranslation().t;
export const useLanguage = () => useTranslation().i18n.language as Language;
