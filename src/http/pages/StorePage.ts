import type { Membership } from "../../domain/access/Merchants.ts"
import { type Html, html } from "./Html.ts"
import type { Page } from "./Page.ts"
import { alertOf, formWith } from "./Parts.ts"

/** What leads back to the app without a store. */
const cancel = (token: string) =>
  formWith(token, html`<div class="actions"><button name="intent" value="deny">Cancel</button></div>`)

interface Choice {
  readonly clientName: string
  readonly stores: ReadonlyArray<Membership>
  /** The address of the same request, for one of the stores. */
  readonly addressFor: (store: Membership) => string
  readonly token: string
  readonly footer: Html
  readonly leadsTo: URL
  /** Why the store that was chosen is none. */
  readonly refusal?: string | undefined
  readonly status?: number
}

/** Asks for which store it is to be, or says that there is none. */
export const storePage = ({ addressFor, clientName, refusal, stores, token, ...rest }: Choice): Page =>
  stores.length === 0
    ? {
        ...rest,
        title: "No store",
        main: html`<h1>You are a member of no store</h1>
          ${alertOf(refusal)}
          <p>
            <bdi>${clientName}</bdi> can only be let into a store by one of its members. Ask an owner to make you one,
            or use another account.
          </p>
          ${cancel(token)}`
      }
    : {
        ...rest,
        title: "Choose a store",
        main: html`<h1>Choose a store for <bdi>${clientName}</bdi></h1>
          ${alertOf(refusal)}
          <p>You decide on the next page what it may do there.</p>
          <ul class="rows">
            ${stores.map(
              (store) => html`
                <li>
                  <a href="${addressFor(store)}"
                    ><strong><bdi>${store.storeName}</bdi></strong></a
                  >
                </li>
              `
            )}
          </ul>
          ${cancel(token)}`
      }
