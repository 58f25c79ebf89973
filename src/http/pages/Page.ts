import { HttpServerResponse } from "effect/http"
import type { SignedIn } from "../../domain/access/Sessions.ts"
import type { ConsentTexts } from "./consentTexts.ts"
import { type Html, html } from "./Html.ts"
import { STYLE, STYLE_SOURCE } from "./Style.ts"

/** The content of a page. */
export interface Page {
  readonly title: string
  readonly main: Html
  readonly footer?: Html
  readonly status?: number
  /** The redirect URI of the app to which the page's forms redirect, if any. */
  readonly redirectUri?: URL
}

/**
 * Lists the `form-action` targets. Chromium applies them to every redirect after a form, including those of the app's
 * callback to other hosts. Therefore they are schemes, not origins.
 */
const formTargets = (redirectUri: URL | undefined) =>
  redirectUri === undefined ? "'self'" : [...new Set(["'self'", "https:", redirectUri.protocol])].join(" ")

/**
 * Renders a page that loads and runs nothing and cannot be framed.
 */
export const respond = (
  { footer, redirectUri, main, status = 200, title }: Page,
  { language }: ConsentTexts
): HttpServerResponse.HttpServerResponse => {
  const { text } = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${STYLE}
      </head>
      <body>
        <main>${main}</main>
        ${footer === undefined ? undefined : html`<footer>${footer}</footer>`}
      </body>
    </html>`
  return HttpServerResponse.text(text, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: {
      "content-security-policy": `default-src 'none'; style-src ${STYLE_SOURCE}; form-action ${formTargets(redirectUri)}; base-uri 'none'; frame-ancestors 'none'`,
      "x-frame-options": "DENY"
    }
  })
}

/** Redirects with 303, so that browsers use GET also after POST (RFC 9700, section 4.12). */
export const redirect = (location: string) => HttpServerResponse.redirect(location, { status: 303 })

/** Makes an error page with an optional link. */
export const errorPage = (title: string, text: string, status: number, link?: Html): Page => ({
  title,
  main: html`<h1>${title}</h1>
    <p>${text}</p>
    ${link}`,
  status
})

/** Renders the reason why a page is shown again, if any. */
export const alertBox = (reason: string | undefined): Html | undefined =>
  reason === undefined ? undefined : html`<p class="alert" role="alert">${reason}</p>`

/** Renders a form with its CSRF token. */
export const secureForm = (token: string, content: Html): Html => html`
  <form method="post">
    <input type="hidden" name="token" value="${token}" />
    ${content}
  </form>
`

/** Renders the signed-in account, with links to another store and another account. */
export const accountFooter = (
  { account: texts }: ConsentTexts,
  { email }: SignedIn,
  token: string,
  otherStores?: string
) => html`
  <p>${texts.signedInAs(email)}</p>
  ${otherStores === undefined ? undefined : html`<a href="${otherStores}">${texts.otherStore}</a>`}
  ${secureForm(token, html`<button class="link" name="intent" value="sign-out">${texts.otherAccount}</button>`)}
`
