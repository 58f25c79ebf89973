import { Effect, Option } from "effect"
import type { Grants } from "../../domain/access/AccessRule.ts"
import type { AppId } from "../../domain/access/Ids.ts"
import type { GrantDescription } from "../../domain/access/GrantDescriptions.ts"
import { Installations } from "../../domain/access/Installations.ts"
import { Consents } from "../../domain/oauth/Consents.ts"
import { ConsentFormRejected, type ConsentStrategy } from "./ConsentStrategy.ts"
import type { ConsentTexts } from "./consentTexts.ts"
import { type Html, html } from "./Html.ts"

/** An app and the grants that it requests. */
interface RequestingApp extends Grants {
  readonly appId: AppId
  readonly name: string
}

const namesOf = ({ capabilities, scopes }: Grants) => [...scopes, ...capabilities]

/** Formats grants for the hidden form field. */
const formatGrants = (grants: Grants) => namesOf(grants).toSorted().join(" ")

const grantRow = ({ text, title, warning }: GrantDescription) => html`
  <li>
    <strong>${title}</strong>
    <p>${text}</p>
    ${warning === undefined ? undefined : html`<p class="warning">${warning}</p>`}
  </li>
`

const grantSection = (heading: string, grants: ReadonlyArray<GrantDescription>): Html | undefined =>
  grants.length === 0
    ? undefined
    : html`<h2>${heading}</h2>
        <ul class="rows">
          ${grants.map(grantRow)}
        </ul>`

/** Lists the requested grants. For an installed app it shows new, current and removed grants separately. */
const appTerms = (
  { app: texts, descriptions: { always, grants } }: ConsentTexts,
  requested: Grants,
  current: Grants | undefined
): Html => {
  const names = namesOf(requested)
  const describe = (subset: typeof names) => subset.map((name) => grants[name])
  if (current === undefined) return html`${grantSection(texts.requested, [always, ...describe(names)])}`
  const currentNames = namesOf(current)
  return html`
    ${grantSection(texts.added, describe(names.filter((name) => !currentNames.includes(name))))}
    ${grantSection(texts.current, [always, ...describe(names.filter((name) => currentNames.includes(name)))])}
    ${grantSection(
      texts.removed,
      describe(currentNames.filter((name) => !names.includes(name))).map(({ text, title }) => ({ text, title }))
    )}
  `
}

const makeHeading = (
  { app: texts }: ConsentTexts,
  app: RequestingApp,
  storeName: string,
  current: Grants | undefined
) => {
  if (current === undefined) return texts.requestsAccess(app.name, storeName)
  return formatGrants(app) === formatGrants(current)
    ? texts.requestsSameAccess(app.name, storeName)
    : texts.requestsDifferentAccess(app.name, storeName)
}

/** Makes the consent to apps. The installation gets exactly the listed grants. */
export const makeAppConsent = Effect.gen(function* () {
  const consents = yield* Consents
  const { list } = yield* Installations

  return (texts: ConsentTexts, app: RequestingApp): ConsentStrategy => {
    const requestChanged = () => new ConsentFormRejected({ reason: texts.consent.permissionsChanged })
    return {
      ask: ({ storeId, storeName }) =>
        list({ storeId: Option.some(storeId), appId: Option.some(app.appId), limit: 1 }).pipe(
          // The store or app was deleted. The consent fails when the form is submitted.
          Effect.catch(() => Effect.succeed([])),
          Effect.map(([installed]) => ({
            heading: makeHeading(texts, app, storeName, installed),
            terms: html`<input
                type="hidden"
                name="listed"
                value="${formatGrants(app)}"
              />${appTerms(texts, app, installed)}`
          }))
        ),
      agree: (consent, form) =>
        form.get("listed") === formatGrants(app)
          ? Effect.catchTags(consents.install(consent, app), {
              AppNotFound: requestChanged,
              ScopesNotDeclared: requestChanged,
              CapabilitiesNotDeclared: requestChanged
            })
          : requestChanged()
    }
  }
})
