import type { Membership } from "../../domain/access/Merchants.ts"
import { isDocumentUrl } from "../../domain/oauth/ClientMetadata.ts"
import type { Client } from "../../domain/oauth/Clients.ts"
import { parseUrl } from "../../domain/Url.ts"
import type { ConsentTexts } from "./consentTexts.ts"
import { type Html, html } from "./Html.ts"
import { alertBox, type Page, secureForm } from "./Page.ts"

type Texts = ConsentTexts["consent"]

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
const agentPublisher = (texts: Texts, clientId: string) =>
  isDocumentUrl(clientId) ? texts.describedBy(new URL(clientId).host) : html`${texts.unverifiedName}`

const appPublisher = (texts: Texts, name: string | null, website: string | null) => {
  const publisher = name === null ? html`${texts.operatorApp}` : texts.madeBy(name)
  return html`${publisher}${website === null ? undefined : html`, ${linkTo(website)}`}`
}

const publisherOf = (texts: Texts, { clientId, of, website }: Client) =>
  html`<p class="quiet">
    ${of._tag === "App" ? appPublisher(texts, of.developerName, website) : agentPublisher(texts, clientId)}.
  </p>`

/** Describes the target of a redirect. */
const describeTarget = (texts: Texts, { host, protocol }: URL) => {
  if (protocol === "https:") return texts.site(host)
  if (protocol === "http:") return texts.localProgram(host)
  return texts.localProgram(protocol)
}

interface ConsentPageOptions {
  readonly texts: ConsentTexts
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
export const consentPage = ({
  client,
  heading,
  refusal,
  store,
  terms,
  texts: { cancel, consent: texts },
  token,
  ...rest
}: ConsentPageOptions): Page => ({
  ...rest,
  title: texts.title(client.name),
  main: html`${monogram(client.name)}
    <h1>${heading}</h1>
    ${publisherOf(texts, client)} ${alertBox(refusal)}
    ${secureForm(
      token,
      html`<input type="hidden" name="store_id" value="${store.storeId}" />
        ${terms}
        <div class="actions">
          <button name="intent" value="deny">${cancel}</button>
          <button class="primary" name="intent" value="allow">${texts.allow}</button>
        </div>`
    )}
    <p class="quiet">${texts.returnsTo(describeTarget(texts, rest.redirectUri))}</p>`
})
