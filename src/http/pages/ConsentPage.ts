import type { Membership } from "../../domain/access/Merchants.ts"
import { isDocumentUrl } from "../../domain/oauth/ClientMetadata.ts"
import type { Client } from "../../domain/oauth/Clients.ts"
import { parseUrl } from "../../domain/Url.ts"
import { type Html, html } from "./Html.ts"
import type { Page } from "./Page.ts"
import { alertOf, formWith } from "./Parts.ts"

/**
 * The first letter of the client's name, where its logo would be: an image of somebody else's would tell them who looks
 * at which store's page, and could show what it likes.
 */
const monogram = (name: string) => {
  // Made here: the first of a process loads the rules of all scripts, which would take every start 20 ms.
  const [first] = new Intl.Segmenter().segment(name.trim())
  return html`<div class="monogram" aria-hidden="true">${first?.segment.toUpperCase()}</div>`
}

/** An address that nobody can follow by mistake stands there as what it is: text. */
const linkTo = (website: string) => {
  const url = parseUrl(website)
  return url?.protocol === "https:"
    ? html`<a href="${website}" rel="noreferrer">${url.host}</a>`
    : html`<bdi>${website}</bdi>`
}

/** Of a client of agents no more is known than which host describes it, if one does: the rest it says of itself. */
const agentsMaker = (clientId: string) =>
  isDocumentUrl(clientId)
    ? html`Described by <strong>${new URL(clientId).host}</strong>`
    : html`It gave this name itself: nobody has checked it`

const appsMaker = (name: string | null, website: string | null) => {
  const maker = name === null ? html`Registered by who runs this service` : html`Made by <bdi>${name}</bdi>`
  return html`${maker}${website === null ? undefined : html`, ${linkTo(website)}`}`
}

const makerOf = ({ clientId, of, website }: Client) =>
  html`<p class="quiet">${of._tag === "App" ? appsMaker(of.developerName, website) : agentsMaker(clientId)}.</p>`

/** Whereto a redirect leads, as a person knows it. */
const placeOf = ({ host, protocol }: URL) => {
  if (protocol === "https:") return html`<strong>${host}</strong>`
  if (protocol === "http:") return html`a program on this computer, <strong>${host}</strong>`
  return html`a program on this computer, <strong>${protocol}</strong>`
}

interface Question {
  readonly client: Client
  readonly store: Membership
  /** What is asked for, with the fields that say so when it is agreed to. */
  readonly terms: Html
  readonly heading: Html
  readonly token: string
  readonly footer: Html
  readonly leadsTo: URL
  /** Why it is asked once more. */
  readonly refusal?: string | undefined
  readonly status?: number
}

/** Asks whether a client may do what it asks for, in a store. */
export const consentPage = ({ client, heading, refusal, store, terms, token, ...rest }: Question): Page => ({
  ...rest,
  title: `Allow ${client.name}?`,
  main: html`${monogram(client.name)}
    <h1>${heading}</h1>
    ${makerOf(client)} ${alertOf(refusal)}
    ${formWith(
      token,
      html`<input type="hidden" name="store_id" value="${store.storeId}" />
        ${terms}
        <div class="actions">
          <button name="intent" value="deny">Cancel</button>
          <button class="primary" name="intent" value="allow">Allow</button>
        </div>`
    )}
    <p class="quiet">Either way you go on to ${placeOf(rest.leadsTo)}.</p>`
})
