import { Effect, Option } from "effect"
import type { Grants } from "../../domain/access/AccessRule.ts"
import type { AppId } from "../../domain/access/Apps.ts"
import { Installations } from "../../domain/access/Installations.ts"
import { Consents } from "../../domain/oauth/Consents.ts"
import { appTerms } from "./AppTerms.ts"
import { AskedAgain, type Consenting } from "./Consenting.ts"
import { html } from "./Html.ts"

/** An app that asks, and for what. */
interface AskingApp extends Grants {
  readonly appId: AppId
  readonly name: string
}

/** What the page lists, as the form holds it. */
const listed = ({ capabilities, scopes }: Grants) => [...scopes, ...capabilities].toSorted().join(" ")

const changed = () => new AskedAgain({ reason: "What the app asks for has changed meanwhile; look at it again" })

const headingFor = (app: AskingApp, storeName: string, has: Grants | undefined) => {
  const what = has === undefined ? html`access` : listed(app) === listed(has) ? html`access again` : html`other access`
  return html`<bdi>${app.name}</bdi> asks for ${what} to <bdi>${storeName}</bdi>`
}

/** How apps are consented to: the installation has exactly what the page listed. */
export const makeAppConsent = Effect.gen(function* () {
  const consents = yield* Consents
  const { list } = yield* Installations

  return (app: AskingApp): Consenting => ({
    ask: ({ storeId, storeName }) =>
      list({ storeId: Option.some(storeId), appId: Option.some(app.appId), limit: 1 }).pipe(
        // Neither is there any more: to agree is refused, as it is looked at again then.
        Effect.catch(() => Effect.succeed([])),
        Effect.map(([installed]) => ({
          heading: headingFor(app, storeName, installed),
          terms: html`<input type="hidden" name="listed" value="${listed(app)}" />${appTerms(app, installed)}`
        }))
      ),
    agree: (consent, form) =>
      form.get("listed") === listed(app)
        ? Effect.catchTags(consents.install(consent, app), {
            AppNotFound: changed,
            ScopesNotDeclared: changed,
            CapabilitiesNotDeclared: changed
          })
        : changed()
  })
})
