import type { Membership } from "../../domain/access/Merchants.ts"
import { isDocumentUrl } from "../../domain/oauth/ClientMetadata.ts"
import type { Client } from "../../domain/oauth/Clients.ts"
import { parseUrl } from "../../domain/Url.ts"
import { type Html, html } from "./Html.ts"
import { alertBox, type Page, secureForm } from "./Page.ts"

/**
 * Renders the first letter of the client's name instead of its logo. A logo from another host would reveal visitors to
 * that host, and could show misleading content.
 */
const monogram = (name: string) => {
  // Not a constant: the first instance of a process takes 20 ms to load.
  const [first] = new Intl.Segmenter().segment(name.trim())
  return html`<div class="monogram" aria-hidden="true">${first?.segment.toUpperCase()}</div>`
}

/** Links https addresses only. Others are shown as text. */
const linkTo = (website: string) => {
  const url = parseUrl(website)
  return url?.protocol === "https:"
    ? html`<a href="${website}" rel="noreferrer">${url.host}</a>`
    : html`<bdi>${website}</bdi>`
}

/** Only the host of the client's metadata document, if any, is verified. */
const agentPublisher = (clientId: string) =>
  isDocumentUrl(clientId)
    ? html`Described by <strong>${new URL(clientId).host}</strong>`
    : html`This name is not verified`

const appPublisher = (name: string | null, website: string | null) => {
  const publisher = name === null ? html`Registered by the operator of this service` : html`Made by <bdi>${name}</bdi>`
  return html`${publisher}${website === null ? undefined : html`, ${linkTo(website)}`}`
}

const publisherOf = ({ clientId, of, website }: Client) =>
  html`<p class="quiet">${of._tag === "App" ? appPublisher(of.developerName, website) : agentPublisher(clientId)}.</p>`

/** Describes the target of a redirect. */
const describeTarget = ({ host, protocol }: URL) => {
  if (protocol === "https:") return html`<strong>${host}</strong>`
  if (protocol === "http:") return html`a program on this computer, <strong>${host}</strong>`
  return html`a program on this computer, <strong>${protocol}</strong>`
}

interface ConsentPageOptions {
  readonly client: Client
  readonly store: Membership
  /** The requested grants with their form fields. */
  readonly terms: Html
  readonly heading: Html
  readonly token: string
  readonly footer: Html
  readonly redirectUri: URL
  /** The reason why the page is shown again. */
  readonly refusal?: string | undefined
  readonly status?: number
}

/** Renders the form with which a merchant allows or denies a client. */
export const consentPage = ({ client, heading, refusal, store, terms, token, ...rest }: ConsentPageOptions): Page => ({
  ...rest,
  title: `Allow ${client.name}?`,
  main: html`${monogram(client.name)}
    <h1>${heading}</h1>
    ${publisherOf(client)} ${alertBox(refusal)}
    ${secureForm(
      token,
      html`<input type="hidden" name="store_id" value="${store.storeId}" />
        ${terms}
        <div class="actions">
          <button name="intent" value="deny">Cancel</button>
          <button class="primary" name="intent" value="allow">Allow</button>
        </div>`
    )}
    <p class="quiet">Either choice returns you to ${describeTarget(rest.redirectUri)}.</p>`
})
