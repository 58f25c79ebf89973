import type { LinguiConfig } from "@lingui/conf"

/** English is the language of the sources. `npm run translations` adds their messages to the other catalogs. */
const config: LinguiConfig = {
  sourceLocale: "en",
  locales: ["de"],
  catalogs: [{ path: "<rootDir>/src/web/locales/{locale}", include: ["<rootDir>/src/web/**/*Texts.ts"] }],
  formatOptions: { lineNumbers: false }
}

export default config
