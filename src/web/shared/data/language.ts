import { i18n, type Messages } from "@lingui/core"

/** Languages of the pages, by their own names. English is in the code, others have a catalog in `locales`. */
export const LANGUAGES = { en: "English", de: "Deutsch" } as const

type Language = keyof typeof LANGUAGES

const STORED = "language"

const isLanguage = (name: string | null): name is Language => name !== null && Object.hasOwn(LANGUAGES, name)

const browserLanguages = globalThis.navigator?.languages ?? []

/** Language of the texts: the one that the user chose, else the first of the browser that is translated. */
export const language: Language =
  [
    globalThis.localStorage?.getItem(STORED) ?? null,
    ...browserLanguages.map((tag) => tag.split("-", 1)[0] ?? null)
  ].find(isLanguage) ?? "en"

/** Locale of dates: the variant of the language that the browser prefers, such as en-GB. */
export const locale: string = browserLanguages.find((tag) => tag.startsWith(`${language}-`)) ?? language

/** Shows the pages in another language from now on. Texts are read once, so the page loads again. */
export const chooseLanguage = (name: string): void => {
  localStorage.setItem(STORED, name)
  location.reload()
}

const catalogs: Record<Language, () => Promise<Messages>> = {
  en: () => Promise.resolve({}),
  de: async () => (await import("../../locales/de.po")).messages
}

/** Loads the catalog of the language. Texts must be imported after it. */
export const loadLanguage = async (): Promise<void> => {
  i18n.loadAndActivate({ locale: language, messages: await catalogs[language]() })
  document.documentElement.lang = language
}
