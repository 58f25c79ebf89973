import type { ConsentTexts } from "./consentTexts.ts"
import { html } from "./Html.ts"
import { alertBox, type Page, secureForm } from "./Page.ts"

/** Renders the error of a field, which `aria-describedby` references. */
const fieldError = (id: string, reason: string | undefined) =>
  reason === undefined ? undefined : html`<p class="reason" id="${id}-reason">${reason}</p>`

const describedBy = (id: string, reason: string | undefined) =>
  reason === undefined ? undefined : html`aria-invalid="true" aria-describedby="${id}-reason"`

/** The submitted email and the errors of a rejected sign-in. */
export interface RejectedSignIn {
  readonly email: string
  readonly status: number
  readonly refusal?: string
  readonly reasons?: { readonly email?: string | undefined; readonly password?: string | undefined }
}

/** Renders the sign-in form. The email field is plain text, because browsers rewrite some addresses in `email` fields. */
export const signInPage = (
  { signIn: texts }: ConsentTexts,
  clientName: string,
  token: string,
  rejected?: RejectedSignIn
): Page => {
  const { email, refusal, reasons = {}, status = 200 } = rejected ?? { email: "" }
  return {
    title: rejected === undefined ? texts.title : texts.failedTitle,
    status,
    main: html`<h1>${texts.title}</h1>
      <p>${texts.purpose(clientName)}</p>
      ${alertBox(refusal)}
      ${secureForm(
        token,
        html`
          <label for="email">${texts.email}</label>
          <input
            id="email"
            name="email"
            value="${email}"
            inputmode="email"
            autocomplete="username"
            autocapitalize="none"
            spellcheck="false"
            required
            ${describedBy("email", reasons.email)}
          />
          ${fieldError("email", reasons.email)}
          <label for="password">${texts.password}</label>
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="current-password"
            required
            ${describedBy("password", reasons.password)}
          />
          ${fieldError("password", reasons.password)}
          <div class="actions">
            <button class="primary" name="intent" value="sign-in">${texts.submit}</button>
          </div>
        `
      )}`
  }
}
