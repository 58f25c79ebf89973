/** Languages of the texts that people read, by their own names. English is the default. */
export const LANGUAGES = { en: "English", de: "Deutsch" } as const

export type Language = keyof typeof LANGUAGES

const isLanguage = (name: string): name is Language => Object.hasOwn(LANGUAGES, name)

/** First of these language tags that has texts, such as `de` for `de-AT`. */
export const languageOf = (tags: ReadonlyArray<string>): Language =>
  tags.map((tag) => tag.split("-", 1)[0]?.toLowerCase() ?? "").find(isLanguage) ?? "en"
