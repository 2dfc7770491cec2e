import i18next from "i18next";
import { initReactI18next, useTranslation } from "react-i18next";

import { speak } from "../api/client";
import type id from "./id.json";

export const languages = ["id", "en"] as const;
export type Language = (typeof languages)[number];

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof id };
  }
}

const key = "segel.language";

function preferred(): Language {
  const kept = localStorage.getItem(key) ?? navigator.language.slice(0, 2);
  return kept === "en" ? "en" : "id";
}

/** The sentences of each language, which are loaded when it is chosen. */
const sentences = { id: () => import("./id.json"), en: () => import("./en.json") };

async function load(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, "translation")) i18next.addResourceBundle(language, "translation", (await sentences[language]()).default);
}

/** Loads the sentences of the language that this person reads. Nothing can be shown before. */
export const loadText = (): Promise<void> => load(preferred());

export function setLanguage(language: Language): void {
  localStorage.setItem(key, language);
  void load(language).then(() => i18next.changeLanguage(language));
}

i18next.on("languageChanged", (language) => {
  document.documentElement.lang = language;
  speak(language);
});

void i18next.use(initReactI18next).init({
  resources: {},
  lng: preferred(),
  fallbackLng: "id",
  interpolation: { escapeValue: false }, // React escapes
});

export const useText = () => useTranslation().t;
export const useLanguage = () => useTranslation().i18n.language as Language;
