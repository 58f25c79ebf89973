import type { Membership } from "../../domain/access/Merchants.ts"
import { type Html, html } from "./Html.ts"
import { alertBox, type Page, secureForm } from "./Page.ts"

/** Renders the button that returns to the app without a consent. */
const cancelForm = (token: string) =>
  secureForm(token, html`<div class="actions"><button name="intent" value="deny">Cancel</button></div>`)

interface StorePageOptions {
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
export const storePage = ({ urlFor, clientName, refusal, stores, token, ...rest }: StorePageOptions): Page =>
  stores.length === 0
    ? {
        ...rest,
        title: "No store",
        main: html`<h1>You are not a member of a store</h1>
          ${alertBox(refusal)}
          <p>
            Only a member of a store can give <bdi>${clientName}</bdi> access to it. Ask a store owner to add you, or
            use another account.
          </p>
          ${cancelForm(token)}`
      }
    : {
        ...rest,
        title: "Choose a store",
        main: html`<h1>Choose a store for <bdi>${clientName}</bdi></h1>
          ${alertBox(refusal)}
          <p>On the next page you choose what it can do there.</p>
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
          ${cancelForm(token)}`
      }
