import type { Membership } from "../../domain/access/Merchants.ts"
import type { ConsentTexts } from "./consentTexts.ts"
import { type Html, html } from "./Html.ts"
import { alertBox, type Page, secureForm } from "./Page.ts"

/** Renders the button that returns to the app without a consent. */
const cancelForm = ({ cancel }: ConsentTexts, token: string) =>
  secureForm(token, html`<div class="actions"><button name="intent" value="deny">${cancel}</button></div>`)

interface StorePageOptions {
  readonly texts: ConsentTexts
  readonly clientName: string
  readonly stores: ReadonlyArray<Membership>
  /** Makes the URL of the same request for a store. */
  readonly urlFor: (store: Membership) => string
  readonly token: string
  readonly footer: Html
  readonly redirectUri: URL
  /** The reason why the page is shown again. */
  readonly refusal?: string | undefined
  readonly status?: number
}

/** Renders the list of the merchant's stores, or an explanation if there are none. */
export const storePage = ({
  urlFor,
  clientName,
  refusal,
  stores,
  texts: pageTexts,
  token,
  ...rest
}: StorePageOptions): Page => {
  const texts = pageTexts.store
  return stores.length === 0
    ? {
        ...rest,
        title: texts.noneTitle,
        main: html`<h1>${texts.noneHeading}</h1>
          ${alertBox(refusal)}
          <p>${texts.noneAdvice(clientName)}</p>
          ${cancelForm(pageTexts, token)}`
      }
    : {
        ...rest,
        title: texts.title,
        main: html`<h1>${texts.heading(clientName)}</h1>
          ${alertBox(refusal)}
          <p>${texts.next}</p>
          <ul class="rows">
            ${stores.map(
              (store) => html`
                <li>
                  <a href="${urlFor(store)}"
                    ><strong><bdi>${store.storeName}</bdi></strong></a
                  >
                </li>
              `
            )}
          </ul>
          ${cancelForm(pageTexts, token)}`
      }
}
