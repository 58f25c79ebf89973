import { HttpServerResponse } from "effect/http"
import { type Html, html } from "./Html.ts"
import { STYLE, STYLE_SOURCE } from "./Style.ts"

/** What a page says. */
export interface Page {
  readonly title: string
  readonly main: Html
  readonly footer?: Html
  readonly status?: number
  /** Where its forms lead in the end, if that is not back here: the redirect URI of an app. */
  readonly leadsTo?: URL
}

/**
 * Where a form may lead. Chromium holds every redirect behind a form to this, those of the app too, and an app's callback
 * often leads on to another of its hosts, or on from TLS-less loopback: so it is schemes that are named, and not an origin.
 */
const formTargets = (leadsTo: URL | undefined) =>
  leadsTo === undefined ? "'self'" : [...new Set(["'self'", "https:", leadsTo.protocol])].join(" ")

/**
 * The page as it is sent: it loads nothing and runs nothing, stands in no frame, and is kept nowhere. To other origins it is
 * no referrer; to its own it is, as browsers would otherwise send its forms with the `Origin` null.
 */
export const respond = ({
  footer,
  leadsTo,
  main,
  status = 200,
  title
}: Page): HttpServerResponse.HttpServerResponse => {
  const { text } = html`<!doctype html>
    <html lang="en">
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
      "content-security-policy": `default-src 'none'; style-src ${STYLE_SOURCE}; form-action ${formTargets(leadsTo)}; base-uri 'none'; frame-ancestors 'none'`,
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cache-control": "no-store"
    }
  })
}

/** Leads elsewhere, by GET whatever was sent before (RFC 9700, section 4.12). */
export const leadTo = (location: string) =>
  HttpServerResponse.redirect(location, { status: 303, headers: { "cache-control": "no-store" } })

/** What cannot be done, why, and where to go from here. */
export const problem = (title: string, text: string, status: number, way?: Html): Page => ({
  title,
  main: html`<h1>${title}</h1>
    <p>${text}</p>
    ${way}`,
  status
})
