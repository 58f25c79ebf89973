import { i18n, type Messages } from "@lingui/core"
import { type Language, languageOf } from "../../../domain/Language.ts"

const STORED = "language"

const browserLanguages = globalThis.navigator?.languages ?? []

/** Language of the texts: the one that the user chose, else the first of the browser that is translated. */
export const language: Language = languageOf([globalThis.localStorage?.getItem(STORED) ?? "", ...browserLanguages])

/** Locale of dates: the variant of the language that the browser prefers, such as en-GB. */
export const locale: string = browserLanguages.find((tag) => tag.startsWith(`${language}-`)) ?? language

const YEAR_SECONDS = 31_536_000

/** Shows the pages in another language from now on, with those that the service renders. Texts are read once, so the page loads again. */
export const chooseLanguage = (name: string): void => {
  localStorage.setItem(STORED, name)
  document.cookie = `language=${name}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`
  location.reload()
}

/** English is in the code, others have a catalog in `locales`. */
const catalogs: Record<Language, () => Promise<Messages>> = {
  en: () => Promise.resolve({}),
  de: async () => (await import("../../locales/de.po")).messages
}

/** Loads the catalog of the language. Texts must be imported after it. */
export const loadLanguage = async (): Promise<void> => {
  i18n.loadAndActivate({ locale: language, messages: await catalogs[language]() })
  document.documentElement.lang = language
}
