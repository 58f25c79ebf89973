import type { Grants } from "../../domain/access/AccessRule.ts"
import { ALWAYS_GRANTED, GRANT_DESCRIPTIONS, type GrantDescription } from "../../domain/access/GrantDescriptions.ts"
import { type Html, html } from "./Html.ts"

const namesOf = ({ capabilities, scopes }: Grants) => [...scopes, ...capabilities]

const row = ({ text, title, warning }: GrantDescription) => html`
  <li>
    <strong>${title}</strong>
    <p>${text}</p>
    ${warning === undefined ? undefined : html`<p class="warning">${warning}</p>`}
  </li>
`

const section = (heading: string, words: ReadonlyArray<GrantDescription>): Html | undefined =>
  words.length === 0
    ? undefined
    : html`<h2>${heading}</h2>
        <ul class="rows">
          ${words.map(row)}
        </ul>`

/**
 * What an app may do once it is agreed to, in words. Of an app that is installed: what is new, what it can do already, and
 * what it gives back, as it has exactly what is agreed to from then on.
 */
export const appTerms = (asked: Grants, has: Grants | undefined): Html => {
  const wanted = namesOf(asked)
  const wordsOf = (names: typeof wanted) => names.map((name) => GRANT_DESCRIPTIONS[name])
  if (has === undefined) return html`${section("It will be able to", [ALWAYS_GRANTED, ...wordsOf(wanted)])}`
  const held = namesOf(has)
  return html`
    ${section("New: it will also be able to", wordsOf(wanted.filter((name) => !held.includes(name))))}
    ${section("It can already", [ALWAYS_GRANTED, ...wordsOf(wanted.filter((name) => held.includes(name)))])}
    ${section(
      "It will no longer be able to",
      wordsOf(held.filter((name) => !wanted.includes(name))).map(({ text, title }) => ({ text, title }))
    )}
  `
}
